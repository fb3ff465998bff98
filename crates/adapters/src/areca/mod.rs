//! Areca controllers through cli64, cli32 or areca-cli.
//!
//! A controller is its number in the tool's own list, from 1 (`c1`); the driver's hosts follow the same
//! order. Volume sets are the arrays, `c1/v1`; where only the raid sets are known they stand in, `c1/r1`.
//! Every question is a command of its own: no prompt is ever held open, and nothing is asked that wants the
//! controller's password. Not here: SMART of the disks (smartctl does that), mail and network settings.

mod events;
mod lower;
mod parse;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::model::Path;
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known, Query, Reading, Scope};

pub struct Areca;

/// `main`: the list of controllers.
pub const MAIN: AnswerKind = AnswerKind("controllers");
pub const SYSTEM: AnswerKind = AnswerKind("system");
pub const RAID_SETS: AnswerKind = AnswerKind("raid sets");
pub const VOLUMES: AnswerKind = AnswerKind("volume sets");
pub const DISKS: AnswerKind = AnswerKind("disks");
/// `disk info drv=N`
pub const DISK: AnswerKind = AnswerKind("disk");
pub const HARDWARE: AnswerKind = AnswerKind("hardware");
pub const EVENTS: AnswerKind = AnswerKind("events");
pub const MUTATION: AnswerKind = AnswerKind("mutation");
/// Ours, and no question raidmond asks.
pub const ASIDE: AnswerKind = AnswerKind("aside");

const NAMES: [&str; 5] = ["cli64", "areca-cli", "areca_cli64", "cli32", "areca_cli32"];

static TOOLS: &[Tool] = &[Tool {
    names: &NAMES,
    paths: &["/opt/areca", "/usr/local/bin", "/usr/local/sbin", "/usr/local/areca"],
    how_to_get: "Areca's CLI for Linux, from the support pages of areca.com.tw",
}];

impl Adapter for Areca {
    fn family(&self) -> &'static str {
        "areca"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["arcmsr"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => parse::kind_of(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if NAMES.contains(&asked.tool().as_str()) => Some(by_words(&asked.args_lower())),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::lower(known, heard));
        let queries = queries(known, &reading);
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

fn by_words(words: &[String]) -> AnswerKind {
    let has = |word: &str| words.iter().any(|w| w == word);
    let drive = words.iter().any(|w| w.starts_with("drv="));
    match words.iter().map(String::as_str).find(|w| !w.contains('=')) {
        Some("main") | None => MAIN,
        Some("rsf") if has("info") => RAID_SETS,
        Some("vsf") if has("info") => VOLUMES,
        Some("disk") if has("info") && drive => DISK,
        Some("disk") if has("info") => DISKS,
        Some("sys") if has("info") => SYSTEM,
        Some("hw") if has("info") => HARDWARE,
        Some("event") if has("info") => EVENTS,
        Some("disk") if has("smart") => ASIDE,
        Some(_) if has("info") || has("-h") || has("-help") => ASIDE,
        Some("exit" | "help") => ASIDE,
        Some(_) => MUTATION,
    }
}

fn queries(known: &Known, so_far: &Reading) -> Vec<Query> {
    let tool = known.tool.as_ref().map_or("cli64", |t| t.name.as_str());
    let first = [Query::cmd(MAIN, &[tool, "main"]), Query::cmd(SYSTEM, &[tool, "sys", "info"]).slow()];
    match &known.scope {
        Scope::Everything => Vec::new(),
        Scope::Discover => first.into(),
        Scope::Controller(number) => survey(tool, number, so_far),
    }
}

/// The first controller is the one a command is for when it names none; versions that know only one card
/// know no `ctrl=`.
fn survey(tool: &str, number: &str, so_far: &Reading) -> Vec<Query> {
    let which = format!("ctrl={number}");
    let ask = |kind, words: &[&str]| {
        let before = [tool].into_iter().chain((number != "1").then_some(which.as_str()));
        let argv: Vec<&str> = before.chain(words.iter().copied()).collect();
        Query::cmd(kind, &argv)
    };
    let mut queries = vec![
        ask(VOLUMES, &["vsf", "info"]),
        ask(RAID_SETS, &["rsf", "info"]),
        ask(DISKS, &["disk", "info"]),
        ask(HARDWARE, &["hw", "info"]).slow(),
        ask(SYSTEM, &["sys", "info"]).slow(),
        ask(EVENTS, &["event", "info"]).slow(),
    ];
    for disk in so_far.disks.iter().filter(|d| d.state.as_ref().is_some_and(|s| !lower::is_empty(s.state))) {
        if let Some(number) = &disk.device_id {
            queries.push(ask(DISK, &["disk", "info", &format!("drv={number}")]).slow());
        }
    }
    queries
}

/// The controller an answer is about: by the conversation, else by `ctrl=`, else the first.
pub fn controller(known: &Known, asked: &Asked) -> Path {
    if let Scope::Controller(number) = &known.scope {
        return Path::controller(number);
    }
    let named = asked.args_lower().into_iter().find_map(|w| w.strip_prefix("ctrl=").map(str::to_owned));
    Path::controller(named.filter(|n| n.parse::<u32>().is_ok()).unwrap_or_else(|| "1".to_owned()))
}
