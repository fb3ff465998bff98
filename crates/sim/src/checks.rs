//! Consistency checks: who may start one, what it finds, how it ends; and the firmware's own schedule.
//!
//! A check that a restart of the host interrupts is gone without a word: no event, no result.

use crate::kernel::Voice;
use crate::motion::new_task;
use crate::world::{ArrayState, Controller, Schedule, Task, TaskKind, TaskOn};

/// What a script does to the checks of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckFault {
    Starts,
    Stops,
    /// Starts, and finds so many inconsistencies.
    Finds(u64),
    /// The next one, whoever starts it, finds so many.
    NextFinds(u64),
    /// The one that runs ends half-way, as failed.
    Fails,
    /// The one that runs goes no further.
    Hangs,
    /// Tools are refused a start from now on.
    Refused,
    Allowed,
}

/// Why a tool is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Running,
    NotRunning,
    NotOptimal,
    /// By script.
    Busy,
}

pub fn fault(c: &mut Controller, array: u32, what: CheckFault, voice: &mut Voice) -> Result<(), String> {
    if c.array(array).is_none() {
        return Err(format!("no array v{array} on {}", c.id));
    }
    match what {
        CheckFault::Starts => begin(c, array, voice),
        CheckFault::Stops => end(c, array, voice),
        CheckFault::NextFinds(n) => drop(c.next_finds.insert(array, n)),
        CheckFault::Refused => c.refused.push(array),
        CheckFault::Allowed => c.refused.retain(|n| *n != array),
        CheckFault::Finds(n) => {
            begin(c, array, voice);
            running(c, array).into_iter().for_each(|t| t.finds = n);
        }
        CheckFault::Fails | CheckFault::Hangs => {
            let id = c.id.clone();
            let task = running(c, array).ok_or_else(|| format!("no check runs on v{array} of {id}"))?;
            match what {
                CheckFault::Fails => task.fails = true,
                _ => task.speed = 0.0,
            }
        }
    }
    Ok(())
}

fn running(c: &mut Controller, array: u32) -> Option<&mut Task> {
    c.tasks.iter_mut().find(|t| t.kind == TaskKind::Check && t.on == TaskOn::Array(array))
}

fn has(c: &Controller, array: u32) -> bool {
    c.task(TaskKind::Check, TaskOn::Array(array)).is_some()
}

/// Where none runs yet.
fn begin(c: &mut Controller, array: u32, voice: &mut Voice) {
    if !has(c, array) {
        let finds = c.next_finds.remove(&array).unwrap_or(0);
        let task = new_task(TaskKind::Check, TaskOn::Array(array), c.check_speed, voice.now);
        c.tasks.push(Task { finds, ..task });
        voice.check_started(c, array);
    }
}

pub(crate) fn end(c: &mut Controller, array: u32, voice: &mut Voice) {
    if has(c, array) {
        c.tasks.retain(|t| !(t.kind == TaskKind::Check && t.on == TaskOn::Array(array)));
        voice.check_stopped(c, array);
    }
}

/// As a tool asks for it.
pub(crate) fn start(c: &mut Controller, array: u32, voice: &mut Voice) -> Result<(), Refusal> {
    let state = c.array(array).map(|a| a.state);
    match () {
        () if has(c, array) => Err(Refusal::Running),
        () if state != Some(ArrayState::Optimal) => Err(Refusal::NotOptimal),
        () if c.refused.contains(&array) => Err(Refusal::Busy),
        () => {
            begin(c, array, voice);
            Ok(())
        }
    }
}

pub(crate) fn stop(c: &mut Controller, array: u32, voice: &mut Voice) -> Result<(), Refusal> {
    if !has(c, array) {
        return Err(Refusal::NotRunning);
    }
    end(c, array, voice);
    Ok(())
}

pub(crate) fn pause(c: &mut Controller, array: u32, paused: bool) -> Result<(), Refusal> {
    match running(c, array) {
        Some(task) if task.paused != paused => {
            task.paused = paused;
            Ok(())
        }
        Some(_) if !paused => Err(Refusal::Running),
        _ => Err(Refusal::NotRunning),
    }
}

/// The check is at its end, or as far as it gets.
pub(crate) fn finished(c: &mut Controller, task: &Task, array: u32, voice: &mut Voice) {
    if task.fails {
        return voice.check_failed(c, array);
    }
    if let Some(a) = c.array_mut(array) {
        a.inconsistencies = task.finds;
    }
    voice.check_done(c, array, task.finds);
}

/// The firmware's schedule is due: every array that is whole is checked.
pub(crate) fn by_schedule(c: &mut Controller, voice: &mut Voice) {
    let Some(Schedule { hours, next }) = c.schedule.filter(|s| s.next <= voice.now) else { return };
    let period = hours.max(1) * 3600;
    let missed = (voice.now - next) / period;
    c.schedule = Some(Schedule { hours, next: next + (missed + 1) * period });
    let whole = c.arrays.iter().filter(|a| a.state == ArrayState::Optimal && a.level.tolerance() > 0);
    let numbers: Vec<u32> = whole.map(|a| a.number).collect();
    numbers.into_iter().for_each(|n| begin(c, n, voice));
}

/// The host goes down and comes up: nothing is said of a check that ran.
pub(crate) fn interrupted(c: &mut Controller) {
    c.tasks.retain(|t| t.kind != TaskKind::Check);
}
