//! Rows → facts about ports and their disks. What DEGRADED means on a port depends on its unit, so
//! units are read first.

use super::lower::{Heap, Unit, Units, is_unit};
use super::parse::{Pair, Row, Table};
use super::vocabulary as words;
use crate::scan::{count, number, size_bytes};
use raidmond_core::model::{
    Alias, ArrayState, Disk, DiskState, Finding, FindingKind, Interface, Level, Member, Observed, Path, SpareScope,
};
use raidmond_core::survey::{NoteKind, Reading};

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
    seat_lone_ports(reading, &heap.at);
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

/// A failed member may have lost its port in the list of sub-units while the port still names its
/// unit. One empty place and one port left over belong together: that is the disk to replace.
fn seat_lone_ports(reading: &mut Reading, controller: &Path) {
    for array in reading.arrays.iter_mut().filter(|a| a.controller.as_ref() == Some(controller)) {
        let seated = |d: &Disk| array.members.iter().any(|m| m.disk == d.at);
        let left_over = reading.disks.iter().filter(|d| d.array.as_ref() == Some(&array.at) && !seated(d));
        let left_over: Vec<Path> = left_over.map(|d| d.at.clone()).collect();
        let mut places = array.members.iter_mut().filter(|m| m.disk.leaf().starts_with("missing"));
        if let (Some(place), None, [disk]) = (places.next(), places.next(), left_over.as_slice()) {
            place.disk = disk.clone();
        }
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
