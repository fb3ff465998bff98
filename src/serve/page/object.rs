//! The page of one disk, array, controller or battery: what it is, and how it developed.

use super::plot::{self, Plot};
use super::{Event, OBJECT, local, render, shown, words};
use crate::history::{self, HistoryDoc};
use crate::serve::status::StatusDoc;
use crate::serve::wire::State;
use jiff::{SignedDuration, Timestamp};
use raidmond_core::tell::bytes;
use serde::Serialize;
use std::path::Path;

const SPANS: [(i64, &str); 5] = [(1, "1 day"), (7, "7 days"), (30, "30 days"), (365, "1 year"), (1830, "5 years")];

#[derive(Serialize)]
struct Page {
    host: String,
    name: String,
    state: Option<String>,
    facts: Vec<(&'static str, String)>,
    spans: Vec<Span>,
    plots: Vec<Plot>,
    states: Vec<Turned>,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Span {
    days: i64,
    word: &'static str,
    chosen: bool,
}

#[derive(Serialize)]
struct Turned {
    at: String,
    what: String,
    said: String,
}

/// What it is now, by name.
struct Now {
    name: String,
    state: Option<String>,
    facts: Vec<(&'static str, String)>,
}

pub fn object(
    doc: &StatusDoc,
    dir: &Path,
    id: u64,
    days: i64,
    now: Timestamp,
) -> Result<Option<String>, minijinja::Error> {
    let Some(is) = now_of(doc, id) else { return Ok(None) };
    let past = history::look_at(dir, &doc.instance, id, SignedDuration::from_hours(24 * days), now);
    let page = Page {
        host: shown(&doc.host),
        name: is.name,
        state: is.state,
        facts: is.facts,
        spans: SPANS.map(|(d, word)| Span { days: d, word, chosen: d == days }).into(),
        plots: past.as_ref().map(plot::plots).unwrap_or_default(),
        states: past.iter().flat_map(turned).collect(),
        events: past.iter().flat_map(|p| &p.events).map(Event::of).collect(),
    };
    render(OBJECT, &page).map(Some)
}

fn turned(past: &HistoryDoc) -> impl Iterator<Item = Turned> {
    past.states.iter().rev().map(|t| Turned { at: local(t.at), what: words(&t.what), said: words(&shown(&t.said)) })
}

fn now_of(doc: &StatusDoc, id: u64) -> Option<Now> {
    disk(doc, id).or_else(|| array(doc, id)).or_else(|| controller(doc, id)).or_else(|| cache(doc, id))
}

fn now(name: &str, state: Option<&State>, facts: Vec<(&'static str, Option<String>)>) -> Now {
    let known = facts.into_iter().filter_map(|(k, v)| Some((k, shown(&v?))));
    let state = state.map(|s| match s.said.eq_ignore_ascii_case(&s.state) {
        true => words(&s.state),
        false => format!("{} (“{}”)", words(&s.state), shown(&s.said)),
    });
    Now { name: shown(name), state, facts: known.filter(|(_, v)| !v.is_empty()).collect() }
}

fn number<T: ToString>(n: Option<T>) -> Option<String> {
    n.map(|n| n.to_string())
}

fn when(read_at: &str) -> Option<String> {
    read_at.parse().ok().map(local)
}

fn disk(doc: &StatusDoc, id: u64) -> Option<Now> {
    let d = doc.objects.disks.iter().find(|d| d.id == id)?;
    let facts = vec![
        ("Model", d.model.clone()),
        ("Serial number", d.serial.clone()),
        ("Size", d.size_bytes.map(bytes)),
        ("Enclosure", d.enclosure.clone()),
        ("Slot", d.slot.clone()),
        ("Array", d.array.clone()),
        ("Temperature", d.temperature_celsius.map(|t| format!("{t} °C"))),
        ("Media errors", number(d.media_errors)),
        ("Other errors", number(d.other_errors)),
        ("Reallocated sectors", number(d.reallocated_sectors)),
        ("Predictive failures", number(d.predictive_errors)),
        ("Link errors", number(d.link_errors)),
        ("Timeouts", number(d.timeouts)),
        ("Read through", Some(d.sources.join(", "))),
        ("Read", when(&d.read_at)),
    ];
    Some(now(&d.name, d.state.as_ref(), facts))
}

fn array(doc: &StatusDoc, id: u64) -> Option<Now> {
    let a = doc.objects.arrays.iter().find(|a| a.id == id)?;
    let facts = vec![
        ("Name", a.label.clone()),
        ("Level", a.level.clone()),
        ("Size", a.size_bytes.map(bytes)),
        ("Disks it can lose now", number(a.redundancy_left)),
        ("Disks it can lose when whole", number(a.redundancy_built)),
        ("Lost members", Some(a.lost_members.join(", "))),
        ("Members", Some(a.members.join(", "))),
        ("Cache in force", a.cache_current.clone()),
        ("Cache configured", a.cache_default.clone()),
        ("Device", a.device.clone()),
        ("Mounted at", Some(a.mounts.join(", "))),
        ("Inconsistencies of the last check", number(a.inconsistencies)),
        ("Read through", Some(a.sources.join(", "))),
        ("Read", when(&a.read_at)),
    ];
    Some(now(&a.name, a.state.as_ref(), facts))
}

fn controller(doc: &StatusDoc, id: u64) -> Option<Now> {
    let c = doc.objects.controllers.iter().find(|c| c.id == id)?;
    let facts = vec![
        ("Model", c.model.clone()),
        ("Serial number", c.serial.clone()),
        ("Firmware", c.firmware.clone()),
        ("Driver", c.driver.clone()),
        ("Temperature", c.temperature_celsius.map(|t| format!("{t} °C"))),
        ("Read through", Some(c.sources.join(", "))),
        ("Read", when(&c.read_at)),
    ];
    Some(now(&c.name, c.state.as_ref(), facts))
}

fn cache(doc: &StatusDoc, id: u64) -> Option<Now> {
    let c = doc.objects.caches.iter().find(|c| c.id == id)?;
    let facts = vec![
        ("Kind", Some(words(&c.kind))),
        ("Charge", c.charge_percent.map(|p| format!("{p} %"))),
        ("Temperature", c.temperature_celsius.map(|t| format!("{t} °C"))),
        ("Read", when(&c.read_at)),
    ];
    Some(now(&c.name, c.state.as_ref(), facts))
}
