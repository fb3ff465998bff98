//! The words of the gdth driver (drivers/scsi/gdth_proc.c, all of them).

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, DiskState};

pub const ARRAY: &str = "array drive status";
pub const LOGICAL: &str = "logical drive status";

pub static TERMS: &[Term] = &[
    array("ready", ArrayState::Optimal),
    array("build", ArrayState::Initialising),
    array("rebuild", ArrayState::Rebuilding),
    // One drive failed; the array serves on without redundancy. Two are an error.
    array("fail", ArrayState::Degraded),
    array("error", ArrayState::Failed),
    array("idle", ArrayState::Inactive),
    logical("ok", DiskState::Online),
    logical("missing", DiskState::Missing),
    logical("fault", DiskState::Failed),
    logical("invalid", DiskState::Offline),
];

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn logical(word: &'static str, state: DiskState) -> Term {
    Term { of: LOGICAL, word, means: Said::Disk(state) }
}

fn look_up(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && t.word == word).map(|t| t.means)
}

pub fn array_state(word: &str) -> Option<ArrayState> {
    look_up(ARRAY, word).and_then(|said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn logical_state(word: &str) -> Option<DiskState> {
    look_up(LOGICAL, word).and_then(|said| if let Said::Disk(s) = said { Some(s) } else { None })
}
