//! From what smartctl says of a disk to facts.
//!
//! "PASSED" is one fact among others: sectors that cannot be read, uncorrected errors and a failed self-test
//! stand beside it. The exit status is a set of bits: 0 to 2 mean that something was not read, 3 and 4 that
//! the disk fails, 5 to 7 are history (smartctl(8)).

use super::report::{Protocol, Recovery, Report, SelfTest, Support};
use super::{attributes, vocabulary};
use raidmond_core::model::{
    Alias, Disk, ErrorRecovery, Finding, FindingKind, Interface, Medium, Observed, Path, TaskState,
};
use raidmond_core::survey::{NoteKind, Reading};

const FAILING_NOW: i32 = 1 << 3;
const PREFAIL_NOW: i32 = 1 << 4;

/// NVMe critical warning, bit by bit (NVMe base specification, log page 02h).
const CRITICAL: [&str; 6] = [
    "spare capacity below its threshold",
    "temperature beyond a limit",
    "reliability degraded by errors",
    "media is read-only",
    "backup of volatile memory failed",
    "persistent memory region unreliable",
];
const TEMPERATURE_BIT: u64 = 1 << 1;

/// Adds the facts of this report to the disk of this place. False: nothing in it says how the disk is.
pub fn judge(reading: &mut Reading, at: &Path, report: &Report) -> bool {
    for (of, word) in &report.unknown {
        reading.unknown_word(at.clone(), of, word);
    }
    if !report.tells() && report.exit & (FAILING_NOW | PREFAIL_NOW) == 0 {
        return false;
    }
    health_words(reading, at, report);
    self_test_words(reading, at, report);
    history(reading, at, report);
    temperature_warning(reading, at, report);
    let disk = reading.disk(at);
    identity(disk, report);
    health(disk, report);
    counts(disk, report);
    recovery(disk, report);
    temperature(disk, report);
    true
}

fn health_words(reading: &mut Reading, at: &Path, report: &Report) {
    if let Some(word) = report.health.as_deref().filter(|word| vocabulary::is_well(word).is_none()) {
        reading.unknown_word(at.clone(), "overall health", word);
    }
}

fn self_test_words(reading: &mut Reading, at: &Path, report: &Report) {
    for test in report.self_tests.iter().filter(|t| vocabulary::result_of(&t.result).is_none()) {
        reading.unknown_word(at.clone(), "self-test result", &test.result);
    }
}

fn history(reading: &mut Reading, at: &Path, report: &Report) {
    for attribute in attributes::past(report) {
        let said = format!("{} was at its threshold once, and is not now", attribute.name);
        reading.note(NoteKind::Remark, at.clone(), said);
    }
    if report.support == Support::SwitchedOff {
        let said = "SMART is switched off in this disk";
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsNotice, said));
    }
}

fn temperature_warning(reading: &mut Reading, at: &Path, report: &Report) {
    let critical = report.nvme.as_ref().and_then(|n| n.critical_warning).unwrap_or(0);
    let words = report.health.as_deref().unwrap_or("").to_ascii_uppercase();
    if critical & TEMPERATURE_BIT != 0 || words.contains("TEMPERATURE EXCEEDED") {
        let said = "the disk warns of its temperature";
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
    }
}

fn identity(disk: &mut Disk, report: &Report) {
    let keep = |into: &mut Option<String>, from: &Option<String>| {
        if into.is_none() {
            into.clone_from(from);
        }
    };
    keep(&mut disk.vendor, &report.vendor);
    keep(&mut disk.model, &report.model);
    keep(&mut disk.serial, &report.serial);
    keep(&mut disk.firmware, &report.firmware);
    disk.aliases.extend(report.wwn.as_deref().and_then(Alias::wwn).filter(|w| !disk.aliases.contains(w)));
    disk.size_bytes = disk.size_bytes.or(report.size_bytes);
    disk.power_on_hours = disk.power_on_hours.or(report.hours).or_else(|| attributes::hours(report));
    disk.medium = disk.medium.or(report.solid.map(|solid| if solid { Medium::Ssd } else { Medium::Hdd }));
    disk.interface = disk.interface.or(match report.protocol {
        Some(Protocol::Ata) => Some(Interface::Sata),
        Some(Protocol::Scsi) => Some(Interface::Sas),
        Some(Protocol::Nvme) => Some(Interface::Nvme),
        None => None,
    });
}

fn health(disk: &mut Disk, report: &Report) {
    let signs = signs(report);
    let passed = report.health.as_deref().and_then(vocabulary::is_well);
    if !signs.is_empty() {
        disk.predictive = Some(Observed::new(true, signs.join("; ")));
    } else if let (Some(true), Some(word)) = (passed, &report.health) {
        disk.predictive.get_or_insert(Observed::new(false, format!("overall health \"{word}\"")));
    }
    let used_up =
        report.percent_used.filter(|used| *used >= 100).map(|used| format!("{used} % of the rated life used"));
    let low = attributes::worn(report).map(|a| format!("{} {}, threshold {}", a.name, a.value, a.threshold));
    if let Some(said) = low.or(used_up) {
        disk.worn = Some(Observed::new(true, said));
    }
    if let Some(failed) = failed_test(&report.self_tests) {
        disk.self_test_failed = Some(failed);
    }
}

/// All that predicts a failure.
fn signs(report: &Report) -> Vec<String> {
    let mut signs = Vec::new();
    if let Some(word) = report.health.as_deref().filter(|word| vocabulary::is_well(word) == Some(false)) {
        signs.push(format!("overall health \"{word}\""));
    }
    if let Some(a) = attributes::predicting(report) {
        signs.push(format!("{} {} is at its threshold {}", a.name, a.value, a.threshold));
    }
    if let Some(nvme) = &report.nvme {
        let bits = nvme.critical_warning.unwrap_or(0) & !TEMPERATURE_BIT;
        let named = CRITICAL.iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0).map(|(_, words)| *words);
        let named: Vec<&str> = named.collect();
        if bits != 0 {
            signs.push(format!("critical warning 0x{bits:02x}: {}", named.join(", ")));
        }
        if let (Some(spare), Some(least)) = (nvme.spare, nvme.spare_threshold)
            && spare < least
        {
            signs.push(format!("available spare {spare} %, threshold {least} %"));
        }
    }
    if signs.is_empty() && report.exit & (FAILING_NOW | PREFAIL_NOW) != 0 {
        signs.push(format!("exit status {} of smartctl: failing now", report.exit));
    }
    signs
}

/// A failure counts until a long test came to its end well: a short one does not read the surface.
fn failed_test(tests: &[SelfTest]) -> Option<Observed<bool>> {
    let mut seen = None;
    for test in tests {
        let title = test.title.to_ascii_lowercase();
        match vocabulary::result_of(&test.result) {
            Some(TaskState::Failed) => return Some(Observed::new(true, format!("{}: {}", test.title, test.result))),
            Some(TaskState::Completed) if title.contains("extended") || title.contains("long") => {
                return Some(Observed::new(false, test.result.clone()));
            }
            Some(TaskState::Completed) => seen = Some(Observed::new(false, test.result.clone())),
            _ => {}
        }
    }
    seen
}

fn counts(disk: &mut Disk, report: &Report) {
    let nvme = report.nvme.as_ref();
    disk.reallocated_sectors = attributes::reallocated(report).or(report.grown_defects).or(disk.reallocated_sectors);
    disk.unrecovered_errors =
        attributes::unrecovered(report).or(nvme.and_then(|n| n.media_errors)).or(disk.unrecovered_errors);
    disk.link_errors = attributes::link_errors(report).or(disk.link_errors);
    disk.timeouts = attributes::timeouts(report).or(disk.timeouts);
    let mut unreadable = attributes::unreadable(report);
    unreadable.extend(report.pending_defects.map(|n| (n, format!("pending defects {n}"))));
    unreadable.extend(report.uncorrected.iter().map(|(kind, n)| (*n, format!("uncorrected {kind} errors {n}"))));
    if unreadable.is_empty() {
        return;
    }
    let sum = unreadable.iter().map(|(n, _)| n).fold(0, |a: u64, b| a.saturating_add(*b));
    let words: Vec<String> = unreadable.into_iter().filter(|(n, _)| *n > 0).map(|(_, words)| words).collect();
    disk.unreadable = Some(Observed::new(sum, words.join(", ")));
}

/// Only platters make a disk try for minutes.
fn recovery(disk: &mut Disk, report: &Report) {
    if disk.medium == Some(Medium::Ssd) {
        return;
    }
    let unlimited = |said: &str| Some(Observed::new(ErrorRecovery::Unlimited, said));
    let stated = match &report.recovery {
        None | Some(Recovery::Supported) => None,
        Some(Recovery::NotSupported) => unlimited("error recovery control not supported"),
        Some(Recovery::Limits { read: Some(read), write }) => {
            let deciseconds = (*read).max(write.unwrap_or(0));
            let said = format!("error recovery control {} s", deciseconds as f64 / 10.0);
            Some(Observed::new(ErrorRecovery::Limited { deciseconds }, said))
        }
        Some(Recovery::Limits { read: None, .. }) => unlimited("error recovery control disabled"),
    };
    disk.error_recovery = stated.or(disk.error_recovery.take());
}

fn temperature(disk: &mut Disk, report: &Report) {
    let now = report.temperature.or_else(|| attributes::temperature(report)).filter(|t| *t > 0);
    disk.temperature_celsius = now.or(disk.temperature_celsius);
    let sensible = |t: &i64| (40..=130).contains(t);
    let (warm, hot) = (report.temperature_warning.filter(sensible), report.temperature_critical.filter(sensible));
    // Flash stands more heat than platters: 70 °C is what makers of data centre SSDs allow, NVMe more.
    let usual = match (report.protocol, disk.medium) {
        (Some(Protocol::Nvme), _) => Some((80, 90)),
        (_, Some(Medium::Ssd)) => Some((70, 80)),
        _ => None,
    };
    disk.temperature_warning_celsius = warm.or(usual.map(|(warm, _)| warm)).or(disk.temperature_warning_celsius);
    disk.temperature_critical_celsius = hot.or(usual.map(|(_, hot)| hot)).or(disk.temperature_critical_celsius);
}
