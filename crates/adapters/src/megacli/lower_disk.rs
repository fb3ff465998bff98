//! One disk block of MegaCli into facts.

use super::lower_array::push_task;
use super::parse::{Fields, RawDisk};
use super::{inquiry, vocabulary};
use crate::scan;
use raidmond_core::model::{Alias, Disk, DiskState, Interface, Medium, Observed, Path, SpareScope, TaskKind};
use raidmond_core::survey::{NoteKind, Reading};

/// The disk's path, or `None` where the block does not say which disk it is.
pub fn disk(raw: &RawDisk, controller: &Path, reading: &mut Reading) -> Option<Path> {
    let fields = &raw.fields;
    let Some(at) = place(fields, controller) else {
        let state = fields.get("Firmware state").unwrap_or("no state");
        let said = format!("a disk without slot number and device id is listed ({state})");
        reading.note(NoteKind::Partial, controller.clone(), said);
        return None;
    };
    let state = state(fields, &at, reading);
    let predictive = predictive(fields, &at, reading);
    let disk = reading.disk(&at);
    where_it_is(fields, disk);
    what_it_is(fields, disk);
    counters(fields, disk);
    disk.predictive = predictive.or(disk.predictive.take());
    disk.spun_down = spun_down(fields).or(disk.spun_down);
    if let Some(state) = state {
        disk.spare = spare(fields, state.state).or(disk.spare);
        task(&state, &at, reading);
        reading.disk(&at).state = Some(state);
    }
    aliases(fields, reading.disk(&at));
    Some(at)
}

/// By enclosure and slot; v1.01 prints no slot numbers, so there by device id.
fn place(fields: &Fields, controller: &Path) -> Option<Path> {
    match (number(fields, "Slot Number"), number(fields, "Device Id")) {
        (Some(slot), _) => Some(controller.slot(enclosure(fields), slot)),
        (None, Some(id)) => Some(controller.device_id(id)),
        (None, None) => None,
    }
}

/// The block says which disk it is.
pub fn is_named(raw: &RawDisk) -> bool {
    place(&raw.fields, &Path::default()).is_some()
}

/// Two places with one serial number (masked captures, enclosures that answer for their disks) prove
/// that it identifies neither.
pub fn refuse_shared_serials(disks: &mut [Disk]) {
    let serials: Vec<Alias> = disks.iter().flat_map(|d| &d.aliases).filter(|a| a.is_strong()).cloned().collect();
    let shared = |alias: &Alias| serials.iter().filter(|s| *s == alias).count() > 1;
    disks.iter_mut().for_each(|d| d.aliases.retain(|a| !a.is_strong() || !shared(a)));
}

fn number<'a>(fields: &'a Fields, key: &str) -> Option<&'a str> {
    fields.get(key).filter(|v| v.chars().all(|c| c.is_ascii_digit()))
}

/// "N/A" where the disk hangs on the controller without an enclosure.
fn enclosure(fields: &Fields) -> Option<&str> {
    number(fields, "Enclosure Device ID")
}

fn where_it_is(fields: &Fields, disk: &mut Disk) {
    disk.enclosure = enclosure(fields).map(str::to_owned);
    disk.slot = number(fields, "Slot Number").map(str::to_owned);
    disk.device_id = number(fields, "Device Id").map(str::to_owned).or(disk.device_id.take());
}

fn what_it_is(fields: &Fields, disk: &mut Disk) {
    let firmware = fields.get("Device Firmware Level");
    let found = inquiry::read(fields.raw("Inquiry Data").unwrap_or(""), firmware);
    disk.vendor = found.vendor.or(disk.vendor.take());
    disk.model = found.model.or(disk.model.take());
    disk.serial = found.serial.or(disk.serial.take());
    disk.firmware = firmware.map(str::to_owned).or(found.firmware).or(disk.firmware.take());
    let size = fields.get("Coerced Size").or_else(|| fields.get("Raw Size"));
    disk.size_bytes = size.and_then(|s| scan::size_bytes(s, true)).or(disk.size_bytes);
    disk.interface = fields.get("PD Type").and_then(interface).or(disk.interface);
    disk.medium = fields.get("Media Type").and_then(medium).or(disk.medium);
    disk.link_gbps = fields.get("Link Speed").and_then(gigabits).or(disk.link_gbps);
    disk.link_capable_gbps = fields.get("Device Speed").and_then(gigabits).or(disk.link_capable_gbps);
    disk.certified = fields.get("Drive").map(|v| !scan::same_word(v, "Not Certified")).or(disk.certified);
}

fn interface(word: &str) -> Option<Interface> {
    match word.to_ascii_uppercase().as_str() {
        "SAS" => Some(Interface::Sas),
        "SATA" => Some(Interface::Sata),
        "SCSI" | "PARALLEL SCSI" => Some(Interface::Scsi),
        "NVME" => Some(Interface::Nvme),
        _ => None,
    }
}

fn medium(word: &str) -> Option<Medium> {
    match word {
        w if scan::starts_with_word(w, "Hard Disk") => Some(Medium::Hdd),
        w if scan::starts_with_word(w, "Solid State") => Some(Medium::Ssd),
        _ => None,
    }
}

/// `6.0Gb/s`; "Unknown" is none.
fn gigabits(word: &str) -> Option<f64> {
    word.split_once("Gb/s").and_then(|(n, _)| n.trim().parse().ok())
}

fn counters(fields: &Fields, disk: &mut Disk) {
    disk.media_errors = fields.count("Media Error Count").or(disk.media_errors);
    disk.other_errors = fields.count("Other Error Count").or(disk.other_errors);
    disk.predictive_errors = fields.count("Predictive Failure Count").or(disk.predictive_errors);
    disk.temperature_celsius = temperature(fields).or(disk.temperature_celsius);
    disk.foreign = fields.get("Foreign State").map(|w| !w.eq_ignore_ascii_case("None")).or(disk.foreign);
}

/// "0C" is printed for disks that do not tell.
fn temperature(fields: &Fields) -> Option<i64> {
    fields.get("Drive Temperature").and_then(scan::number).filter(|t| *t != 0)
}

fn state(fields: &Fields, at: &Path, reading: &mut Reading) -> Option<Observed<DiskState>> {
    let Some(said) = fields.get("Firmware state") else {
        reading.note(NoteKind::Partial, at.clone(), "the disk is listed without a Firmware state line");
        return None;
    };
    let (word, motor) = said.split_once(',').map_or((said, ""), |(w, m)| (w.trim(), m.trim()));
    let state = vocabulary::disk_state(word);
    if state.is_none() {
        reading.unknown_word(at.clone(), "Firmware state", word);
    }
    if !MOTOR.iter().any(|(m, _)| scan::same_word(m, motor)) {
        reading.unknown_word(at.clone(), "Firmware state", motor);
    }
    Some(Observed::new(state.unwrap_or(DiskState::Unknown), said))
}

/// What may follow the state word, and whether the disk sleeps.
const MOTOR: [(&str, Option<bool>); 4] =
    [("", None), ("Spun Up", Some(false)), ("Spun Down", Some(true)), ("Transition", None)];

fn spun_down(fields: &Fields) -> Option<bool> {
    let (_, motor) = fields.get("Firmware state")?.split_once(',')?;
    MOTOR.iter().find(|(m, _)| scan::same_word(m, motor)).and_then(|(_, down)| *down)
}

/// The S.M.A.R.T. flag and the count speak each for itself: either is enough.
fn predictive(fields: &Fields, at: &Path, reading: &mut Reading) -> Option<Observed<bool>> {
    const FLAG: &str = "Drive has flagged a S.M.A.R.T alert";
    let count = fields.count("Predictive Failure Count");
    if let Some(count) = count.filter(|c| *c > 0) {
        return Some(Observed::new(true, format!("Predictive Failure Count: {count}")));
    }
    let flag = fields.get(FLAG);
    match flag {
        Some(word) if word.eq_ignore_ascii_case("Yes") => Some(Observed::new(true, format!("{FLAG}: {word}"))),
        Some(word) if word.eq_ignore_ascii_case("No") => Some(Observed::new(false, format!("{FLAG}: {word}"))),
        Some(word) if !word.eq_ignore_ascii_case("N/A") => {
            reading.unknown_word(at.clone(), FLAG, word);
            None
        }
        _ => count.map(|c| Observed::new(false, format!("Predictive Failure Count: {c}"))),
    }
}

/// A commissioned spare is a member while it stands in: it prints "Online" and its old kind.
fn spare(fields: &Fields, state: DiskState) -> Option<SpareScope> {
    if state != DiskState::HotSpare {
        return None;
    }
    let kind = fields.get("Type").unwrap_or("");
    Some(match scan::starts_with_word(kind, "Dedicated") {
        true => SpareScope::Dedicated,
        false => SpareScope::Global,
    })
}

fn task(state: &Observed<DiskState>, at: &Path, reading: &mut Reading) {
    let kind = match state.state {
        DiskState::Rebuilding => TaskKind::Rebuild,
        DiskState::CopyingBack => TaskKind::Copyback,
        _ => return,
    };
    push_task(reading, at.clone(), kind, &format!("Firmware state: {}", state.said), None);
}

fn aliases(fields: &Fields, disk: &mut Disk) {
    let sas = fields.get("SAS Address(0)").filter(|_| disk.interface == Some(Interface::Sas));
    let found = [
        disk.serial.as_deref().and_then(Alias::serial),
        fields.get("WWN").and_then(Alias::wwn),
        sas.and_then(Alias::sas_address),
        number(fields, "Device Id").map(|id| Alias::DeviceId(id.to_owned())),
    ];
    for alias in found.into_iter().flatten() {
        if !disk.aliases.contains(&alias) {
            disk.aliases.push(alias);
        }
    }
}
