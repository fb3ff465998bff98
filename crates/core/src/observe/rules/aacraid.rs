//! Adaptec (`aacraid`). The card's own recovery takes longer than the kernel waits by default, so an
//! abort request alone is no fault (its driver's author said so), and one reset is nothing yet.

use super::{Observation, Rule, Sign, by_words, rule};
use crate::model::{Alias, Space};

const NAMES: &[&str] = &["aacraid", "AAC", "aac", "percraid", "ServeRAID"];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("aac.hang", Sign::ControllerReset, &["aacraid: Host "], &["request"],
        r"^aacraid: Host (?P<what>adapter abort request(?: timed out)?|adapter reset request\.? SCSI hang \?|(?:device|target|bus) reset request\. SCSI hang \?)(?: \((?P<btl>[\d,]+)\))?\.?").space(Space::Aacraid).refine(hang),
    rule("aac.dead", Sign::ControllerFailed, NAMES, &["dead", "panic", "failed", "hung"],
        r"^(?:aacraid|AAC\d*|aac\d+|aacraid (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d)): ?(?:Host adapter is dead \(or got a PCI error\) (?P<n>-?\d+)|Host adapter dead (?P<n2>-?\d+)|[Aa]dapter kernel panic'?e?d (?P<bled>[0-9a-f-]+)\.?|adapter (?:monitor|kernel) (?:panic|failed).*|SCSI bus appears hung)").space(Space::Aacraid),
    rule("aac.reset", Sign::ControllerReset, &["aacraid "], &["IOP reset", "Reset attempt"],
        r"^aacraid (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:Issuing IOP reset|(?P<done>IOP reset succeeded)|(?P<failed>(?:IOP reset|ARC Reset attempt) failed))").space(Space::Aacraid).refine(reset),
    rule("aac.printf", Sign::Info, NAMES, &[],
        r"^(?P<drv>aacraid|percraid|ServeRAID|AAC\d*): ?(?P<text>(?:ID\(\d|(?:[Cc]ontainer|[Dd]rive|[Bb]attery|[Aa]rray|[Ee]nclosure|RAID|\*\*)).*)").space(Space::Aacraid).refine(by_words),
];

/// `(0,1,1,0)` is host, channel, target, lun of the device waited for; the card is the object.
fn hang(seen: &mut Observation) {
    if seen.about.field("what").starts_with("adapter abort") {
        seen.sign = Sign::Benign;
    }
    if let Some((host, _)) = seen.about.field("btl").split_once(',') {
        let host = Alias::ScsiHost(host.to_owned());
        seen.about.add_alias(host);
    }
}

fn reset(seen: &mut Observation) {
    if !seen.about.field("done").is_empty() {
        seen.sign = Sign::Info;
    } else if !seen.about.field("failed").is_empty() {
        seen.sign = Sign::ControllerFailed;
    }
}
