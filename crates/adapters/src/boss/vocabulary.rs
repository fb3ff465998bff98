//! The words of mvcli.
//!
//! Sources: captures of Dell's and Lenovo's mvcli, the words of the Marvell driver (mv_ld_status), the tool's
//! help. Degraded and offline arrays have not been seen in captures.

use crate::{Said, Term, scan};
use raidmond_core::model::TaskState::Running;
use raidmond_core::model::{ArrayState, DiskState, PartState, TaskKind};

pub const ARRAY: &str = "virtual disk status";
pub const DISK: &str = "physical disk status";
pub const WORK: &str = "background activity";
pub const IMAGE: &str = "image health";

pub static TERMS: &[Term] = &[
    array("functional", ArrayState::Optimal),
    array("optimal", ArrayState::Optimal),
    array("online", ArrayState::Optimal),
    array("degrade", ArrayState::Degraded),
    array("degraded", ArrayState::Degraded),
    array("partially optimal", ArrayState::PartlyDegraded),
    array("rebuilding", ArrayState::Rebuilding),
    array("migration", ArrayState::Optimal),
    array("offline", ArrayState::Failed),
    array("failed", ArrayState::Failed),
    array("missing", ArrayState::Failed),
    array("deleted", ArrayState::Inactive),
    disk("online", DiskState::Online),
    disk("assigned", DiskState::Online),
    disk("spare", DiskState::HotSpare),
    disk("free", DiskState::UnconfiguredGood),
    disk("unassigned", DiskState::UnconfiguredGood),
    disk("unconfigured", DiskState::UnconfiguredGood),
    disk("rebuilding", DiskState::Rebuilding),
    disk("offline", DiskState::Offline),
    disk("failed", DiskState::Failed),
    disk("missing", DiskState::Missing),
    disk("foreign", DiskState::Foreign),
    work("rebuild", TaskKind::Rebuild),
    work("rebuilding", TaskKind::Rebuild),
    work("consistency check", TaskKind::Check),
    work("synchronize", TaskKind::BackgroundInitialise),
    work("synchronizing", TaskKind::BackgroundInitialise),
    work("media patrol", TaskKind::PatrolRead),
    work("initialization", TaskKind::Initialise),
    work("migration", TaskKind::Expand),
    image("Healthy", PartState::Ok),
];

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn work(word: &'static str, kind: TaskKind) -> Term {
    Term { of: WORK, word, means: Said::Task(kind, Running) }
}

const fn image(word: &'static str, state: PartState) -> Term {
    Term { of: IMAGE, word, means: Said::Part(state) }
}

fn look_up(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && scan::same_word(t.word, word)).map(|t| t.means)
}

pub fn array_state(word: &str) -> Option<ArrayState> {
    look_up(ARRAY, word).and_then(|said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn disk_state(word: &str) -> Option<DiskState> {
    look_up(DISK, word).and_then(|said| if let Said::Disk(s) = said { Some(s) } else { None })
}

pub fn work_kind(word: &str) -> Option<TaskKind> {
    look_up(WORK, word).and_then(|said| if let Said::Task(kind, _) = said { Some(kind) } else { None })
}

pub fn is_healthy_image(word: &str) -> bool {
    look_up(IMAGE, word) == Some(Said::Part(PartState::Ok))
}
