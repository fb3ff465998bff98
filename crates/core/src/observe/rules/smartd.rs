//! smartd in syslog. `[megaraid_disk_16]` is a disk by its device id behind the card, whatever `/dev`
//! node smartd went through; "Prefailure Attribute … changed" names the attribute's class, not a failure.

use super::{Observation, Rule, Sign, rule};
use crate::model::{Alias, Space};

macro_rules! device {
    ($rest:literal) => {
        concat!(r"^Device: (?P<via>/dev/\S+?)(?: \[(?P<behind>\w+_disk_[\w/]+)\])?(?: \[[^\]]*\])*, ", $rest)
    };
}

const DEVICE: &[&str] = &["Device: "];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("smartd.failure", Sign::Predictive, DEVICE, &["SMART Failure: ", "FAILED SMART", "Failed SMART usage", "Critical Warning"],
        device!(r"(?P<text>SMART Failure: .*|FAILED SMART self-check.*|Failed SMART usage Attribute: .*|Critical Warning \(0x0*[1-9a-fA-F].*)")).refine(object),
    rule("smartd.sectors", Sign::MediumError, DEVICE, &["unreadable (pending) sectors", "ffline uncorrectable sectors"],
        device!(r"(?P<n>\d+) (?P<what>Currently unreadable \(pending\)|Offline uncorrectable) sectors")).refine(sectors),
    rule("smartd.count", Sign::UnspecifiedFault, DEVICE, &["error count increased", "Self-Test Log error count"],
        device!(r"(?P<what>ATA error count|Self-Test Log error count) increased from (?P<old>\d+) to (?P<new>\d+)")).refine(object),
    rule("smartd.temperature", Sign::TemperatureHigh, DEVICE, &["reached critical limit", "reached limit"],
        device!(r"Temperature (?P<celsius>\d+) Celsius reached (?P<critical>critical )?limit of (?P<limit>\d+)")).refine(temperature),
    rule("smartd.gone", Sign::DiskMissing, DEVICE, &["No such device", "unable to open device", "failed to read SMART", "removed ATA device"],
        device!(r"(?:open\(\) (?:of \w+ device )?failed: No such device.*|unable to open device.*|failed to read SMART.*|removed ATA device.*|.*No such device.*)")).refine(object),
    rule("smartd.attribute", Sign::Benign, DEVICE, &["Attribute: "],
        device!(r"SMART (?:Prefailure|Usage) Attribute: (?P<attribute>\d+ \S+) changed from (?P<old>\S+)(?: \[[^\]]*\])? to (?P<new>\S+)")).refine(object),
    rule("smartd.log", Sign::Info, DEVICE, &["Error Log entries"], device!(r"number of Error Log entries increased.*")).refine(object),
];

fn object(seen: &mut Observation) {
    let via = seen.about.field("via").trim_start_matches("/dev/").to_owned();
    let behind = seen.about.field("behind").to_owned();
    match behind.split_once("_disk_") {
        Some(("megaraid", id)) => megaraid(seen, &via, id),
        Some(("3ware", port)) => {
            seen.about.space = Some(Space::ThreeWare);
            seen.about.set("port", format!("p{}", plain(port)));
        }
        Some(("cciss", index)) => numbered(seen, Space::Hp, "cciss-disk", index),
        Some(("areca", index)) => numbered(seen, Space::Areca, "areca-disk", index),
        Some(("aacraid", index)) => numbered(seen, Space::Aacraid, "aacraid-disk", index),
        Some((other, index)) => seen.about.set(&format!("{other}-disk"), index),
        None => {
            seen.about.set("dev", via);
            super::device::name_objects(&mut seen.about);
        }
    }
}

/// `/dev/bus/0` is SCSI host 0.
fn megaraid(seen: &mut Observation, via: &str, id: &str) {
    seen.about.space = Some(Space::Megaraid);
    seen.about.add_alias(Alias::DeviceId(plain(id).to_owned()));
    if let Some(host) = via.strip_prefix("bus/") {
        seen.about.add_alias(Alias::ScsiHost(host.to_owned()));
    }
}

fn numbered(seen: &mut Observation, space: Space, field: &str, index: &str) {
    seen.about.space = Some(space);
    seen.about.set(field, index);
    seen.about.set("id", index);
}

/// `03` is 3.
fn plain(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    }
}

fn sectors(seen: &mut Observation) {
    object(seen);
    if seen.about.field("n") == "0" {
        seen.sign = Sign::Benign;
    }
}

fn temperature(seen: &mut Observation) {
    object(seen);
    if !seen.about.field("critical").is_empty() {
        seen.sign = Sign::TemperatureCritical;
    }
}
