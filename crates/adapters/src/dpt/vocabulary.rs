//! The words of raidutil.
//!
//! Sources: Adaptec's raidutil guide (states of arrays and drives), published listings. No capture of a fault is known.

use crate::{Said, Term, scan};
use raidmond_core::model::{ArrayState, DiskState};

pub const ARRAY: &str = "array status";
pub const DISK: &str = "drive status";

pub static TERMS: &[Term] = &[
    array("Optimal", ArrayState::Optimal),
    array("Verifying", ArrayState::Optimal),
    array("Degraded", ArrayState::Degraded),
    array("Reconstruct", ArrayState::Rebuilding),
    array("Reconstructing", ArrayState::Rebuilding),
    array("Rebuilding", ArrayState::Rebuilding),
    array("Building", ArrayState::Initialising),
    array("Dead", ArrayState::Failed),
    array("Failed", ArrayState::Failed),
    array("Offline", ArrayState::Failed),
    array("Missing", ArrayState::Failed),
    disk("Optimal", DiskState::Online),
    disk("Reconstruct", DiskState::Rebuilding),
    disk("Reconstructing", DiskState::Rebuilding),
    disk("Rebuilding", DiskState::Rebuilding),
    disk("Replaced Drive", DiskState::Rebuilding),
    disk("Failed", DiskState::Failed),
    disk("Failed Drive", DiskState::Failed),
    disk("Missing", DiskState::Missing),
    disk("Missing Drive", DiskState::Missing),
    disk("Offline", DiskState::Offline),
];

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
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
