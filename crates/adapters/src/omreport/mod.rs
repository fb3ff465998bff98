//! Dell OpenManage: `omreport storage`, in the ssv form and in the plain one.
//!
//! It speaks of every PERC and of BOSS, through a service that must run. Where perccli or storcli reads the
//! same cards it stands back: those tell more and depend on nothing. A controller is OpenManage's own id. Not
//! here: the rest of the server (`omreport chassis`, `system`), and the XML form, which nobody asks for.

mod lower;
mod parse;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::survey::{AnswerKind, Asked, Deadline, Heard, Known, Query, Reading, Scope};

pub struct Omreport;

pub const CONTROLLERS: AnswerKind = AnswerKind("controllers");
pub const VDISKS: AnswerKind = AnswerKind("vdisks");
pub const PDISKS: AnswerKind = AnswerKind("pdisks");
/// `storage pdisk controller=0 vdisk=1`
pub const MEMBERS: AnswerKind = AnswerKind("members");
pub const BATTERY: AnswerKind = AnswerKind("batteries");
pub const ENCLOSURES: AnswerKind = AnswerKind("enclosures");
/// The server beside its storage, and storage pages raidmond does not need.
pub const ASIDE: AnswerKind = AnswerKind("aside");

static TOOLS: &[Tool] = &[Tool {
    names: &["omreport"],
    paths: &["/opt/dell/srvadmin/bin", "/opt/dell/srvadmin/sbin"],
    how_to_get: "Dell OpenManage Server Administrator (srvadmin-storage-cli); perccli is the better choice",
}];

impl Adapter for Omreport {
    fn family(&self) -> &'static str {
        "omreport"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    /// On Dell's cards only.
    fn drivers(&self) -> &'static [&'static str] {
        &["megaraid_sas", "mpi3mr"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool() == "omreport" => Some(by_words(&asked.args_lower())),
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
    let names = |key: &str| words.iter().any(|w| w.starts_with(key));
    match () {
        () if !has("storage") => ASIDE,
        () if has("controller") => CONTROLLERS,
        () if has("vdisk") => VDISKS,
        () if has("pdisk") && names("vdisk=") => MEMBERS,
        () if has("pdisk") => PDISKS,
        () if has("battery") => BATTERY,
        () if has("enclosure") && !names("info=") => ENCLOSURES,
        () => ASIDE,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let has = |words: &str| head.contains(words);
    let kind = match () {
        () if has("List of Virtual Disks") => VDISKS,
        () if has("List of Physical Disks") => PDISKS,
        () if has("List of Batteries") => BATTERY,
        () if has("List of Enclosures") => ENCLOSURES,
        () if has("Patrol Read Mode") && has("Firmware Version") => CONTROLLERS,
        () => return None,
    };
    Some(kind)
}

fn queries(known: &Known, so_far: &Reading) -> Vec<Query> {
    let tool = known.tool.as_ref().map_or("omreport", |t| t.name.as_str());
    let ask = |kind, words: &[&str]| {
        let argv: Vec<&str> =
            [tool, "storage"].into_iter().chain(words.iter().copied()).chain(["-fmt", "ssv"]).collect();
        Query::cmd(kind, &argv).deadline(Deadline::Long)
    };
    let Scope::Controller(number) = &known.scope else {
        return if known.scope == Scope::Discover { vec![ask(CONTROLLERS, &["controller"])] } else { Vec::new() };
    };
    let which = format!("controller={number}");
    let mut queries = vec![
        ask(VDISKS, &["vdisk", &which]),
        ask(PDISKS, &["pdisk", &which]),
        ask(CONTROLLERS, &["controller"]).slow(),
        ask(BATTERY, &["battery", &which]).slow(),
        ask(ENCLOSURES, &["enclosure"]).slow(),
    ];
    for array in &so_far.arrays {
        let vdisk = format!("vdisk={}", array.at.leaf().trim_start_matches('v'));
        queries.push(ask(MEMBERS, &["pdisk", &which, &vdisk]).slow());
    }
    queries
}
