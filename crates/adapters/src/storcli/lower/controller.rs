//! The card itself: identity, memory, temperature, clock, counts.

use super::{Gathered, Place, is_discovery};
use crate::scan;
use crate::storcli::parse::{Reply, Row, stated};
use crate::storcli::vocabulary;
use raidmond_core::model::{Alias, Controller, ControllerState, Finding, FindingKind, Observed, Path};
use raidmond_core::survey::{Covers, Known, NoteKind, Reading};

pub fn lower(all: &mut Gathered, place: &Place<'_>) {
    for (title, row) in place.reply.rows_with("Ctl") {
        overview(all, title, row);
    }
    let reply = place.reply;
    if reply.property("Number of Controllers").is_some() {
        all.reading.coverage.add(&Path::default(), Covers::Controllers);
    }
    if !is_summary(reply) && reply.titled("Status").next().is_none() {
        return;
    }
    let controller = all.reading.controller(place.at);
    identity(controller, reply);
    hardware(controller, reply);
    counts(controller, reply);
    health(&mut all.reading, place);
}

/// Speaks of the controller as a whole.
pub fn is_summary(reply: &Reply) -> bool {
    own(reply, "Product Name").or_else(|| own(reply, "Model")).is_some()
}

pub fn summary_word(reply: &Reply) -> Option<&str> {
    reply.titled("Status").find_map(|s| s.property("Controller Status"))
}

/// A property of the controller's own sections; disks and batteries have serial numbers, too.
fn own<'a>(reply: &'a Reply, name: &str) -> Option<&'a str> {
    let mine = ["", "Basics", "Version", "Bus", "PCI Version"];
    let sections = reply.sections.iter().filter(|s| mine.iter().any(|m| s.title.eq_ignore_ascii_case(m)));
    sections.filter_map(|s| s.property(name)).next()
}

fn first<'a>(reply: &'a Reply, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| own(reply, name))
}

fn set(field: &mut Option<String>, value: Option<&str>) {
    if let Some(value) = value {
        *field = Some(value.trim().to_owned());
    }
}

fn alias(controller: &mut Controller, alias: Option<Alias>) {
    if let Some(alias) = alias.filter(|a| !controller.aliases.contains(a)) {
        controller.aliases.push(alias);
    }
}

fn identity(controller: &mut Controller, reply: &Reply) {
    set(&mut controller.model, first(reply, &["Model", "Product Name"]));
    set(&mut controller.serial, own(reply, "Serial Number"));
    set(
        &mut controller.firmware,
        first(reply, &["Firmware Package Build", "FW Package Build", "Firmware Version", "FW Version"]),
    );
    set(&mut controller.driver, own(reply, "Driver Name"));
    alias(controller, own(reply, "Serial Number").and_then(Alias::serial));
    alias(controller, own(reply, "PCI Address").and_then(Alias::pci));
    alias(controller, own(reply, "SAS Address").and_then(Alias::sas_address));
    let drift = clock_drift(reply);
    controller.clock_drift_seconds = drift.or(controller.clock_drift_seconds);
}

fn hardware(controller: &mut Controller, reply: &Reply) {
    let celsius =
        reply.property("ROC temperature(Degree Celsius)").or_else(|| reply.property("ROC temperature(Degree Celcius)"));
    controller.temperature_celsius = celsius.and_then(scan::number).or(controller.temperature_celsius);
    if let Some(word) = reply.property("Auto Rebuild") {
        controller.auto_rebuild = Some(word.eq_ignore_ascii_case("On"));
    }
    let personality = reply.property("Current Personality").or_else(|| reply.property("Controller Personality"));
    let personality = personality.unwrap_or("").to_ascii_uppercase();
    let passes_through = personality.starts_with("HBA") || personality.starts_with("JBOD");
    let host_adapter = own(reply, "Driver Name").is_some_and(|d| d.starts_with("mpt"))
        && first(reply, &["Model", "Product Name"]).is_some_and(|m| m.contains("HBA"));
    if passes_through || host_adapter {
        controller.makes_arrays = Some(false);
    }
}

fn counts(controller: &mut Controller, reply: &Reply) {
    let count = |name: &str| reply.property(name).and_then(scan::count);
    controller.arrays_counted = count("Virtual Drives").or(controller.arrays_counted);
    controller.disks_counted = count("Physical Drives").or(controller.disks_counted);
    // Generation 2 counts what is wrong beside its one word.
    let state = |name: &str| reply.titled("Status").find_map(|s| s.property(name)).and_then(scan::count);
    controller.arrays_degraded_counted = state("VD Degraded Count").or(controller.arrays_degraded_counted);
    controller.arrays_failed_counted = state("VD Offline Count").or(controller.arrays_failed_counted);
    let predictive = state("Critical Predictive Failure PD Drive Count");
    controller.disks_critical_counted = predictive.or(controller.disks_critical_counted);
    controller.disks_failed_counted = state("Failed PD Drive Count").or(controller.disks_failed_counted);
}

fn health(reading: &mut Reading, place: &Place<'_>) {
    let Some(status) = place.reply.titled("Status").next() else { return };
    let controller = reading.controller(place.at);
    if let Some(word) = status.property("Controller Status").filter(|w| vocabulary::summary_is_good(w)) {
        controller.state = Some(Observed::new(ControllerState::Optimal, word));
    }
    let count = |name: &str| status.property(name).and_then(scan::count);
    controller.memory_correctable_errors = count("Memory Correctable Errors").or(controller.memory_correctable_errors);
    controller.memory_uncorrectable_errors =
        count("Memory Uncorrectable Errors").or(controller.memory_uncorrectable_errors);
    for (name, kind) in FLAGS {
        if status.property(name).is_some_and(|v| v.eq_ignore_ascii_case("yes")) {
            reading.findings.push(Finding::new(place.at.clone(), *kind, format!("{name}: Yes")));
        }
    }
}

/// What "Yes" to these means; everything else in the section is a capability.
const FLAGS: &[(&str, FindingKind)] = &[
    ("Any Offline VD Cache Preserved", FindingKind::CachePreserved),
    ("Preserved Cache Present", FindingKind::CachePreserved),
    ("Failed to get Security key on bootup", FindingKind::ToolReportsFault),
    ("Controller Reset Required", FindingKind::ToolReportsFault),
    ("System Shutdown Required", FindingKind::ToolReportsFault),
    ("System Reboot Required", FindingKind::ToolReportsNotice),
    ("Controller has booted into safe mode", FindingKind::ToolReportsFault),
    ("Controller shutdown required", FindingKind::ToolReportsFault),
    ("Failed to get lock key on bootup", FindingKind::ToolReportsFault),
    ("Controller must be rebooted to complete security operation", FindingKind::ToolReportsNotice),
    ("A rollback operation is in progress", FindingKind::ToolReportsNotice),
];

/// A row of `show`: one line a controller.
fn overview(all: &mut Gathered, title: &str, row: &Row) {
    let Some(number) = row.get("Ctl").filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit())) else {
        return;
    };
    let at = Path::controller(number);
    let controller = all.reading.controller(&at);
    set(&mut controller.model, row.stated("Model"));
    alias(controller, row.get("PCI Address").and_then(Alias::pci));
    let count = |name: &str| row.get(name).and_then(scan::count);
    controller.arrays_counted = count("VDs").or(controller.arrays_counted);
    controller.disks_counted = count("PDs").or(controller.disks_counted);
    controller.arrays_degraded_counted = count("VNOpt").or(controller.arrays_degraded_counted);
    let passes_through = |p: &str| p.starts_with("HBA") || p.starts_with("JBOD");
    if title.starts_with("IT ") || row.stated("Personality").is_some_and(passes_through) {
        controller.makes_arrays = Some(false);
    }
    if let Some(word) = row.stated("Hlth") {
        if vocabulary::summary_is_good(word) {
            controller.state = Some(Observed::new(ControllerState::Optimal, word));
        } else if controller.arrays_degraded_counted.unwrap_or(0) == 0 {
            all.overview_words.push((at, word.to_owned()));
        }
    }
}

/// "06/02/2015, 23:58:29". Zones differ by whole half hours; what is left over is drift.
fn clock_drift(reply: &Reply) -> Option<i64> {
    let card = first(reply, &["Current Controller Date/Time", "Controller Time"]).and_then(seconds)?;
    let host = first(reply, &["Current System Date/time", "System Time"]).and_then(seconds)?;
    let apart = card - host;
    let zone = (apart as f64 / 1800.0).round() as i64 * 1800;
    Some(if zone.abs() <= 14 * 3600 { apart - zone } else { apart })
}

fn seconds(text: &str) -> Option<i64> {
    let numbers: Vec<i64> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|p| !p.is_empty()).filter_map(|p| p.parse().ok()).collect();
    let [month, day, year, hour, minute, second] = numbers.as_slice() else { return None };
    if !(1970..=2200).contains(year) || !(1..=12).contains(month) {
        return None;
    }
    // Days since a fixed day, with the year begun in March.
    let (y, m) = if *month > 2 { (*year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// The overview must show as many controllers as it counts and as the bus holds.
pub fn count(reading: &mut Reading, known: &Known, driver: &str) {
    let seen = reading.controllers.len();
    let on_bus = known.pci.iter().filter(|d| d.driver.as_deref() == Some(driver)).count();
    if seen < on_bus {
        let said = format!("{seen} of {on_bus} MegaRAID controllers on the bus are seen by the tool");
        reading.note(NoteKind::FewerThanCounted, Path::default(), said);
    } else if seen == 0 {
        let kind = if is_discovery(known) { NoteKind::Remark } else { NoteKind::FewerThanCounted };
        reading.note(kind, Path::default(), "the tool sees no controller");
    }
}

/// "Yes" or "No"; anything else that is stated is quoted.
pub fn yes(reading: &mut Reading, at: &Path, name: &str, value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => {
            if stated(value) {
                reading.unknown_word(at.clone(), name, value);
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_no_drift() {
        let apart = |card: &str, host: &str| Some(seconds(card)? - seconds(host)?);
        assert_eq!(apart("03/01/2024, 00:00:00", "02/28/2024 23:59:50"), Some(86410));
        assert_eq!(seconds("00/00/00"), None);
    }
}
