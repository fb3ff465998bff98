//! Work in progress: GETSTATUS, and what GETCONFIG says of it where GETSTATUS was not heard.

use super::parse::{Block, Kind};
use super::place::Segment;
use super::vocabulary::{self, OPERATION, PROGRESS, SEGMENT};
use crate::{Said, scan};
use raidmond_core::model::{ArrayState, DiskState, FindingKind, Observed, Path, Task, TaskKind, TaskState};
use raidmond_core::survey::{Covers, Reading};

pub fn task(reading: &mut Reading, at: &Path, block: &Block) {
    let array = block.get(&["Logical device", "Logical drive"]).and_then(scan::count);
    let on = array.map_or_else(|| at.clone(), |n| at.array(n));
    let operation = block.get(&["Current operation"]).unwrap_or("");
    let percent = block.get(&["Percentage complete"]).and_then(scan::percent);
    let status = block.get(&["Status"]).unwrap_or("In Progress");
    let state = match vocabulary::meaning(PROGRESS, status) {
        Some(Said::Task(_, state)) => state,
        _ => {
            reading.unknown_word(on.clone(), PROGRESS, status);
            TaskState::Running
        }
    };
    push(reading, &on, operation, status, state, percent);
}

fn push(reading: &mut Reading, on: &Path, operation: &str, status: &str, state: TaskState, percent: Option<f64>) {
    if scan::same_word(operation, "None") {
        return;
    }
    let kind = match vocabulary::meaning(OPERATION, operation) {
        Some(Said::Task(kind, _)) => kind,
        _ => {
            reading.unknown_word(on.clone(), OPERATION, operation);
            TaskKind::Unknown
        }
    };
    let said = format!("{operation}: {status}");
    add(reading, Task { on: on.clone(), kind, state: Observed::new(state, said), percent, seconds_left: None });
}

fn add(reading: &mut Reading, task: Task) {
    if !reading.tasks.iter().any(|t| t.on == task.on && t.kind == task.kind) {
        reading.tasks.push(task);
    }
}

/// Logical devices that print their operation, else segments that are being rebuilt.
pub fn from_config(reading: &mut Reading, at: &Path, blocks: &[&Block]) {
    let logical: Vec<&&Block> = blocks.iter().filter(|b| b.kind == Kind::Logical).collect();
    for block in &logical {
        let on = at.array(&block.id);
        if let Some(operation) = block.get(&["Current operation"]) {
            let percent = block.get(&["Percentage complete"]).and_then(scan::percent);
            push(reading, &on, operation, "In Progress", TaskState::Running, percent);
        }
        if let Some(segment) = block.fields.iter().filter_map(Segment::parse).find(is_rebuilding) {
            let state = Observed::new(TaskState::Running, segment.said);
            let kind = TaskKind::Rebuild;
            add(reading, Task { on, kind, state, percent: None, seconds_left: None });
        }
    }
    if !logical.is_empty() && logical.iter().all(|b| b.get(&["Current operation"]).is_some()) {
        reading.coverage.add(at, Covers::Tasks);
    }
}

/// GETSTATUS without GETCONFIG: an array that is being rebuilt is not whole.
pub fn arrays_in_rebuild(reading: &mut Reading, at: &Path) {
    let running = |t: &&Task| t.kind == TaskKind::Rebuild && t.on != *at && t.on.root() == *at;
    let found: Vec<(Path, String)> =
        reading.tasks.iter().filter(running).map(|t| (t.on.clone(), t.state.said.clone())).collect();
    for (path, said) in found {
        reading.array(&path).state = Some(Observed::new(ArrayState::Rebuilding, said));
    }
}

fn is_rebuilding(segment: &Segment) -> bool {
    vocabulary::meaning(SEGMENT, &segment.word) == Some(Said::Disk(DiskState::Rebuilding))
}

/// "Impacted ( Build/Verify with fix : 90 % )".
pub fn behind_a_word(reading: &mut Reading, on: &Path, word: &str) {
    let inside = word.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inside, _)| inside);
    if let Some((operation, percent)) = inside.and_then(|i| i.split_once(':')) {
        push(reading, on, operation.trim(), "In Progress", TaskState::Running, scan::percent(percent));
    }
}

/// SmartRAID: "Parity Initialization Status".
pub fn parity(reading: &mut Reading, on: &Path, block: &Block) {
    const KEY: &str = "Parity Initialization Status";
    let Some(word) = block.get(&[KEY]) else { return };
    if ["Completed", "Complete", "Not Applicable", "None"].iter().any(|w| scan::same_word(w, word)) {
        return;
    }
    match vocabulary::meaning(PROGRESS, word) {
        Some(Said::Task(_, state @ (TaskState::Running | TaskState::Queued | TaskState::Paused))) => {
            let percent = scan::percent(word);
            push(reading, on, "Parity Initialization", word, state, percent);
        }
        Some(_) => {
            super::lower_controller::fault(reading, on, FindingKind::NoRedundancyYet, format!("{KEY}: {word}"));
        }
        None => reading.unknown_word(on.clone(), KEY, word),
    }
}
