//! The card itself, its write cache with battery or capacitor, its drive cages and enclosures.

use super::lower::Heap;
use super::parse::Shelf;
use super::vocabulary as words;
use crate::scan::{count, number};
use raidmond_core::model::{
    Alias, CacheKind, CacheProtection, CacheState, CheckSchedule, ControllerState, Enclosure, Finding, FindingKind,
    Observed, Part, PartKind, PartState, Path, ScheduledBy,
};
use raidmond_core::survey::Reading;

pub fn controller(reading: &mut Reading, heap: &Heap) {
    let pair = |key: &str| heap.pairs.get(key);
    let state = pair("controller status").map(|word| controller_state(reading, &heap.at, word));
    let hba = heap.mode.as_deref() == Some("HBA Mode")
        || pair("hba mode enabled").is_some_and(|v| v.eq_ignore_ascii_case("true"))
        || pair("controller mode").is_some_and(|v| v.eq_ignore_ascii_case("hba"));
    let controller = reading.controller(&heap.at);
    controller.model.clone_from(&heap.model);
    controller.serial = pair("serial number").map(str::to_owned).or_else(|| heap.serial.clone());
    controller.aliases.extend(controller.serial.as_deref().and_then(Alias::serial));
    controller.aliases.extend(pair("pci address (domain:bus:device.function)").and_then(Alias::pci));
    controller.firmware = pair("firmware version").map(str::to_owned);
    controller.driver = pair("driver name").map(str::to_owned);
    controller.temperature_celsius = pair("controller temperature (c)").and_then(number);
    controller.patrol_read = pair("surface scan mode").map(|mode| format!("surface scan {mode}"));
    controller.makes_arrays = Some(!hba);
    controller.state = state;
    reading.schedules.extend(surface_scan(heap));
}

/// While idle the card reads all surfaces and compares parity and mirrors, over and over.
fn surface_scan(heap: &Heap) -> Option<CheckSchedule> {
    let mode = heap.pairs.get("surface scan mode")?;
    let active = match mode.to_ascii_lowercase().as_str() {
        "idle" | "high" | "idle and high" => Some(true),
        "disabled" => Some(false),
        _ => None,
    };
    Some(CheckSchedule::new(heap.at.clone(), ScheduledBy::Firmware, active, format!("surface scan {mode}")))
}

fn controller_state(reading: &mut Reading, at: &Path, word: &str) -> Observed<ControllerState> {
    let state = words::controller_state(word).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::CONTROLLER, word);
        ControllerState::Unknown
    });
    Observed::new(state, word)
}

pub fn cache(reading: &mut Reading, heap: &Heap) {
    if let Some(word) = heap.pairs.get("cache status") {
        cache_status(reading, heap, word);
    }
    battery(reading, heap);
}

fn cache_status(reading: &mut Reading, heap: &Heap, word: &str) {
    match words::cache_state(words::CACHE, word) {
        Some(CacheState::Optimal | CacheState::NotFitted) => {}
        Some(_) => {
            let details = ["cache status details", "cache disable reason"];
            let details = details.iter().filter_map(|k| heap.pairs.get(k));
            let said = details.fold(format!("Cache Status: {word}"), |said, more| format!("{said}; {more}"));
            reading.findings.push(Finding::new(heap.at.clone(), FindingKind::WriteBackLost, said));
        }
        None => reading.unknown_word(heap.at.clone(), words::CACHE, word),
    }
}

fn battery(reading: &mut Reading, heap: &Heap) {
    let word = heap.pairs.get("battery/capacitor status");
    let counted = heap.pairs.get("battery/capacitor count").and_then(count);
    let at = heap.at.child("battery");
    let state = match (word, counted) {
        (Some(word), _) => battery_state(reading, &at, word),
        (None, Some(0)) => Observed::new(CacheState::NotFitted, "Battery/Capacitor Count: 0"),
        _ => return,
    };
    let kind = match heap.pairs.get("cache backup power source").map(str::to_ascii_lowercase) {
        Some(source) if source.contains("batter") => CacheKind::Battery,
        Some(source) if source.contains("capacitor") => CacheKind::Supercapacitor,
        _ => CacheKind::Unknown,
    };
    let mut cache = CacheProtection::new(at, kind);
    let replace = state.said.to_ascii_lowercase().contains("replace");
    cache.replace = replace.then(|| Observed::new(true, state.said.clone()));
    cache.temperature_celsius = heap.pairs.get("capacitor temperature (c)").and_then(number);
    if state.state != CacheState::NotFitted {
        reading.controller(&heap.at).cache_protection_fitted = Some(true);
    }
    cache.state = Some(state);
    reading.caches.push(cache);
}

fn battery_state(reading: &mut Reading, at: &Path, word: &str) -> Observed<CacheState> {
    let state = words::cache_state(words::BATTERY, word).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::BATTERY, word);
        CacheState::Unknown
    });
    Observed::new(state, word)
}

const PARTS: [(&str, &str, PartKind); 3] = [
    ("fan status", "fans", PartKind::Fan),
    ("temperature status", "temperature", PartKind::TemperatureSensor),
    ("power supply status", "power supplies", PartKind::PowerSupply),
];

pub fn shelves(reading: &mut Reading, heap: &Heap) {
    for shelf in &heap.shelves {
        let at = heap.at.child(format_args!("e{}:{}", shelf.port, shelf.number));
        let parts = parts(reading, &at, shelf);
        reading.enclosures.push(Enclosure {
            controller: Some(heap.at.clone()),
            model: Some(shelf.title.clone()),
            serial: shelf.pairs.get("serial number").map(str::to_owned),
            slots: shelf.pairs.get("drive bays").and_then(|n| n.parse().ok()),
            at,
            parts,
        });
    }
}

fn parts(reading: &mut Reading, at: &Path, shelf: &Shelf) -> Vec<Part> {
    let mut parts = Vec::new();
    if let Some(word) = &shelf.said {
        parts.push(part(reading, at, PartKind::Whole, "enclosure", word));
    }
    for (key, name, kind) in PARTS {
        let Some(word) = shelf.pairs.get(key) else { continue };
        let mut part = part(reading, at, kind, name, word);
        let outside = shelf.pairs.get("location").is_some_and(|l| l.eq_ignore_ascii_case("external"));
        if outside && word.eq_ignore_ascii_case("Not Redundant") {
            part.state.state = PartState::Warning;
        }
        parts.push(part);
    }
    parts
}

pub fn part(reading: &mut Reading, at: &Path, kind: PartKind, name: &str, word: &str) -> Part {
    let state = words::part_state(word).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::PART, word);
        PartState::Unknown
    });
    Part { kind, name: name.to_owned(), state: Observed::new(state, word), value: None }
}
