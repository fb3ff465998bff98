//! The controller's event log through MegaCli: which entries are new, by sequence number.
//!
//! At the first look at a controller its old entries are history and only set the cursor: their times
//! are on the controller's own clock and zone, so nobody can tell last night from last year.

use super::ask::EVENTS;
use super::lower::Heed;
use super::parse::adapter_line;
use crate::megaraid::events;
use crate::scan;
use raidmond_core::model::Path;
use raidmond_core::observe::Observation;
use raidmond_core::survey::{Covers, Heard, Known, NoteKind, Reading, Scope};

pub fn lower(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    if heed.page.is_empty() || heed.page.failed(heed.answer) {
        return false;
    }
    let named = heed.page.body.lines().find_map(adapter_line).map(|(number, _)| number);
    let controller = heed.controller(&named);
    let entries = events::observations(&heed.page.body, &controller);
    if entries.is_empty() {
        nothing(&controller, &heed.page.quote(), reading);
        return true;
    }
    take(heed.known, entries, reading);
    if heed.complete {
        reading.coverage.add(&controller, Covers::Events);
    }
    true
}

fn take(known: &Known, mut entries: Vec<Observation>, reading: &mut Reading) {
    let newest = entries.iter().filter_map(|e| e.sequence).max();
    reading.cursor = newest.map(|n| n.to_string()).or_else(|| known.cursor.clone());
    if known.scope != Scope::Everything {
        entries = unseen(known, entries, newest);
    }
    entries.retain(|e| !reading.events.iter().any(|r| r.sequence.is_some() && r.sequence == e.sequence));
    entries.sort_by_key(|e| e.sequence);
    reading.events.extend(entries);
}

/// A filter may leave nothing, and `-f FILE` prints only that it went well: neither is a fault.
fn nothing(controller: &Path, said: &str, reading: &mut Reading) {
    reading.note(NoteKind::Remark, controller.clone(), format!("no entries in the event log's answer \"{said}\""));
}

fn unseen(known: &Known, entries: Vec<Observation>, newest: Option<u64>) -> Vec<Observation> {
    match (cursor(known), newest) {
        (None, _) => Vec::new(),
        // The log was cleared, or this is another controller: everything in it is new.
        (Some(cursor), Some(newest)) if newest < cursor => entries,
        (Some(cursor), _) => entries.into_iter().filter(|e| e.sequence.is_none_or(|s| s > cursor)).collect(),
    }
}

fn cursor(known: &Known) -> Option<u64> {
    known.cursor.as_deref().and_then(|c| c.parse().ok())
}

/// How many entries were written since the last look, where the answers do not reach back to it.
pub fn missed(known: &Known, heard: &Heard) -> Option<u64> {
    let cursor = cursor(known)?;
    let sequences: Vec<u64> =
        heard.of(EVENTS).flat_map(|a| events::parse(&scan::clean(&a.text()))).filter_map(|e| e.sequence).collect();
    let (oldest, newest) = (sequences.iter().min()?, sequences.iter().max()?);
    (*oldest > cursor + 1).then(|| newest - cursor)
}
