//! MegaCli, MegaCli64 and CmdTool2: the old command line of MegaRAID SAS and PERC 5 to H8xx.
//!
//! It numbers controllers as storcli does, so both may speak of one card. It is refused where it is
//! known to crash the firmware. This module holds the conversation; it judges nothing.

mod ask;
mod cut;
mod events;
mod inquiry;
mod lower;
mod lower_array;
mod lower_battery;
mod lower_disk;
mod lower_pages;
mod maintenance;
mod parse;
mod parse_pages;
mod refuse;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::adapter::{Adapter, Maintenance, Step, Term, Tool};
use raidmond_core::model::Space;
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known, Reading};

pub struct MegaCli;

static TOOLS: &[Tool] = &[Tool {
    names: &["MegaCli64", "megacli64", "MegaCli", "megacli", "MegaCLI", "CmdTool2_64", "CmdTool2"],
    paths: &["/opt/MegaRAID/MegaCli", "/opt/MegaRAID/CmdTool2", "/usr/sbin", "/usr/local/sbin", "/usr/local/bin"],
    how_to_get: "MegaCli 8.07.14 from Broadcom's archive of old downloads, or the package megacli of the HWRaid \
                 repository; new cards need storcli or perccli instead",
}];

impl Adapter for MegaCli {
    fn family(&self) -> &'static str {
        lower::FAMILY
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["megaraid_sas"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        ask::recognise(asked, head)
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        if let Some(card) = refuse::refused_for(known) {
            let mut reading = Reading::new(lower::FAMILY, Space::Megaraid);
            reading.cursor = known.cursor.clone();
            refuse::note(&mut reading, card);
            return Step::Done(Box::new(reading));
        }
        let so_far = Box::new(lower::reading(known, heard));
        let queries = ask::next(known, heard, &so_far);
        if queries.is_empty() { Step::Done(so_far) } else { Step::Ask { queries, so_far } }
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintenance::MegaCliMaintenance)
    }
}
