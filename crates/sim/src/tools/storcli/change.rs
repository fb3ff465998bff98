//! What storcli may change here: consistency checks and the locate LED.

use super::Choice;
use super::details::drives_of;
use super::doc::{Props, Response, Value, props};
use crate::checks::{self, Refusal};
use crate::kernel::Voice;
use crate::world::Controller;

/// `start cc`, `stop cc`, `pause cc`, `resume cc`.
pub fn check(c: &mut Controller, which: Choice, verb: &str, voice: &mut Voice) -> Response {
    let numbers: Vec<u32> = c.arrays.iter().map(|a| a.number).filter(|n| which.takes(*n)).collect();
    let word = match verb {
        "start" => "Start",
        "stop" => "Stop",
        "pause" => "Pause",
        _ => "Resume",
    };
    for number in &numbers {
        let done = match verb {
            "start" => checks::start(c, *number, voice),
            "stop" => checks::stop(c, *number, voice),
            other => checks::pause(c, *number, other == "pause"),
        };
        if let Err(refusal) = done {
            let object = props([("VD", Value::from(*number)), ("Operation", "CC".into()), ("Status", "Failed".into())]);
            return Response::refused(c.number, 255, &format!("{word} CC Operation Failed"), object, reason(refusal));
        }
    }
    if numbers.is_empty() {
        return Response::failure(Some(c.number), 255, "No VD found");
    }
    Response::ok(Some(c.number), &format!("{word} CC Operation Success"), Value::Props(Props::new()))
}

fn reason(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Running => "VD Consistency check is already in progress",
        Refusal::NotRunning => "CC is not in progress",
        Refusal::NotOptimal => "VD Consistency check not possible: VD not optimal",
        Refusal::Busy => "VD Consistency check not possible: other operations in progress",
    }
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
