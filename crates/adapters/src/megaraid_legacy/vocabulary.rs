//! The words of the legacy MegaRAID driver's `/proc` files and of megarc. Sources: the Linux
//! `megaraid` driver (its `/proc` texts and battery bits), megarc 1.11 output in public captures.

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, CacheState, DiskState, TaskKind, TaskState};

pub const ARRAY: &str = "logical drive state";
pub const ARRAY_TASK: &str = "logical drive task";
pub const DISK: &str = "physical drive state";
pub const BATTERY: &str = "battery bit";

/// A hole in the numbering, no array.
pub const DELETED: &str = "deleted";

pub static TERMS: &[Term] = &[
    array("optimal", ArrayState::Optimal),
    array("degraded", ArrayState::Degraded),
    array("offline", ArrayState::Failed),
    array("failed", ArrayState::Failed),
    task("check-consistency in progress", TaskKind::Check),
    task("initialization in progress", TaskKind::Initialise),
    disk("Online", DiskState::Online),
    disk("Failed", DiskState::Failed),
    disk("Fail", DiskState::Failed),
    disk("Rebuild", DiskState::Rebuilding),
    disk("Rebuilding", DiskState::Rebuilding),
    disk("Hot spare", DiskState::HotSpare),
    disk("Hotspare", DiskState::HotSpare),
    disk("HSP", DiskState::HotSpare),
    disk("Un-configured", DiskState::UnconfiguredGood),
    disk("Unconfigured", DiskState::UnconfiguredGood),
    disk("Ready", DiskState::UnconfiguredGood),
    // The number is a set of bits; 0 is a charged, healthy pack.
    battery("0x00", CacheState::Optimal),
    battery("0x01", CacheState::NotFitted),
    battery("0x02", CacheState::Weak),
    battery("0x04", CacheState::Weak),
    battery("0x08", CacheState::Missing),
    battery("0x10", CacheState::Charging),
    battery("0x20", CacheState::Failed),
    battery("0x40", CacheState::Weak),
];

/// (bit, what it says)
pub const BITS: [(u64, &str); 7] = [
    (0x01, "module missing"),
    (0x02, "low voltage"),
    (0x04, "temperature high"),
    (0x08, "pack missing"),
    (0x10, "charging"),
    (0x20, "charge failed"),
    (0x40, "charge cycles exceeded"),
];

pub const CYCLES_EXCEEDED: u64 = 0x40;

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn task(word: &'static str, kind: TaskKind) -> Term {
    Term { of: ARRAY_TASK, word, means: Said::Task(kind, TaskState::Running) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn battery(word: &'static str, state: CacheState) -> Term {
    Term { of: BATTERY, word, means: Said::Cache(state) }
}

pub fn meaning(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && t.word.eq_ignore_ascii_case(word.trim())).map(|t| t.means)
}

pub fn bit(bit: u64) -> Option<CacheState> {
    match meaning(BATTERY, &format!("{bit:#04x}")) {
        Some(Said::Cache(state)) => Some(state),
        _ => None,
    }
}
