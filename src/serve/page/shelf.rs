//! Enclosures as they stand before a person: slots in their order, each with its mark and its word.

use super::{class_of, maybe, shown, words};
use crate::serve::status::StatusDoc;
use crate::serve::wire::{DiskDoc, EnclosureDoc, PartDoc};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Serialize)]
pub struct Shelf {
    title: String,
    model: String,
    slots: Vec<Slot>,
    parts: Vec<Part>,
}

#[derive(Debug, Serialize)]
pub struct Slot {
    id: Option<u64>,
    place: String,
    mark: &'static str,
    word: String,
    class: &'static str,
    model: String,
    serial: String,
    temperature: Option<i64>,
    #[serde(skip)]
    order: (u32, String),
}

#[derive(Debug, Serialize)]
pub struct Part {
    name: String,
    word: String,
    mark: &'static str,
    class: &'static str,
}

/// More gaps than these in a row are no row of slots, but numbers of another kind.
const WIDEST_GAP: u32 = 24;

pub fn shelves(doc: &StatusDoc) -> Vec<Shelf> {
    let mut groups: BTreeMap<(String, String), Vec<Slot>> = BTreeMap::new();
    for disk in &doc.objects.disks {
        groups.entry(shelf_of(disk)).or_default().push(slot(doc, disk));
    }
    let known: Vec<&str> = doc.objects.disks.iter().map(|d| d.name.as_str()).collect();
    let lost = doc.objects.arrays.iter().flat_map(|a| &a.lost_members).filter(|l| !known.contains(&l.as_str()));
    for (shelf, slot) in lost.filter_map(|l| missing(l)) {
        groups.entry(shelf).or_default().push(slot);
    }
    let mut shelves: Vec<Shelf> = groups.into_iter().map(|(key, slots)| shelf(doc, key, slots)).collect();
    shelves.sort_by_key(Shelf::rank);
    shelves
}

impl Shelf {
    /// The one to walk to stands first.
    fn rank(&self) -> u8 {
        let has = |class: &str| self.slots.iter().any(|s| s.class == class);
        ["bad", "blind", "warning", "busy"].iter().position(|class| has(class)).map_or(9, |n| n as u8)
    }
}

/// Controller and enclosure; without one, the controller's own slots.
fn shelf_of(disk: &DiskDoc) -> (String, String) {
    let controller = disk.name.split('/').next().unwrap_or_default();
    (controller.to_owned(), disk.enclosure.clone().unwrap_or_default())
}

/// A member that is not listed any more still had a place: `c0/32:5`.
fn missing(name: &str) -> Option<((String, String), Slot)> {
    let (controller, place) = name.rsplit_once('/')?;
    let (enclosure, number) = place.split_once(':')?;
    let slot = Slot {
        id: None,
        place: shown(number),
        mark: "✗",
        word: "missing".to_owned(),
        class: "bad",
        model: String::new(),
        serial: String::new(),
        temperature: None,
        order: order(number),
    };
    Some(((controller.to_owned(), enclosure.to_owned()), slot))
}

fn shelf(doc: &StatusDoc, (controller, enclosure): (String, String), mut slots: Vec<Slot>) -> Shelf {
    slots.sort_by(|a, b| a.order.cmp(&b.order));
    let place = match enclosure.as_str() {
        "" => String::new(),
        e if e.chars().all(|c| c.is_ascii_digit()) => format!(", enclosure {e}"),
        e => format!(", {}", shown(e)),
    };
    let of_controller = doc.objects.controllers.iter().find(|c| c.name == controller);
    let of_enclosure = doc.objects.enclosures.iter().find(|e| is_enclosure(e, &controller, &enclosure));
    let models = of_controller.and_then(|c| c.model.as_ref()).into_iter();
    let models: Vec<String> = models.chain(of_enclosure.and_then(|e| e.model.as_ref())).map(|m| shown(m)).collect();
    Shelf {
        title: format!("{}{place}", shown(&controller)),
        model: models.join(", "),
        slots: with_gaps(slots),
        parts: of_enclosure.map(|e| e.parts.iter().map(part).collect()).unwrap_or_default(),
    }
}

fn is_enclosure(e: &EnclosureDoc, controller: &str, enclosure: &str) -> bool {
    !enclosure.is_empty()
        && (e.name == format!("{controller}/e{enclosure}") || e.name == format!("{controller}/{enclosure}"))
}

/// A person counts slots on the front: what lies between two disks is drawn, too.
fn with_gaps(slots: Vec<Slot>) -> Vec<Slot> {
    let mut row: Vec<Slot> = Vec::with_capacity(slots.len());
    for slot in slots {
        let last = row.last().map(|s| s.order.0);
        let gap = last.map_or(0..0, |last| last.saturating_add(1)..slot.order.0);
        if gap.len() <= WIDEST_GAP as usize {
            row.extend(gap.map(nothing));
        }
        row.push(slot);
    }
    row
}

fn nothing(number: u32) -> Slot {
    Slot {
        id: None,
        place: number.to_string(),
        mark: "·",
        word: "nothing listed".to_owned(),
        class: "none",
        model: String::new(),
        serial: String::new(),
        temperature: None,
        order: (number, String::new()),
    }
}

fn order(slot: &str) -> (u32, String) {
    let digits: String = slot.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(u32::MAX), slot.to_owned())
}

fn slot(doc: &StatusDoc, disk: &DiskDoc) -> Slot {
    let place = disk.slot.clone().unwrap_or_else(|| disk.name.rsplit('/').next().unwrap_or_default().to_owned());
    let (mark, class, word) = looks(doc, disk);
    Slot {
        id: Some(disk.id),
        order: order(&place),
        place: shown(&place),
        mark,
        word,
        class,
        model: maybe(disk.model.as_ref()),
        serial: maybe(disk.serial.as_ref()),
        temperature: disk.temperature_celsius,
    }
}

/// Mark, class and word: what is out of service first, then what the diagnosis finds, then what it does.
fn looks(doc: &StatusDoc, disk: &DiskDoc) -> (&'static str, &'static str, String) {
    let state = disk.state.as_ref().map_or("not read", |s| s.state.as_str());
    let fault = doc.conditions.iter().find(|c| c.subject == disk.name && class_of(&c.severity) != "good");
    match (state, fault) {
        ("failed" | "missing" | "offline" | "unconfigured-bad", _) => ("✗", "bad", words(state)),
        (_, Some(fault)) if class_of(&fault.severity) == "bad" => ("!", "bad", words(&fault.kind)),
        (_, Some(fault)) => ("!", "warning", words(&fault.kind)),
        ("rebuilding" | "copying-back" | "busy", _) => ("~", "busy", words(state)),
        ("empty", _) => ("·", "none", "empty".to_owned()),
        ("not read" | "unknown", _) => ("?", "blind", words(state)),
        ("foreign", _) => ("!", "warning", words(state)),
        ("hot-spare", _) => ("s", "spare", words(state)),
        (_, None) if disk.hot_spare => ("s", "spare", "hot spare".to_owned()),
        (_, None) => ("✓", "good", words(state)),
    }
}

fn part(p: &PartDoc) -> Part {
    let (mark, class) = match p.state.state.as_str() {
        "ok" => ("✓", "good"),
        "failed" => ("✗", "bad"),
        "warning" => ("!", "warning"),
        "not-installed" => ("·", "none"),
        _ => ("?", "blind"),
    };
    Part { name: shown(&p.name), word: words(&p.state.state), mark, class }
}
