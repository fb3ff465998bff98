//! The words of btrfs. Sources: fs/btrfs/sysfs.c of Linux 3.14 to 6.x, btrfs(5), cmds/*.c of btrfs-progs
//! 3 to 6; device statistics seen in public captures.

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, DiskState, FindingKind, TaskKind, TaskState};

/// `devinfo/N/missing`
pub const MISSING: &str = "missing";
pub const SCRUB: &str = "scrub status";
pub const SUMMARY: &str = "scrub summary";
pub const OPERATION: &str = "exclusive operation";
pub const COUNTER: &str = "device counter";

pub static TERMS: &[Term] = &[
    Term { of: MISSING, word: "0", means: Said::Disk(DiskState::Online) },
    Term { of: MISSING, word: "1", means: Said::Disk(DiskState::Missing) },
    Term { of: MISSING, word: "MISSING", means: Said::Disk(DiskState::Missing) },
    Term { of: SUMMARY, word: "no errors found", means: Said::Array(ArrayState::Optimal) },
    task(SCRUB, "running", TaskKind::Check, TaskState::Running),
    task(SCRUB, "finished", TaskKind::Check, TaskState::Completed),
    task(SCRUB, "aborted", TaskKind::Check, TaskState::Stopped),
    task(SCRUB, "interrupted", TaskKind::Check, TaskState::Stopped),
    Term { of: OPERATION, word: "none", means: Said::Array(ArrayState::Optimal) },
    Term { of: OPERATION, word: "swapfile activate", means: Said::Array(ArrayState::Optimal) },
    task(OPERATION, "balance", TaskKind::Expand, TaskState::Running),
    task(OPERATION, "balance paused", TaskKind::Expand, TaskState::Paused),
    task(OPERATION, "device add", TaskKind::Expand, TaskState::Running),
    task(OPERATION, "resize", TaskKind::Expand, TaskState::Running),
    // Both write the data of a missing device anew.
    task(OPERATION, "device remove", TaskKind::Rebuild, TaskState::Running),
    task(OPERATION, "device replace", TaskKind::Rebuild, TaskState::Running),
    // A write that a device did not take, or that it took and forgot: its copy is stale.
    finding("write_io_errs", FindingKind::SectorsLost),
    finding("flush_io_errs", FindingKind::SectorsLost),
    finding("generation_errs", FindingKind::SectorsLost),
    finding("corruption_errs", FindingKind::SectorsLost),
    // Read from another copy where there is one.
    finding("read_io_errs", FindingKind::ToolReportsFault),
];

const fn task(of: &'static str, word: &'static str, kind: TaskKind, state: TaskState) -> Term {
    Term { of, word, means: Said::Task(kind, state) }
}

const fn finding(word: &'static str, kind: FindingKind) -> Term {
    Term { of: COUNTER, word, means: Said::Finding(kind) }
}

pub fn meaning(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && t.word == word).map(|t| t.means)
}
