//! storcli and perccli, generation 1: MegaRAID SAS and PERC up to series 95xx / H7xx, 9400 HBAs.
//!
//! Asks for the summary of a controller at every poll and for counters, battery, enclosures and the
//! event log about every quarter of an hour. JSON is asked for; text is understood, too, because many
//! answers are text even then. storcli2 and perccli2 print another layout: it is refused here by name;
//! the family storcli2 brings it into this one's shape and shares the rest.

mod ask;
pub(crate) mod dialect;
pub(crate) mod lower;
pub(crate) mod maintenance;
pub(crate) mod parse;
mod parse_json;
mod parse_text;
pub(crate) mod recognise;
#[cfg(test)]
mod tests;
pub(crate) mod vocabulary;

pub use maintenance::ALWAYS_FIXES;

use crate::{Adapter, Maintenance, Step, Term, Tool};
use dialect::Dialect;
use raidmond_core::model::Space;
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known};

pub struct Storcli;

pub(crate) const FIRST: Dialect = Dialect {
    family: "storcli",
    commands: &["storcli64", "storcli", "perccli64", "perccli"],
    space: Space::Megaraid,
    driver: "megaraid_sas",
    second: false,
    events: true,
    translate: |document| document,
};

const TOOLS: &[Tool] = &[
    Tool {
        names: &["storcli64", "storcli"],
        paths: &["/opt/MegaRAID/storcli", "/usr/local/sbin", "/usr/sbin"],
        how_to_get: "StorCLI, from Broadcom's support pages for the controller",
    },
    Tool {
        names: &["perccli64", "perccli"],
        paths: &["/opt/MegaRAID/perccli", "/usr/local/sbin", "/usr/sbin"],
        how_to_get: "PERCCLI, from Dell's driver pages for the server",
    },
];

/// One conversation of either generation.
pub(crate) fn step(dialect: &'static Dialect, known: &Known, heard: &Heard) -> Step {
    let reading = Box::new(lower::lower(dialect, known, heard));
    let queries = ask::queries(dialect, known, heard, &reading);
    Step::of(reading, queries, heard)
}

impl Adapter for Storcli {
    fn family(&self) -> &'static str {
        FIRST.family
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["megaraid_sas"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        recognise::recognise(&FIRST, asked, head)
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        step(&FIRST, known, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintenance::StorcliMaintenance)
    }
}
