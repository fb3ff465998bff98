//! Rows → facts about controllers and units, through the vocabulary. A unit of type SPARE is no
//! array: its disk is a hot spare.

use super::parse::{Pair, Row, Sheet, Table};
use super::vocabulary as words;
use crate::scan::{count, percent, size_bytes};
use raidmond_core::model::{
    Alias, Array, ArrayState, CheckSchedule, Finding, FindingKind, Level, Member, Observed, Path, ScheduledBy, Task,
    WriteCache,
};
use raidmond_core::survey::{NoteKind, Reading};

/// Everything heard about one controller.
pub struct Heap<'a> {
    pub at: Path,
    pub sheets: Vec<&'a Sheet>,
    /// The attributes may be minutes older than the tables: what they count is not compared, and
    /// their tables are not read.
    pub older: Option<&'a Sheet>,
}

impl Heap<'_> {
    /// The rows of a table, each object once: the first sheet that has it wins.
    pub fn rows(&self, table: Table) -> Vec<&Row> {
        let mut rows: Vec<&Row> = Vec::new();
        for row in self.sheets.iter().flat_map(|s| s.of(table)) {
            if !rows.iter().any(|r| r.id() == row.id() && r.enclosure == row.enclosure) {
                rows.push(row);
            }
        }
        rows
    }

    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.sheets.iter().copied().chain(self.older).flat_map(|s| &s.pairs)
    }
}

pub fn controller_row(reading: &mut Reading, at: &Path, row: &Row) {
    let controller = reading.controller(at);
    controller.model = row.get(&["Model"]).map(str::to_owned);
    controller.makes_arrays = Some(true);
    controller.arrays_counted = row.get(&["Units"]).and_then(count);
    controller.disks_counted = row.get(&["Drives"]).and_then(count);
    controller.arrays_degraded_counted = row.get(&["NotOpt"]).and_then(count);
}

pub fn controller_pairs(reading: &mut Reading, heap: &Heap<'_>) {
    let own = format!("/{}", heap.at);
    for pair in heap.pairs().filter(|p| p.path == own && !p.value.is_empty()) {
        let controller = reading.controller(&heap.at);
        let value = Some(pair.value.clone());
        match pair.key.as_str() {
            "model" => controller.model = value,
            "firmware version" => controller.firmware = value,
            "driver version" => controller.driver = value,
            "auto-rebuild policy" => controller.auto_rebuild = on_off(&pair.value),
            "units" if heap.older.is_none() => keep(&mut controller.arrays_counted, count(&pair.value)),
            "drives" if heap.older.is_none() => keep(&mut controller.disks_counted, count(&pair.value)),
            "not optimal units" if heap.older.is_none() => {
                keep(&mut controller.arrays_degraded_counted, count(&pair.value));
            }
            "serial number" => {
                controller.aliases.extend(Alias::serial(&pair.value));
                controller.serial = value;
            }
            _ => {}
        }
    }
}

fn keep<T>(field: &mut Option<T>, value: Option<T>) {
    if field.is_none() {
        *field = value;
    }
}

fn on_off(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "on" | "enabled" => Some(true),
        "off" | "disabled" => Some(false),
        _ => None,
    }
}

/// As the unit tables state them; spares included.
pub type Units = Vec<Unit>;

pub struct Unit {
    pub id: String,
    pub spare: bool,
    pub state: ArrayState,
}

pub fn units(reading: &mut Reading, heap: &Heap<'_>) -> Units {
    let mut units = Units::new();
    let rows = heap.rows(Table::Units);
    for row in rows.iter().filter(|r| is_unit(r.id())) {
        let at = heap.at.child(row.id());
        let spare = row.get(&["UnitType"]).is_some_and(|t| t.eq_ignore_ascii_case("SPARE"));
        let state = unit_state(reading, &at, row);
        if spare {
            spare_unit(reading, &at, &state);
        } else {
            array(reading, &at, row, &state);
            reading.schedules.extend(auto_verify(&at, row));
            let parts: Vec<&Row> = rows.iter().copied().filter(|r| is_part_of(r.id(), row.id())).collect();
            sub_units(reading, &at, &parts);
        }
        units.push(Unit { id: row.id().to_owned(), spare, state: state.state });
    }
    unit_pairs(reading, heap);
    units
}

/// `AVrfy`: the card verifies the unit by itself, by its basic schedule weekly, else as its windows allow.
fn auto_verify(at: &Path, row: &Row) -> Option<CheckSchedule> {
    let word = row.get(&["AVrfy"])?;
    let words = format!("auto-verify (AVrfy) {word}");
    Some(CheckSchedule::new(at.clone(), ScheduledBy::Firmware, on_off(word), words))
}

/// "u0", not "u0-1" or "u0/v0".
pub fn is_unit(id: &str) -> bool {
    id.strip_prefix('u').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()))
}

fn is_part_of(id: &str, unit: &str) -> bool {
    id.strip_prefix(unit).is_some_and(|rest| rest.starts_with('-'))
}

fn unit_state(reading: &mut Reading, at: &Path, row: &Row) -> Observed<ArrayState> {
    let Some(word) = row.get(&["Status"]) else {
        reading.note(NoteKind::Partial, at.clone(), "the unit's status is not stated");
        return Observed::new(ArrayState::Unknown, "");
    };
    let state = words::array(word).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::UNIT, word);
        ArrayState::Unknown
    });
    if let Some(kind) = words::finding(word) {
        reading.findings.push(Finding::new(at.clone(), kind, word));
    }
    task(reading, at, word, row);
    Observed::new(state, word)
}

fn task(reading: &mut Reading, at: &Path, word: &str, row: &Row) {
    let Some((kind, state)) = words::unit_task(word) else { return };
    let done = row.get(&["%RCmpl", "%Cmpl"]).or(row.get(&["%V/I/M"]));
    let percent = done.and_then(percent);
    let task = Task { on: at.clone(), kind, state: Observed::new(state, word), percent, seconds_left: None };
    reading.tasks.push(task);
}

/// The disk of a spare is read from the port list; only a spare that is not well is news here.
fn spare_unit(reading: &mut Reading, at: &Path, state: &Observed<ArrayState>) {
    if !matches!(state.state, ArrayState::Optimal | ArrayState::Initialising | ArrayState::Unknown) {
        reading.findings.push(Finding::new(at.clone(), FindingKind::SpareFailed, format!("SPARE {}", state.said)));
    }
}

fn array(reading: &mut Reading, at: &Path, row: &Row, state: &Observed<ArrayState>) {
    let level = row.get(&["UnitType"]).map(str::to_owned);
    if let Some(word) = level.as_deref().filter(|w| Level::parse(w).is_none()) {
        reading.unknown_word(at.clone(), "unit type", word);
    }
    let array = reading.array(at);
    array.level = level.as_deref().and_then(Level::parse);
    array.level_said = level;
    array.size_bytes = row.get(&["Size(GB)"]).and_then(|s| size_bytes(&format!("{s} GB"), true));
    array.state = Some(state.clone());
    if let Some(word) = row.get(&["Cache"]) {
        cache(array, word);
    }
    if words::finding(&state.said).is_some() {
        array.bad_blocks = Some(true);
    }
    let parity = array.level.is_some_and(Level::is_parity);
    if parity && state.state == ArrayState::Initialising {
        // The card itself counts such a unit as not optimal until its parity is written.
        reading.findings.push(Finding::new(at.clone(), FindingKind::NoRedundancyYet, state.said.clone()));
    }
}

/// `W`, `RiW`, `RbW`, `ON`: write cache on. `Ri`, `Rb`, `OFF`: off. tw_cli shows no default beside it.
fn cache(array: &mut Array, word: &str) {
    array.cache.said_current = Some(word.to_owned());
    array.cache.current_write = match word.to_ascii_uppercase().as_str() {
        "W" | "ON" | "RIW" | "RBW" | "RW" => Some(WriteCache::WriteBack),
        "OFF" | "RI" | "RB" | "R" => Some(WriteCache::WriteThrough),
        _ => None,
    };
    array.cache.read_ahead = word.to_ascii_uppercase().contains("RI").then_some(true);
}

/// `u0-1`, `u0-1-0`: members and their mirror or parity groups.
fn sub_units(reading: &mut Reading, at: &Path, parts: &[&Row]) {
    let mut members = Vec::new();
    let mut hurt = false;
    for row in parts {
        let word = row.get(&["Status"]);
        let state = word.and_then(words::array);
        if let (Some(word), None) = (word, state) {
            reading.unknown_word(at.clone(), "sub-unit status", word);
        }
        hurt |= matches!(state, Some(ArrayState::Degraded | ArrayState::Failed));
        if row.get(&["UnitType"]).is_some_and(|t| t.eq_ignore_ascii_case("DISK")) {
            members.push(member(at, row, state));
        }
    }
    let array = reading.array(at);
    array.width = u32::try_from(members.len()).ok().filter(|n| *n > 0);
    array.members = members;
    contradiction(array, hurt);
    redundancy(array);
}

fn member(at: &Path, row: &Row, state: Option<ArrayState>) -> Member {
    let steps: Vec<&str> = row.id().split('-').skip(1).collect();
    let group = if steps.len() > 1 { steps.first().and_then(|s| s.parse().ok()).unwrap_or(0) } else { 0 };
    let disk = match row.get(&["Port", "VPort"]).and_then(|p| p.strip_prefix('p')) {
        Some(port) => at.root().port(port),
        None => at.missing_member(steps.join("-")),
    };
    let in_sync = match state {
        Some(ArrayState::Optimal | ArrayState::Initialising) => Some(true),
        Some(ArrayState::Unknown) | None => None,
        Some(_) => Some(false),
    };
    Member { disk, group, in_sync }
}

/// A sub-unit may say DEGRADED while its unit is being verified or migrated.
fn contradiction(array: &mut Array, hurt: bool) {
    let well = array.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal);
    if let (true, true, Some(state)) = (hurt, well, &mut array.state) {
        state.state = ArrayState::Degraded;
        state.said = format!("{}, sub-unit DEGRADED", state.said);
    }
}

fn redundancy(array: &mut Array) {
    let Some(level) = array.level else { return };
    let hurt = matches!(array.state.as_ref().map(|s| s.state), Some(ArrayState::Degraded | ArrayState::Rebuilding));
    if !hurt || array.members.is_empty() {
        return;
    }
    let lost = |group: u32| array.members.iter().filter(|m| m.group == group && m.in_sync == Some(false)).count();
    let worst = array.members.iter().map(|m| lost(m.group)).max().unwrap_or(0);
    if worst == 0 {
        return;
    }
    let left = level.tolerance().saturating_sub(u32::try_from(worst).unwrap_or(u32::MAX));
    array.redundancy_left = Some(left);
    if let Some(state) = array.state.as_mut().filter(|s| left > 0 && s.state == ArrayState::Degraded) {
        state.state = ArrayState::PartlyDegraded;
    }
}

fn unit_pairs(reading: &mut Reading, heap: &Heap<'_>) {
    for pair in heap.pairs() {
        let Some(id) = pair.path.rsplit('/').next().filter(|id| is_unit(id)) else { continue };
        let at = heap.at.child(id);
        if pair.key == "status" && !reading.arrays.iter().any(|a| a.at == at) {
            let row = Row::new(Table::Units, &[("Unit", id), ("Status", &pair.value)]);
            let state = unit_state(reading, &at, &row);
            reading.array(&at).state = Some(state);
        }
        let Some(array) = reading.arrays.iter_mut().find(|a| a.at == at) else { continue };
        match pair.key.as_str() {
            "name" => array.name = Some(pair.value.clone()).filter(|v| !v.is_empty()),
            "serial number" => array.aliases.extend(Alias::array_uid(&pair.value)),
            "write cache" | "cache state" => cache_pair(array, &pair.value),
            _ => {}
        }
    }
}

fn cache_pair(array: &mut Array, value: &str) {
    if array.cache.current_write.is_none() {
        cache(array, value);
    }
}
