//! Boards of cciss_vol_status → facts. The tool does not say which drive is in which volume; it names the
//! failed ones of each.

use super::lower_array::level;
use super::lower_controller::part;
use super::vocabulary as words;
use super::vol_status::{Board, Drive, Shelf, Volume};
use raidmond_core::model::{
    Alias, ArrayState, Disk, DiskState, Enclosure, Finding, FindingKind, Level, Observed, PartKind, Path, SpareScope,
    Task, TaskKind, TaskState,
};
use raidmond_core::survey::{NoteKind, Reading};

pub fn board(reading: &mut Reading, at: &Path, board: &Board) {
    let controller = reading.controller(at);
    controller.model.clone_from(&board.model);
    controller.firmware.clone_from(&board.firmware);
    controller.makes_arrays = Some(true);
    // A drive without a row has a line of its own: "Cannot get device information".
    controller.disks_counted = board.drives_counted;
    for drive in &board.drives {
        listed(reading, at, drive);
    }
    for one in &board.volumes {
        volume(reading, at, board, one);
    }
    board.shelves.iter().for_each(|s| shelf(reading, at, s));
    cache(reading, at, board);
}

fn listed(reading: &mut Reading, controller: &Path, drive: &Drive) {
    let at = controller.child(&drive.id);
    let state = words::disk_state(words::DRIVE, &drive.status).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::DRIVE, &drive.status);
        DiskState::Unknown
    });
    let predicted = words::PREDICTIVE.iter().any(|p| p.eq_ignore_ascii_case(words::core_of(&drive.status)));
    let disk = described(reading, &at, drive);
    disk.state = Some(Observed::new(state, &drive.status));
    disk.predictive = predicted.then(|| Observed::new(true, &drive.status));
}

fn described<'a>(reading: &'a mut Reading, at: &Path, drive: &Drive) -> &'a mut Disk {
    let disk = reading.disk(at);
    disk.vendor = drive.vendor.clone().filter(|v| v != "ATA" && !v.is_empty());
    disk.model.clone_from(&drive.model);
    disk.serial.clone_from(&drive.serial);
    disk.firmware.clone_from(&drive.firmware);
    disk.aliases = drive.serial.as_deref().and_then(Alias::serial).into_iter().collect();
    disk
}

fn volume(reading: &mut Reading, controller: &Path, board: &Board, volume: &Volume) {
    let at = controller.array(&volume.number);
    let state = words::array_state(words::VOLUME, &volume.status).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::VOLUME, &volume.status);
        ArrayState::Unknown
    });
    if let Some(kind) = words::volume_finding(&volume.status) {
        reading.findings.push(Finding::new(at.clone(), kind, volume.status.clone()));
    }
    tasks(reading, &at, volume, state);
    let array = reading.array(&at);
    array.level = level(&volume.level).map(|l| if is_striped(board, &volume.level) { Level::Raid10 } else { l });
    array.level_said = Some(volume.level.clone());
    array.state = Some(Observed::new(state, &volume.status));
    array.device = Some(format!("/dev/{}", volume.node)).filter(|d| !d.contains("sg") && !d.contains('?'));
    if array.level.is_none() {
        reading.unknown_word(at.clone(), "RAID level", &volume.level);
    }
    spares(reading, controller, &at, volume, state);
}

/// "RAID 1(1+0)" with more than two drives behind the only volume.
fn is_striped(board: &Board, level: &str) -> bool {
    level.contains("1+0") && board.volumes.len() == 1 && board.drives_counted.is_some_and(|n| n > 2)
}

fn tasks(reading: &mut Reading, at: &Path, volume: &Volume, state: ArrayState) {
    let by_word = words::task_of(words::VOLUME_TASK, &volume.status).map(|t| (t, volume.status.as_str()));
    let rebuilding = volume.spares.iter().find(|s| s.contains("currently rebuilding"));
    let by_spare = rebuilding.filter(|_| state == ArrayState::Degraded);
    let by_spare = by_spare.map(|s| ((TaskKind::Rebuild, TaskState::Running), s.as_str()));
    let Some(((kind, state), said)) = by_spare.or(by_word) else { return };
    let state = Observed::new(state, said);
    reading.tasks.push(Task { on: at.clone(), kind, state, percent: None, seconds_left: None });
}

/// Failed drives of a volume that says OK are its spare, or drives whose place a spare holds; of a volume
/// that is not well they are its members.
fn spares(reading: &mut Reading, controller: &Path, at: &Path, volume: &Volume, state: ArrayState) {
    let spare_failed = volume.spares.iter().find(|s| s.contains("spare drive has failed"));
    let substituted = |d: &Drive| volume.substituted.iter().any(|s| s.id == d.id);
    let well = matches!(state, ArrayState::Optimal | ArrayState::Initialising);
    for drive in &volume.failed {
        let spare = spare_failed.is_some() && well && !substituted(drive);
        let held = substituted(drive) && well;
        let disk = described(reading, &controller.child(&drive.id), drive);
        disk.state = Some(Observed::new(DiskState::Failed, "Failed drives"));
        disk.spare = spare.then_some(SpareScope::Dedicated);
        disk.array = (!held).then(|| at.clone());
    }
    for drive in volume.replacements.iter().filter(|d| !volume.failed.iter().any(|f| f.id == d.id)) {
        let path = controller.child(&drive.id);
        let waits = !well;
        let disk = described(reading, &path, drive);
        if waits {
            disk.state = Some(Observed::new(DiskState::Rebuilding, "'Replacement' drives"));
            disk.array = Some(at.clone());
        } else if disk.state.is_none() {
            disk.state = Some(Observed::new(DiskState::Online, "'Replacement' drives"));
        }
    }
    if let Some(said) = spare_failed.filter(|_| volume.failed.is_empty() || !well) {
        reading.findings.push(Finding::new(at.clone(), FindingKind::SpareFailed, said.clone()));
    }
    let named = volume.failed.len() as u64;
    if let Some(counted) = volume.failed_counted.filter(|n| *n > named) {
        let said = format!("the tool counts {counted} failed drives of this volume and names {named}");
        reading.note(NoteKind::FewerThanCounted, at.clone(), said);
    }
}

fn shelf(reading: &mut Reading, controller: &Path, shelf: &Shelf) {
    let at = controller.child(format_args!("e{}", shelf.bus));
    let parts = shelf.status.split(", ").map(|word| {
        let (kind, name) = match word {
            "Fan failed" => (PartKind::Fan, "fans"),
            "Temperature problem" => (PartKind::TemperatureSensor, "temperature"),
            "Power Supply Unit failed" => (PartKind::PowerSupply, "power supplies"),
            "Door alert" => (PartKind::Alarm, "door"),
            _ => (PartKind::Whole, "enclosure"),
        };
        part(reading, &at, kind, name, word)
    });
    let parts = parts.collect();
    let text = |s: &String| Some(s.clone()).filter(|s| !s.is_empty());
    reading.enclosures.push(Enclosure {
        controller: Some(controller.clone()),
        model: text(&shelf.title),
        serial: text(&shelf.serial),
        slots: None,
        at,
        parts,
    });
}

fn cache(reading: &mut Reading, at: &Path, board: &Board) {
    let value = |key: &str| {
        let line = board.cache.iter().find(|l| crate::scan::starts_with_word(l, key))?;
        line.split_once(':').map(|(_, v)| v.trim())
    };
    let is = |key: &str, word: &str| value(key).is_some_and(|v| v.eq_ignore_ascii_case(word));
    let facts = [
        "Cache configured",
        "Total cache",
        "Cache Ratio",
        "Read cache",
        "Write cache memory",
        "Write cache enabled",
        "Flash backed",
    ];
    let said: Vec<&str> = board
        .cache
        .iter()
        .map(String::as_str)
        .filter(|l| !facts.iter().any(|f| crate::scan::starts_with_word(l, f)))
        .collect();
    let off = is("Write cache enabled", "No") && is("Cache configured", "Yes");
    let chosen = value("Write cache memory").is_some_and(|v| v.starts_with("0 ")) && said.is_empty();
    if !said.is_empty() || (off && !chosen) {
        let said = if said.is_empty() { "Write cache enabled: No".to_owned() } else { said.join("; ") };
        reading.findings.push(Finding::new(at.clone(), FindingKind::WriteBackLost, said));
    }
}
