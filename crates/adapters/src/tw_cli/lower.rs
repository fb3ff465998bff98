//! Rows → facts about controllers, units and ports, through the vocabulary.
//!
//! A unit of type SPARE is no array: its disk is a hot spare. What DEGRADED means on a port depends
//! on its unit, so units are read first.

use super::parse::{Pair, Row, Sheet, Table};
use super::vocabulary as words;
use crate::scan::{count, number, percent, size_bytes};
use raidmond_core::model::{
    Alias, Array, ArrayState, Disk, DiskState, Finding, FindingKind, Interface, Level, Member, Observed, Path,
    SpareScope, Task, WriteCache,
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
            let parts: Vec<&Row> = rows.iter().copied().filter(|r| is_part_of(r.id(), row.id())).collect();
            sub_units(reading, &at, &parts);
        }
        units.push(Unit { id: row.id().to_owned(), spare, state: state.state });
    }
    unit_pairs(reading, heap);
    units
}

/// "u0", not "u0-1" or "u0/v0".
fn is_unit(id: &str) -> bool {
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

pub fn ports(reading: &mut Reading, heap: &Heap<'_>, units: &Units) {
    for row in heap.rows(Table::Ports) {
        let at = heap.at.child(row.id());
        let unit = row.get(&["Unit"]).map(str::to_owned);
        let known = unit.as_deref().and_then(|id| units.iter().find(|u| u.id == id));
        let state = port_state(reading, &at, row, unit.as_deref(), known);
        let disk = reading.disk(&at);
        describe(disk, row);
        disk.state = Some(state);
        let spare = known.is_some_and(|u| u.spare);
        disk.spare = spare.then_some(SpareScope::Global);
        disk.array = unit.filter(|_| !spare).map(|u| heap.at.child(u));
    }
    members_by_port(reading, &heap.at);
    port_pairs(reading, heap);
}

fn port_state(
    reading: &mut Reading,
    at: &Path,
    row: &Row,
    unit: Option<&str>,
    known: Option<&Unit>,
) -> Observed<DiskState> {
    let Some(word) = row.get(&["Status"]) else {
        reading.note(NoteKind::Partial, at.clone(), "the port's status is not stated");
        return Observed::new(DiskState::Unknown, "");
    };
    let Some(state) = words::disk(word) else {
        reading.unknown_word(at.clone(), words::PORT, word);
        return Observed::new(DiskState::Unknown, word);
    };
    if words::SMART.iter().any(|w| w.eq_ignore_ascii_case(word)) {
        reading.disk(at).predictive = Some(Observed::new(true, word));
    }
    if word.eq_ignore_ascii_case(words::ECC) {
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, word));
    }
    let state = match state {
        _ if word.eq_ignore_ascii_case(words::DEGRADED) => degraded_port(known),
        DiskState::Online if known.is_some_and(|u| u.spare) => DiskState::HotSpare,
        DiskState::Online if unit.is_none() => DiskState::UnconfiguredGood,
        DiskState::Empty if unit.is_some() => DiskState::Missing,
        other => other,
    };
    Observed::new(state, word)
}

/// While its unit is rebuilt, the target port says DEGRADED and the disk is not bad.
fn degraded_port(unit: Option<&Unit>) -> DiskState {
    match unit.map(|u| u.state) {
        Some(ArrayState::Rebuilding) => DiskState::Rebuilding,
        Some(_) => DiskState::Failed,
        None => DiskState::Offline,
    }
}

fn describe(disk: &mut Disk, row: &Row) {
    let text = |columns: &[&str]| row.get(columns).map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
    disk.serial = text(&["Serial"]);
    disk.aliases.extend(disk.serial.as_deref().and_then(Alias::serial));
    disk.model = text(&["Model"]);
    disk.size_bytes = row.get(&["Size"]).and_then(|s| size_bytes(s, true));
    disk.interface = match row.get(&["Type"]) {
        Some("SAS") => Some(Interface::Sas),
        Some("SATA") => Some(Interface::Sata),
        _ => None,
    };
    if let Some((enclosure, slot)) = row.get(&["Encl-Slot"]).and_then(|p| p.rsplit_once('/')) {
        disk.enclosure = enclosure.rsplit('/').next().map(str::to_owned);
        disk.slot = Some(slot.trim_start_matches("slt").to_owned());
    }
}

/// Where no unit was asked for its sub-units, the port list still tells the members.
fn members_by_port(reading: &mut Reading, controller: &Path) {
    let disks: Vec<(Path, Path, bool)> = (reading.disks.iter())
        .filter(|d| d.controller.as_ref() == Some(controller))
        .filter_map(|d| Some((d.array.clone()?, d.at.clone(), d.state.as_ref()?.state == DiskState::Online)))
        .collect();
    for array in reading.arrays.iter_mut().filter(|a| a.controller.as_ref() == Some(controller)) {
        if !array.members.is_empty() {
            continue;
        }
        let own = disks.iter().filter(|(unit, _, _)| *unit == array.at);
        // Groups are not known here: one group would claim a RAID 10 partner that is none.
        let grouped = matches!(array.level, Some(Level::Raid10 | Level::Raid50));
        let member =
            |(_, disk, good): &(Path, Path, bool)| Member { disk: disk.clone(), group: 0, in_sync: Some(*good) };
        array.members = if grouped { Vec::new() } else { own.map(member).collect() };
    }
}

fn port_pairs(reading: &mut Reading, heap: &Heap<'_>) {
    for pair in heap.pairs() {
        let Some(id) = pair.path.rsplit('/').next().filter(|id| is_port(id)) else { continue };
        let at = heap.at.child(id);
        if pair.key == "status" && !reading.disks.iter().any(|d| d.at == at && d.state.is_some()) {
            let unit = heap.pairs().find(|p| p.path == pair.path && p.key == "belongs to unit");
            let unit = unit.map(|p| p.value.as_str()).filter(|u| is_unit(u));
            let row = Row::new(Table::Ports, &[("Port", id), ("Status", &pair.value)]);
            let state = port_state(reading, &at, &row, unit, None);
            reading.disk(&at).state = Some(state);
        }
        if let Some(disk) = reading.disks.iter_mut().find(|d| d.at == at) {
            port_pair(disk, pair);
        }
    }
}

fn is_port(id: &str) -> bool {
    id.strip_prefix('p').is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
}

fn port_pair(disk: &mut Disk, pair: &Pair) {
    let value = pair.value.as_str();
    match pair.key.as_str() {
        "model" => disk.model = Some(value.to_owned()),
        "firmware version" => disk.firmware = Some(value.to_owned()),
        "serial" | "serial number" => {
            disk.serial = Some(value.to_owned());
            disk.aliases = Alias::serial(value).into_iter().collect();
        }
        "reallocated sectors" => disk.reallocated_sectors = count(value),
        "power on hours" => disk.power_on_hours = count(value),
        "temperature" => disk.temperature_celsius = number(value),
        "capacity" => disk.size_bytes = size_bytes(value, true),
        "link speed" => disk.link_gbps = value.split_whitespace().next().and_then(|v| v.parse().ok()),
        _ => {}
    }
}
