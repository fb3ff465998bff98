//! The words of MegaCli and what they mean.
//!
//! Sources: MegaRAID SAS Software User Guide (MegaCLI chapter); words seen in public captures.
//! A disk's word ends at the first comma: what follows ("Spun Up", "Spun down") is the motor.

use crate::adapter::{Said, Term};
use crate::scan;
use raidmond_core::model::{ArrayState, CacheState, DiskState, Level, PartState, TaskKind, TaskState};

pub const ARRAY: &str = "array state";
pub const DISK: &str = "disk state";
pub const BATTERY: &str = "battery state";
pub const FLAG: &str = "battery flag";
pub const PART: &str = "enclosure part";
pub const TASK: &str = "task";

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn battery(word: &'static str, state: CacheState) -> Term {
    Term { of: BATTERY, word, means: Said::Cache(state) }
}

/// A flag of the battery page that says this when it is "Yes".
const fn flag(word: &'static str, state: CacheState) -> Term {
    Term { of: FLAG, word, means: Said::Cache(state) }
}

const fn part(word: &'static str, state: PartState) -> Term {
    Term { of: PART, word, means: Said::Part(state) }
}

const fn task(word: &'static str, kind: TaskKind) -> Term {
    Term { of: TASK, word, means: Said::Task(kind, TaskState::Running) }
}

pub static TERMS: &[Term] = &[
    array("Optimal", ArrayState::Optimal),
    array("Degraded", ArrayState::Degraded),
    array("Partially Degraded", ArrayState::PartlyDegraded),
    array("Offline", ArrayState::Failed),
    array("Failed", ArrayState::Failed),
    disk("Online", DiskState::Online),
    disk("Offline", DiskState::Offline),
    disk("Failed", DiskState::Failed),
    disk("Missing", DiskState::Missing),
    disk("Rebuild", DiskState::Rebuilding),
    disk("Copyback", DiskState::CopyingBack),
    disk("Hotspare", DiskState::HotSpare),
    disk("Unconfigured(good)", DiskState::UnconfiguredGood),
    disk("Unconfigured(bad)", DiskState::UnconfiguredBad),
    disk("JBOD", DiskState::Jbod),
    disk("System", DiskState::Jbod),
    // Diagnosed by the firmware after errors; it comes back or fails (Shield state, MegaRAID guide).
    disk("Shield-Unconfigured", DiskState::Busy),
    disk("Shield-Hotspare", DiskState::Busy),
    disk("Shield-Configured", DiskState::Busy),
    disk("Sanitize", DiskState::Busy),
    battery("Optimal", CacheState::Optimal),
    battery("Operational", CacheState::Optimal),
    battery("Non Operational", CacheState::Failed),
    battery("Degraded", CacheState::Weak),
    battery("Degraded(Need Attention)", CacheState::Weak),
    battery("Learning", CacheState::Learning),
    battery("Charging", CacheState::Charging),
    battery("Missing", CacheState::Missing),
    battery("Failed", CacheState::Failed),
    battery("Faulty", CacheState::Failed),
    battery("Unknown", CacheState::Unknown),
    flag("Battery Pack Missing", CacheState::Missing),
    flag("Learn Cycle Active", CacheState::Learning),
    flag("Learn Cycle Timeout", CacheState::Weak),
    flag("I2c Errors Detected", CacheState::Weak),
    flag("Remaining Capacity Low", CacheState::Weak),
    flag("No space to cache offload", CacheState::Weak),
    flag("Cache Offload premium feature required", CacheState::Weak),
    flag("Module microcode update required", CacheState::Weak),
    flag("Over Temperature", CacheState::Weak),
    part("OK", PartState::Ok),
    part("Normal", PartState::Ok),
    part("Not Installed", PartState::NotInstalled),
    part("Not Available", PartState::NotInstalled),
    part("Unavailable", PartState::NotInstalled),
    part("Noncritical", PartState::Warning),
    part("Non-critical", PartState::Warning),
    part("Warning", PartState::Warning),
    part("Critical", PartState::Failed),
    part("Unrecoverable", PartState::Failed),
    part("Failed", PartState::Failed),
    part("Fault", PartState::Failed),
    task("Rebuild", TaskKind::Rebuild),
    task("Copyback", TaskKind::Copyback),
    task("Check Consistency", TaskKind::Check),
    task("Consistency Check", TaskKind::Check),
    task("Initialization", TaskKind::Initialise),
    task("Background Initialization", TaskKind::BackgroundInitialise),
    task("Reconstruction", TaskKind::Expand),
    task("Patrol Read", TaskKind::PatrolRead),
];

fn meaning(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && scan::same_word(t.word, word)).map(|t| t.means)
}

pub fn array_state(word: &str) -> Option<ArrayState> {
    match meaning(ARRAY, word)? {
        Said::Array(state) => Some(state),
        _ => None,
    }
}

pub fn disk_state(word: &str) -> Option<DiskState> {
    match meaning(DISK, word)? {
        Said::Disk(state) => Some(state),
        _ => None,
    }
}

pub fn battery_state(word: &str) -> Option<CacheState> {
    match meaning(BATTERY, word)? {
        Said::Cache(state) => Some(state),
        _ => None,
    }
}

/// Flags of the battery page that report something when set, with what they then say.
pub fn battery_flags() -> impl Iterator<Item = (&'static str, CacheState)> {
    TERMS.iter().filter(|t| t.of == FLAG).filter_map(|t| match t.means {
        Said::Cache(state) => Some((t.word, state)),
        _ => None,
    })
}

pub fn part_state(word: &str) -> Option<PartState> {
    match meaning(PART, word)? {
        Said::Part(state) => Some(state),
        _ => None,
    }
}

pub fn task_kind(word: &str) -> Option<TaskKind> {
    match meaning(TASK, word)? {
        Said::Task(kind, _) => Some(kind),
        _ => None,
    }
}

/// `Primary-1, Secondary-3, RAID Level Qualifier-0`: numbers as in SNIA DDF. Spans make the nested
/// levels, whatever "Secondary" says; more than two disks in one span of RAID 1 are mirrored pairs.
pub fn level(said: &str, spans: u64, disks: Option<u64>) -> Option<Level> {
    let mut numbers = said.split(',').map(|part| part.rsplit('-').next().and_then(|n| n.trim().parse::<u32>().ok()));
    let (primary, secondary) = (numbers.next()??, numbers.next().flatten());
    let nested = spans > 1 || secondary == Some(3);
    Some(match (primary, nested) {
        (0, false) => Level::Raid0,
        (0, true) => Level::Raid00,
        (1, true) => Level::Raid10,
        (1, false) => mirror(disks.unwrap_or(2)),
        (3, _) => Level::Raid3,
        (4, _) => Level::Raid4,
        (5, false) => Level::Raid5,
        (5, true) => Level::Raid50,
        (6, false) => Level::Raid6,
        (6, true) => Level::Raid60,
        (15 | 31, _) => Level::Single,
        (17, _) => Level::Raid1E,
        (21 | 37, _) => Level::Raid5E,
        _ => return None,
    })
}

fn mirror(disks: u64) -> Level {
    match (disks, disks % 2) {
        (0..=2, _) => Level::Raid1,
        (_, 0) => Level::Raid10,
        _ => Level::Raid1E,
    }
}
