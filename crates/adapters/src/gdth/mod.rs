//! ICP Vortex and Intel SRCU controllers through the driver's own file, `/proc/scsi/gdth/N`.
//!
//! The driver left the kernel with 5.12; hosts that have these cards are old. A controller is its SCSI host,
//! `cgdth0`. Array drives are `a0`; logical drives that belong to none stand for themselves, `v0`. Not here:
//! the controller's events at the end of the file, which carry an age and no time.

mod lower;
mod parse;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known, Query, Scope};

pub struct Gdth;

pub const HOSTS: AnswerKind = AnswerKind("hosts");
pub const INFO: AnswerKind = AnswerKind("controller file");

pub const FOLDER: &str = "/proc/scsi/gdth";

impl Adapter for Gdth {
    fn family(&self) -> &'static str {
        "gdth"
    }

    fn tools(&self) -> &'static [Tool] {
        &[]
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["gdth"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Dir(path) => (path.trim_end_matches('/') == FOLDER).then_some(HOSTS),
            Asked::File(path) => path.starts_with(FOLDER).then_some(INFO),
            Asked::Cmd(argv) if argv.is_empty() => {
                let head = String::from_utf8_lossy(head);
                (head.contains("Disk Array Controller Information:") && head.contains("Driver Ver.:")).then_some(INFO)
            }
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::lower(known, heard));
        let queries = match &known.scope {
            Scope::Everything => Vec::new(),
            Scope::Discover => vec![Query::dir(HOSTS, FOLDER)],
            Scope::Controller(number) => {
                vec![Query::file(INFO, format!("{FOLDER}/{}", number.trim_start_matches("gdth")))]
            }
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}
