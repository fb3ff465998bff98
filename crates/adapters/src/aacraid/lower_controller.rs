//! The controller itself, its cache and what keeps the cache through a power loss.

use super::parse::{Block, Kind};
use super::vocabulary::{self, CACHE, CONTROLLER, PART, PROTECTION};
use crate::{Said, scan};
use raidmond_core::model::{Alias, CacheKind, CacheProtection, CacheState, CheckSchedule, Controller, ControllerState};
use raidmond_core::model::{Finding, FindingKind, Observed, PartState, Path, ScheduledBy};
use raidmond_core::survey::Reading;

pub fn all(reading: &mut Reading, at: &Path, blocks: &[&Block]) {
    for block in blocks.iter().filter(|b| b.kind == Kind::Controller) {
        identity(reading.controller(at), block);
        counts(reading.controller(at), block);
        reading.schedules.extend(background_check(at, block));
        status(reading, at, block);
        temperature(reading, at, block);
        checksum(reading, at, block);
        cache(reading, at, block);
        protections(reading, at, block);
    }
}

pub fn identity(controller: &mut Controller, block: &Block) {
    let text = |keys: &[&str]| block.get(keys).map(str::to_owned);
    controller.model = text(&["Controller Model"]).or(controller.model.take());
    controller.serial = text(&["Controller Serial Number"]).or(controller.serial.take());
    controller.firmware = block.within("version", &["Firmware"]).map(str::to_owned).or(text(&["Firmware"]));
    controller.driver = text(&["Driver Name"]).or(text(&["Driver"]));
    controller.auto_rebuild = block.get(&["Automatic Failover"]).map(|v| scan::same_word(v, "Enabled"));
    let pci = block.starting("PCI Address").next().and_then(|f| Alias::pci(&f.value));
    let wwn = block.get(&["Controller World Wide Name"]).and_then(Alias::sas_address);
    let serial = controller.serial.as_deref().and_then(Alias::serial);
    for alias in [serial, wwn, pci].into_iter().flatten() {
        add_alias(&mut controller.aliases, alias);
    }
}

pub fn add_alias(aliases: &mut Vec<Alias>, alias: Alias) {
    if !aliases.contains(&alias) {
        aliases.push(alias);
    }
}

/// "Logical devices/Failed/Degraded : 1/0/1"; IBM says Offline and Critical for the same.
fn counts(controller: &mut Controller, block: &Block) {
    let counts = block.get(&["Logical devices/Failed/Degraded", "Logical drives/Offline/Critical"]);
    let mut numbers = counts.unwrap_or("").split('/').map(scan::count);
    controller.arrays_counted = numbers.next().flatten();
    controller.arrays_failed_counted = numbers.next().flatten();
    controller.arrays_degraded_counted = numbers.next().flatten();
    controller.disks_failed_counted = block.get(&["Defunct disk drive count"]).and_then(scan::count);
    controller.makes_arrays = makes_arrays(block.get(&["Controller Mode"]), counts.is_some());
}

/// The card reads and compares all arrays by itself, over and over, in a period that is not shown here.
fn background_check(at: &Path, block: &Block) -> Option<CheckSchedule> {
    const KEYS: [&str; 3] = ["Background consistency check", "Data scrubbing", "Background scrub"];
    let (key, word) = KEYS.iter().find_map(|key| Some((key, block.get(&[key])?)))?;
    let said = [("Enabled", true), ("Disabled", false)];
    let active = said.iter().find(|(w, _)| scan::same_word(word, w)).map(|(_, on)| *on);
    Some(CheckSchedule::new(at.clone(), ScheduledBy::Firmware, active, format!("{key}: {word}")))
}

/// A mode that is not HBA makes arrays; without a mode the count of arrays shows it.
pub fn makes_arrays(mode: Option<&str>, counts: bool) -> Option<bool> {
    match mode {
        Some(mode) => Some(!scan::starts_with_word(mode, "HBA")),
        None => counts.then_some(true),
    }
}

fn status(reading: &mut Reading, at: &Path, block: &Block) {
    if let Some(word) = block.get(&["Controller Status"]) {
        let state = state(reading, at, word);
        reading.controller(at).state = Some(state);
    }
}

pub fn state(reading: &mut Reading, at: &Path, word: &str) -> Observed<ControllerState> {
    let Some(Said::Controller(state)) = vocabulary::meaning(CONTROLLER, word) else {
        reading.unknown_word(at.clone(), CONTROLLER, word);
        return Observed::new(ControllerState::Unknown, word);
    };
    Observed::new(state, word)
}

/// "57 C/ 134 F (Normal)", "Normal". The word judges; cards print nonsense numbers as Normal.
fn temperature(reading: &mut Reading, at: &Path, block: &Block) {
    let Some(said) = block.get(&["Temperature"]) else { return };
    reading.controller(at).temperature_celsius = celsius(said);
    let word = said.split_once('(').map_or(said, |(_, w)| w.trim_end_matches(')')).trim();
    if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return;
    }
    match vocabulary::meaning(PART, word) {
        Some(Said::Part(PartState::Ok | PartState::NotInstalled)) => {}
        Some(_) => fault(reading, at, FindingKind::ToolReportsFault, format!("controller temperature {said}")),
        None => reading.unknown_word(at.clone(), "controller temperature", word),
    }
}

pub fn celsius(said: &str) -> Option<i64> {
    let head = said.split(['C', 'd']).next()?.trim();
    head.parse().ok()
}

fn checksum(reading: &mut Reading, at: &Path, block: &Block) {
    if let Some(word) = block.get(&["NVRAM Checksum Status"]).filter(|w| !means_nothing(w) && *w != "Passed") {
        fault(reading, at, FindingKind::ToolReportsFault, format!("NVRAM Checksum Status: {word}"));
    }
}

fn means_nothing(word: &str) -> bool {
    ["Not Applicable", "Not Available", "Not Supported", "Not Configured"].iter().any(|w| scan::same_word(w, word))
}

pub fn fault(reading: &mut Reading, at: &Path, kind: FindingKind, said: impl Into<String>) {
    let finding = Finding::new(at.clone(), kind, said);
    if !reading.findings.contains(&finding) {
        reading.findings.push(finding);
    }
}

/// SmartRAID: "Cache Status : Temporarily Disabled" with the reason beside it.
fn cache(reading: &mut Reading, at: &Path, block: &Block) {
    let Some(word) = block.get(&["Cache Status"]).filter(|w| !means_nothing(w) && !scan::same_word(w, "OK")) else {
        return;
    };
    match vocabulary::meaning(CACHE, word) {
        Some(Said::Finding(kind)) => {
            let why = block.get(&["Cache State Details", "Cache State"]).unwrap_or("no reason given");
            fault(reading, at, kind, format!("Cache Status: {word} ({why})"));
        }
        _ => reading.unknown_word(at.clone(), CACHE, word),
    }
}

fn protections(reading: &mut Reading, at: &Path, block: &Block) {
    if let Some(word) = block.within("battery information", &["Status"]) {
        let weak = block.within("battery information", &["Over temperature"]).is_some_and(|v| v == "Yes");
        let charge = block.within("battery information", &["Capacity remaining"]).and_then(scan::count);
        let pack = CacheProtection::new(at.child("battery"), CacheKind::Battery);
        let word = if weak { "Over Temperature" } else { word };
        fitted(reading, CacheProtection { charge_percent: charge, ..pack }, word);
    }
    if let Some(word) = block.within("zmm information", &["Status"]) {
        fitted(reading, CacheProtection::new(at.child("zmm"), CacheKind::Supercapacitor), word);
    }
    backup_unit(reading, at, block);
    green_backup(reading, at, block);
}

/// Series 7 and 8: an overall word, and one for flash and capacitor each; the worst counts.
fn backup_unit(reading: &mut Reading, at: &Path, block: &Block) {
    let Some(overall) = block.get(&["Overall Backup Unit Status"]) else { return };
    let parts = ["Supercap Status", "Non-Volatile Storage Status"].map(|key| block.get(&[key]));
    let good = |w: &&str| matches!(vocabulary::meaning(PROTECTION, w), Some(Said::Cache(CacheState::Optimal)));
    let word = if good(&overall) { parts.into_iter().flatten().find(|w| !good(w)).unwrap_or(overall) } else { overall };
    let mut pack = CacheProtection::new(at.child("capacitor"), CacheKind::Supercapacitor);
    pack.model = block.get(&["Backup Unit Type"]).map(str::to_owned);
    pack.charge_percent = block.within("supercap", &["Charge Level"]).and_then(scan::count);
    pack.temperature_celsius = block.within("supercap", &["Current Temperature"]).and_then(celsius);
    fitted(reading, pack, word);
}

/// SmartRAID: capacitor or battery as "Power Type" says.
fn green_backup(reading: &mut Reading, at: &Path, block: &Block) {
    const SECTION: &str = "backup information";
    let Some(word) = block.within(SECTION, &["Backup Power Status"]) else { return };
    let battery = block.within(SECTION, &["Power Type"]).is_some_and(|t| scan::starts_with_word(t, "batt"));
    let kind = if battery { CacheKind::Battery } else { CacheKind::Supercapacitor };
    let mut pack = CacheProtection::new(at.child(if battery { "battery" } else { "capacitor" }), kind);
    pack.charge_percent = block.within(SECTION, &["Relative Charge"]).and_then(scan::count);
    pack.temperature_celsius = block.within(SECTION, &["Current Temperature"]).and_then(celsius);
    pack.voltage_millivolts = block.within(SECTION, &["Voltage"]).and_then(scan::number);
    let error = block.within(SECTION, &["Hardware Error"]).filter(|e| !means_nothing(e) && *e != "No Error");
    if let Some(error) = error {
        fault(reading, &pack.at, FindingKind::ToolReportsFault, format!("backup power Hardware Error: {error}"));
    }
    fitted(reading, pack, word);
}

fn fitted(reading: &mut Reading, mut pack: CacheProtection, word: &str) {
    let state = match vocabulary::meaning(PROTECTION, word) {
        Some(Said::Cache(state)) => state,
        _ => {
            reading.unknown_word(pack.at.clone(), PROTECTION, word);
            CacheState::Unknown
        }
    };
    pack.learning = (state == CacheState::Learning).then_some(true);
    pack.state = Some(Observed::new(state, word));
    reading.caches.retain(|c| c.at != pack.at);
    reading.caches.push(pack);
}
