//! HP/HPE Smart Array: `hpsa`, `smartpqi`, and the old `cciss`.

use super::{Observation, Rule, Sign, rule, sounds_like_trouble};
use crate::model::{Alias, Space};

macro_rules! hpsa {
    ($rest:literal) => {
        concat!(r"^hpsa (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): ", $rest)
    };
}

const HPSA: &[&str] = &["hpsa "];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("hpsa.lockup", Sign::ControllerFailed, HPSA, &["lockup detected"],
        hpsa!(r"(?:[Cc]ontroller lockup detected: 0x(?P<code>[0-9a-f]+)(?: after (?P<s>\d+))?|lockup detected after (?P<s2>\d+) but scratchpad register is zero|.*lockup detected.*)")).space(Space::Hp),
    rule("hpsa.dev", Sign::Info, HPSA, &["scsi "],
        r"^hpsa (?P<card>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): scsi (?P<hctl>\d+:\d+:\d+:\d+): (?P<what>removed|added|updated|replaced|offline|masked|resetting (?:logical|physical).*?|reset (?:logical|physical).*?) (?P<text>.*)").space(Space::Hp).refine(table_change),
    // Aborts that succeed, for hours, came before the kernel took a whole logical drive away.
    rule("hpsa.abort", Sign::Timeout, HPSA, &["bort request on", "ABORT REQUEST on"],
        r"^hpsa (?P<card>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:Abort request|ABORT REQUEST) on C(?P<h>\d+):B(?P<c>\d+):T(?P<t>\d+):L(?P<l>\d+)(?P<text>.*)").space(Space::Hp).refine(aborted),
    rule("hpsa.reset", Sign::Timeout, HPSA, &["resetting device "],
        r"^hpsa (?P<card>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): resetting device (?P<hctl>\d+:\d+:\d+:\d+)").space(Space::Hp),
    rule("hpsa.vol", Sign::Info, HPSA, &["Volume ", "LV failed", "LUN failure", "LUN data changed"],
        hpsa!(r"(?:C(?P<h>\d+):B(?P<c>\d+):T(?P<t>\d+):L(?P<l>\d+) Volume (?P<text>.*)|.*(?P<lv>LV failed), device will be skipped\.|.*(?P<lun>LUN failure) detected|.*report LUN data changed)")).space(Space::Hp).refine(volume),
    rule("cciss", Sign::Info, &["cciss"], &[],
        r"^cciss(?: (?P<dev>c\d+d\d+)|\d+)?: (?P<text>.*(?:unsolicited abort|LUN failure detected|power on or device reset|controller lockup|hardware error|has sense key = 0x[34]|timedout|unit attention|cmd .* failed).*)").space(Space::Hp).refine(old_block),
    rule("pqi", Sign::Info, &["smartpqi "], &["offline", "heartbeat", "resetting scsi", "reset of scsi", "removed", "added", "updated", "Firmware Activation"],
        r"^smartpqi (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?P<text>controller offline(?:: reason code 0x[0-9a-f]+.*)?|controller is offline: status code 0x(?P<sc>[0-9a-f]+)|no heartbeat detected - last heartbeat count: \d+|resetting scsi (?P<btl>[\d:]+).*|reset of scsi \S+: (?P<res>SUCCESS|FAILED)|scsi (?P<btl2>\d+:\d+:\d+:\d+): (?P<what>removed|added|updated|offline) .*|Online Firmware Activation.*|.*taking (?:the )?controller offline.*)").space(Space::Hp).refine(pqi),
];

fn is_logical(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    (upper.contains("LOGICAL") || upper.contains("RAID-")) && !upper.contains("PHYS DRV")
}

fn table_change(seen: &mut Observation) {
    seen.sign = gone(seen.about.field("what"), seen.about.field("text"));
}

fn gone(what: &str, text: &str) -> Sign {
    match what {
        "removed" | "offline" if is_logical(text) => Sign::ArrayFailed,
        "removed" | "offline" => Sign::DiskRemoved,
        what if what.starts_with("reset") => Sign::Timeout,
        _ => Sign::Info,
    }
}

fn aborted(seen: &mut Observation) {
    if seen.about.field("text").contains("FAILED") {
        seen.sign = Sign::IoError;
    }
}

fn volume(seen: &mut Observation) {
    let has = |field| !seen.about.field(field).is_empty();
    let failed = has("lv") || has("lun");
    let text = seen.about.field("text");
    if failed {
        seen.sign = Sign::ArrayFailed;
    } else if !text.contains("rapid parity") && (text.contains("encrypted") || sounds_like_trouble(text)) {
        seen.sign = Sign::UnspecifiedFault;
    }
}

fn old_block(seen: &mut Observation) {
    let text = seen.about.field("text");
    let has = |word| text.contains(word);
    seen.sign = match () {
        () if has("controller lockup") => Sign::ControllerFailed,
        () if has("sense key = 0x3") => Sign::MediumError,
        () if has("hardware error") || has("sense key = 0x4") => Sign::HardwareError,
        () if has("LUN failure") => Sign::ArrayFailed,
        () if has("timedout") || has("unsolicited abort") => Sign::Timeout,
        () if has("failed") => Sign::IoError,
        () => Sign::Info,
    };
    if !seen.about.field("dev").is_empty() {
        let name = format!("cciss/{}", seen.about.field("dev"));
        seen.about.aliases = vec![Alias::Kernel(name)];
    }
}

fn pqi(seen: &mut Observation) {
    let text = seen.about.field("text").to_owned();
    seen.sign = match seen.about.field("what") {
        "" if text.contains("controller offline")
            || text.contains("controller is offline")
            || text.contains("heartbeat") =>
        {
            Sign::ControllerFailed
        }
        "" if text.starts_with("resetting") => Sign::Timeout,
        "" if seen.about.field("res") == "FAILED" => Sign::IoError,
        "" => Sign::Info,
        what => gone(what, &text),
    };
    let device = seen.about.field("btl").to_owned();
    if !device.is_empty() {
        seen.about.aliases = vec![Alias::Hctl(device)];
    }
}
