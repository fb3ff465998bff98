//! DPT and Adaptec I2O controllers (2000S, 2100S, 2400A, 3200S; driver dpt_i2o) through raidutil.
//!
//! The driver's own file `/proc/scsi/dpt_i2o/N` only tells that a device is there: a degraded array reads "online"
//! in it. It is read where a capture holds it, and never taken for health. A controller is raidutil's number,
//! `cdpt0`. Not here: raidutil's event log, battery and alarm.

mod lower;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::survey::{AnswerKind, Asked, Deadline, Heard, Known, Query, Scope};

pub struct Dpt;

/// `raidutil -L logical`
pub const LOGICAL: AnswerKind = AnswerKind("logical drives");
/// `raidutil -L physical`
pub const PHYSICAL: AnswerKind = AnswerKind("physical drives");
/// `raidutil -L raid`, `-L all`: both.
pub const ALL: AnswerKind = AnswerKind("drives");
pub const FILE: AnswerKind = AnswerKind("controller file");
pub const MUTATION: AnswerKind = AnswerKind("mutation");
pub const ASIDE: AnswerKind = AnswerKind("aside");

static TOOLS: &[Tool] = &[Tool {
    names: &["raidutil"],
    paths: &["/usr/dpt", "/usr/sbin", "/usr/local/sbin"],
    how_to_get: "package raidutils (i2o tools), or Adaptec's Storage Manager for the card in /usr/dpt",
}];

impl Adapter for Dpt {
    fn family(&self) -> &'static str {
        "dpt"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["dpt_i2o"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        let head = String::from_utf8_lossy(head);
        match asked {
            Asked::File(path) => path.starts_with("/proc/scsi/dpt_i2o").then_some(FILE),
            Asked::Cmd(argv) if argv.is_empty() => by_text(&head),
            Asked::Cmd(_) if asked.tool() == "raidutil" => Some(by_words(asked)),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::lower(known, heard));
        let tool = known.tool.as_ref().map_or("raidutil", |t| t.name.as_str());
        let ask = |kind, what| Query::cmd(kind, &[tool, "-L", what]).deadline(Deadline::Long);
        let queries = match &known.scope {
            Scope::Everything => Vec::new(),
            Scope::Discover => vec![ask(LOGICAL, "logical")],
            Scope::Controller(_) => vec![ask(LOGICAL, "logical"), ask(PHYSICAL, "physical")],
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

/// Lists are `-L`; the other letters create, delete and change.
fn by_words(asked: &Asked) -> AnswerKind {
    let Asked::Cmd(argv) = asked else { return ASIDE };
    let what = argv.iter().skip_while(|w| *w != "-L").nth(1).map(String::as_str);
    match what {
        Some("logical") => LOGICAL,
        Some("physical") => PHYSICAL,
        Some("raid" | "all") => ALL,
        Some(_) => ASIDE,
        None if argv.len() <= 1 || argv.iter().any(|w| matches!(w.as_str(), "-?" | "-e" | "-I")) => ASIDE,
        None => MUTATION,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let table = head.contains("Address") && head.contains("Manufacturer/Model") && head.contains("Status");
    match () {
        () if head.contains("I2O RAID Driver Version") => Some(FILE),
        () if table => Some(ALL),
        () => None,
    }
}
