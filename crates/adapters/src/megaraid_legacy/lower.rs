//! Raw logical drives, disks and battery → facts, through the vocabulary.

use super::parse::{LogicalDrive, RawDisk, Sheet};
use super::vocabulary as words;
use crate::Said;
use crate::scan::count;
use raidmond_core::model::{
    ArrayState, CacheKind, CacheProtection, CacheState, DiskState, Interface, Level, Member, Observed, Path, Task,
    TaskKind, TaskState, WriteCache,
};
use raidmond_core::survey::Reading;

pub fn sheet(reading: &mut Reading, at: &Path, sheet: &Sheet) {
    config(reading, at, sheet);
    for drive in sheet.drives.iter().filter(|d| !d.state.eq_ignore_ascii_case(words::DELETED)) {
        array(reading, at, drive);
    }
    for disk in &sheet.disks {
        raw_disk(reading, at, disk);
    }
    if let Some(said) = &sheet.battery {
        battery(reading, at, said);
    }
}

fn config(reading: &mut Reading, at: &Path, sheet: &Sheet) {
    let controller = reading.controller(at);
    controller.makes_arrays = Some(true);
    if sheet.drives.is_empty() && sheet.disks.is_empty() && controller.model.is_none() {
        controller.model = sheet.product.clone();
    }
    for (key, value) in &sheet.settings {
        match key.as_str() {
            "version" => controller.firmware = value.split([':', ',']).next().map(|v| v.trim().to_owned()),
            "logical drives" => controller.arrays_counted = count(value),
            _ => {}
        }
    }
}

fn array(reading: &mut Reading, at: &Path, drive: &LogicalDrive) {
    let at = at.array(drive.number);
    let state = match words::meaning(words::ARRAY, &drive.state) {
        Some(Said::Array(state)) => state,
        _ => {
            reading.unknown_word(at.clone(), words::ARRAY, &drive.state);
            ArrayState::Unknown
        }
    };
    if let Some(task) = &drive.task {
        array_task(reading, &at, task);
    }
    let array = reading.array(&at);
    array.state = Some(Observed::new(state, drive.state.clone()));
    level(array, drive);
    cache(array, drive);
}

fn array_task(reading: &mut Reading, at: &Path, said: &str) {
    match words::meaning(words::ARRAY_TASK, said) {
        Some(Said::Task(kind, state)) => push_task(reading, at, kind, Observed::new(state, said)),
        _ => reading.unknown_word(at.clone(), words::ARRAY_TASK, said),
    }
}

fn push_task(reading: &mut Reading, on: &Path, kind: TaskKind, state: Observed<TaskState>) {
    reading.tasks.push(Task { on: on.clone(), kind, state, percent: None, seconds_left: None });
}

/// "RAID level: 1" with a span depth of two is RAID 10.
fn level(array: &mut raidmond_core::model::Array, drive: &LogicalDrive) {
    let Some(said) = drive.setting(&["raid level", "raidlevel"]) else { return };
    let spans = drive.setting(&["span depth", "spandepth"]).and_then(count).unwrap_or(1);
    let nested = if spans > 1 { "0" } else { "" };
    array.level = Level::parse(&format!("{}{nested}", said.trim()));
    array.level_said = Some(format!("RAID level {said}, {spans} span(s)"));
}

/// The files show one policy and not whether it is the configured one or the one in force.
fn cache(array: &mut raidmond_core::model::Array, drive: &LogicalDrive) {
    let Some(write) = drive.setting(&["write policy", "wrpolicy"]) else { return };
    let word = write.to_ascii_lowercase().replace(' ', "");
    array.cache.current_write = match word.as_str() {
        "writeback" => Some(WriteCache::WriteBack),
        "writethru" | "writethrough" => Some(WriteCache::WriteThrough),
        _ => None,
    };
    array.cache.said_current = Some(write.to_owned());
    let read = drive.setting(&["read policy", "rdahead"]).unwrap_or("").to_ascii_lowercase();
    array.cache.read_ahead = (!read.is_empty()).then(|| !read.starts_with("no"));
}

fn raw_disk(reading: &mut Reading, controller: &Path, raw: &RawDisk) {
    let at = controller.child(format_args!("ch{}:{}", raw.channel, raw.target));
    let state = match words::meaning(words::DISK, &raw.state) {
        Some(Said::Disk(state)) => state,
        _ => {
            reading.unknown_word(at.clone(), words::DISK, &raw.state);
            DiskState::Unknown
        }
    };
    let listed_twice = reading.disks.iter().any(|d| d.at == at && d.state.is_some());
    if state == DiskState::Rebuilding && !listed_twice {
        push_task(reading, &at, TaskKind::Rebuild, Observed::new(TaskState::Running, raw.state.clone()));
    }
    if let Some((drive, group)) = raw.member_of {
        let member = Member { disk: at.clone(), group, in_sync: in_sync(state) };
        reading.array(&controller.array(drive)).members.push(member);
    }
    let disk = reading.disk(&at);
    disk.enclosure = Some(format!("channel {}", raw.channel));
    disk.slot = Some(raw.target.to_string());
    disk.interface = Some(Interface::Scsi);
    disk.state = Some(Observed::new(state, raw.state.clone()));
    disk.array = raw.member_of.map(|(drive, _)| controller.array(drive)).or(disk.array.take());
    disk.vendor = raw.vendor.clone().or(disk.vendor.take());
    disk.model = raw.model.clone().or(disk.model.take());
    disk.firmware = raw.firmware.clone().or(disk.firmware.take());
}

fn in_sync(state: DiskState) -> Option<bool> {
    match state {
        DiskState::Online => Some(true),
        DiskState::Unknown => None,
        _ => Some(false),
    }
}

/// `/proc` does not say which array a disk belongs to. A failed or rebuilding disk beside exactly one
/// array that is not optimal belongs to that one.
pub fn place_sick_disks(reading: &mut Reading, controller: &Path) {
    let sick: Vec<Path> = (reading.arrays.iter())
        .filter(|a| a.controller.as_ref() == Some(controller))
        .filter(|a| a.state.as_ref().is_some_and(|s| s.state != ArrayState::Optimal))
        .map(|a| a.at.clone())
        .collect();
    let [array] = sick.as_slice() else { return };
    for disk in reading.disks.iter_mut().filter(|d| d.controller.as_ref() == Some(controller) && d.array.is_none()) {
        let hurt = disk.state.as_ref().is_some_and(|s| matches!(s.state, DiskState::Failed | DiskState::Rebuilding));
        disk.array = hurt.then(|| array.clone());
    }
}

/// `[18] Low Voltage Charge In-progress`: the number is a set of bits and decides; the words follow it.
fn battery(reading: &mut Reading, controller: &Path, said: &str) {
    let at = controller.child("battery");
    let mut cache = CacheProtection::new(at.clone(), CacheKind::Battery);
    let Some(bits) = count(said) else {
        reading.unknown_word(at, "battery status", said);
        cache.state = Some(Observed::new(CacheState::Unknown, said));
        return reading.caches.push(cache);
    };
    let known = words::BITS.iter().fold(0, |sum, (bit, _)| sum | bit);
    if bits & !known != 0 {
        reading.unknown_word(at, words::BATTERY, &format!("{:#04x}", bits & !known));
    }
    let names: Vec<&str> = words::BITS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect();
    let said = if names.is_empty() { format!("{bits}") } else { format!("{bits}: {}", names.join(", ")) };
    cache.replace = (bits & words::CYCLES_EXCEEDED != 0).then(|| Observed::new(true, said.clone()));
    cache.state = Some(Observed::new(worst(bits, bits & !known != 0), said));
    reading.controller(controller).cache_protection_fitted = Some(bits & 0x01 == 0);
    reading.caches.push(cache);
}

/// Without a module the other bits mean nothing.
fn worst(bits: u64, unknown: bool) -> CacheState {
    if bits & 0x01 != 0 {
        return CacheState::NotFitted;
    }
    const ORDER: [u64; 6] = [0x20, 0x08, 0x02, 0x04, 0x40, 0x10];
    let found = ORDER.into_iter().find(|bit| bits & bit != 0);
    match found.and_then(words::bit) {
        Some(CacheState::Charging) | None if unknown => CacheState::Unknown,
        Some(state) => state,
        None => CacheState::Optimal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn battery_numbers_are_bits() {
        for (bits, state) in [
            (0, CacheState::Optimal),
            (1, CacheState::NotFitted),
            (9, CacheState::NotFitted),
            (8, CacheState::Missing),
            (16, CacheState::Charging),
            (18, CacheState::Weak),
            (0x30, CacheState::Failed),
            (0x40, CacheState::Weak),
        ] {
            assert_eq!(worst(bits, false), state, "{bits}");
        }
        assert_eq!(worst(0x80, true), CacheState::Unknown);
    }
}
