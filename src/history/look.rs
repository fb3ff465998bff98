//! One object's past as a document: its numbers, what its states turned into, and the events that name it.

use crate::store::Reader;
use crate::store::samples::{Known, Outcome, SAMPLES, Samples, Tier, Track, Turned};
use jiff::{SignedDuration, Timestamp};
use raidmond_core::changes::HistoryEntry;
use serde::{Deserialize, Serialize};
use std::path::Path;

const MOST_EVENTS: u32 = 200;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryDoc {
    pub object: u64,
    pub name: String,
    pub serial: String,
    pub from: Timestamp,
    pub to: Timestamp,
    pub tracks: Vec<Track>,
    pub states: Vec<Turned>,
    /// The newest first.
    pub events: Vec<HistoryEntry>,
    /// Other objects that went by this name: disks that were in this slot before.
    pub before: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    #[error("there is no history yet: {0}")]
    Nothing(String),
    #[error("nothing in the history goes by {0}")]
    Unknown(String),
    #[error("{0} is several: {1}")]
    Several(String, String),
}

/// By path (`c0/32:5`), its end (`32:5`), serial number or id.
pub fn look(dir: &Path, what: &str, span: SignedDuration, now: Timestamp) -> Result<HistoryDoc, LookError> {
    let samples = Samples::open_read_only(dir)
        .map_err(|e| LookError::Nothing(format!("{}: {e}", dir.join(SAMPLES).display())))?;
    let failed = |e| LookError::Nothing(format!("{e}"));
    let found = samples.find(what).map_err(failed)?;
    let of = choose(what, &found)?;
    let before = found.iter().filter(|k| *k != of && k.name == of.name).map(words).collect();
    Ok(HistoryDoc { before, ..read(dir, &samples, of, span, now).map_err(failed)? })
}

/// By the number the daemon gives it; none where nothing is saved of it yet.
pub fn look_at(dir: &Path, instance: &str, id: u64, span: SignedDuration, now: Timestamp) -> Option<HistoryDoc> {
    let samples = Samples::open_read_only(dir).ok()?;
    let of = samples.known(instance, id).ok().flatten()?;
    read(dir, &samples, &of, span, now).ok()
}

fn read(dir: &Path, samples: &Samples, of: &Known, span: SignedDuration, now: Timestamp) -> Outcome<HistoryDoc> {
    let from = now.checked_sub(span).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(HistoryDoc {
        object: of.object,
        name: of.name.clone(),
        serial: of.serial.clone(),
        from,
        to: now,
        tracks: tracks(samples, of, Tier::for_span(span), from)?,
        states: samples.turned(of, from)?,
        events: events(dir, of.object, from),
        before: Vec::new(),
    })
}

/// A young history is shown as fine as it was taken, whatever the span.
fn tracks(samples: &Samples, of: &Known, tier: Tier, from: Timestamp) -> Outcome<Vec<Track>> {
    let coarse = samples.tracks(of, tier, from)?;
    let fine = samples.tracks(of, Tier::Fine, from)?;
    let first = |tracks: &[Track]| tracks.iter().filter_map(|t| t.points.first()).map(|p| p.at).min();
    let covers = first(&fine).zip(first(&coarse)).is_some_and(|(fine, coarse)| fine <= coarse + tier.width());
    Ok(if covers { fine } else { coarse })
}

/// The latest of one place; places with the same end are different things.
fn choose<'a>(what: &str, found: &'a [Known]) -> Result<&'a Known, LookError> {
    let Some(first) = found.first() else { return Err(LookError::Unknown(what.to_owned())) };
    let mut names: Vec<&str> = found.iter().map(|k| k.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let exact = found.iter().find(|k| k.name == what);
    match (exact, names.len()) {
        (Some(exact), _) => Ok(exact),
        (None, 1) => Ok(first),
        (None, _) => Err(LookError::Several(what.to_owned(), names.join(", "))),
    }
}

fn words(known: &Known) -> String {
    let until = known.seen.strftime("%Y-%m-%d");
    match known.serial.as_str() {
        "" => format!("{} until {until}", known.name),
        serial => format!("{serial} at {} until {until}", known.name),
    }
}

/// They are in the other file; without it there is only less to show.
fn events(dir: &Path, object: u64, from: Timestamp) -> Vec<HistoryEntry> {
    let read = Reader::open(dir).and_then(|r| r.history(Some(object), MOST_EVENTS)).unwrap_or_default();
    read.into_iter().filter(|e| e.at >= from).collect()
}
