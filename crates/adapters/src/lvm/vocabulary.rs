//! The words of device-mapper, LVM, dmraid and multipath. Sources: Documentation/admin-guide/device-mapper
//! and drivers/md of Linux 3.x to 6.x, lvs(8), dmraid(8), multipath(8); seen in public captures where such exist.

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, DiskState, FindingKind, TaskKind, TaskState};

/// One letter for each image of dm-raid.
pub const RAID: &str = "raid image";
pub const MIRROR: &str = "mirror leg";
pub const ACTION: &str = "sync action";
pub const PATH: &str = "path state";
/// Ninth letter of lv_attr, and lv_health_status.
pub const HEALTH: &str = "volume health";
/// Fifth letter of lv_attr.
pub const ACTIVE: &str = "volume state";
pub const POOL: &str = "pool mode";
pub const DMRAID: &str = "dmraid status";
pub const TARGET: &str = "target";

pub static TERMS: &[Term] = &[
    disk(RAID, "A", DiskState::Online),
    // Alive, not in sync.
    disk(RAID, "a", DiskState::Rebuilding),
    disk(RAID, "D", DiskState::Failed),
    disk(MIRROR, "A", DiskState::Online),
    disk(MIRROR, "D", DiskState::Failed),
    disk(MIRROR, "F", DiskState::Failed),
    disk(MIRROR, "S", DiskState::Offline),
    disk(MIRROR, "R", DiskState::Failed),
    disk(MIRROR, "U", DiskState::Failed),
    array(ACTION, "idle", ArrayState::Optimal),
    array(ACTION, "frozen", ArrayState::Optimal),
    array(ACTION, "undef", ArrayState::Optimal),
    work("resync", TaskKind::Rebuild),
    work("recover", TaskKind::Rebuild),
    work("check", TaskKind::Check),
    work("repair", TaskKind::Check),
    work("reshape", TaskKind::Expand),
    disk(PATH, "A", DiskState::Online),
    disk(PATH, "F", DiskState::Failed),
    disk(PATH, "active", DiskState::Online),
    disk(PATH, "ready", DiskState::Online),
    disk(PATH, "ghost", DiskState::Online),
    disk(PATH, "running", DiskState::Online),
    disk(PATH, "live", DiskState::Online),
    disk(PATH, "optimized", DiskState::Online),
    disk(PATH, "non-optimized", DiskState::Online),
    disk(PATH, "delayed", DiskState::Online),
    disk(PATH, "i/o", DiskState::Online),
    disk(PATH, "pending", DiskState::Online),
    // Not asked (`multipath -l`), or not told by the driver.
    disk(PATH, "undef", DiskState::Online),
    disk(PATH, "unknown", DiskState::Online),
    disk(PATH, "n/a", DiskState::Online),
    disk(PATH, "failed", DiskState::Failed),
    disk(PATH, "timeout", DiskState::Failed),
    disk(PATH, "faulty", DiskState::Failed),
    disk(PATH, "down", DiskState::Failed),
    disk(PATH, "shaky", DiskState::Failed),
    disk(PATH, "offline", DiskState::Failed),
    disk(PATH, "blocked", DiskState::Failed),
    array(HEALTH, "-", ArrayState::Optimal),
    array(HEALTH, "w", ArrayState::Optimal),
    array(HEALTH, "R", ArrayState::Optimal),
    array(HEALTH, "m", ArrayState::Optimal),
    array(HEALTH, "mismatches exist", ArrayState::Optimal),
    array(HEALTH, "p", ArrayState::Degraded),
    array(HEALTH, "partial", ArrayState::Degraded),
    array(HEALTH, "r", ArrayState::Degraded),
    array(HEALTH, "refresh needed", ArrayState::Degraded),
    array(HEALTH, "F", ArrayState::Failed),
    array(HEALTH, "failed", ArrayState::Failed),
    array(HEALTH, "D", ArrayState::Failed),
    array(HEALTH, "out_of_data", ArrayState::Failed),
    array(HEALTH, "M", ArrayState::Failed),
    array(HEALTH, "metadata_read_only", ArrayState::Failed),
    array(HEALTH, "E", ArrayState::Failed),
    array(HEALTH, "error", ArrayState::Failed),
    array(ACTIVE, "a", ArrayState::Optimal),
    array(ACTIVE, "-", ArrayState::Inactive),
    array(ACTIVE, "h", ArrayState::Inactive),
    array(ACTIVE, "s", ArrayState::Failed),
    array(ACTIVE, "d", ArrayState::Failed),
    array(ACTIVE, "i", ArrayState::Failed),
    finding(ACTIVE, "I", FindingKind::ToolReportsFault),
    finding(ACTIVE, "S", FindingKind::ToolReportsFault),
    finding(ACTIVE, "m", FindingKind::ToolReportsFault),
    finding(ACTIVE, "M", FindingKind::ToolReportsFault),
    finding(ACTIVE, "c", FindingKind::ToolReportsFault),
    finding(ACTIVE, "C", FindingKind::ToolReportsFault),
    array(POOL, "rw", ArrayState::Optimal),
    array(POOL, "ro", ArrayState::Failed),
    array(POOL, "out_of_data_space", ArrayState::Failed),
    array(POOL, "Fail", ArrayState::Failed),
    array(POOL, "Error", ArrayState::Failed),
    array(DMRAID, "ok", ArrayState::Optimal),
    array(DMRAID, "nosync", ArrayState::Degraded),
    array(DMRAID, "inconsistent", ArrayState::Degraded),
    array(DMRAID, "broken", ArrayState::Failed),
    finding("snapshot", "Invalid", FindingKind::ToolReportsFault),
    finding("snapshot", "Overflow", FindingKind::ToolReportsFault),
    finding("snapshot", "Merge failed", FindingKind::ToolReportsFault),
    array(TARGET, "error", ArrayState::Failed),
];

const fn disk(of: &'static str, word: &'static str, state: DiskState) -> Term {
    Term { of, word, means: Said::Disk(state) }
}

const fn array(of: &'static str, word: &'static str, state: ArrayState) -> Term {
    Term { of, word, means: Said::Array(state) }
}

const fn work(word: &'static str, kind: TaskKind) -> Term {
    Term { of: ACTION, word, means: Said::Task(kind, TaskState::Running) }
}

const fn finding(of: &'static str, word: &'static str, kind: FindingKind) -> Term {
    Term { of, word, means: Said::Finding(kind) }
}

pub fn meaning(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && t.word == word).map(|t| t.means)
}

pub fn disk_state(of: &str, word: &str) -> Option<DiskState> {
    match meaning(of, word) {
        Some(Said::Disk(state)) => Some(state),
        _ => None,
    }
}

pub fn array_state(of: &str, word: &str) -> Option<ArrayState> {
    match meaning(of, word) {
        Some(Said::Array(state)) => Some(state),
        _ => None,
    }
}
