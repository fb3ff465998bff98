//! Tasks, the locate LED and the event log.

use super::super::storcli::events::event_text;
use super::{Call, disks};
use crate::checks::{self, Refusal};
use crate::kernel::Voice;
use crate::world::{Controller, Task, TaskKind, TaskOn};
use std::fmt::Write;

type Section = Result<String, String>;

pub fn rebuild(c: &Controller, wanted: &[(String, u32)]) -> Section {
    let mut out = String::new();
    for (enclosure, slot) in wanted {
        let Some(disk) = disks::find(c, enclosure, *slot) else { return Err(disks::not_found(c, enclosure, *slot)) };
        let line = match c.task(TaskKind::Rebuild, TaskOn::Disk(disk.device_id)) {
            Some(task) => {
                let (percent, minutes) = done(task);
                format!(
                    "Rebuild Progress on Device at Enclosure {enclosure}, Slot {slot} Completed {percent}% in {minutes} Minutes."
                )
            }
            None => format!("Device(Encl-{enclosure} Slot-{slot}) is not in rebuild process"),
        };
        let _ = writeln!(out, "{line}");
    }
    Ok(out)
}

fn done(task: &Task) -> (u64, u64) {
    (task.percent as u64, (task.percent / task.speed.max(1e-9) / 60.0) as u64)
}

pub fn check(c: &mut Controller, call: &Call, voice: &mut Voice) -> Option<Section> {
    let numbers: Vec<u32> = c.arrays.iter().map(|a| a.number).filter(|n| call.takes_array(*n)).collect();
    let verbs = [("start", "Start"), ("abort", "Abort"), ("suspend", "Suspend"), ("resume", "Resume")];
    let verb = verbs.iter().find(|(word, _)| call.has(word));
    if verb.is_none() && !call.has("showprog") {
        return None;
    }
    let mut out = String::new();
    for n in numbers {
        let line = match verb {
            None => shown(c, n),
            Some((verb, word)) => match changed(c, n, verb, voice) {
                Ok(()) => format!("{word} Check Consistency on Virtual Drive {n} (target id: {n}) Success."),
                Err(refusal) => return Some(Err(refused(c, n, word, refusal))),
            },
        };
        let _ = writeln!(out, "{line}");
    }
    Some(Ok(out))
}

fn shown(c: &Controller, n: u32) -> String {
    match c.task(TaskKind::Check, TaskOn::Array(n)).map(done) {
        Some((percent, minutes)) => {
            format!("Check Consistency on VD #{n} (target id #{n}) Completed {percent}% in {minutes} Minutes.")
        }
        None => format!("Check Consistency on VD #{n} is not in progress."),
    }
}

fn changed(c: &mut Controller, n: u32, verb: &str, voice: &mut Voice) -> Result<(), Refusal> {
    match verb {
        "start" => checks::start(c, n, voice),
        "abort" => checks::stop(c, n, voice),
        other => checks::pause(c, n, other == "suspend"),
    }
}

/// Texts as of the firmware's status codes 0x17, 0x1b.
fn refused(c: &Controller, n: u32, word: &str, refusal: Refusal) -> String {
    let reason = match refusal {
        Refusal::Running => "LD operation not possible - CC is in progress",
        Refusal::NotRunning => "Check Consistency is not in progress",
        Refusal::NotOptimal => "LD is not OPTIMAL",
        Refusal::Busy => "The current operation is not allowed",
    };
    format!(
        "\nAdapter {}: {word} Check Consistency Failed on VD {n}.\n\nFW error description: \n  {reason}\n",
        c.number
    )
}

pub fn locate(c: &mut Controller, call: &Call) -> Section {
    let on = call.words.iter().any(|w| w.contains("start"));
    let word = if on { "Start" } else { "Stop" };
    let mut out = String::new();
    for (enclosure, slot) in call.drives() {
        let Some(id) = disks::find(c, &enclosure, slot).map(|d| d.device_id) else {
            return Err(disks::not_found(c, &enclosure, slot));
        };
        c.disk_mut(id).into_iter().for_each(|d| d.locating = on);
        let number = c.number;
        let _ = writeln!(
            out,
            "Adapter: {number}: Device at EnclId-{enclosure} SlotId-{slot}  -- PD Locate {word} Command was successfully sent to Firmware "
        );
    }
    Ok(out)
}

/// Goes to the file of `-f`, or to the screen.
pub fn event_log(c: &Controller, words: &[&str]) -> Option<Section> {
    if words.contains(&"geteventloginfo") {
        return Some(Ok(info(c)));
    }
    let latest = words.iter().position(|w| *w == "getlatest").and_then(|i| words.get(i + 1)?.parse::<usize>().ok());
    let known = ["getevents", "getlatest", "getsinceshutdown", "getsincereboot", "includedeleted"];
    if !words.iter().any(|w| known.contains(w)) {
        return None;
    }
    let skip = latest.map_or(0, |n| c.events.len().saturating_sub(n));
    let listing: String = c.events.iter().skip(skip).map(event_text).collect();
    let file = words.iter().position(|w| *w == "f").and_then(|i| words.get(i + 1));
    Some(match file.filter(|f| !f.starts_with("/dev/")).map(|path| std::fs::write(path, &listing)) {
        Some(Ok(())) => Ok("Success in AdpEventLog\n".to_owned()),
        Some(Err(_)) => Err("Failed to open the file for writing\n".to_owned()),
        None => Ok(format!("{listing}Success in AdpEventLog\n")),
    })
}

fn info(c: &Controller) -> String {
    let oldest = c.events.first().map_or(c.next_sequence, |e| e.sequence);
    let newest = c.next_sequence.saturating_sub(1);
    format!(
        "\nNewest event sequence num:  0x{newest:08x}\nOldest event sequence num:  0x{oldest:08x}\nShutdown event sequence num:  0x{oldest:08x}\nBoot event sequence num:  0x{oldest:08x}\n\nSuccess in AdpEventLog\n"
    )
}
