//! Arcconf's blocks to facts: one controller's answers together, so that GETCONFIG LD and PD asked
//! apart give what AL gives at once.
//!
//! Decides which answers were whole and what they cover; the objects themselves are in `lower_*`.

use super::parse::{self, Block, Kind, Output, Part};
use super::place::{self, Placed};
use super::{lower_array, lower_controller, lower_disk, lower_task};
use raidmond_core::model::{DiskState, Path};
use raidmond_core::survey::{Answer, Covers, NoteKind, Reading};

/// All that was heard of one controller.
pub struct Heard<'a> {
    pub number: String,
    pub config: Vec<&'a Answer>,
    pub status: Vec<&'a Answer>,
}

pub fn controller(reading: &mut Reading, heard: &Heard<'_>) {
    let at = Path::controller(&heard.number);
    let config: Vec<(&Answer, Output)> =
        heard.config.iter().filter_map(|a| Some((*a, whole(reading, &at, a)?))).collect();
    let status: Vec<Output> = heard.status.iter().filter_map(|a| whole(reading, &at, a)).collect();
    let blocks: Vec<&Block> = config.iter().flat_map(|(_, o)| &o.blocks).collect();
    lower_controller::all(reading, &at, &blocks);
    let disks = disks(reading, &at, &blocks);
    lower_array::all(reading, &at, &blocks, &disks);
    lower_disk::enclosures(reading, &at, &blocks);
    tasks(reading, &at, &blocks, &status);
    cover(reading, &at, &config);
    if config.iter().any(|(a, _)| asks_for_all(a)) {
        compare_counts(reading, &at, &config);
    }
}

/// `GETCONFIG 1`, `GETCONFIG 1 AL`.
fn asks_for_all(answer: &Answer) -> bool {
    let args = answer.asked.args_lower();
    args.len() < 3 || args.get(2).is_some_and(|a| a.trim_matches(['[', ']']) == "al")
}

/// `GETCONFIG 1 PD 0 8`: one device of several.
fn asks_for_one(answer: &Answer) -> bool {
    answer.asked.args_lower().get(3).is_some_and(|a| a.parse::<u32>().is_ok())
}

/// The parsed answer, unless there is nothing to read in it; says what is wrong with it.
fn whole(reading: &mut Reading, at: &Path, answer: &Answer) -> Option<Output> {
    let output = parse::arcconf(&answer.text());
    let failed = failed(reading, at, answer);
    if !failed && output.is_empty() {
        let said = format!("`{}` gave no controller data: {}", answer.asked, excerpt(answer, &output));
        let kind = if output.refusal.is_some() { NoteKind::CommandRefused } else { NoteKind::Unreadable };
        let none = output.controllers_found == Some(0);
        reading.note(if none { NoteKind::FewerThanCounted } else { kind }, at.clone(), said);
    } else if let Some(refusal) = &output.refusal {
        reading.note(NoteKind::CommandRefused, at.clone(), format!("`{}`: {refusal}", answer.asked));
    } else if !failed && !output.ended() {
        cut_off(reading, at, answer, if output.lists_all_counted() { NoteKind::Partial } else { NoteKind::Unreadable });
    }
    (!output.is_empty()).then_some(output)
}

pub fn cut_off(reading: &mut Reading, at: &Path, answer: &Answer, kind: NoteKind) {
    let said = format!("`{}`: the answer of arcconf is cut off: its last line is missing", answer.asked);
    reading.note(kind, at.clone(), said);
}

/// Notes a tool that did not run to its end.
pub fn failed(reading: &mut Reading, at: &Path, answer: &Answer) -> bool {
    let outcome = &answer.outcome;
    let broken = !outcome.ended() || outcome.truncated;
    if broken || outcome.exit != 0 {
        let how = if outcome.truncated { "output too long, cut off".to_owned() } else { outcome.words() };
        let said = format!("`{}` failed: {how}: {}", answer.asked, first_line(answer));
        reading.note(NoteKind::ToolFailed, at.clone(), said.trim_end_matches([':', ' ']));
    }
    broken || outcome.exit != 0
}

fn first_line(answer: &Answer) -> String {
    let text = if answer.stderr.is_empty() { answer.text() } else { answer.stderr_text() };
    let line = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("").to_owned();
    line.chars().filter(|c| !c.is_control()).take(120).collect()
}

fn excerpt(answer: &Answer, output: &Output) -> String {
    match &output.refusal {
        Some(said) => said.clone(),
        None if answer.stdout.is_empty() => "the answer is empty".to_owned(),
        None => first_line(answer),
    }
}

fn disks(reading: &mut Reading, at: &Path, blocks: &[&Block]) -> Vec<Placed> {
    let drives: Vec<&Block> = blocks.iter().copied().filter(|b| lower_disk::is_disk(b)).collect();
    let named = place::name_disks(at, &drives);
    let lowered = drives.iter().zip(named).map(|(block, (path, spot))| {
        let serial = block.get(&["Serial number"]).and_then(lower_disk::identity).map(|a| a.value().to_owned());
        let failed_segments = block.get(&["Failed logical device segments"]).is_some_and(|v| v == "True");
        let state = lower_disk::disk(reading, block, &path, &spot);
        Placed { path, spot, serial, state, failed_segments }
    });
    lowered.collect()
}

fn tasks(reading: &mut Reading, at: &Path, blocks: &[&Block], status: &[Output]) {
    for output in status {
        for block in output.of(Kind::Task) {
            lower_task::task(reading, at, block);
        }
    }
    match (blocks.is_empty(), status.is_empty()) {
        (_, true) => lower_task::from_config(reading, at, blocks),
        // Alone it says nothing of any array's health, unless one is being rebuilt.
        (true, false) => lower_task::arrays_in_rebuild(reading, at),
        (false, false) if status.iter().any(|o| o.completed || o.idle) => reading.coverage.add(at, Covers::Tasks),
        (false, false) => {}
    }
}

/// What is listed completely: nothing in an answer that was cut off.
fn cover(reading: &mut Reading, at: &Path, config: &[(&Answer, Output)]) {
    for (_, output) in config.iter().filter(|(answer, _)| !asks_for_one(answer)) {
        let lists = |part| output.has(part) && output.ended();
        if lists(Part::Logical) && !hole(output) {
            reading.coverage.add(at, Covers::Arrays);
        }
        if lists(Part::Physical) && output.blocks.iter().any(|b| matches!(b.kind, Kind::Disk | Kind::Device)) {
            reading.coverage.add(at, Covers::Disks);
            reading.coverage.add(at, Covers::Enclosures);
        }
        if lists(Part::Controller) {
            reading.coverage.add(at, Covers::Cache);
        }
    }
}

/// "No logical devices configured" behind listed ones: the firmware counts one it does not show.
fn hole(output: &Output) -> bool {
    output.none_configured && output.of(Kind::Logical).next().is_some()
}

fn compare_counts(reading: &mut Reading, at: &Path, config: &[(&Answer, Output)]) {
    let hole = config.iter().any(|(_, output)| hole(output));
    let listed = reading.arrays.iter().filter(|a| a.at.root() == *at && !a.is_cache_device).count() as u64;
    let Some(controller) = reading.controllers.iter_mut().find(|c| c.at == *at) else { return };
    let Some(counted) = controller.arrays_counted.filter(|counted| *counted > listed) else { return };
    let said = format!("the controller counts {counted} logical devices and lists {listed}");
    if hole {
        controller.arrays_counted = None;
    }
    reading.note(if hole { NoteKind::Remark } else { NoteKind::FewerThanCounted }, at.clone(), said);
}

/// States that say a member does not carry data.
pub fn is_gone(state: DiskState) -> bool {
    matches!(state, DiskState::Failed | DiskState::Missing | DiskState::Offline)
}
