//! Answers that end too early, and answers of another tool under a MegaCli command.
//!
//! `Exit Code: 0x00` closes every complete answer of all but the oldest versions. Where no answer of a
//! conversation has it (oldest version, or copied without it), the last block must at least be
//! complete; a cut between two blocks of such a text cannot be seen here.

use super::ask::{self, ADAPTER, ARRAYS, BATTERY, COUNT, DISKS, ENCLOSURES, MEMBERS};
use super::parse::{self, Fields, Page, RawAdapter};
use super::parse_pages;
use raidmond_core::survey::{AnswerKind, Heard, Known, NoteKind, Reading, Scope};

/// How an answer without trailer must be taken: as cut off, or as perhaps cut off. People copy parts
/// of an answer into captures; an answer raidmond asked for itself has to be whole.
pub fn doubt(kind: AnswerKind, page: &Page, known: &Known, heard: &Heard) -> Option<NoteKind> {
    if page.exit.is_some() || kind == ask::OTHER {
        return None;
    }
    let prints_trailers = heard.all().any(|(_, answer)| Page::of(answer).exit.is_some());
    let doubt = if known.scope == Scope::Everything { NoteKind::Partial } else { NoteKind::Unreadable };
    (prints_trailers || ends_within_a_block(kind, page)).then_some(doubt)
}

fn ends_within_a_block(kind: AnswerKind, page: &Page) -> bool {
    match kind {
        COUNT => false,
        ADAPTER => parse_pages::sheets(&page.body).last().is_none_or(|s| s.fields.get("Failed Disks").is_none()),
        MEMBERS | ARRAYS | DISKS => {
            parse::configuration(&page.body, false).last().is_none_or(|a| ends_within_an_object(kind, a))
        }
        BATTERY | ENCLOSURES => true,
        _ => false,
    }
}

fn ends_within_an_object(kind: AnswerKind, adapter: &RawAdapter) -> bool {
    let arrays: Vec<&Fields> = adapter.arrays.iter().map(|a| &a.fields).collect();
    let disks: Vec<&Fields> = adapter.disks.iter().map(|d| &d.fields).filter(|f| !f.is_empty()).collect();
    let empty = match kind {
        DISKS => disks.is_empty(),
        _ => arrays.is_empty() && !adapter.no_arrays && adapter.arrays_stated != Some(0),
    };
    empty || lacks(&arrays, &["State", "Disk Cache Policy"]) || lacks(&disks, &["Firmware state", "Inquiry Data"])
}

/// The last block lacks a line that every block has, or the line the one before it ends with.
fn lacks(blocks: &[&Fields], needed: &[&str]) -> bool {
    let Some((last, before)) = blocks.split_last() else { return false };
    let end = before.last().and_then(|f| f.iter().last()).map(|(key, _)| key);
    needed.iter().copied().chain(end).any(|key| last.raw(key).is_none())
}

/// The adapter page of a capture counts what its lists must hold. Live, the page is asked more seldom
/// than the lists and may be older than what it counts.
pub fn fewer_than_counted(heard: &Heard, reading: &mut Reading) {
    let mut short = Vec::new();
    let alone = reading.controllers.len() == 1;
    for c in reading.controllers.iter().filter(|_| alone) {
        let arrays = reading.arrays.iter().filter(|a| a.at.root() == c.at).count() as u64;
        let disks = reading.disks.iter().filter(|d| d.at.root() == c.at && d.slot.is_some()).count() as u64;
        let listed = [
            (heard.has(MEMBERS) || heard.has(ARRAYS), c.arrays_counted, arrays, "virtual drives"),
            (heard.has(DISKS), c.disks_counted, disks, "disks"),
        ];
        let fewer = listed.into_iter().filter_map(|(asked, counted, listed, what)| {
            let counted = counted.filter(|n| asked && *n > listed)?;
            Some((c.at.clone(), format!("the adapter counts {counted} {what} and {listed} are listed")))
        });
        short.extend(fewer);
    }
    for (at, said) in short {
        reading.note(NoteKind::FewerThanCounted, at, said);
    }
}

/// storcli writes `Key = Value`, and its name.
pub fn is_of_another_tool(page: &Page) -> bool {
    let says = |line: &str, key: &str| line.split_once(" = ").is_some_and(|(k, _)| k.trim() == key);
    let lines = || page.body.lines();
    lines().any(|l| says(l, "CLI Version"))
        || lines().any(|l| says(l, "Status")) && lines().any(|l| says(l, "Controller"))
        || page.body.contains("\"Command Status\"")
}
