//! The words of tw_cli. Sources: 3ware CLI guides for the 7000/8000, 9000, 9650, 9690 and 9750
//! series (unit, port and BBU states), the tw_cli manual page, and outputs seen in the corpus.

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, CacheState, DiskState, FindingKind, PartState, TaskKind, TaskState};

pub const UNIT: &str = "unit status";
pub const UNIT_TASK: &str = "unit task";
pub const UNIT_FINDING: &str = "unit finding";
pub const PORT: &str = "port status";
pub const BATTERY: &str = "battery status";
pub const BATTERY_RANGE: &str = "battery voltage or temperature";
pub const PART: &str = "enclosure part status";

/// A port whose DEGRADED means "see the unit": the failed member, or the target of a rebuild.
pub const DEGRADED: &str = "DEGRADED";
/// Words of a port that serves but is about to fail, or has lost sectors.
pub const SMART: [&str; 2] = ["SMART-FAILURE", "SMART_FAILURE"];
pub const ECC: &str = "ECC-ERROR";

pub static TERMS: &[Term] = &[
    unit("OK", ArrayState::Optimal),
    unit("VERIFYING", ArrayState::Optimal),
    unit("VERIFY-PAUSED", ArrayState::Optimal),
    unit("MIGRATING", ArrayState::Optimal),
    unit("MIGRATE-PAUSED", ArrayState::Optimal),
    unit("INITIALIZING", ArrayState::Initialising),
    unit("INIT-PAUSED", ArrayState::Initialising),
    unit("REBUILDING", ArrayState::Rebuilding),
    unit("RECOVERY", ArrayState::Rebuilding),
    // Nothing restores it while it is paused.
    unit("REBUILD-PAUSED", ArrayState::Degraded),
    unit(DEGRADED, ArrayState::Degraded),
    // A rebuild met a sector it could not read and stopped: the unit is still without its member.
    unit(ECC, ArrayState::Degraded),
    unit("INOPERABLE", ArrayState::Failed),
    unit("INCOMPLETE", ArrayState::Failed),
    unit("FAILED", ArrayState::Failed),
    task("VERIFYING", TaskKind::Check, TaskState::Running),
    task("VERIFY-PAUSED", TaskKind::Check, TaskState::Paused),
    task("MIGRATING", TaskKind::Expand, TaskState::Running),
    task("MIGRATE-PAUSED", TaskKind::Expand, TaskState::Paused),
    task("INITIALIZING", TaskKind::Initialise, TaskState::Running),
    task("INIT-PAUSED", TaskKind::Initialise, TaskState::Paused),
    task("REBUILDING", TaskKind::Rebuild, TaskState::Running),
    task("RECOVERY", TaskKind::Rebuild, TaskState::Running),
    task("REBUILD-PAUSED", TaskKind::Rebuild, TaskState::Paused),
    Term { of: UNIT_FINDING, word: ECC, means: Said::Finding(FindingKind::SectorsLost) },
    port("OK", DiskState::Online),
    port("VERIFYING", DiskState::Online),
    port("VERIFY-PAUSED", DiskState::Online),
    port("INITIALIZING", DiskState::Online),
    port("INIT-PAUSED", DiskState::Online),
    port("MIGRATING", DiskState::Online),
    port("MIGRATE-PAUSED", DiskState::Online),
    port(SMART[0], DiskState::Online),
    port(SMART[1], DiskState::Online),
    port(ECC, DiskState::Online),
    port("REBUILDING", DiskState::Rebuilding),
    port("REBUILD-PAUSED", DiskState::Rebuilding),
    port("RECOVERY", DiskState::Rebuilding),
    // Stands here for the docs; the unit decides (see `lower_ports::degraded_port`).
    port(DEGRADED, DiskState::Offline),
    port("SPARE", DiskState::HotSpare),
    port("NOT-PRESENT", DiskState::Empty),
    port("DRIVE-REMOVED", DiskState::Missing),
    port("DEVICE-ERROR", DiskState::Failed),
    port("DRIVE-ERROR", DiskState::Failed),
    port("FAILED", DiskState::Failed),
    port("ERROR", DiskState::Failed),
    port("OFFLINE", DiskState::Offline),
    battery("OK", CacheState::Optimal),
    battery("Testing", CacheState::Learning),
    battery("Charging", CacheState::Charging),
    battery("WeakBat", CacheState::Weak),
    battery("Fault", CacheState::Failed),
    battery("Error", CacheState::Failed),
    battery("Failed", CacheState::Failed),
    battery("Fail", CacheState::Failed),
    battery("Not-Present", CacheState::Missing),
    range("OK", CacheState::Optimal),
    range("LOW", CacheState::Weak),
    range("HIGH", CacheState::Weak),
    range("TOO-LOW", CacheState::Failed),
    range("TOO-HIGH", CacheState::Failed),
    part("OK", PartState::Ok),
    part("ON", PartState::Ok),
    part("DEACTIVATED", PartState::Ok),
    part("NOT-INSTALLED", PartState::NotInstalled),
    part("NOT-REPORTABLE", PartState::NotInstalled),
    part("NO-DEVICE", PartState::NotInstalled),
    part("NOT-PRESENT", PartState::NotInstalled),
    part("WARNING", PartState::Warning),
    part("NON-CRITICAL", PartState::Warning),
    part("ALARM-ACTIVATED", PartState::Warning),
    part("ACTIVATED", PartState::Warning),
    part("OVER", PartState::Warning),
    part("UNDER", PartState::Warning),
    part("OFF", PartState::Failed),
    part("FAIL", PartState::Failed),
    part("FAILED", PartState::Failed),
    part("FAILURE", PartState::Failed),
    part("CRITICAL", PartState::Failed),
    part("UNRECOVERABLE", PartState::Failed),
];

const fn unit(word: &'static str, state: ArrayState) -> Term {
    Term { of: UNIT, word, means: Said::Array(state) }
}

const fn task(word: &'static str, kind: TaskKind, state: TaskState) -> Term {
    Term { of: UNIT_TASK, word, means: Said::Task(kind, state) }
}

const fn port(word: &'static str, state: DiskState) -> Term {
    Term { of: PORT, word, means: Said::Disk(state) }
}

const fn battery(word: &'static str, state: CacheState) -> Term {
    Term { of: BATTERY, word, means: Said::Cache(state) }
}

const fn range(word: &'static str, state: CacheState) -> Term {
    Term { of: BATTERY_RANGE, word, means: Said::Cache(state) }
}

const fn part(word: &'static str, state: PartState) -> Term {
    Term { of: PART, word, means: Said::Part(state) }
}

pub fn meaning(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && t.word.eq_ignore_ascii_case(word)).map(|t| t.means)
}

pub fn array(word: &str) -> Option<ArrayState> {
    match meaning(UNIT, word) {
        Some(Said::Array(state)) => Some(state),
        _ => None,
    }
}

pub fn unit_task(word: &str) -> Option<(TaskKind, TaskState)> {
    match meaning(UNIT_TASK, word) {
        Some(Said::Task(kind, state)) => Some((kind, state)),
        _ => None,
    }
}

pub fn finding(word: &str) -> Option<FindingKind> {
    match meaning(UNIT_FINDING, word) {
        Some(Said::Finding(kind)) => Some(kind),
        _ => None,
    }
}

pub fn disk(word: &str) -> Option<DiskState> {
    match meaning(PORT, word) {
        Some(Said::Disk(state)) => Some(state),
        _ => None,
    }
}

pub fn cache(of: &str, word: &str) -> Option<CacheState> {
    match meaning(of, word) {
        Some(Said::Cache(state)) => Some(state),
        _ => None,
    }
}

pub fn enclosure_part(word: &str) -> Option<PartState> {
    match meaning(PART, word) {
        Some(Said::Part(state)) => Some(state),
        _ => None,
    }
}
