//! What storcli may change here: consistency checks and the locate LED.

use super::Choice;
use super::details::drives_of;
use super::doc::{Props, Response, Value, props};
use crate::faults::{start_check, stop_check};
use crate::kernel::Voice;
use crate::world::{ArrayState, Controller, TaskKind, TaskOn};

pub fn check(c: &mut Controller, which: Choice, start: bool, voice: &mut Voice) -> Response {
    let arrays: Vec<(u32, ArrayState)> =
        c.arrays.iter().filter(|a| which.takes(a.number)).map(|a| (a.number, a.state)).collect();
    let (description, failed) = match start {
        true => ("Start CC Operation Success", "Start CC Operation Failed"),
        false => ("Stop CC Operation Success", "Stop CC Operation Failed"),
    };
    for (number, state) in &arrays {
        let running = c.task(TaskKind::Check, TaskOn::Array(*number)).is_some();
        let reason = match (start, running) {
            (true, true) => Some("VD Consistency check is already in progress"),
            (true, false) if *state != ArrayState::Optimal => Some("VD Consistency check not possible: VD not optimal"),
            (false, false) => Some("CC is not in progress"),
            _ => None,
        };
        if let Some(reason) = reason {
            let object = props([("VD", Value::from(*number)), ("Operation", "CC".into()), ("Status", "Failed".into())]);
            return Response::refused(c.number, 255, failed, object, reason);
        }
        if start { start_check(c, *number, voice) } else { stop_check(c, *number, voice) }
    }
    if arrays.is_empty() {
        return Response::failure(Some(c.number), 255, "No VD found");
    }
    Response::ok(Some(c.number), description, Value::Props(Props::new()))
}

pub fn locate(c: &mut Controller, enclosure: Option<Choice>, slot: Choice, on: bool) -> Response {
    let ids: Vec<u32> = drives_of(c, enclosure, slot).map(|d| d.device_id).collect();
    if ids.is_empty() {
        return Response::failure(Some(c.number), 255, "No drive found!");
    }
    for disk in c.disks.iter_mut().filter(|d| ids.contains(&d.device_id)) {
        disk.locating = on;
    }
    let word = if on { "Start" } else { "Stop" };
    let description = format!("{word} Drive Locate Succeeded.");
    Response::ok(Some(c.number), &description, Value::Props(Props::new()))
}
