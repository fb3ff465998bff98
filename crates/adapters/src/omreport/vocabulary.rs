//! The words of `omreport storage`.
//!
//! Sources: Dell's Storage Management user guide (states of virtual disks, physical disks, batteries and
//! enclosures), captures. `Status` is Ok, Non-Critical, Critical or Unknown for every kind of object.

use crate::{Said, Term, scan};
use raidmond_core::model::TaskState::Running;
use raidmond_core::model::{ArrayState, CacheState, DiskState, PartState, TaskKind};

pub const ARRAY: &str = "virtual disk state";
pub const TASK: &str = "virtual disk work";
pub const DISK: &str = "physical disk state";
pub const BATTERY: &str = "battery state";
pub const STATUS: &str = "status";

pub static TERMS: &[Term] = &[
    array("Ready", ArrayState::Optimal),
    array("Background Initialization", ArrayState::Optimal),
    array("Initializing", ArrayState::Initialising),
    array("Formatting", ArrayState::Initialising),
    array("Reconstructing", ArrayState::Optimal),
    array("Resynching", ArrayState::Rebuilding),
    array("Regenerating", ArrayState::Rebuilding),
    array("Rebuilding", ArrayState::Rebuilding),
    array("Degraded", ArrayState::Degraded),
    array("Failed Redundancy", ArrayState::Degraded),
    array("Partially Degraded", ArrayState::PartlyDegraded),
    array("Offline", ArrayState::Failed),
    array("Failed", ArrayState::Failed),
    array("Permanently Degraded", ArrayState::Degraded),
    task("Background Initialization", TaskKind::BackgroundInitialise),
    task("Initializing", TaskKind::Initialise),
    task("Formatting", TaskKind::Initialise),
    task("Reconstructing", TaskKind::Expand),
    task("Resynching", TaskKind::Rebuild),
    task("Regenerating", TaskKind::Rebuild),
    task("Rebuilding", TaskKind::Rebuild),
    disk("Online", DiskState::Online),
    disk("Ready", DiskState::UnconfiguredGood),
    disk("Non-RAID", DiskState::Jbod),
    disk("Foreign", DiskState::Foreign),
    disk("Rebuilding", DiskState::Rebuilding),
    disk("Replacing", DiskState::CopyingBack),
    disk("Copyback", DiskState::CopyingBack),
    disk("Clear", DiskState::Busy),
    disk("Clearing", DiskState::Busy),
    disk("Diagnostics", DiskState::Busy),
    disk("Failed", DiskState::Failed),
    disk("Offline", DiskState::Offline),
    disk("Removed", DiskState::Missing),
    disk("Missing", DiskState::Missing),
    disk("Degraded", DiskState::Offline),
    disk("Blocked", DiskState::UnconfiguredBad),
    disk("Unsupported", DiskState::UnconfiguredBad),
    disk("Incompatible", DiskState::UnconfiguredBad),
    battery("Ready", CacheState::Optimal),
    battery("Charging", CacheState::Charging),
    battery("Learning", CacheState::Learning),
    battery("Reconditioning", CacheState::Learning),
    battery("High", CacheState::Optimal),
    battery("Power Low", CacheState::Weak),
    battery("Low", CacheState::Weak),
    battery("Degraded", CacheState::Weak),
    battery("Failed", CacheState::Failed),
    battery("Missing", CacheState::Missing),
    status("Ok", PartState::Ok),
    status("Non-Critical", PartState::Warning),
    status("Critical", PartState::Failed),
];

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn task(word: &'static str, kind: TaskKind) -> Term {
    Term { of: TASK, word, means: Said::Task(kind, Running) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn battery(word: &'static str, state: CacheState) -> Term {
    Term { of: BATTERY, word, means: Said::Cache(state) }
}

const fn status(word: &'static str, state: PartState) -> Term {
    Term { of: STATUS, word, means: Said::Part(state) }
}

fn look_up(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && scan::same_word(t.word, word)).map(|t| t.means)
}

pub fn array_state(word: &str) -> Option<ArrayState> {
    look_up(ARRAY, word).and_then(|said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn task_kind(word: &str) -> Option<TaskKind> {
    look_up(TASK, word).and_then(|said| if let Said::Task(kind, _) = said { Some(kind) } else { None })
}

pub fn disk_state(word: &str) -> Option<DiskState> {
    look_up(DISK, word).and_then(|said| if let Said::Disk(s) = said { Some(s) } else { None })
}

pub fn battery_state(word: &str) -> Option<CacheState> {
    look_up(BATTERY, word).and_then(|said| if let Said::Cache(s) = said { Some(s) } else { None })
}

pub fn status_of(word: &str) -> Option<PartState> {
    look_up(STATUS, word).and_then(|said| if let Said::Part(s) = said { Some(s) } else { None })
}
