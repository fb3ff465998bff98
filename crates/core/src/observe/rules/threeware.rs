//! 3ware. The event number decides, never the ERROR/WARNING word in front nor the text: 005E and 005F
//! differ by one word and by a file system. Numbers from the driver's table (`3w-9xxx.h`) and, for those the driver
//! prints as `<NULL>`, 3ware's command line guide.
//!
//! `scsi0` is the card; `unit=0` and `port=3` become the fields `unit` = u0 and `port` = p3.

use super::{Observation, Rule, Sign, by_words, hex, rule, sign_of};
use crate::model::Space;

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("tw9.aen", Sign::UnspecifiedFault, &["3w-9xxx: ", "3w-sas: "], &["AEN: "],
        r"^3w-(?P<drv>9xxx|sas): (?:scsi(?P<host>\d+): )?AEN: (?P<level>ERROR|WARNING|INFO|DEBUG) \(0x04:0x(?P<code>[0-9A-F]{4})\): (?P<text>.*?):(?P<args>[^:]*?)\.$").space(Space::ThreeWare).refine(event),
    rule("tw9.aen2", Sign::UnspecifiedFault, &["3w-9xxx: ", "3w-sas: "], &["AEN: "],
        r"^3w-(?P<drv>9xxx|sas): (?:scsi(?P<host>\d+): )?AEN: (?P<level>\w+) \(0x04:0x(?P<code>[0-9A-Fa-f]{4})\): (?P<args>.*)").space(Space::ThreeWare).refine(event),
    rule("tw9.err", Sign::UnspecifiedFault, &["3w-9xxx: ", "3w-sas: "], &["ERROR: (0x", "WARNING: (0x"],
        r"^3w-(?P<drv>9xxx|sas): (?:scsi(?P<host>\d+): )?(?P<level>ERROR|WARNING): \(0x(?P<src>[0-9A-F]{2}):0x(?P<code>[0-9A-F]{4})\): (?P<text>.*)").space(Space::ThreeWare).refine(error),
    // The same through the SCSI layer; the disk is the one whose command was waited for.
    rule("tw9.err_sd", Sign::UnspecifiedFault, &["sd "], &["ERROR: (0x", "WARNING: (0x"],
        r"^sd (?P<host>\d+):\d+:\d+:\d+: (?:\[\w+\] )?(?:tag#\d+ )?(?P<level>ERROR|WARNING): \(0x(?P<src>[0-9A-F]{2}):0x(?P<code>[0-9A-F]{4})\): (?P<text>.*)").space(Space::ThreeWare).refine(error),
    rule("tw.aen", Sign::Info, &["3w-xxxx: "], &["AEN: "],
        r"^3w-xxxx: (?:scsi(?P<host>\d+): )?AEN: (?P<level>INFO|WARNING|ERROR): (?P<text>.*?)(?:: (?P<obj>Port|Unit) #(?P<n>\d+))?\.?$").space(Space::ThreeWare).refine(old_event),
    rule("tw.err", Sign::IoError, &["3w-xxxx: "], &["failed", "PCI ", "Error", "timed out", "Reset "],
        r"^3w-xxxx: (?:scsi(?P<host>\d+): )?(?P<text>Command failed: status = 0x(?P<st>[0-9a-f]+), flags = 0x(?P<fl>[0-9a-f]+), unit #(?P<n>\d+)\.?|(?:PCI (?:Parity Error|Abort)|Controller Queue Error|Microcontroller Error|SBUF Write Error).*|(?:Unit|Command).*timed out, resetting card\.|Reset (?:failed|succeeded)\.?)").space(Space::ThreeWare).refine(old_error),
];

fn event(seen: &mut Observation) {
    let code = hex(seen.about.field("code")).unwrap_or(u32::MAX);
    let loud = matches!(seen.about.field("level"), "ERROR" | "WARNING");
    seen.sign = sign_of_event(code).unwrap_or(if loud { Sign::UnspecifiedFault } else { Sign::Info });
    let args = seen.about.field("args").to_owned();
    for (name, letter) in [("unit", 'u'), ("port", 'p'), ("phy", 'p')] {
        if let Some(number) = argument(&args, name) {
            seen.about.set(if name == "phy" { "port" } else { name }, format!("{letter}{number}"));
        }
    }
}

/// `3` of `unit=0, port=3`.
fn argument(args: &str, name: &str) -> Option<String> {
    let (before, after) = args.split_once(&format!("{name}="))?;
    let whole_word = !before.ends_with(|c: char| c.is_ascii_alphanumeric());
    let number: String = after.chars().take_while(char::is_ascii_digit).collect();
    (whole_word && !number.is_empty()).then_some(number)
}

/// Codes of the 9000 series and of 3w-sas (9750). `None`: not known.
pub fn sign_of_event(code: u32) -> Option<Sign> {
    Some(match code {
        0x0001 => Sign::ControllerReset,
        0x0002 | 0x0006 => Sign::ArrayDegraded,
        0x0003 | 0x0024 | 0x0037 | 0x0038 | 0x003f | 0x00fd => Sign::ControllerFault,
        0x0004 | 0x002d => Sign::RebuildFailed,
        0x0005 => Sign::RebuildCompleted,
        0x0007 | 0x000c | 0x0033 | 0x0035 | 0x003b..=0x003e => Sign::OtherTask,
        0x0009 => Sign::Timeout,
        0x000a => Sign::HardwareError,
        0x000b => Sign::RebuildStarted,
        0x000e | 0x0027 | 0x0028 | 0x002e | 0x0030 | 0x0034 | 0x0041 => Sign::UnspecifiedFault,
        0x000f => Sign::Predictive,
        0x0010..=0x0013 | 0x0017 => Sign::PowerSupplyFailed,
        0x0014 | 0x0045 | 0x0046 | 0x004a | 0x004b | 0x0058 | 0x005c => Sign::BatteryWeak,
        0x0047 | 0x0048 | 0x004c | 0x004d | 0x0057 | 0x0059 | 0x005b | 0x005d | 0x0063 => Sign::BatteryFailed,
        0x0044 | 0x0049 | 0x0050 | 0x0052 | 0x0056 | 0x005a => Sign::BatteryGood,
        0x004e | 0x0051 | 0x0055 => Sign::LearnCycle,
        0x0015 => Sign::FanFailed,
        0x0016 => Sign::TemperatureHigh,
        0x0019 => Sign::DiskRemoved,
        0x001a => Sign::DiskInserted,
        0x001e => Sign::ArrayFailed,
        0x001f => Sign::ArrayOptimal,
        0x0021 | 0x003a => Sign::LinkError,
        0x0023 => Sign::Corrected,
        0x0025 | 0x002c | 0x005f | 0x0060..=0x0062 => Sign::DataLoss,
        0x0026 | 0x0042 | 0x0043 => Sign::MediumError,
        0x0029 => Sign::CheckStarted,
        0x002a => Sign::CheckFailed,
        0x002b => Sign::CheckCompleted,
        0x0032 => Sign::SpareFailed,
        0x0036 => Sign::Inconsistency,
        0x0039 => Sign::MemoryCorrectable,
        // "Battery capacity test is overdue": documented as ignorable.
        0x0053 => Sign::Benign,
        0x0008 | 0x000d | 0x0018 | 0x0020 | 0x0022 | 0x002f | 0x0040 | 0x004f | 0x005e | 0x00fc | 0x00ff => Sign::Info,
        _ => return None,
    })
}

/// Source 3 is the firmware answering a command, source 6 the driver.
fn error(seen: &mut Observation) {
    let source = hex(seen.about.field("src")).unwrap_or(u32::MAX);
    let code = hex(seen.about.field("code")).unwrap_or(u32::MAX);
    seen.sign = match (source, code) {
        // Unsupported SMART commands and fields, asked for by monitoring tools.
        (0x03, 0x0101 | 0x010d) => Sign::Benign,
        (0x06, 0x000c | 0x000d | 0x000e | 0x0010) => Sign::ControllerFault,
        _ if seen.about.field("text").contains("resetting card") => Sign::ControllerReset,
        _ => Sign::UnspecifiedFault,
    };
}

fn old_event(seen: &mut Observation) {
    let text = seen.about.field("text");
    match sign_of(OLD_EVENTS, text) {
        Some(sign) => seen.sign = sign,
        None => by_words(seen),
    }
    let number = seen.about.field("n").to_owned();
    match seen.about.field("obj") {
        "Port" => seen.about.set("port", format!("p{number}")),
        "Unit" => seen.about.set("unit", format!("u{number}")),
        _ => {}
    }
}

#[rustfmt::skip]
const OLD_EVENTS: &[(&str, Sign)] = &[
    ("unit degraded", Sign::ArrayDegraded), ("incomplete unit", Sign::ArrayDegraded), ("unit inoperable", Sign::ArrayFailed),
    ("rebuild failed", Sign::RebuildFailed), ("rebuild done", Sign::RebuildCompleted), ("rebuild complete", Sign::RebuildCompleted), ("rebuild started", Sign::RebuildStarted),
    ("initialization failed", Sign::UnspecifiedFault), ("initialization", Sign::OtherTask), ("unclean shutdown", Sign::Info),
    ("timeout", Sign::Timeout), ("timed out", Sign::Timeout), ("smart", Sign::Predictive), ("sector repair", Sign::Corrected),
    ("drive error", Sign::HardwareError), ("ecc error", Sign::MediumError), ("verify failed", Sign::CheckFailed), ("verify complete", Sign::CheckCompleted), ("verify", Sign::CheckStarted),
    ("soft reset", Sign::ControllerReset), ("cached write", Sign::DataLoss), ("queue overflow", Sign::Info), ("dcb", Sign::UnspecifiedFault),
    ("mismatch", Sign::Inconsistency), ("sbuf", Sign::ControllerFault), ("downgrade", Sign::LinkError),
];

fn old_error(seen: &mut Observation) {
    let number = seen.about.field("n").to_owned();
    if !number.is_empty() {
        seen.about.set("unit", format!("u{number}"));
    }
    let text = seen.about.field("text");
    let empty_port = seen.about.field("st") == "c4" && seen.about.field("fl") == "43";
    seen.sign = match text {
        _ if empty_port => Sign::Benign,
        t if t.starts_with("Command failed") => Sign::IoError,
        t if t.contains("resetting card") => Sign::ControllerReset,
        t if t.starts_with("Reset succeeded") => Sign::Info,
        t if t.starts_with("Reset failed") => Sign::ControllerFailed,
        _ => Sign::ControllerFault,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_decides() {
        assert_eq!(sign_of_event(0x005e), Some(Sign::Info));
        assert_eq!(sign_of_event(0x005f), Some(Sign::DataLoss));
        assert_eq!(sign_of_event(0x0ead), None);
    }

    #[test]
    fn arguments_are_whole_words() {
        assert_eq!(argument("unit=0, port=13", "port").as_deref(), Some("13"));
        assert_eq!(argument("subunit=1", "unit"), None);
        assert_eq!(argument("port=", "port"), None);
    }
}
