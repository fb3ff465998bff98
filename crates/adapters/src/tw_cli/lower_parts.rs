//! Rows → facts about the battery and enclosures.

use super::lower::Heap;
use super::parse::{Row, Table};
use super::vocabulary as words;
use crate::scan::{count, number};
use raidmond_core::model::{
    CacheKind, CacheProtection, CacheState, Enclosure, Observed, Part, PartKind, PartState, Path,
};
use raidmond_core::survey::Reading;

/// The battery table, else the attributes of `/c0/bbu show all`, else the BBU column of the summary.
pub fn battery(reading: &mut Reading, heap: &Heap<'_>, summary: Option<&str>) {
    let attributes = attributes(heap);
    let row = heap.rows(Table::Battery).into_iter().next().cloned();
    let Some(row) = row.or(attributes) else {
        if let Some(word) = summary {
            let state = cache_state(reading, &heap.at, words::BATTERY, word);
            push_battery(reading, heap, Observed::new(state, word));
        }
        return;
    };
    let state = battery_state(reading, &heap.at, &row);
    push_battery(reading, heap, state);
}

/// `/c0/bbu BBU Status = OK` and its companions, as a row of the table.
fn attributes(heap: &Heap<'_>) -> Option<Row> {
    const KEYS: [(&str, &str); 7] = [
        ("online state", "OnlineState"),
        ("bbu ready", "BBUReady"),
        ("bbu status", "Status"),
        ("battery voltage", "Volt"),
        ("battery temperature", "Temp"),
        ("estimated backup capacity", "Hours"),
        ("last capacity test", "LastCapTest"),
    ];
    let mut cells = vec![("Name", "bbu")];
    for pair in heap.pairs().filter(|p| p.path.ends_with("/bbu")) {
        if let Some((_, column)) = KEYS.iter().find(|(key, _)| *key == pair.key) {
            cells.push((column, pair.value.as_str()));
        }
    }
    cells.iter().any(|(k, _)| *k == "Status").then(|| Row::new(Table::Battery, &cells))
}

fn battery_state(reading: &mut Reading, at: &Path, row: &Row) -> Observed<CacheState> {
    let word = row.get(&["Status"]).unwrap_or("");
    let mut state = cache_state(reading, at, words::BATTERY, word);
    let mut said = word.to_owned();
    let busy = matches!(state, CacheState::Learning | CacheState::Charging);
    for (column, name) in [("Volt", "voltage"), ("Temp", "temperature")] {
        let Some(range) = row.get(&[column]) else { continue };
        let found = cache_state(reading, at, words::BATTERY_RANGE, range);
        if found != CacheState::Optimal {
            said = format!("{said}, {name} {range}");
            state = worse(state, found);
        }
    }
    let unready = row.get(&["BBUReady"]).is_some_and(|r| r.eq_ignore_ascii_case("no"));
    let offline = row.get(&["OnlineState"]).is_some_and(|r| r.eq_ignore_ascii_case("off"));
    let hours = row.get(&["Hours"]).and_then(count);
    for (set, what) in [
        (unready && !busy, "not ready"),
        (offline, "not online"),
        (hours == Some(0) && !busy, "backup capacity 0 hours"),
    ] {
        if set {
            said = format!("{said}, {what}");
            state = worse(state, CacheState::Weak);
        }
    }
    if let Some(test) = row.get(&["LastCapTest"]).filter(|t| t.starts_with("xx")) {
        said = format!("{said}, never tested ({test})");
    }
    Observed::new(state, said)
}

fn worse(a: CacheState, b: CacheState) -> CacheState {
    let rank = |s: CacheState| match s {
        CacheState::Failed | CacheState::Missing => 4,
        CacheState::Unknown => 3,
        CacheState::Weak => 2,
        CacheState::Learning | CacheState::Charging => 1,
        CacheState::Optimal | CacheState::NotFitted => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}

fn cache_state(reading: &mut Reading, at: &Path, of: &str, word: &str) -> CacheState {
    words::cache(of, word).unwrap_or_else(|| {
        reading.unknown_word(at.child("battery"), of, word);
        CacheState::Unknown
    })
}

fn push_battery(reading: &mut Reading, heap: &Heap<'_>, state: Observed<CacheState>) {
    let mut cache = CacheProtection::new(heap.at.child("battery"), CacheKind::Battery);
    // The guides say of Fault, Error and Failed, and of no other, to replace the pack as soon as possible.
    let word = state.said.split(',').next().unwrap_or("");
    let replace = words::cache(words::BATTERY, word) == Some(CacheState::Failed);
    cache.replace = replace.then(|| Observed::new(true, state.said.clone()));
    cache.learning = Some(state.state == CacheState::Learning);
    cache.state = Some(state);
    for pair in heap.pairs().filter(|p| p.path.ends_with("/bbu")) {
        match pair.key.as_str() {
            "serial number" => cache.serial = Some(pair.value.clone()),
            "battery temperature value" => cache.temperature_celsius = number(&pair.value),
            _ => {}
        }
    }
    reading.controller(&heap.at).cache_protection_fitted = Some(true);
    reading.caches.push(cache);
}

const PARTS: [(Table, PartKind); 6] = [
    (Table::Enclosures, PartKind::Whole),
    (Table::Fans, PartKind::Fan),
    (Table::Temperatures, PartKind::TemperatureSensor),
    (Table::Supplies, PartKind::PowerSupply),
    (Table::Slots, PartKind::Whole),
    (Table::EnclosureAlarms, PartKind::Alarm),
];

pub fn enclosures(reading: &mut Reading, heap: &Heap<'_>) {
    for (table, kind) in PARTS {
        for row in heap.rows(table) {
            let Some(leaf) = row.enclosure.as_deref().and_then(|e| e.rsplit('/').next()) else { continue };
            let at = heap.at.child(leaf);
            let parts = parts(reading, &at, kind, row);
            enclosure(reading, &at).parts.extend(parts);
        }
    }
    for pair in heap.pairs().filter(|p| p.key == "product id") {
        let Some(leaf) = pair.path.rsplit('/').next() else { continue };
        enclosure(reading, &heap.at.child(leaf)).model = Some(pair.value.clone());
    }
}

fn enclosure<'a>(reading: &'a mut Reading, at: &Path) -> &'a mut Enclosure {
    let index = reading.enclosures.iter().position(|e| e.at == *at).unwrap_or_else(|| {
        reading.enclosures.push(Enclosure { at: at.clone(), controller: Some(at.root()), ..Enclosure::default() });
        reading.enclosures.len() - 1
    });
    &mut reading.enclosures[index]
}

/// One part, or more where a power supply states voltage and current apart. Slots count only when
/// they say something beside "a disk" and "no disk".
fn parts(reading: &mut Reading, at: &Path, kind: PartKind, row: &Row) -> Vec<Part> {
    let slot = row.table == Table::Slots;
    let value = row.get(&["RPM", "Temperature"]).and_then(number);
    let mut parts = Vec::new();
    for (column, suffix) in [("Status", ""), ("Voltage", " voltage"), ("Current", " current")] {
        let Some(word) = row.get(&[column]) else { continue };
        let state = part_state(reading, at, word);
        let dull = matches!(state, PartState::Ok | PartState::NotInstalled);
        if dull && (slot || !suffix.is_empty()) {
            continue;
        }
        let name = format!("{}{suffix}", row.id().trim_start_matches('/'));
        parts.push(Part { kind, name, state: Observed::new(state, word), value });
    }
    // Old firmware lists a sensor by its reading alone.
    if let (true, PartKind::TemperatureSensor, Some(said)) = (parts.is_empty(), kind, row.get(&["Temperature"])) {
        parts.push(Part { kind, name: row.id().to_owned(), state: Observed::new(PartState::Ok, said), value });
    }
    parts
}

fn part_state(reading: &mut Reading, at: &Path, word: &str) -> PartState {
    if word.eq_ignore_ascii_case("N/A") {
        return PartState::NotInstalled;
    }
    words::enclosure_part(word).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::PART, word);
        PartState::Unknown
    })
}
