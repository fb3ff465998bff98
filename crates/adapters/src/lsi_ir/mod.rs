//! Integrated RAID of LSI's Fusion-MPT cards: SAS2xxx and SAS3xxx through sas2ircu and sas3ircu, SAS1064 to
//! SAS1078 and the SCSI 53C1030 through mpt-status; without a tool through the kernel's raid_class.
//!
//! A controller is the tool's index (`c0`), mpt-status' number (`cioc0`), or its SCSI host where only sysfs
//! tells (`chost6`). Most of these cards are plain adapters; a card without volumes is well. lsiutil is
//! read where a capture holds it and never asked: its menus change things.

mod fusion;
mod ircu;
mod raid_class;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Deadline, Heard, Known, NoteKind, Query, Reading, Scope};

pub struct LsiIr;

/// `sas3ircu LIST`
pub const LIST: AnswerKind = AnswerKind("controllers");
/// `sas3ircu 0 STATUS`: volumes and their work.
pub const STATUS: AnswerKind = AnswerKind("volumes");
/// `sas3ircu 0 DISPLAY`: everything.
pub const DISPLAY: AnswerKind = AnswerKind("configuration");
/// `mpt-status -p`: which volumes there are.
pub const PROBE: AnswerKind = AnswerKind("volume ids");
/// `mpt-status -i 0`
pub const VOLUME: AnswerKind = AnswerKind("volume");
/// lsiutil's menus for RAID.
pub const LSIUTIL: AnswerKind = AnswerKind("lsiutil");
pub const RAID_CLASS: AnswerKind = AnswerKind("raid devices");
pub const ATTRIBUTE: AnswerKind = AnswerKind("raid device attribute");
pub const MUTATION: AnswerKind = AnswerKind("mutation");
pub const ASIDE: AnswerKind = AnswerKind("aside");

const MPT_STATUS: &str = "mpt-status";

static TOOLS: &[Tool] = &[
    Tool {
        names: &["sas3ircu"],
        paths: &["/opt/lsi/sas3ircu", "/opt/lsi", "/usr/local/sbin", "/usr/local/bin"],
        how_to_get: "SAS3IRCU, from Broadcom's support pages (SAS 9300 family)",
    },
    Tool {
        names: &["sas2ircu"],
        paths: &["/opt/lsi/sas2ircu", "/opt/lsi", "/usr/local/sbin", "/usr/local/bin"],
        how_to_get: "SAS2IRCU, from Broadcom's support pages (SAS 9200 family)",
    },
    Tool {
        names: &[MPT_STATUS],
        paths: &["/usr/sbin", "/usr/local/sbin"],
        how_to_get: "Debian and Ubuntu: package mpt-status; load the module mptctl",
    },
];

impl Adapter for LsiIr {
    fn family(&self) -> &'static str {
        "lsi_ir"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["mpt3sas", "mpt2sas", "mptsas", "mptspi"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        let Asked::Cmd(argv) = asked else { return raid_class::kind_of(asked) };
        match asked.tool().as_str() {
            _ if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            "sas2ircu" | "sas3ircu" => Some(ircu_kind(&asked.args_lower())),
            MPT_STATUS => Some(mpt_kind(&asked.args_lower())),
            "lsiutil" => Some(LSIUTIL),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(read(known, heard));
        let queries = queries(known, heard);
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

fn ircu_kind(words: &[String]) -> AnswerKind {
    let has = |word: &str| words.iter().any(|w| w == word);
    match () {
        () if has("list") => LIST,
        () if has("status") => STATUS,
        () if has("display") => DISPLAY,
        () if words.is_empty() || has("help") || has("logir") || has("bootir") => ASIDE,
        () => MUTATION,
    }
}

fn mpt_kind(words: &[String]) -> AnswerKind {
    let has = |flags: &[&str]| words.iter().any(|w| flags.contains(&w.as_str()));
    match () {
        () if has(&["-p", "--probe_id"]) => PROBE,
        () if has(&["-h", "--help", "--version", "-s", "--status_only"]) => ASIDE,
        () => VOLUME,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let has = |words: &str| head.contains(words);
    match () {
        () if has("IR volume information") || has("IR Volume information") => Some(DISPLAY),
        () if has("Device is a Hard disk") => Some(DISPLAY),
        () if has("Background command progress status") || has("there are no IR volumes") => Some(STATUS),
        () if has("SAS2IRCU:") || has("SAS3IRCU:") => Some(LIST),
        () if has("MPT Configuration Utility") || has("PhysDisk State:") => Some(LSIUTIL),
        () if fusion::looks_like(head) => Some(VOLUME),
        () => None,
    }
}

fn read(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("lsi_ir", Space::LsiIr);
    // What is asked at every poll has the last word.
    let mut answers: Vec<(AnswerKind, &Answer)> = heard.all().filter(|(_, a)| !a.outcome.not_captured).collect();
    answers.sort_by_key(|(kind, _)| u8::from(*kind == STATUS));
    for (kind, answer) in answers {
        one(&mut reading, known, kind, answer);
    }
    raid_class::lower(&mut reading, known, heard);
    cover_probed(&mut reading, known, heard);
    reading
}

/// Every volume mpt-status found has been read: there are no others.
fn cover_probed(reading: &mut Reading, known: &Known, heard: &Heard) {
    let Scope::Controller(number) = &known.scope else { return };
    let ids: Vec<String> = heard.of(PROBE).flat_map(|a| fusion::ids(&a.text())).collect();
    let probed = heard.of(PROBE).any(|a| a.outcome.ended()) && number.starts_with("ioc");
    if probed && reading.arrays.len() >= ids.len() && !reading.notes.iter().any(|n| n.kind == NoteKind::Unreadable) {
        reading.coverage.add(&Path::controller(number), raidmond_core::survey::Covers::Arrays);
    }
}

fn one(reading: &mut Reading, known: &Known, kind: AnswerKind, answer: &Answer) {
    let at = controller(known, &answer.asked);
    if kind == MUTATION {
        let said = format!("`{}` changes something; its answer is not judged", answer.asked);
        return reading.note(NoteKind::Mutation, at, said);
    }
    if matches!(kind, RAID_CLASS | ATTRIBUTE | ASIDE) {
        return;
    }
    if !answer.outcome.ended() {
        return reading.note(NoteKind::ToolFailed, at, format!("`{}`: {}", answer.asked, answer.outcome.words()));
    }
    let text = crate::scan::clean(&answer.text());
    let understood = match kind {
        LIST => ircu::list(reading, &text),
        STATUS => ircu::status(reading, &at, &text),
        DISPLAY => ircu::display(reading, &at, &text),
        PROBE => fusion::probe(reading, &text),
        VOLUME => fusion::mpt_status(reading, &text),
        _ => fusion::lsiutil(reading, &text),
    };
    if !understood {
        unreadable(reading, at, answer, &text);
    }
}

fn unreadable(reading: &mut Reading, at: Path, answer: &Answer, text: &str) {
    let line = ["rror", "ermission", "o such"].iter().find_map(|w| text.lines().find(|l| l.contains(w)));
    let line = line.or_else(|| text.lines().find(|l| !l.trim().is_empty())).unwrap_or("nothing");
    let first: String = line.trim().chars().take(80).collect();
    let said = format!("the answer to `{}` was not understood: \"{first}\"", answer.asked);
    reading.note(NoteKind::Unreadable, at, said);
}

/// By the conversation, else by the index in the command, else the first.
fn controller(known: &Known, asked: &Asked) -> Path {
    if let Scope::Controller(number) = &known.scope {
        return Path::controller(number);
    }
    let index = asked.args_lower().into_iter().find(|w| w.parse::<u32>().is_ok() && asked.tool().ends_with("ircu"));
    Path::controller(index.unwrap_or_else(|| "0".to_owned()))
}

fn queries(known: &Known, heard: &Heard) -> Vec<Query> {
    let tool = known.tool.as_ref().map(|t| t.name.as_str());
    match (&known.scope, tool) {
        (Scope::Everything, _) => Vec::new(),
        (Scope::Discover, Some(MPT_STATUS)) => probe_and_volumes(heard),
        // Only where sysfs holds volumes is it enough without a tool; with one the tool tells more.
        (Scope::Discover, None) => raid_class::queries(known, heard, None),
        (Scope::Discover, Some(tool)) => vec![Query::cmd(LIST, &[tool, "LIST"])],
        (Scope::Controller(number), _) if number.starts_with("ioc") => probe_and_volumes(heard),
        (Scope::Controller(number), _) if number.starts_with("host") => {
            raid_class::queries(known, heard, number.strip_prefix("host"))
        }
        (Scope::Controller(number), tool) => survey(tool.unwrap_or("sas3ircu"), number),
    }
}

fn survey(tool: &str, number: &str) -> Vec<Query> {
    vec![
        Query::cmd(STATUS, &[tool, number, "STATUS"]),
        Query::cmd(DISPLAY, &[tool, number, "DISPLAY"]).slow().deadline(Deadline::Long),
    ]
}

/// The ids of volumes are found once in a while; each volume is asked for at every poll.
fn probe_and_volumes(heard: &Heard) -> Vec<Query> {
    let mut queries = vec![Query::cmd(PROBE, &[MPT_STATUS, "-p"]).slow()];
    for id in heard.of(PROBE).flat_map(|a| fusion::ids(&a.text())) {
        queries.push(Query::cmd(VOLUME, &[MPT_STATUS, "-n", "-i", &id]));
    }
    queries
}
