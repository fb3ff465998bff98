//! The controller's event log, by sequence number.

use super::{Gathered, is_discovery};
use crate::megaraid::events;
use crate::storcli::parse::parse;
use raidmond_core::model::Path;
use raidmond_core::survey::{Answer, Covers, Known, NoteKind, Scope};

/// Only entries after the cursor are news. Without a cursor, a first contact only places it: what the
/// log held before raidmond came is history, and what still matters of it shows in the states.
pub fn lower(all: &mut Gathered, known: &Known, at: &Path, text: &str, answer: &Answer) {
    let at = if *at == Path::default() { Path::controller(0) } else { at.clone() };
    let mut entries = events::observations(text, &at);
    entries.sort_by_key(|e| e.sequence);
    if ends_within_an_entry(text) {
        let said = format!("the answer of storcli to `{}` is cut off within an entry", answer.asked);
        all.reading.note(NoteKind::Unreadable, at.clone(), said);
    }
    if entries.is_empty() {
        return without_entries(all, &at, text, answer);
    }
    let newest = entries.iter().filter_map(|e| e.sequence).max();
    let before = known.cursor.as_deref().and_then(|c| c.parse::<u64>().ok());
    // A log that ends before the cursor was cleared: all of it is new.
    let before = before.filter(|b| newest.is_some_and(|n| n >= *b));
    let live = matches!(known.scope, Scope::Controller(_)) || is_discovery(known);
    if known.cursor.is_some() || !live {
        let new = |sequence: Option<u64>| before.is_none() || sequence > before;
        let heard: Vec<Option<u64>> = all.reading.events.iter().map(|e| e.sequence).collect();
        let fresh = entries.into_iter().filter(|e| new(e.sequence) && !heard.contains(&e.sequence));
        all.reading.events.extend(fresh);
    }
    all.reading.cursor = newest.map(|n| n.to_string()).or(all.reading.cursor.take());
    all.reading.coverage.add(&at, Covers::Events);
}

/// What happened stands after when and where.
fn ends_within_an_entry(text: &str) -> bool {
    text.rsplit_once("seqNum:").is_some_and(|(_, last)| !last.contains("Event Description:"))
}

/// An empty log says that the command went well.
fn without_entries(all: &mut Gathered, at: &Path, text: &str, answer: &Answer) {
    let document = parse(text);
    let answered = document.replies.iter().find(|r| r.status.is_some());
    match answered {
        Some(reply) if !reply.failed() => {}
        Some(reply) => {
            let said = format!("the event log was not shown: {}", reply.description.as_deref().unwrap_or("Failure"));
            all.reading.note(NoteKind::Remark, at.clone(), said);
        }
        None if answer.outcome.ended() => all.unreadable(at, answer, text),
        None => {}
    }
}
