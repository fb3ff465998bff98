//! Moves time on: spares take over, tasks progress and end. Pure: a world in, its log lines out.

use crate::checks;
use crate::kernel::{Line, RebuildEnd, Voice};
use crate::world::{
    Array, ArrayState, BatteryState, Controller, DiskState, Family, Spare, Task, TaskKind, TaskOn, World,
};

/// Lets `seconds` of simulated time pass.
pub fn advance(world: &mut World, seconds: f64) -> Vec<Line> {
    world.now += seconds.max(0.0).round() as u64;
    let mut voice = Voice::new(world.now);
    for controller in world.controllers.iter_mut().filter(|c| c.present) {
        checks::by_schedule(controller, &mut voice);
        take_over(controller, &mut voice);
        progress(controller, seconds.max(0.0), &mut voice);
        settle(controller, &mut voice);
    }
    voice.lines
}

/// Says what became of the arrays after a change of their disks.
pub(crate) fn settle(c: &mut Controller, voice: &mut Voice) {
    for index in 0..c.arrays.len() {
        let array = c.arrays[index].clone();
        let state = c.state_now(&array);
        if state != array.state {
            checks::end(c, array.number, voice);
            voice.array_state(c, &array, state);
            c.arrays[index].state = state;
        }
        if state == ArrayState::Offline {
            give_up_rebuilds(c, &array, voice);
        }
    }
}

/// Nothing is left to rebuild from.
fn give_up_rebuilds(c: &mut Controller, array: &Array, voice: &mut Voice) {
    let of_array = |on: TaskOn| matches!(on, TaskOn::Disk(id) if array.holds(id));
    let ids: Vec<u32> = c.disks.iter().filter(|d| d.state == DiskState::Rebuilding).map(|d| d.device_id).collect();
    c.tasks.retain(|t| !of_array(t.on));
    for id in ids.into_iter().filter(|id| array.holds(*id)) {
        let Some(disk) = c.disk_mut(id) else { continue };
        disk.state = DiskState::Failed;
        let disk = disk.clone();
        voice.rebuild_failed(c, &disk, array.number, RebuildEnd::Source);
        voice.disk_state(c, &disk, DiskState::Rebuilding);
    }
}

/// Puts a hot spare in each failed or missing place that one fits.
fn take_over(c: &mut Controller, voice: &mut Voice) {
    while let Some((array, member, spare)) = next_takeover(c) {
        let old = c.arrays[array].members[member].disk.replace(spare);
        if let Some(old) = old {
            retire(c, old, voice);
        }
        start_rebuild(c, spare, voice);
    }
}

fn next_takeover(c: &Controller) -> Option<(usize, usize, u32)> {
    if !c.auto_rebuild {
        return None;
    }
    let helped = |a: &Array| a.level.tolerance() > 0 && a.state != ArrayState::Offline;
    c.arrays.iter().enumerate().filter(|(_, a)| helped(a)).find_map(|(index, array)| {
        let lost = |id: u32| c.disk(id).is_none_or(|d| !d.is_usable());
        let member = array.members.iter().position(|m| m.disk.is_none_or(lost))?;
        Some((index, member, fitting_spare(c, array)?))
    })
}

fn fitting_spare(c: &Controller, array: &Array) -> Option<u32> {
    let needed = array.members.iter().filter_map(|m| c.disk(m.disk?)).map(|d| d.sectors).min().unwrap_or(0);
    let spares = c.disks.iter().filter(|d| d.state == DiskState::HotSpare && d.sectors >= needed);
    spares.into_iter().find(|d| d.spare.is_some_and(|s| serves(s, array.number))).map(|d| d.device_id)
}

fn serves(spare: Spare, array: u32) -> bool {
    matches!(spare, Spare::Global) || spare == Spare::Dedicated(array)
}

/// The disk whose place a spare took: no member any more, and known to be bad.
fn retire(c: &mut Controller, device_id: u32, voice: &mut Voice) {
    let Some(disk) = c.disk_mut(device_id) else { return };
    let from = disk.state;
    disk.state = DiskState::Bad;
    let disk = disk.clone();
    if c.family == Family::Megaraid {
        voice.disk_state(c, &disk, from);
    }
}

pub(crate) fn start_rebuild(c: &mut Controller, device_id: u32, voice: &mut Voice) {
    let Some(disk) = c.disk_mut(device_id) else { return };
    let from = disk.state;
    disk.state = DiskState::Rebuilding;
    let disk = disk.clone();
    let array = c.array_of(device_id).map_or(0, |a| a.number);
    voice.rebuild(c, &disk, array, true);
    voice.disk_state(c, &disk, from);
    let task = new_task(TaskKind::Rebuild, TaskOn::Disk(device_id), c.rebuild_speed, voice.now);
    c.tasks.push(task);
}

pub(crate) fn new_task(kind: TaskKind, on: TaskOn, speed: f64, started: u64) -> Task {
    Task { kind, on, percent: 0.0, speed, started, finds: 0, paused: false, fails: false }
}

fn progress(c: &mut Controller, seconds: f64, voice: &mut Voice) {
    for task in c.tasks.iter_mut().filter(|t| !t.paused) {
        task.percent = (task.percent + task.speed * seconds).min(100.0);
    }
    let (done, running): (Vec<Task>, Vec<Task>) = c.tasks.drain(..).partition(Task::is_over);
    c.tasks = running;
    for task in done {
        finish(c, &task, voice);
    }
}

fn finish(c: &mut Controller, task: &Task, voice: &mut Voice) {
    match (task.kind, task.on) {
        (TaskKind::Rebuild | TaskKind::CopyBack, TaskOn::Disk(id)) => rebuilt(c, id, voice),
        (TaskKind::Check, TaskOn::Array(number)) => checks::finished(c, task, number, voice),
        (TaskKind::Learn, _) => learned(c, voice),
        _ => {}
    }
}

fn rebuilt(c: &mut Controller, device_id: u32, voice: &mut Voice) {
    let Some(disk) = c.disk_mut(device_id) else { return };
    let from = disk.state;
    disk.state = DiskState::Online;
    disk.spare = None;
    let disk = disk.clone();
    let array = c.array_of(device_id).map_or(0, |a| a.number);
    voice.rebuild(c, &disk, array, false);
    voice.disk_state(c, &disk, from);
}

fn learned(c: &mut Controller, voice: &mut Voice) {
    if let Some(battery) = &mut c.battery {
        battery.state = BatteryState::Optimal;
        battery.charge = 98;
    }
    voice.battery(c, 0x99, 0, "Battery relearn completed");
    voice.battery(c, 0xc2, 0, "BBU enabled; changing WT virtual disks to WB");
}
