//! Enclosures: the list, and fans, power supplies and sensors where the detailed form names them.

use super::{Gathered, Place};
use crate::scan;
use crate::storcli::parse::{Row, Section};
use crate::storcli::vocabulary;
use raidmond_core::model::{Enclosure, Observed, Part, PartKind, PartState, Path};
use raidmond_core::survey::Reading;

pub fn lower(all: &mut Gathered, place: &Place<'_>) {
    let mut current: Option<Path> = None;
    for section in &place.reply.sections {
        current = named(&section.title).map(|id| id_path(place.at, &id)).or(current);
        if let Some(at) = &current {
            information(&mut all.reading, at, section);
        }
        for row in &section.rows {
            if row.get("EID").is_some() && row.get("Slots").is_some() {
                list_row(&mut all.reading, place.at, row);
            } else if let (Some(kind), Some(at)) = (part_kind(&section.title), &current) {
                part_row(&mut all.reading, at, kind, section, row);
            }
        }
    }
}

/// `Enclosure /c0/e32 :`
fn named(title: &str) -> Option<String> {
    let object = title.strip_prefix("Enclosure ")?.split_whitespace().next()?;
    let id = object.rsplit("/e").next()?;
    (!id.is_empty() && id.chars().all(|c| c.is_ascii_digit())).then(|| id.to_owned())
}

fn id_path(controller: &Path, id: &str) -> Path {
    controller.child(format_args!("e{id}"))
}

fn enclosure<'a>(reading: &'a mut Reading, at: &Path) -> &'a mut Enclosure {
    let index = reading.enclosures.iter().position(|e| e.at == *at).unwrap_or_else(|| {
        reading.enclosures.push(Enclosure { at: at.clone(), controller: Some(at.root()), ..Enclosure::default() });
        reading.enclosures.len() - 1
    });
    &mut reading.enclosures[index]
}

fn list_row(reading: &mut Reading, controller: &Path, row: &Row) {
    let Some(id) = row.stated("EID") else { return };
    let at = id_path(controller, id);
    let state = row.stated("State").map(|word| part_state(reading, &at, word));
    let shelf = enclosure(reading, &at);
    shelf.model = row.stated("ProdID").map(str::to_owned).or(shelf.model.take());
    shelf.slots = row.get("Slots").and_then(scan::count).and_then(|n| u32::try_from(n).ok()).or(shelf.slots);
    if let Some(state) = state {
        put(shelf, Part { kind: PartKind::Whole, name: "enclosure".to_owned(), state, value: None });
    }
}

/// The detailed form's own verdict; the list's `State` stands beside it.
fn information(reading: &mut Reading, at: &Path, section: &Section) {
    let (Some(_), Some(word)) = (section.property("Enclosure Type"), section.property("Status")) else { return };
    let state = part_state(reading, at, word);
    put(enclosure(reading, at), Part { kind: PartKind::Whole, name: "status".to_owned(), state, value: None });
}

fn part_state(reading: &mut Reading, at: &Path, word: &str) -> Observed<PartState> {
    let state = vocabulary::part_state(word);
    if state.is_none() {
        reading.unknown_word(at.clone(), "enclosure state", word);
    }
    Observed::new(state.unwrap_or(PartState::Unknown), word)
}

fn put(shelf: &mut Enclosure, part: Part) {
    shelf.parts.retain(|p| !(p.kind == part.kind && p.name == part.name));
    shelf.parts.push(part);
}

fn part_kind(title: &str) -> Option<PartKind> {
    let title = title.to_ascii_lowercase();
    const TITLES: [(&str, PartKind); 5] = [
        ("fan", PartKind::Fan),
        ("power supply", PartKind::PowerSupply),
        ("temp", PartKind::TemperatureSensor),
        ("voltage", PartKind::VoltageSensor),
        ("alarm", PartKind::Alarm),
    ];
    TITLES.iter().find(|(word, _)| title.contains(word)).map(|(_, kind)| *kind)
}

/// The first column names the part; `Status` or `State` its state.
fn part_row(reading: &mut Reading, at: &Path, kind: PartKind, section: &Section, row: &Row) {
    let Some(word) = row.stated("Status").or_else(|| row.stated("State")) else { return };
    let state = part_state(reading, at, word);
    let number = row.0.first().map_or("", |(_, v)| v.as_str());
    let name = format!("{} {number}", section.title.trim_end_matches(" Information").trim());
    let celsius = row.stated("Temperature").or_else(|| row.stated("Value")).and_then(scan::number);
    put(enclosure(reading, at), Part { kind, name, state, value: celsius });
}
