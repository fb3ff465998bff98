//! The text smartctl prints: 5.x for old systems, and every version where a person captured it.

use super::report::{
    Attribute, Nvme, Protocol, Recovery, Report, SelfTest, Support, WhenFailed, grouped_number, leading_number,
};
use super::vocabulary;
use crate::scan::{clean, count, key_value, number, same_word, starts_with_word};

/// One report for each banner of smartctl: people join outputs.
pub fn reports(text: &str) -> Vec<Report> {
    let text = clean(text);
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        let begun = parts.last().is_some_and(|p| p.iter().any(|l| is_banner(l)));
        if is_banner(line) && begun {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(line);
        }
    }
    parts.iter().map(|lines| report(lines)).collect()
}

/// `smartctl 7.4 2023-08-01 r5530 [...]`, `smartctl version 5.38 [...]`
pub fn is_banner(line: &str) -> bool {
    let rest = line.trim_start_matches(['#', ' ']).strip_prefix("smartctl ").unwrap_or("");
    let rest = rest.strip_prefix("version ").unwrap_or(rest);
    rest.starts_with(|c: char| c.is_ascii_digit()) && line.contains('[')
}

pub fn says_asleep(line: &str) -> bool {
    let mode = ["STANDBY", "SLEEP", "IDLE", "SLEEPING"].iter().any(|m| line.contains(&format!("in {m}")));
    mode && line.contains("mode")
}

pub fn says_not_supported_recovery(line: &str) -> bool {
    let about = line.contains("SCT Error Recovery Control") || line.contains("SCT (Get) Error Recovery Control");
    let all = line.contains("SCT Commands not supported");
    all || (about && (line.contains("not support")))
}

/// How smartctl words that it could not read a disk.
const FAILURES: [&str; 15] = [
    "mandatory SMART command failed",
    "Smartctl open device",
    "Unable to detect device type",
    "Device Identity failed",
    "Inquiry failed",
    "Log Sense failed, IE page",
    "NO MEDIUM present",
    "please try adding",
    "Please specify device type",
    "UNRECOGNIZED OPTION",
    "Unknown USB bridge",
    "Read NVMe Identify Controller failed",
    "Standard Inquiry",
    "Permission denied",
    "No such device",
];

/// What stands at the end of `-a`, in each of the three forms.
const LAST: [&str; 9] = [
    "Self-test log",
    "self-test log",
    "Self Test log",
    "self-tests have been logged",
    "Self-tests have been logged",
    "Error Information",
    "Error Log",
    "Selective Self-test",
    "Log not supported",
];

fn report(lines: &[&str]) -> Report {
    let mut report = Report::default();
    for (at, line) in lines.iter().enumerate() {
        plain_line(line, &mut report);
        attribute_line(line, &mut report);
        self_test_line(line, &mut report);
        uncorrected_line(line, &mut report);
        recovery_line(lines, at, &mut report);
        let fails = FAILURES.iter().any(|f| line.contains(f));
        if fails {
            report.failure.get_or_insert_with(|| line.trim().to_owned());
        }
        report.asleep |= says_asleep(line);
    }
    report.whole = lines.iter().any(|line| LAST.iter().any(|words| line.contains(words)));
    // Only some captures show that smartctl was asked for them.
    if report.recovery.is_none() && lines.iter().any(|l| l.starts_with("SCT capabilities:")) {
        report.recovery = Some(Recovery::NotSupported);
    }
    report
}

/// `Key: value` and the few lines that are sentences.
fn plain_line(line: &str, report: &mut Report) {
    support_line(line, report);
    if starts_with_word(line.trim(), "Current temperature =") {
        report.temperature = report.temperature.or(number(line));
    }
    let Some((key, value)) = key_value(line, ':').filter(|(_, value)| !value.is_empty()) else { return };
    let own = || Some(value.to_owned());
    match key {
        "Device Model" | "Product" | "Model Number" => report.model = report.model.take().or_else(own),
        // 5.38: `Device: IBM-ESXS ST3300655SS      Version: BA23`
        "Device" => {
            report.model = report.model.take().or_else(|| Some(value.split("Version:").next()?.trim().to_owned()))
        }
        "Vendor" => report.vendor = report.vendor.take().or_else(own),
        "Serial Number" | "Serial number" => report.serial = report.serial.take().or_else(own),
        "LU WWN Device Id" => report.wwn = Some(value.replace(' ', "").to_lowercase()),
        "Logical Unit id" => report.wwn = report.wwn.take().or_else(own),
        "Firmware Version" | "Revision" => report.firmware = report.firmware.take().or_else(own),
        "User Capacity" | "Total NVM Capacity" => report.size_bytes = report.size_bytes.or(grouped_number(value)),
        "Rotation Rate" => report.solid = Some(value.contains("Solid State")),
        "SMART overall-health self-assessment test result" | "SMART Health Status" => {
            report.health = Some(value.split("  ").next().unwrap_or(value).to_owned());
        }
        "ATA Version is" => report.protocol = Some(Protocol::Ata),
        "Transport protocol" => report.protocol = Some(Protocol::Scsi),
        "NVMe Version" => report.protocol = Some(Protocol::Nvme),
        "Current Drive Temperature" | "Temperature" => report.temperature = number(value),
        "Drive Trip Temperature" | "Critical Comp. Temp. Threshold" => report.temperature_critical = number(value),
        "Elements in grown defect list" => report.grown_defects = count(value),
        "Pending defect count" => report.pending_defects = count(value),
        "Percentage used endurance indicator" | "Percentage Used" => report.percent_used = count(value),
        "Power On Hours" => report.hours = grouped_number(value),
        _ => nvme_line(key, value, report),
    }
}

fn nvme_line(key: &str, value: &str, report: &mut Report) {
    if same_word(key, "Warning Comp. Temp. Threshold") {
        report.temperature_warning = number(value);
        return;
    }
    let field: fn(&mut Nvme) -> &mut Option<u64> = match key {
        "Critical Warning" => |n| &mut n.critical_warning,
        "Available Spare" => |n| &mut n.spare,
        "Available Spare Threshold" => |n| &mut n.spare_threshold,
        "Media and Data Integrity Errors" => |n| &mut n.media_errors,
        _ => return,
    };
    let number = if key == "Critical Warning" { count(value) } else { grouped_number(value) };
    if number.is_none() {
        report.unknown.push((key.to_owned(), value.to_owned()));
    }
    *field(report.nvme.get_or_insert_default()) = number;
}

fn support_line(line: &str, report: &mut Report) {
    let line = line.trim();
    if starts_with_word(line, "Device does not support SMART") {
        report.support = Support::Lacking;
    } else if starts_with_word(line, "Device supports SMART and is") {
        report.support = if line.ends_with("Enabled") { Support::Yes } else { Support::SwitchedOff };
    }
    let Some(said) = line.strip_prefix("SMART support is:").map(str::trim) else { return };
    match said.split([' ', '-']).next().unwrap_or("") {
        "Unavailable" => report.support = Support::Lacking,
        "Disabled" => report.support = Support::SwitchedOff,
        "Available" | "Enabled" => report.support = Support::Yes,
        // "Ambiguous": what was read says more.
        _ => {}
    }
}

/// `  5 Reallocated_Sector_Ct   0x0033   100   100   036    Pre-fail  Always       -       0` and the brief
/// form `  5 Reallocated_Sector_Ct   PO--CK   184   184   140    -    126`.
fn attribute_line(line: &str, report: &mut Report) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [id, name, flags, value, _worst, threshold, rest @ ..] = words.as_slice() else { return };
    let Ok(id) = id.parse::<u8>() else { return };
    let cell = |word: &str| if word == "---" { Some(0) } else { word.parse::<u64>().ok() };
    let (Some(value), Some(threshold)) = (cell(value), cell(threshold)) else { return };
    let brief = flags.len() >= 6 && flags.chars().all(|c| "POSRCK-+ ".contains(c));
    let (prefail, rest) = match rest {
        _ if brief => (flags.starts_with('P'), rest),
        [kind, _updated, rest @ ..] if flags.starts_with("0x") => (*kind == "Pre-fail", rest),
        _ => return,
    };
    let [when, raw @ ..] = rest else { return };
    let when_failed = match *when {
        "-" => WhenFailed::Never,
        "FAILING_NOW" | "NOW" => WhenFailed::Now,
        "In_the_past" | "Past" => WhenFailed::Past,
        other => {
            report.unknown.push(("WHEN_FAILED".to_owned(), other.to_owned()));
            WhenFailed::Never
        }
    };
    let raw = raw.first().and_then(|raw| leading_number(raw));
    let name = (*name).to_owned();
    report.protocol = report.protocol.or(Some(Protocol::Ata));
    report.attributes.push(Attribute { id, name, value, threshold, prefail, when_failed, raw });
}

/// `# 1  Short offline       Completed without error       00%      2315         -`
fn self_test_line(line: &str, report: &mut Report) {
    let line = line.trim();
    let Some(rest) = line.strip_prefix('#') else { return };
    let rest = rest.trim_start();
    let Some((number, rest)) = rest.split_once(' ').filter(|(n, _)| n.parse::<u8>().is_ok_and(|n| n > 0)) else {
        return;
    };
    if let Some((title, result)) = vocabulary::self_test_in(rest) {
        report.self_tests.push(SelfTest { title, result });
        return;
    }
    let cells: Vec<&str> = rest.trim().split("  ").map(str::trim).filter(|c| !c.is_empty()).collect();
    if cells.len() > 2 {
        report.unknown.push((format!("self-test {number}"), cells[1].to_owned()));
    }
}

/// `write:         0        0         0         0          0      11472,811           8`
fn uncorrected_line(line: &str, report: &mut Report) {
    let Some((kind, rest)) = key_value(line, ':').filter(|(k, _)| ["read", "write", "verify"].contains(k)) else {
        return;
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    if let (true, Some(last)) = (words.len() >= 7, words.last().and_then(|w| w.parse().ok())) {
        report.uncorrected.push((kind.to_owned(), last));
    }
}

/// `SCT Error Recovery Control:` and the two lines below it.
fn recovery_line(lines: &[&str], at: usize, report: &mut Report) {
    let line = lines.get(at).map_or("", |l| l.trim());
    if says_not_supported_recovery(line) {
        report.recovery = Some(Recovery::NotSupported);
    } else if line.ends_with("SCT Error Recovery Control supported.") {
        report.recovery = report.recovery.take().or(Some(Recovery::Supported));
    } else if line == "SCT Error Recovery Control:" {
        let limit = |way: &str| {
            let said = lines.iter().skip(at + 1).take(2).find_map(|l| l.trim().strip_prefix(way))?.trim();
            Some((leading_number(said), said.to_owned()))
        };
        let (Some((read, read_said)), Some((write, write_said))) = (limit("Read:"), limit("Write:")) else { return };
        for said in [(read, read_said), (write, write_said)] {
            if said.0.is_none() && !said.1.starts_with("Disabled") {
                report.unknown.push(("SCT Error Recovery Control".to_owned(), said.1));
            }
        }
        report.recovery = Some(Recovery::Limits { read, write });
    }
}
