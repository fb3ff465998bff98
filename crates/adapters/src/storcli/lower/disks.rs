//! Disks: rows of the lists, and the sections of the detailed form.

use super::controller::yes;
use super::{Gathered, Place};
use crate::scan;
use crate::storcli::parse::{Row, Section};
use crate::storcli::vocabulary;
use raidmond_core::model::{
    Alias, Disk, DiskState, Finding, FindingKind, Interface, Medium, Observed, Path, SpareScope,
};
use raidmond_core::survey::NoteKind;

pub fn lower(all: &mut Gathered, place: &Place<'_>) {
    for (title, row) in place.reply.rows_with("EID:Slt") {
        if title.to_ascii_uppercase().starts_with("FOREIGN") {
            foreign_row(all, place.at, row);
        } else {
            list_row(all, place.at, row);
        }
    }
    for section in &place.reply.sections {
        if let Some(at) = path_in(&section.title) {
            details(all, &at, section);
        }
    }
    foreign_count(all, place);
}

/// `252:3`, ` :4`
pub fn path_of(controller: &Path, row: &Row) -> Option<Path> {
    let (enclosure, slot) = place(row.get("EID:Slt").or_else(|| row.get("EID:Slot"))?)?;
    Some(controller.slot(Some(&enclosure), slot))
}

pub fn place(text: &str) -> Option<(String, String)> {
    let (enclosure, slot) = text.trim().split_once(':')?;
    let (enclosure, slot) = (enclosure.trim(), slot.trim());
    let digits = |t: &str| t.chars().all(|c| c.is_ascii_digit());
    (digits(enclosure) && digits(slot) && !slot.is_empty()).then(|| (enclosure.to_owned(), slot.to_owned()))
}

/// `Drive /c0/e252/s3 State`, `Drive /c0/s3`, `/c0/e252/s3`
pub fn path_in(title: &str) -> Option<Path> {
    let object = title.split_whitespace().find(|w| w.starts_with("/c"))?;
    let mut parts = object.split('/').skip(1);
    let controller = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let number = |part: &str, letter: char| {
        let digits = part.strip_prefix(letter)?;
        (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())).then(|| digits.to_owned())
    };
    let root = Path::controller(number(controller, 'c')?);
    match rest.as_slice() {
        [e, s] => Some(root.slot(Some(&number(e, 'e')?), number(s, 's')?)),
        [s] => Some(root.slot(None, number(s, 's')?)),
        _ => None,
    }
}

fn list_row(all: &mut Gathered, controller: &Path, row: &Row) {
    let Some(at) = path_of(controller, row) else {
        let said = row.get("EID:Slt").unwrap_or("");
        return all.reading.unknown_word(controller.clone(), "EID:Slt", said);
    };
    let disk = all.reading.disk(&at);
    name(disk, row);
    describe(disk, row);
    state(all, &at, row);
    if let Some(group) = row.stated("DG").filter(|g| g.chars().all(|c| c.is_ascii_digit())) {
        all.links.disk_in_group(&at, group);
    }
}

fn name(disk: &mut Disk, row: &Row) {
    let (enclosure, slot) = row.get("EID:Slt").and_then(place).unwrap_or_default();
    disk.enclosure = Some(enclosure).filter(|e| !e.is_empty());
    disk.slot = Some(slot);
    if let Some(id) = row.stated("DID") {
        disk.device_id = Some(id.to_owned());
        add_alias(disk, Some(Alias::DeviceId(id.to_owned())));
    }
}

fn add_alias(disk: &mut Disk, alias: Option<Alias>) {
    if let Some(alias) = alias.filter(|a| !disk.aliases.contains(a)) {
        disk.aliases.push(alias);
    }
}

fn describe(disk: &mut Disk, row: &Row) {
    if disk.model.is_none() {
        disk.model = row.stated("Model").map(str::to_owned);
    }
    disk.size_bytes = row.get("Size").and_then(|s| scan::size_bytes(s, true)).filter(|s| *s > 0).or(disk.size_bytes);
    disk.interface = match row.get("Intf").unwrap_or("").to_ascii_uppercase().as_str() {
        "SATA" => Some(Interface::Sata),
        "SAS" => Some(Interface::Sas),
        "NVME" => Some(Interface::Nvme),
        _ => disk.interface,
    };
    disk.medium = match row.get("Med").unwrap_or("").to_ascii_uppercase().as_str() {
        "HDD" => Some(Medium::Hdd),
        "SSD" => Some(Medium::Ssd),
        _ => disk.medium,
    };
    match row.get("Sp") {
        Some("U" | "T") => disk.spun_down = Some(false),
        Some("D") => disk.spun_down = Some(true),
        _ => {}
    }
}

fn state(all: &mut Gathered, at: &Path, row: &Row) {
    let Some(word) = row.get("State") else {
        all.reading.disk(at).state = Some(Observed::new(DiskState::Unknown, "no State"));
        return all.reading.note(NoteKind::Unreadable, at.clone(), "a disk is listed without its State");
    };
    let state = vocabulary::disk_state(word);
    if state.is_none() {
        all.reading.unknown_word(at.clone(), "disk state", word);
    }
    let disk = all.reading.disk(at);
    disk.state = Some(Observed::new(state.unwrap_or(DiskState::Unknown), word));
    disk.spare = match word.to_ascii_uppercase().split(' ').next() {
        Some("GHS") => Some(SpareScope::Global),
        Some("DHS") => Some(SpareScope::Dedicated),
        _ => None,
    };
    if let Some(group) = row.get("DG") {
        disk.foreign = Some(group.trim().eq_ignore_ascii_case("F"));
    }
    if matches!(word, "UGUnsp" | "UBUnsp") {
        disk.certified = Some(false);
    }
}

/// A row of the foreign configuration: the disk is foreign; its state is in its own list.
fn foreign_row(all: &mut Gathered, controller: &Path, row: &Row) {
    let Some(at) = path_of(controller, row) else { return };
    let disk = all.reading.disk(&at);
    name(disk, row);
    describe(disk, row);
    disk.foreign = Some(true);
    if disk.state.is_none() {
        disk.state = Some(Observed::new(DiskState::Foreign, row.get("State").unwrap_or("Foreign")));
    }
}

fn foreign_count(all: &mut Gathered, place: &Place<'_>) {
    let names = ["Total foreign Drive Groups", "Total foreign DG Count", "Total Foreign PDs"];
    let counted = names.iter().find_map(|name| Some((*name, place.reply.property(name).and_then(scan::count)?)));
    let Some((name, number)) = counted.filter(|(_, number)| *number > 0) else { return };
    let said = format!("{name}: {number}");
    let mut finding = Finding::new(place.at.clone(), FindingKind::ForeignConfiguration, said);
    finding.count = Some(number);
    all.reading.findings.push(finding);
}

fn details(all: &mut Gathered, at: &Path, section: &Section) {
    if section.title.ends_with(" State") {
        counters(all, at, section);
    } else if section.title.to_ascii_lowercase().ends_with("device attributes") {
        attributes(all.reading.disk(at), section);
    } else if section.title.ends_with("Settings") {
        settings(all, at, section);
    }
}

fn counters(all: &mut Gathered, at: &Path, section: &Section) {
    let count = |name: &str| section.property(name).and_then(scan::count);
    let alert = section.property("S.M.A.R.T alert flagged by drive").map(str::to_owned);
    let flagged = alert.as_ref().and_then(|v| yes(&mut all.reading, at, "S.M.A.R.T alert flagged by drive", v));
    let disk = all.reading.disk(at);
    disk.media_errors = count("Media Error Count").or(disk.media_errors);
    disk.other_errors = count("Other Error Count").or(disk.other_errors);
    disk.predictive_errors = count("Predictive Failure Count").or(disk.predictive_errors);
    let celsius = section.property("Drive Temperature").and_then(scan::number);
    disk.temperature_celsius = celsius.filter(|c| *c > 0).or(disk.temperature_celsius);
    let predicted = disk.predictive_errors.filter(|n| *n > 0);
    disk.predictive = match (predicted, flagged) {
        (_, Some(true)) => Some(Observed::new(true, "S.M.A.R.T alert flagged by drive: Yes")),
        (Some(n), _) => Some(Observed::new(true, format!("Predictive Failure Count: {n}"))),
        (None, Some(false)) => Some(Observed::new(false, "S.M.A.R.T alert flagged by drive: No")),
        (None, None) => disk.predictive.take(),
    };
}

fn attributes(disk: &mut Disk, section: &Section) {
    let text = |name: &str| section.property(name).map(|v| v.trim().to_owned());
    disk.serial = text("SN").or(disk.serial.take());
    disk.vendor = text("Manufacturer Id").or(disk.vendor.take());
    disk.model = text("Model Number").or(disk.model.take());
    disk.firmware = text("Firmware Revision").or(disk.firmware.take());
    add_alias(disk, section.property("SN").and_then(Alias::serial));
    add_alias(disk, section.property("WWN").and_then(Alias::wwn));
    disk.link_gbps = section.property("Link Speed").and_then(gigabits).or(disk.link_gbps);
    disk.link_capable_gbps = section.property("Device Speed").and_then(gigabits).or(disk.link_capable_gbps);
}

/// "6.0Gb/s"
fn gigabits(text: &str) -> Option<f64> {
    let digits: String = text.trim().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().ok().filter(|n| *n > 0.0)
}

fn settings(all: &mut Gathered, at: &Path, section: &Section) {
    if let Some(word) = section.property("Certified") {
        all.reading.disk(at).certified = Some(word.eq_ignore_ascii_case("yes"));
    }
    if let Some(position) = section.property("Drive position") {
        all.links.disk_position(at, position);
    }
}
