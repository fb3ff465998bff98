//! The words of md. Sources: drivers/md/md.c and the personalities of Linux 2.4 to 6.x,
//! Documentation/admin-guide/md.rst, Detail.c of mdadm 2 to 4; most of them seen in public captures.

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, DiskState, FindingKind, TaskKind, TaskState};

/// Of mdstat's first words, of sysfs `array_state` and of mdadm's `State`: they overlap and agree.
pub const ARRAY: &str = "array state";
pub const WORK: &str = "work";
pub const WAITS: &str = "work that waits";
pub const MEMBER: &str = "member state";

pub static TERMS: &[Term] = &[
    array("active", ArrayState::Optimal),
    array("clean", ArrayState::Optimal),
    array("active-idle", ArrayState::Optimal),
    array("write-pending", ArrayState::Optimal),
    array("(read-only)", ArrayState::Optimal),
    array("(auto-read-only)", ArrayState::Optimal),
    array("readonly", ArrayState::Optimal),
    array("read-auto", ArrayState::Optimal),
    array("degraded", ArrayState::Degraded),
    // Disks are there and the array is not: it was not assembled, or not enough of them came.
    array("inactive", ArrayState::Failed),
    array("Not Started", ArrayState::Failed),
    array("FAILED", ArrayState::Failed),
    array("broken", ArrayState::Failed),
    array("suspended", ArrayState::Failed),
    array("clear", ArrayState::Inactive),
    // A resync restores: until it ends, what the copies or the parity say is not relied on.
    work("resync", TaskKind::Rebuild),
    work("recovery", TaskKind::Rebuild),
    work("recover", TaskKind::Rebuild),
    work("check", TaskKind::Check),
    work("repair", TaskKind::Check),
    work("reshape", TaskKind::Expand),
    waits("DELAYED", TaskState::Queued),
    waits("PENDING", TaskState::Queued),
    // Another node of the cluster does it.
    waits("REMOTE", TaskState::Running),
    member("in_sync", DiskState::Online),
    member("journal", DiskState::Online),
    member("spare", DiskState::HotSpare),
    member("faulty", DiskState::Failed),
    member("replacement", DiskState::CopyingBack),
    finding("write_error", FindingKind::ToolReportsFault),
    // Wanted by a person, or by the kernel after a write error, which it states too.
    member("want_replacement", DiskState::Online),
    member("writemostly", DiskState::Online),
    member("failfast", DiskState::Online),
    member("external_bbl", DiskState::Online),
    member("blocked", DiskState::Online),
    finding("bad_blocks", FindingKind::SectorsLost),
    Term { of: "multipath", word: "path failed", means: Said::Finding(FindingKind::PathLost) },
];

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn work(word: &'static str, kind: TaskKind) -> Term {
    Term { of: WORK, word, means: Said::Task(kind, TaskState::Running) }
}

const fn waits(word: &'static str, state: TaskState) -> Term {
    Term { of: WAITS, word, means: Said::Task(TaskKind::Unknown, state) }
}

const fn member(word: &'static str, state: DiskState) -> Term {
    Term { of: MEMBER, word, means: Said::Disk(state) }
}

const fn finding(word: &'static str, kind: FindingKind) -> Term {
    Term { of: MEMBER, word, means: Said::Finding(kind) }
}

pub fn meaning(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && t.word == word).map(|t| t.means)
}
