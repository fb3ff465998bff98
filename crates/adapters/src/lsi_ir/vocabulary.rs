//! The words of sas2ircu, sas3ircu, mpt-status, lsiutil and the kernel's raid_class.
//!
//! Sources: SAS2 Integrated RAID user guide (states of volumes and drives with their short forms), mpt-status
//! and its headers (mpi_raid.h), drivers/scsi/raid_class.c, captures. Case and the short form in brackets do
//! not count.

use crate::{Said, Term, scan};
use raidmond_core::model::TaskState::Running;
use raidmond_core::model::{ArrayState, DiskState, TaskKind};

pub const VOLUME: &str = "volume state";
pub const DISK: &str = "disk state";
pub const WORK: &str = "volume work";
pub const KERNEL: &str = "raid_class state";

pub static TERMS: &[Term] = &[
    volume("Optimal", ArrayState::Optimal),
    volume("Okay", ArrayState::Optimal),
    volume("Online", ArrayState::Optimal),
    volume("Degraded", ArrayState::Degraded),
    volume("Failed", ArrayState::Failed),
    volume("Missing", ArrayState::Failed),
    volume("Inactive", ArrayState::Inactive),
    volume("Initializing", ArrayState::Initialising),
    disk("Optimal", DiskState::Online),
    disk("Online", DiskState::Online),
    disk("Degraded", DiskState::Offline),
    disk("Rebuilding", DiskState::Rebuilding),
    disk("Out of Sync", DiskState::Rebuilding),
    disk("Initializing", DiskState::Busy),
    disk("Hot Spare", DiskState::HotSpare),
    disk("Ready", DiskState::UnconfiguredGood),
    disk("Available", DiskState::UnconfiguredGood),
    disk("Failed", DiskState::Failed),
    disk("Failed_Requested", DiskState::Failed),
    disk("Missing", DiskState::Missing),
    disk("Offline", DiskState::Offline),
    disk("Offline_Requested", DiskState::Offline),
    disk("Other_Offline", DiskState::Offline),
    disk("Not_Compatible", DiskState::UnconfiguredBad),
    work("Synchronize", TaskKind::Rebuild),
    work("Synchronizing", TaskKind::Rebuild),
    work("Resync", TaskKind::Rebuild),
    work("Rebuild", TaskKind::Rebuild),
    work("Consistency Check", TaskKind::Check),
    work("Background Init", TaskKind::BackgroundInitialise),
    work("Background Initialization", TaskKind::BackgroundInitialise),
    work("Initialize", TaskKind::Initialise),
    work("Online Capacity Expansion", TaskKind::Expand),
    work("OCE", TaskKind::Expand),
    work("Make Data Consistent", TaskKind::BackgroundInitialise),
    kernel("active", ArrayState::Optimal),
    kernel("degraded", ArrayState::Degraded),
    kernel("resyncing", ArrayState::Rebuilding),
    kernel("offline", ArrayState::Failed),
];

const fn volume(word: &'static str, state: ArrayState) -> Term {
    Term { of: VOLUME, word, means: Said::Array(state) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn work(word: &'static str, kind: TaskKind) -> Term {
    Term { of: WORK, word, means: Said::Task(kind, Running) }
}

const fn kernel(word: &'static str, state: ArrayState) -> Term {
    Term { of: KERNEL, word, means: Said::Array(state) }
}

/// Without `(OKY)`.
pub fn bare(word: &str) -> &str {
    word.split('(').next().unwrap_or("").trim()
}

fn look_up(of: &str, word: &str) -> Option<Said> {
    let word = bare(word);
    TERMS.iter().find(|t| t.of == of && scan::same_word(t.word, word)).map(|t| t.means)
}

pub fn volume_state(word: &str) -> Option<ArrayState> {
    look_up(VOLUME, word).and_then(|said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn kernel_state(word: &str) -> Option<ArrayState> {
    look_up(KERNEL, word).and_then(|said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn disk_state(word: &str) -> Option<DiskState> {
    look_up(DISK, word).and_then(|said| if let Said::Disk(s) = said { Some(s) } else { None })
}

pub fn work_kind(word: &str) -> Option<TaskKind> {
    look_up(WORK, word).and_then(|said| if let Said::Task(kind, _) = said { Some(kind) } else { None })
}
