//! arcconf of the Adaptec series 6 (1.x, "Logical device", segments with slot and serial).

mod config;
mod logs;

use super::Answer;
use crate::checks::{self, Refusal};
use crate::kernel::Voice;
use crate::world::{Controller, Family, TaskKind, TaskOn, World};

pub const RULE: &str = "----------------------------------------------------------------------\n";

pub fn answer(args: &[&str], world: &mut World, voice: &mut Voice) -> Answer {
    let words: Vec<String> = args.iter().map(|a| a.to_ascii_lowercase()).filter(|w| w != "nologs").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let count = world.of(Family::Aacraid).count();
    if count == 0 {
        return Answer { stdout: "Controllers found: 0\n\nCommand completed successfully.\n".into(), exit: 0 };
    }
    match words.as_slice() {
        ["list"] => done(count, list(world)),
        ["getversion"] => done(count, world.of(Family::Aacraid).map(version).collect()),
        [verb, number, rest @ ..] => on_controller(verb, number, rest, count, world, voice),
        _ => usage(),
    }
}

fn done(count: usize, text: String) -> Answer {
    Answer::ok(format!("Controllers found: {count}\n{text}\n\nCommand completed successfully.\n"))
}

fn refused(count: usize, text: &str) -> Answer {
    Answer { stdout: format!("Controllers found: {count}\n{text}\n\nCommand aborted.\n"), exit: 1 }
}

fn usage() -> Answer {
    let text = "\n  | UCLI |  Adaptec uniform command line interface\n  | UCLI |  Version 1.8 (B21375)\n  | UCLI |  (C) Adaptec by PMC\n  | UCLI |  All Rights Reserved\n\n  GETCONFIG  | prints controller configuration information\n  GETLOGS    | gets controller log information\n  GETSTATUS  | displays the status of running tasks\n  GETVERSION | prints version information for all controllers\n  IDENTIFY   | blinks LEDS on device(s) connected to a controller\n  LIST       | lists all the controllers\n  TASK       | performs a task such as build/verify on a physical or logical drive\n";
    Answer { stdout: text.into(), exit: 1 }
}

fn list(world: &World) -> String {
    let heading = format!(
        "{RULE}Controller information\n{RULE}   Controller ID             : Status, Slot, Mode, Name, SerialNumber, WWN\n{RULE}"
    );
    let row = |c: &Controller| {
        format!(
            "   Controller {}:             : Optimal, Slot 6, RAID (Expose RAW), {}, {}, 50000D1103A1F980\n",
            c.number, c.model, c.serial
        )
    };
    heading + &world.of(Family::Aacraid).map(row).collect::<String>()
}

fn version(c: &Controller) -> String {
    let firmware = &c.firmware;
    format!(
        "Controller #{}\n==============\nFirmware                               : {firmware}\nStaged Firmware                        : {firmware}\nBIOS                                   : {firmware}\nDriver                                 : 1.2-1 (50877)\nBoot Flash                             : {firmware}\n\n",
        c.number
    )
}

fn on_controller(
    verb: &str,
    number: &str,
    rest: &[&str],
    count: usize,
    world: &mut World,
    voice: &mut Voice,
) -> Answer {
    if verb == "task" {
        return task(number, rest, count, world, voice);
    }
    let wanted = number.parse::<u32>().ok();
    let Some(c) = world.of(Family::Aacraid).find(|c| Some(c.number) == wanted) else {
        return refused(count, &format!("Invalid controller number: {number}"));
    };
    match (verb, rest) {
        ("getconfig", [] | ["al"]) => done(count, config::all(c)),
        ("getconfig", ["ad"]) => done(count, config::adapter(c)),
        ("getconfig", ["ld", ..]) => done(count, config::arrays(c)),
        ("getconfig", ["pd", ..]) => done(count, config::disks(c)),
        ("getstatus", []) => done(count, status(c)),
        ("getlogs", ["device", ..]) => done(count, logs::device(c)),
        ("getlogs", ["dead", ..]) => done(count, logs::dead(c)),
        ("getlogs", ["event", ..]) => done(count, logs::event(c)),
        ("identify", ["device", channel, id, "start" | "stop"]) => {
            identify(c.id.clone(), channel, id, rest[3], count, world)
        }
        _ => usage(),
    }
}

fn status(c: &Controller) -> String {
    let tasks: Vec<String> = c.tasks.iter().filter_map(|t| task_block(c, t)).collect();
    if tasks.is_empty() { "   Current operation              : None\n".to_owned() } else { tasks.join("\n") }
}

fn task_block(c: &Controller, task: &crate::world::Task) -> Option<String> {
    let (array, operation) = match (task.kind, task.on) {
        (TaskKind::Rebuild, TaskOn::Disk(id)) => (c.array_of(id)?.number, "Rebuild"),
        (TaskKind::Check, TaskOn::Array(n)) => (n, "Verify with fix"),
        _ => return None,
    };
    let (id, percent) = (100 + array, task.percent as u64);
    Some(format!(
        "Logical device Task:\n   Logical device                 : {array}\n   Task ID                        : {id}\n   Current operation              : {operation}\n   Status                         : In Progress\n   Priority                       : High\n   Percentage complete            : {percent}\n"
    ))
}

/// `TASK START 1 LOGICALDRIVE 0 VERIFY_FIX`
fn task(action: &str, rest: &[&str], count: usize, world: &mut World, voice: &mut Voice) -> Answer {
    let [number, "logicaldrive", array, more @ ..] = rest else { return usage() };
    let (number, array) = (number.parse::<u32>().ok(), array.parse::<u32>().ok());
    let mine = |c: &&mut Controller| c.present && c.family == Family::Aacraid && Some(c.number) == number;
    let Some(c) = world.controllers.iter_mut().find(mine) else { return refused(count, "Invalid controller number.") };
    let Some(array) = array.filter(|n| c.array(*n).is_some()) else {
        return refused(count, "Invalid logical device number.");
    };
    let started =
        format!("Verify of a Logical Device is a long process.\n\nStarting verify task on logical device {array}.");
    match (action, more.first()) {
        ("start", Some(&("verify" | "verify_fix"))) => answered(count, started, checks::start(c, array, voice)),
        ("stop", _) => {
            answered(count, format!("Stopping task on logical device {array}."), checks::stop(c, array, voice))
        }
        _ => usage(),
    }
}

fn answered(count: usize, text: String, done_so: Result<(), Refusal>) -> Answer {
    match done_so {
        Ok(()) => done(count, text),
        Err(Refusal::Running) => refused(count, "A task is already running on the logical device."),
        Err(Refusal::NotRunning) => refused(count, "There is no task running on the logical device."),
        Err(Refusal::NotOptimal) => refused(count, "The logical device is not in an optimal state."),
        Err(Refusal::Busy) => refused(count, "The operation is not supported on this logical device now."),
    }
}

fn identify(id: String, channel: &str, slot: &str, action: &str, count: usize, world: &mut World) -> Answer {
    let (channel, slot) = (channel.parse::<u32>().ok(), slot.parse::<u32>().ok());
    let disks = world.controller_mut(&id).into_iter().flat_map(|c| &mut c.disks);
    match disks.into_iter().find(|d| d.enclosure == channel && Some(d.slot) == slot) {
        Some(disk) => {
            disk.locating = action == "start";
            done(count, "Only devices managed by an enclosure processor may be identified".into())
        }
        None => refused(count, "Invalid device specified."),
    }
}
