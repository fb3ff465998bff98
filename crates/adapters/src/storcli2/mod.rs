//! storcli2 and perccli2, generation 2: MegaRAID 96xx and PERC 12, driver mpi3mr.
//!
//! The tool speaks the grammar of storcli and prints other tables: `PID` for `DID`, a disk's state in two
//! columns, two cache columns, an energy pack instead of battery and CacheVault. `translate` brings that
//! into the shape of generation 1; asking, reading and judging are storcli's own. The event log is not asked
//! for: no capture of its layout is known, and the driver tells the kernel log.

#[cfg(test)]
mod tests;
mod translate;
mod vocabulary;

pub(crate) use vocabulary::DISKS;

use crate::storcli::dialect::Dialect;
use crate::storcli::{self, maintenance::StorcliMaintenance, recognise};
use crate::{Adapter, Maintenance, Step, Term, Tool};
use raidmond_core::model::Space;
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known};

pub struct Storcli2;

const SECOND: Dialect = Dialect {
    family: "storcli2",
    commands: &["storcli2", "perccli2"],
    space: Space::Mpi3mr,
    driver: "mpi3mr",
    second: true,
    events: false,
    translate: translate::translate,
};

const TOOLS: &[Tool] = &[
    Tool {
        names: &["storcli2"],
        paths: &["/opt/MegaRAID/storcli2", "/usr/local/sbin", "/usr/sbin"],
        how_to_get: "StorCLI2, from Broadcom's support pages for the controller",
    },
    Tool {
        names: &["perccli2"],
        paths: &["/opt/MegaRAID/perccli2", "/usr/local/sbin", "/usr/sbin"],
        how_to_get: "PERCCLI2, from Dell's driver pages for the server",
    },
];

impl Adapter for Storcli2 {
    fn family(&self) -> &'static str {
        SECOND.family
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["mpi3mr"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        recognise::recognise(&SECOND, asked, head)
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        storcli::step(&SECOND, known, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&StorcliMaintenance)
    }
}
