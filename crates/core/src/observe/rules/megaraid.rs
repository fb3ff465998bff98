//! MegaRAID SAS (`megaraid_sas`), the legacy cards (`megaraid_mbox`), and the MSM monitor's syslog
//! lines. The driver prints entries of the controller's event log: `seq (time/locale/class) - text`.
//!
//! The class differs between firmware releases for one event, so the text decides; the class decides
//! only for texts nobody knows.

use super::{Observation, Rule, Sign, driver_trouble, rule, sign_of, words};
use crate::model::{Alias, Path, Space};
use crate::observe::transition::new_state;

macro_rules! sas {
    ($rest:literal) => {
        concat!(r"^megaraid_sas (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): ", $rest)
    };
}

const SAS: &[&str] = &["megaraid_sas "];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("mr.event", Sign::UnspecifiedFault, &["megaraid_sas ", "megasas"], &[") - "],
        r"^(?:megaraid_sas|megasas:?) (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?P<seq>\d+) \((?P<time>boot \+ \d+s|\d+s)/0x(?P<locale>[0-9a-f]{4})/(?P<class>debug|progress|info|WARN|CRIT|FATAL|DEAD|-?\d+)\) - (?P<text>.*)").space(Space::Megaraid).refine(event),
    rule("mr.scan", Sign::Info, &["megaraid_sas ", "megasas: "], &["scanning for scsi"],
        r"^(?:megaraid_sas (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): |megasas: )?scanning for scsi(?P<host>\d+)\.\.\.").space(Space::Megaraid),
    rule("mr.fault", Sign::ControllerFault, SAS, &["FW in FAULT state"],
        sas!(r"(?:FW in FAULT state(?:!!|,?)? ?(?:Fault code:0x(?P<code>[0-9a-f]+) subcode:0x(?P<sub>[0-9a-f]+) func:(?P<fn>\w+))?|Found FW in FAULT state.*)")).space(Space::Megaraid),
    rule("mr.dead", Sign::ControllerFailed, SAS, &["HBA is killed", "already dead", "reset failures", "failed to do reset", "killing adapter", "crit error", "Stopping HBA"],
        sas!(r"(?P<text>.*HBA is killed\.|Adapter already dead, skipping kill HBA|cannot recover from previous reset failures|failed to do reset|.*killing adapter scsi\d+.*|Controller in crit error|reset: Stopping HBA\.)")).space(Space::Megaraid),
    rule("mr.reset", Sign::Info, SAS, &["esetting fusion", "Reset successful", "is OPERATIONAL", "controller reset", "OCR is requested", "in fault", "moving cmd", "come to ready", "commands to complete", "Iop2SysDoorbellInt"],
        sas!(r"(?P<text>resetting fusion adapter scsi\d+\.|Reset successful for scsi\d+\.|Adapter is OPERATIONAL for scsi:\d+|waiting for controller reset to finish|OCR is requested due to IO timeout!!|FW detected to be in fault.*|moving cmd.*|Waiting for FW to come to ready.*|\[ ?\d+\]waiting for \d+ commands to complete.*|Iop2SysDoorbellInt.*)")).space(Space::Megaraid).refine(reset),
    // The disk named here is only the one whose command was waited for: the controller is the object.
    rule("mr.oldreset", Sign::Info, &["sd ", "megasas: "], &["RESET ", "commands to complete", "reset successful", "failed to do reset", "reset failures", "HBA reset handler"],
        r"^(?:sd (?P<host>\d+):(?P<target>\d+:\d+:\d+): (?:\[(?P<on>\w+)\] )?)?megasas: (?P<text>RESET (?:-\d+ )?cmd=[0-9a-f]+ retries=[0-9a-f]+|\[ ?\d+\]waiting for \d+ commands to complete|reset successful|failed to do reset|cannot recover from previous reset failures|HBA reset handler.*)").space(Space::Megaraid).refine(reset),
    rule("mr.dcmd", Sign::Timeout, SAS, &["DCMD"],
        sas!(r"(?:DCMD\(opcode: 0x(?P<op>[0-9a-f]+)\) is timed out, func:(?P<fn>\w+)|.*DCMD.*(?:timed out|failed).*|Ignore DCMD timeout.*)")).space(Space::Megaraid),
    rule("mr.ldgone", Sign::ArrayFailed, SAS, &["removed from"], sas!(r"LD target ID (?P<vd>\d+) removed from (?P<from>OS stack|RAID map)")).space(Space::Megaraid),
    rule("mr.other", Sign::UnspecifiedFault, SAS, &["ail", "FAIL", "ault", "dead", "kill"], sas!(r"(?P<text>.*)"))
        .space(Space::Megaraid).only_if(driver_trouble),
    rule("mbox", Sign::ControllerFault, &["megaraid: ", "megaraid mbox: "], &[],
        r"^megaraid(?: mbox)?: (?P<text>critical hardware error!|hw error, .*|aborting(?:-| cmd=).*|reset sequence completed successfully|\d+ outstanding commands\. Max wait \d+ sec|reservation reset.*|Inquiry3 failed|sync cmd failed|out of controller?.*|mbox not busy.*)").space(Space::MegaraidLegacy).refine(mailbox),
];

/// MegaRAID Storage Manager's monitor in syslog: `<MRMON251> Controller ID:  0   VD is now DEGRADED …`
pub(super) static MONITOR: &[Rule] = &[rule(
    "mr.monitor",
    Sign::Info,
    &["<MRMON", "Controller ID:"],
    &[],
    r"^(?:<MRMON(?P<code>\d+)>\s*)?Controller ID:\s*(?P<controller>\d+)\s+(?P<text>.*)",
)
.space(Space::Megaraid)
.refine(monitor)];

fn event(seen: &mut Observation) {
    let text = seen.about.field("text").to_owned();
    seen.sequence = seen.about.field("seq").parse().ok();
    seen.sign = sign_of_event(&text).unwrap_or_else(|| sign_of_class(seen.about.field("class")));
    name_parts(seen, &text);
}

fn monitor(seen: &mut Observation) {
    let text = seen.about.field("text").to_owned();
    seen.about.path = Path::controller(seen.about.field("controller"));
    seen.sign = sign_of_event(&text).or_else(|| words::trouble(&text)).unwrap_or(Sign::Info);
    name_parts(seen, &text);
}

fn reset(seen: &mut Observation) {
    let text = seen.about.field("text");
    let starts = ["resetting fusion", "RESET ", "HBA reset handler"];
    if starts.iter().any(|s| text.starts_with(s)) {
        seen.sign = Sign::ControllerReset;
    } else if text.starts_with("FW detected to be in fault") {
        seen.sign = Sign::ControllerFault;
    } else if text.starts_with("failed") || text.starts_with("cannot") {
        seen.sign = Sign::ControllerFailed;
    }
}

fn mailbox(seen: &mut Observation) {
    let text = seen.about.field("text");
    seen.sign = match text {
        t if t.contains("hardware error") || t.starts_with("hw error") => Sign::ControllerFailed,
        t if t.starts_with("aborting") => Sign::Timeout,
        t if t.contains("outstanding commands") || t.starts_with("reservation reset") => Sign::ControllerReset,
        t if t.contains("completed") => Sign::Info,
        _ => Sign::ControllerFault,
    };
}

/// `PD 15(e0x20/s4)`: device id and enclosure in hexadecimal, slot in decimal; `PD 21(e32/s4)` on
/// newer firmware: decimal. `VD 00/0`: target id.
fn name_parts(seen: &mut Observation, text: &str) {
    if let Some((device, enclosure, slot)) = disk_in(text) {
        seen.about.add_alias(Alias::DeviceId(device));
        seen.about.set("enclosure", enclosure);
        seen.about.set("slot", slot);
    }
    if let Some(vd) = array_in(text) {
        seen.about.set("vd", vd);
    }
}

/// Device id, enclosure and slot of the disk an event text names.
pub fn disk_in(text: &str) -> Option<(String, String, String)> {
    let (_, rest) = text.split_once("PD ")?;
    let (device, rest) = rest.split_once('(')?;
    let (enclosure, rest) = rest.strip_prefix('e')?.split_once("/s")?;
    let slot: String = rest.chars().take_while(char::is_ascii_digit).collect();
    if slot.is_empty() {
        return None;
    }
    Some(match enclosure.strip_prefix("0x") {
        Some(hex) => (from_hex(device)?, from_hex(hex)?, slot),
        None => (device.trim().trim_start_matches("0x").parse::<u32>().ok()?.to_string(), enclosure.to_owned(), slot),
    })
}

fn from_hex(digits: &str) -> Option<String> {
    u32::from_str_radix(digits.trim(), 16).ok().map(|n| n.to_string())
}

/// Target id of the array an event text names: `VD 00/0`, `LD 01/1`, `VD   0`.
pub fn array_in(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).find_map(|pair| match pair {
        ["VD" | "LD", number] => from_hex(number.split(['/', ',', ':', ';']).next().unwrap_or(number)),
        _ => None,
    })
}

pub fn sign_of_class(class: &str) -> Sign {
    match class {
        "WARN" | "CRIT" | "FATAL" | "1" | "2" | "3" => Sign::UnspecifiedFault,
        "DEAD" | "4" => Sign::ControllerFailed,
        _ => Sign::Info,
    }
}

/// From the text of an event, whatever firmware, driver or tool printed it. `None`: not known.
pub fn sign_of_event(text: &str) -> Option<Sign> {
    match new_state(text) {
        // The states that are over say nothing of what is.
        Some(state) if text.to_ascii_lowercase().contains("state change") => sign_of_state(text, state),
        _ => sign_of(EVENTS, text),
    }
}

/// `State change on PD 04(e0x20/s4) from ONLINE(18) to FAILED(11)`: the new state counts.
fn sign_of_state(text: &str, state: &str) -> Option<Sign> {
    let of_array = array_in(text).is_some() || text.contains("VD ");
    match sign_of(STATES, state)? {
        Sign::DeviceOffline | Sign::DiskFailed if of_array => Some(Sign::ArrayFailed),
        Sign::DeviceOffline => Some(Sign::DiskFailed),
        sign => Some(sign),
    }
}

#[rustfmt::skip]
const STATES: &[(&str, Sign)] = &[
    ("unconfigured_bad", Sign::DiskFailed), ("unconfigured bad", Sign::DiskFailed), ("failed", Sign::DiskFailed),
    ("partially degraded", Sign::ArrayDegraded), ("degraded", Sign::ArrayDegraded), ("offline", Sign::DeviceOffline),
    ("missing", Sign::DiskMissing), ("optimal", Sign::ArrayOptimal), ("rebuild", Sign::RebuildStarted),
    ("online", Sign::Info), ("hot", Sign::Info), ("unconfigured", Sign::Info), ("copyback", Sign::OtherTask), ("system", Sign::Info), ("jbod", Sign::Info),
];

/// Event texts as in the event tables of the MegaRAID user guides, by the words that carry them.
#[rustfmt::skip]
const EVENTS: &[(&str, Sign)] = &[
    ("puncturing", Sign::DataLoss), ("cache discarded", Sign::DataLoss), ("dirty cache", Sign::DataLoss),
    ("unable to recover cache", Sign::DataLoss), ("cache pinned", Sign::DataLoss), ("double medium error", Sign::DataLoss),
    ("unrecoverable medium error", Sign::DataLoss), ("uncorrectable medium error logged", Sign::DataLoss), ("uncorrectable data", Sign::DataLoss),
    ("bad block table full", Sign::DataLoss), ("bad block table on vd", Sign::MediumError), ("bad block table is full", Sign::DataLoss),
    ("uncorrectable", Sign::MediumError),
    ("corrected medium error", Sign::Corrected), ("bad block reassigned", Sign::Corrected), ("reassign write", Sign::MediumError), ("bad block table", Sign::MediumError),
    ("predictive failure", Sign::Predictive), ("smart polling failed", Sign::SpareFailed),
    ("rebuild failed", Sign::RebuildFailed), ("rebuild aborted", Sign::RebuildFailed), ("rebuild complete", Sign::RebuildCompleted),
    ("rebuild progress", Sign::RebuildStarted), ("rebuild", Sign::RebuildStarted),
    ("consistency check found inconsistent", Sign::Inconsistency), ("inconsistency logging disabled", Sign::Inconsistency),
    ("consistency check done with corrections", Sign::Inconsistency), ("consistency check failed", Sign::CheckFailed),
    ("consistency check aborted", Sign::CheckFailed), ("consistency check done", Sign::CheckCompleted), ("consistency check", Sign::CheckStarted),
    ("patrol read complete", Sign::CheckCompleted), ("patrol read", Sign::CheckStarted),
    ("initialization failed", Sign::UnspecifiedFault), ("initialization aborted", Sign::OtherTask), ("initialization", Sign::OtherTask),
    ("reconstruction stopped", Sign::UnspecifiedFault), ("reconstruction resume failed", Sign::UnspecifiedFault), ("reconstruction", Sign::OtherTask),
    ("copyback failed", Sign::UnspecifiedFault), ("copyback", Sign::OtherTask), ("clear failed", Sign::UnspecifiedFault),
    ("is now partially degraded", Sign::ArrayDegraded), ("is now degraded", Sign::ArrayDegraded), ("is now optimal", Sign::ArrayOptimal), ("is now offline", Sign::ArrayFailed),
    ("vds missing", Sign::ArrayFailed), ("vd missing", Sign::ArrayFailed), ("configuration missing", Sign::ArrayFailed), ("configuration is missing", Sign::ArrayFailed),
    ("will go offline", Sign::ArrayFailed), ("pd missing", Sign::DiskMissing), ("pds missing", Sign::DiskMissing), ("drives missing", Sign::DiskMissing),
    ("unable to access device", Sign::DiskFailed), ("error on pd", Sign::IoError), ("command timeout on pd", Sign::Timeout), ("reset (type", Sign::LinkError),
    ("redundant path broken", Sign::LinkError), ("path broken", Sign::LinkError), ("restored", Sign::Info), ("phy error", Sign::LinkError), ("wide port lost", Sign::LinkError),
    ("smp", Sign::LinkError), ("sas topology", Sign::LinkError), ("unexpected sense", Sign::Info),
    ("battery not present", Sign::BatteryFailed), ("battery removed", Sign::BatteryFailed), ("battery needs replacement", Sign::BatteryFailed), ("battery needs to be replaced", Sign::BatteryFailed),
    ("soh bad", Sign::BatteryFailed), ("retention test failed", Sign::BatteryFailed), ("battery has failed", Sign::BatteryFailed), ("battery/charger", Sign::BatteryFailed), ("cannot retain data", Sign::BatteryFailed),
    ("battery temperature is high", Sign::BatteryWeak), ("battery voltage low", Sign::BatteryWeak), ("battery voltage is low", Sign::BatteryWeak), ("capacity is below", Sign::BatteryWeak), ("below threshold", Sign::BatteryWeak),
    ("relearn timed out", Sign::BatteryWeak), ("needs reconditioning", Sign::BatteryWeak), ("relearn", Sign::LearnCycle), ("above threshold", Sign::BatteryGood),
    ("battery temperature is normal", Sign::BatteryGood), ("battery charge complete", Sign::BatteryGood), ("battery present", Sign::BatteryGood), ("new battery", Sign::BatteryGood), ("battery has been replaced", Sign::BatteryGood),
    ("battery is discharging", Sign::LearnCycle), ("battery is charging", Sign::LearnCycle), ("battery started charging", Sign::LearnCycle),
    ("changing wb virtual disks to wt", Sign::WriteBackLost), ("bbu disabled", Sign::WriteBackLost), ("changing wt virtual disks to wb", Sign::WriteBackRestored), ("bbu enabled", Sign::WriteBackRestored),
    ("multi-bit ecc", Sign::MemoryUncorrectable), ("single-bit ecc", Sign::MemoryCorrectable),
    ("fan failed", Sign::FanFailed), ("fan removed", Sign::FanFailed), ("power supply failed", Sign::PowerSupplyFailed), ("power supply removed", Sign::PowerSupplyFailed), ("power supply switched off", Sign::PowerSupplyFailed), ("power supply cable removed", Sign::PowerSupplyFailed),
    ("returned to normal", Sign::EnclosureOk), ("above error threshold", Sign::TemperatureCritical), ("above warning threshold", Sign::TemperatureHigh), ("below", Sign::TemperatureHigh),
    ("communication lost", Sign::EnclosureFault), ("communication with enclosure", Sign::EnclosureFault), ("enclosure shutdown", Sign::EnclosureFault), ("sim failed", Sign::EnclosureFault), ("sim removed", Sign::EnclosureFault), ("not responding", Sign::EnclosureFault),
    ("fatal firmware error", Sign::ControllerFailed), ("fatal error and was reset", Sign::ControllerFault), ("controller needs replacement", Sign::ControllerFailed), ("self test failed", Sign::ControllerFault), ("nvram", Sign::ControllerFault), ("flash", Sign::Info),
    ("foreign configuration detected", Sign::ForeignConfiguration), ("foreign configuration table overflow", Sign::ForeignConfiguration), ("foreign configuration", Sign::Info),
    ("no longer useful", Sign::SpareFailed), ("does not cover all arrays", Sign::SpareFailed), ("too small to be used", Sign::SpareFailed), ("hot spare", Sign::Info),
    ("removed: pd", Sign::DiskRemoved), ("pd removed", Sign::DiskRemoved), ("removed", Sign::DiskRemoved), ("inserted: pd", Sign::DiskInserted), ("inserted", Sign::DiskInserted),
    ("configuration cleared", Sign::ArrayFailed), ("deleted vd", Sign::Info), ("created vd", Sign::Info), ("policy change", Sign::Info), ("marked inconsistent", Sign::Inconsistency),
    ("not a certified", Sign::Info), ("not certified", Sign::Info), ("event log cleared", Sign::Info), ("time established", Sign::Info), ("shutdown command", Sign::Info), ("firmware version", Sign::Info), ("host driver", Sign::Info), ("properties changed", Sign::Info),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_found_in_both_spellings() {
        let parts = |text| disk_in(text).map(|(d, e, s)| format!("{d} {e}:{s}"));
        assert_eq!(parts("Error on PD 15(e0x20/s4) (Error 02)").as_deref(), Some("21 32:4"));
        assert_eq!(parts("Error on PD 21(e32/s4)").as_deref(), Some("21 32:4"));
        assert_eq!(parts("PD missing"), None);
        assert_eq!(array_in("VD 0a/1 is now OFFLINE").as_deref(), Some("10"));
        assert_eq!(array_in("VD is now DEGRADED   VD   1").as_deref(), Some("1"));
        assert_eq!(array_in("Fan failed"), None);
    }

    #[test]
    fn the_same_verb_has_different_ends() {
        for (text, sign) in [
            ("Rebuild automatically started on PD 03(e0xff/s3)", Sign::RebuildStarted),
            ("Rebuild aborted by user on PD 03(e0xff/s3)", Sign::RebuildFailed),
            ("Rebuild failed on PD 03(e0xff/s3) due to source drive error", Sign::RebuildFailed),
            ("Unrecoverable medium error during rebuild on PD 02(e0xff/s2) at 136", Sign::DataLoss),
            ("Rebuild complete on PD 03(e0xff/s3)", Sign::RebuildCompleted),
            ("Corrected medium error during recovery on PD 15(e0x08/s4) at 14", Sign::Corrected),
            ("Puncturing bad block on PD 15(e0x08/s7) at 20", Sign::DataLoss),
            ("State change on PD 04(e0x20/s4) from ONLINE(18) to FAILED(11)", Sign::DiskFailed),
            ("State change on VD 00/0 from DEGRADED(2) to OPTIMAL(3)", Sign::ArrayOptimal),
            ("State change on VD 00/0 from DEGRADED(2) to OFFLINE(0)", Sign::ArrayFailed),
            ("State change on PD 04(e0x20/s4) from ONLINE(18) to OFFLINE(10)", Sign::DiskFailed),
            ("State change on PD 04(e0x20/s4) from FAILED(11) to ONLINE(18)", Sign::Info),
            ("State change on PD 04(e0x20/s4) from REBUILD(14) to ONLINE(18)", Sign::Info),
            ("State change:   PD  =  -:-:3Previous  =  Failed      Current  =  Online", Sign::Info),
            ("State change: PD = Port 0:1:3 Previous = Online Current = Failed", Sign::DiskFailed),
            ("Consistency Check done with corrections on VD 00/0 (corrections=2)", Sign::Inconsistency),
            ("Consistency Check done on VD 00/0", Sign::CheckCompleted),
        ] {
            assert_eq!(sign_of_event(text), Some(sign), "{text}");
        }
    }

    #[test]
    fn an_unknown_text_is_judged_by_its_class() {
        assert_eq!(sign_of_event("Quux happened"), None);
        assert_eq!(sign_of_event("State change on PD 04(e0x20/s4) from REBUILD(14) to QUUX(99)"), None);
        assert_eq!(sign_of_class("CRIT"), Sign::UnspecifiedFault);
        assert_eq!(sign_of_class("info"), Sign::Info);
    }
}
