//! The words of ipssend; the short form in brackets does not count.
//!
//! Sources: IBM ServeRAID user's reference (states of logical and physical drives), captures. Of the words only
//! Okay and Critical are in captures.

use crate::{Said, Term, scan};
use raidmond_core::model::{ArrayState, DiskState};

pub const LOGICAL: &str = "logical drive status";
pub const DISK: &str = "physical drive state";

pub static TERMS: &[Term] = &[
    logical("Okay", ArrayState::Optimal),
    // A drive is defunct: data is there, redundancy is not.
    logical("Critical", ArrayState::Degraded),
    logical("Degraded", ArrayState::Degraded),
    logical("Critical System", ArrayState::Degraded),
    logical("Recovery", ArrayState::Rebuilding),
    logical("Rebuilding", ArrayState::Rebuilding),
    logical("Logical drive migration", ArrayState::Optimal),
    logical("Offline", ArrayState::Failed),
    disk("Online", DiskState::Online),
    disk("Hot spare", DiskState::HotSpare),
    disk("Hot-spare", DiskState::HotSpare),
    disk("Standby hot spare", DiskState::HotSpare),
    disk("Standby hot-spare", DiskState::HotSpare),
    disk("Ready", DiskState::UnconfiguredGood),
    disk("Standby", DiskState::UnconfiguredGood),
    disk("Rebuilding", DiskState::Rebuilding),
    disk("Rebuild", DiskState::Rebuilding),
    disk("Defunct", DiskState::Failed),
    disk("Defunct hot spare", DiskState::Failed),
    disk("Defunct hot-spare", DiskState::Failed),
    disk("Empty", DiskState::Empty),
];

const fn logical(word: &'static str, state: ArrayState) -> Term {
    Term { of: LOGICAL, word, means: Said::Array(state) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

fn look_up(of: &str, word: &str) -> Option<Said> {
    let word = word.split('(').next().unwrap_or("").trim();
    TERMS.iter().find(|t| t.of == of && scan::same_word(t.word, word)).map(|t| t.means)
}

pub fn logical_state(word: &str) -> Option<ArrayState> {
    look_up(LOGICAL, word).and_then(|said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn disk_state(word: &str) -> Option<DiskState> {
    look_up(DISK, word).and_then(|said| if let Said::Disk(s) = said { Some(s) } else { None })
}
