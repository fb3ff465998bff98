//! storcli and perccli, generation 1: MegaRAID SAS and PERC up to series 95xx / H7xx, 9400 HBAs.
//!
//! Asks for the summary of a controller at every poll and for counters, battery, enclosures and the
//! event log about every quarter of an hour. JSON is asked for; text is understood, too, because many
//! answers are text even then. storcli2 and perccli2 print another layout: it is refused here by name
//! and never read with this vocabulary.

mod ask;
mod lower;
mod maintenance;
mod parse;
mod parse_json;
mod parse_text;
mod recognise;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use maintenance::ALWAYS_FIXES;

use crate::{Adapter, Maintenance, Step, Term, Tool};
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known};

pub struct Storcli;

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

impl Adapter for Storcli {
    fn family(&self) -> &'static str {
        "storcli"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["megaraid_sas"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        recognise::recognise(asked, head)
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::lower(known, heard));
        let queries = ask::queries(known, heard, &reading);
        if queries.is_empty() { Step::Done(reading) } else { Step::Ask { queries, so_far: reading } }
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintenance::StorcliMaintenance)
    }
}
