//! Adapter, enclosure, progress, PCI and foreign pages of MegaCli into facts. The battery page has a
//! file of its own.

use super::lower::Heed;
use super::lower_array::push_task;
use super::parse::Fields;
use super::parse_pages::{self, ProgressOn, RawEnclosure, RawPart, Sheet};
use super::vocabulary;
use crate::megaraid::schedule::{self, Said};
use crate::scan;
use raidmond_core::model::{
    Alias, Enclosure, Finding, FindingKind, Observed, Part, PartKind, PartState, Path, TaskKind,
};
use raidmond_core::survey::{Covers, NoteKind, PciDevice, Reading, Scope};

pub use super::lower_battery::batteries;

/// The tool numbers its controllers from 0 without gaps.
pub fn count(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let Some(count) = parse_pages::controller_count(&heed.page.body) else { return false };
    for number in 0..count.min(64) {
        reading.controller(&Path::controller(number));
    }
    // In a capture the count alone says nothing of anything's health.
    if heed.answer.outcome.ended() && heed.known.scope != Scope::Everything {
        reading.coverage.add(&Path::default(), Covers::Controllers);
    }
    true
}

pub fn adapters(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let mut understood = false;
    for sheet in parse_pages::sheets(&heed.page.body) {
        let known = ["Product Name", "FW Package Build", "FW Version", "Critical Disks", "Failed Disks"];
        if known.iter().any(|key| sheet.fields.get(key).is_some()) {
            understood = true;
            let at = heed.controller(&sheet.number);
            adapter(&sheet.fields, &at, reading);
        }
    }
    understood
}

pub fn adapter(fields: &Fields, at: &Path, reading: &mut Reading) {
    if fields.get("Any Offline VD Cache Preserved").is_some_and(|v| v.eq_ignore_ascii_case("Yes")) {
        let said = "Any Offline VD Cache Preserved: Yes";
        reading.findings.push(Finding::new(at.clone(), FindingKind::CachePreserved, said));
    }
    let text = |key| fields.get(key).map(str::to_owned);
    let controller = reading.controller(at);
    controller.model = text("Product Name");
    controller.serial = text("Serial No");
    controller.firmware = text("FW Package Build").or_else(|| text("FW Version"));
    controller.memory_correctable_errors = fields.count("Memory Correctable Errors");
    controller.memory_uncorrectable_errors = fields.count("Memory Uncorrectable Errors");
    controller.arrays_counted = fields.count("Virtual Drives").or_else(|| fields.count("Virtual Drive"));
    controller.arrays_degraded_counted = fields.count("Degraded");
    controller.arrays_failed_counted = fields.count("Offline");
    controller.disks_counted = fields.count("Disks");
    controller.disks_critical_counted = fields.count("Critical Disks");
    controller.disks_failed_counted = fields.count("Failed Disks");
    controller.temperature_celsius = fields.get("ROC temperature").and_then(scan::number);
    controller.auto_rebuild = switch(fields, "Auto Rebuild", "Enabled", "Disabled");
    controller.cache_protection_fitted = switch(fields, "BBU", "Present", "Absent");
    let serial = fields.get("Serial No").and_then(Alias::serial);
    let address = fields.get("SAS Address").and_then(Alias::sas_address);
    for alias in serial.into_iter().chain(address) {
        if !controller.aliases.contains(&alias) {
            controller.aliases.push(alias);
        }
    }
}

fn switch(fields: &Fields, key: &str, yes: &str, no: &str) -> Option<bool> {
    let word = fields.get(key)?;
    let said = [(yes, true), (no, false)];
    said.iter().find(|(w, _)| w.eq_ignore_ascii_case(word)).map(|(_, value)| *value)
}

/// An address is taken only when the bus has a card there, where the bus is known: whether the numbers
/// are decimal or hexadecimal is not documented.
pub fn pci(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let mut understood = false;
    for sheet in parse_pages::sheets(&heed.page.body) {
        let number = |key| sheet.fields.get(key);
        let (Some(bus), Some(device), Some(function)) =
            (number("Bus Number"), number("Device Number"), number("Function Number"))
        else {
            continue;
        };
        understood = true;
        let at = heed.controller(&sheet.number);
        let alias = Alias::pci(&format!("0000:{bus}:{device}.{function}"));
        let alias = alias.filter(|a| is_on_bus(&heed.known.pci, a.value()));
        reading.controller(&at).aliases.extend(alias);
    }
    understood
}

fn is_on_bus(bus: &[PciDevice], address: &str) -> bool {
    bus.is_empty() || bus.iter().any(|d| d.address.eq_ignore_ascii_case(address))
}

pub fn foreign(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let found: Vec<_> = heed.page.body.lines().filter_map(|l| parse_pages::foreign(l).map(|f| (f, l))).collect();
    for ((number, count), said) in &found {
        if *count > 0 {
            let at = Path::controller(number);
            let mut finding = Finding::new(at, FindingKind::ForeignConfiguration, said.trim());
            finding.count = Some(*count);
            reading.findings.push(finding);
        }
    }
    !found.is_empty()
}

pub fn progress(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let found: Vec<_> = heed.page.body.lines().filter_map(parse_pages::progress).collect();
    let controller = heed.controller(&None);
    for line in &found {
        let Some(percent) = line.percent else { continue };
        let kind = vocabulary::task_kind(&line.what).unwrap_or(TaskKind::Unknown);
        let on = match &line.on {
            ProgressOn::Disk { enclosure, slot } => controller.slot(Some(enclosure), slot),
            ProgressOn::Array(number) => controller.array(number),
        };
        if kind == TaskKind::Unknown {
            reading.unknown_word(on.clone(), "progress", &line.what);
        }
        push_task(reading, on, kind, &line.said, Some(percent));
    }
    // "Device(Encl-32 Slot-3) is not in rebuild process" and the like: nothing runs there.
    !found.is_empty() || heed.page.body.to_ascii_lowercase().contains("not in ")
}

/// `-AdpCcSched -Info` and `-AdpPR -Info`.
pub fn schedules(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let mut understood = false;
    for sheet in parse_pages::sheets(&heed.page.body) {
        let of = |key| sheet.fields.get(key);
        let (kind, mode, delay) = match (of("Operation Mode"), of("Patrol Read Mode")) {
            (Some(mode), _) => (TaskKind::Check, mode, of("Execution Delay")),
            (None, Some(mode)) => (TaskKind::PatrolRead, mode, of("Patrol Read Execution Delay")),
            (None, None) => continue,
        };
        understood = true;
        let at = heed.controller(&sheet.number);
        if kind == TaskKind::PatrolRead {
            reading.controller(&at).patrol_read = of("Current State").map(|state| format!("{mode}, {state}"));
        }
        let said = Said { mode, delay, next: of("Next start time"), excluded: of("Excluded VDs") };
        schedule::lower(reading, &at, kind, said);
    }
    understood
}

pub fn enclosures(heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let (found, stated) = parse_pages::enclosures(&heed.page.body);
    for raw in &found {
        enclosure(raw, &heed.controller(&raw.adapter), reading);
    }
    for (number, count) in &stated {
        let at = heed.controller(&Some(number.clone()));
        let listed = found.iter().filter(|e| e.adapter.as_ref() == Some(number)).count() as u64;
        if listed < *count {
            let said = format!("{count} enclosures are counted and {listed} listed");
            reading.note(NoteKind::FewerThanCounted, at, said);
        } else if heed.complete {
            reading.coverage.add(&at, Covers::Enclosures);
        }
    }
    !stated.is_empty()
}

fn enclosure(raw: &RawEnclosure, controller: &Path, reading: &mut Reading) {
    let Some(id) = raw.fields.get("Device ID") else {
        return reading.note(NoteKind::Partial, controller.clone(), "an enclosure without Device ID is listed");
    };
    let at = controller.child(format_args!("e{id}"));
    let mut parts = Vec::new();
    if let Some(word) = raw.fields.get("Status") {
        parts.push(part(PartKind::Whole, "Enclosure".to_owned(), word, None, &at, reading));
    }
    for raw in &raw.parts {
        let Some(word) = &raw.status else { continue };
        let value = raw.value.as_deref().and_then(scan::number);
        let name = format!("{} {}", raw.what, raw.number);
        parts.push(part(part_kind(raw), name, word, value, &at, reading));
    }
    reading.enclosures.push(Enclosure {
        controller: Some(controller.clone()),
        model: raw.fields.get("Product Identification").map(str::to_owned),
        serial: raw.fields.get("Enclosure Serial Number").filter(|s| *s != "N/A").map(str::to_owned),
        slots: raw.fields.count("Number of Slots").and_then(|n| u32::try_from(n).ok()),
        at,
        parts,
    });
}

fn part_kind(raw: &RawPart) -> PartKind {
    match raw.what.as_str() {
        "Fan" => PartKind::Fan,
        "Power Supply" => PartKind::PowerSupply,
        "Voltage Sensor" => PartKind::VoltageSensor,
        "Temp Sensor" | "Temperature Sensor" => PartKind::TemperatureSensor,
        "Alarm" => PartKind::Alarm,
        "SIM" => PartKind::Link,
        _ => PartKind::Whole,
    }
}

fn part(kind: PartKind, name: String, word: &str, value: Option<i64>, at: &Path, reading: &mut Reading) -> Part {
    let state = vocabulary::part_state(word);
    if state.is_none() {
        reading.unknown_word(at.clone(), &format!("{name} status"), word);
    }
    Part { kind, name, state: Observed::new(state.unwrap_or(PartState::Unknown), word), value }
}

/// A page without its data, for the battery reader.
pub fn says(sheet: &Sheet, words: &str) -> Option<String> {
    sheet.sentences.iter().find(|s| s.to_ascii_lowercase().contains(words)).cloned()
}
