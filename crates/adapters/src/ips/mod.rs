//! IBM ServeRAID 4 to 7 (driver ips) through ipssend. The driver's own files tell nothing of arrays.
//!
//! A controller is the tool's number, from 1: `cips1`. Not here: `getstatus` (progress of a rebuild) and
//! `getevent`, of which no captures are known.

mod lower;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::survey::{AnswerKind, Asked, Deadline, Heard, Known, Query, Scope};

pub struct Ips;

pub const CONFIG: AnswerKind = AnswerKind("configuration");
pub const MUTATION: AnswerKind = AnswerKind("mutation");
pub const ASIDE: AnswerKind = AnswerKind("aside");

static TOOLS: &[Tool] = &[Tool {
    names: &["ipssend"],
    paths: &["/usr/local/sbin", "/usr/local/bin", "/opt/ipssend"],
    how_to_get: "ipssend, on IBM's ServeRAID support CD (Linux command-line programs)",
}];

impl Adapter for Ips {
    fn family(&self) -> &'static str {
        "ips"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["ips"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => {
                String::from_utf8_lossy(head).contains("IBM ServeRAID controller(s)").then_some(CONFIG)
            }
            Asked::Cmd(_) if asked.tool() == "ipssend" => Some(by_words(&asked.args_lower())),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::lower(known, heard));
        let tool = known.tool.as_ref().map_or("ipssend", |t| t.name.as_str());
        let ask = |number: &str| vec![Query::cmd(CONFIG, &[tool, "getconfig", number]).deadline(Deadline::Long)];
        let queries = match &known.scope {
            Scope::Everything => Vec::new(),
            // Every answer begins with the number of controllers.
            Scope::Discover => ask("1"),
            Scope::Controller(number) => ask(number.trim_start_matches("ips")),
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

fn by_words(words: &[String]) -> AnswerKind {
    match words.first().map(String::as_str) {
        Some("getconfig") => CONFIG,
        Some(word) if word.starts_with("get") || word.starts_with('-') => ASIDE,
        Some(_) => MUTATION,
        None => ASIDE,
    }
}
