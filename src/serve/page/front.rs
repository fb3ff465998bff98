//! The first page: from the document to what its template shows.

use super::shelf::{self, Shelf};
use super::{Event, FRONT, ago, class_of, local, maybe, render, shown, words};
use crate::serve::status::{IncidentDoc, SourceDoc, StatusDoc};
use crate::serve::wire::{ArrayDoc, CacheDoc, ConditionDoc, TaskDoc};
use crate::store::{Reader, ReceiptRow};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use raidmond_core::tell::{bytes, duration};
use serde::Serialize;
use std::path::Path;

const EVENTS: u32 = 40;
const CLOSED: usize = 10;
const MESSAGES: u32 = 20;
/// What was read longer ago is called old.
const OLD: SignedDuration = SignedDuration::from_mins(15);

#[derive(Serialize)]
struct Front {
    title: String,
    doc: Doc,
    verdict: &'static str,
    read: String,
    stale: bool,
    maintenance: Option<String>,
    faults: Vec<Fault>,
    tasks: Vec<Work>,
    arrays: Vec<Row>,
    shelves: Vec<Shelf>,
    caches: Vec<Cache>,
    incidents: Vec<Incident>,
    blind: Vec<Source>,
    watching: Vec<Source>,
    events: Vec<Event>,
    version: &'static str,
    drawn: String,
}

#[derive(Serialize)]
struct Doc {
    drill: bool,
    nobody_told: Option<String>,
    host: String,
    verdict: String,
    headline: String,
}

#[derive(Serialize)]
struct Fault {
    severity: String,
    class: &'static str,
    headline: String,
    said: Vec<String>,
}

#[derive(Serialize)]
struct Work {
    on: String,
    kind: String,
    state: String,
    percent: Option<f64>,
    left: Option<String>,
    done: String,
}

#[derive(Serialize)]
struct Row {
    id: u64,
    name: String,
    label: String,
    level: String,
    size: String,
    state: String,
    mark: &'static str,
    class: &'static str,
    survives: String,
    on: String,
}

#[derive(Serialize)]
struct Cache {
    id: u64,
    name: String,
    kind: String,
    word: String,
    mark: &'static str,
    class: &'static str,
    more: String,
}

#[derive(Serialize)]
struct Incident {
    id: u64,
    open: bool,
    class: &'static str,
    word: String,
    headline: String,
    age: String,
    evidence: Vec<String>,
    messages: Vec<Message>,
}

#[derive(Serialize)]
struct Message {
    at: String,
    channel: String,
    event: String,
    said: String,
}

#[derive(Serialize)]
struct Source {
    name: String,
    state: String,
    age: String,
    said: String,
}

pub fn front(doc: &StatusDoc, dir: &Path, now: Timestamp) -> Result<Option<String>, minijinja::Error> {
    let reader = Reader::open(dir).ok();
    let is_fault = |c: &&ConditionDoc| class_of(&c.severity) != "good";
    let events = reader.as_ref().and_then(|r| r.history(None, EVENTS).ok()).unwrap_or_default();
    let (blind, watching): (Vec<&SourceDoc>, Vec<&SourceDoc>) =
        doc.watching.iter().partition(|s| matches!(s.state.as_str(), "blind" | "failing"));
    let view = Front {
        title: format!("{} {} – {}", shown(&doc.verdict).to_uppercase(), shown(&doc.host), shown(&doc.headline)),
        doc: Doc {
            drill: doc.drill,
            nobody_told: doc.nobody_told.as_ref().map(|w| shown(w)),
            host: shown(&doc.host),
            verdict: shown(&doc.verdict),
            headline: shown(&doc.headline),
        },
        verdict: class_of(&doc.verdict),
        read: doc.read_at.map_or("never read".to_owned(), |at| format!("read {}", ago(at, now))),
        stale: doc.read_at.is_some_and(|at| now.duration_since(at) > OLD),
        maintenance: doc.maintenance_until.map(|until| duration(until.duration_since(now))),
        faults: doc.conditions.iter().filter(is_fault).map(fault).collect(),
        tasks: doc.objects.tasks.iter().map(|t| work(t, now)).collect(),
        arrays: doc.objects.arrays.iter().map(row).collect(),
        shelves: shelf::shelves(doc),
        caches: doc.objects.caches.iter().filter(|c| !is(c, "not-fitted")).map(cache).collect(),
        incidents: incidents(doc, reader.as_ref(), now),
        blind: blind.into_iter().map(|s| source(s, now)).collect(),
        watching: watching.into_iter().map(|s| source(s, now)).collect(),
        events: events.iter().map(Event::of).collect(),
        version: env!("CARGO_PKG_VERSION"),
        drawn: local(now),
    };
    render(FRONT, &view).map(Some)
}

fn fault(c: &ConditionDoc) -> Fault {
    let said = c.said.iter().map(|s| shown(s)).collect();
    Fault { severity: shown(&c.severity), class: class_of(&c.severity), headline: shown(&c.headline), said }
}

fn work(t: &TaskDoc, now: Timestamp) -> Work {
    let left = t.seconds_left.and_then(|s| i64::try_from(s).ok()).map(SignedDuration::from_secs);
    let done = left.and_then(|left| now.checked_add(left).ok());
    let clock = |at: Timestamp| at.to_zoned_datetime(TimeZone::system()).strftime("%a %H:%M").to_string();
    Work {
        on: shown(&t.on),
        kind: words(&t.kind),
        state: words(&t.state.state),
        percent: t.percent.map(|p| (p * 10.0).round() / 10.0),
        left: left.map(duration),
        done: done.map(clock).unwrap_or_default(),
    }
}

fn row(a: &ArrayDoc) -> Row {
    let state = a.state.as_ref().map_or("not read", |s| s.state.as_str());
    let (mark, class) = match state {
        "optimal" if a.redundancy_left == a.redundancy_built => ("✓", "good"),
        "optimal" | "degraded" | "failed" => ("✗", "bad"),
        "partly-degraded" => ("!", "warning"),
        "rebuilding" | "initialising" => ("~", "busy"),
        _ => ("?", "blind"),
    };
    let survives = match (a.redundancy_left, a.restoring) {
        (Some(0), true) => "nothing until it is rebuilt".to_owned(),
        (Some(0), false) if a.redundancy_built == Some(0) => "none by design".to_owned(),
        (Some(0), false) => "nothing".to_owned(),
        (Some(1), _) => "1 more disk".to_owned(),
        (Some(n), _) => format!("{n} more disks"),
        (None, _) => "not known".to_owned(),
    };
    Row {
        id: a.id,
        name: shown(&a.name),
        label: maybe(a.label.as_ref()),
        level: maybe(a.level.as_ref()),
        size: a.size_bytes.map(bytes).unwrap_or_default(),
        state: words(state),
        mark,
        class,
        survives,
        on: a.device.iter().chain(&a.mounts).map(|w| shown(w)).collect::<Vec<_>>().join(" "),
    }
}

fn is(cache: &CacheDoc, state: &str) -> bool {
    cache.state.as_ref().is_some_and(|s| s.state == state)
}

fn cache(c: &CacheDoc) -> Cache {
    let word = c.state.as_ref().map_or("not read", |s| s.state.as_str());
    let (mark, class) = match word {
        "failed" | "missing" => ("✗", "bad"),
        _ if c.replace == Some(true) => ("!", "warning"),
        "weak" => ("!", "warning"),
        "charging" | "learning" => ("~", "busy"),
        "optimal" => ("✓", "good"),
        _ => ("?", "blind"),
    };
    let charge = c.charge_percent.map(|p| format!(", charge {p} %")).unwrap_or_default();
    let degrees = c.temperature_celsius.map(|t| format!(", {t} °C")).unwrap_or_default();
    let replace = if c.replace == Some(true) { ", must be replaced" } else { "" };
    let more = format!("{charge}{degrees}{replace}");
    Cache { id: c.id, name: shown(&c.name), kind: words(&c.kind), word: words(word), mark, class, more }
}

/// Every open one, and the last that were closed.
fn incidents(doc: &StatusDoc, reader: Option<&Reader>, now: Timestamp) -> Vec<Incident> {
    let (open, closed): (Vec<&IncidentDoc>, Vec<&IncidentDoc>) =
        doc.incidents.iter().partition(|i| i.closed_at.is_none());
    open.into_iter().chain(closed.into_iter().take(CLOSED)).map(|i| incident(i, reader, now)).collect()
}

fn incident(i: &IncidentDoc, reader: Option<&Reader>, now: Timestamp) -> Incident {
    let receipts = reader.and_then(|r| r.receipts(Some(i.id), MESSAGES).ok()).unwrap_or_default();
    let acknowledged =
        i.acknowledged_by.as_ref().map(|by| format!(", acknowledged by {}", shown(by))).unwrap_or_default();
    let (class, word, age) = match i.closed_at {
        Some(at) => ("good", "closed".to_owned(), format!("closed {}", ago(at, now))),
        None => (class_of(&i.severity), shown(&i.severity), format!("open since {}{acknowledged}", local(i.opened_at))),
    };
    let closed = i.closed_because.iter().map(|why| format!("closed: {}", shown(why)));
    Incident {
        id: i.id,
        open: i.closed_at.is_none(),
        class,
        word,
        headline: shown(&i.headline),
        age,
        evidence: i.evidence.iter().map(|e| shown(e)).chain(closed).collect(),
        messages: receipts.iter().map(message).collect(),
    }
}

fn message(r: &ReceiptRow) -> Message {
    let said =
        if r.accepted { format!("accepted: {}", shown(&r.said)) } else { format!("given up: {}", shown(&r.said)) };
    Message { at: local(r.at), channel: shown(&r.channel), event: shown(&r.event), said }
}

fn source(s: &SourceDoc, now: Timestamp) -> Source {
    Source {
        name: shown(&s.name),
        state: shown(&s.state),
        age: s.at.map(|at| format!(", {}", ago(at, now))).unwrap_or_default(),
        said: s.said.as_ref().map(|w| format!(": {}", shown(w))).unwrap_or_default(),
    }
}
