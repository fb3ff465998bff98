//! `/var/log/megaserv.log`, the log of the MegaRAID SCSI daemon MegaServ.
//!
//! **Untested on real captures**: no public sample of this format could be found. So nothing depends on
//! the format: a line is trouble when it says so in one of many words (see `words`), and adapter,
//! logical drive, channel and id are taken where they can be recognised. Lines in which nothing is
//! understood are counted as unknown by the scanner.

use super::{Observation, Rule, Sign, rule, sign_of, words};
use crate::model::{Path, Space};
use crate::observe::transition::new_state;
use regex::Regex;
use std::sync::LazyLock;

pub(super) static RULES: &[Rule] = &[rule("megaserv", Sign::Info, &[""], &[], r"^(?P<text>.*)")
    .space(Space::MegaraidLegacy)
    .only_if(understood)
    .refine(line)];

fn understood(text: &str) -> bool {
    words::trouble(text).or_else(|| words::well(text)).is_some() || harmless(text)
}

/// Says a word of trouble in a harmless sense: understood, and nothing.
fn harmless(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["fail", "error", "offline", "degraded", "missing"].iter().any(|w| lower.contains(w))
}

fn line(seen: &mut Observation) {
    let text = seen.said.clone();
    seen.sign = sign(&text);
    let number = |which: &Option<Regex>| Some(which.as_ref()?.captures(&text)?.get(1)?.as_str().to_owned());
    let found = NUMBERS.iter().map(|(name, pattern)| (*name, number(pattern)));
    for (name, number) in found.collect::<Vec<_>>() {
        if let Some(number) = number {
            seen.about.set(name, number);
        }
    }
    place(seen);
    seen.about.fields.retain(|(name, _)| name != "text");
}

/// A change is judged by the new state; the words of the rest by what they speak of.
fn sign(text: &str) -> Sign {
    let part = of_the_part(text);
    let changed = new_state(&part).and_then(|state| sign_of(if is_logical(&part) { ARRAY } else { DISK }, state));
    let said = || words::trouble(&part).or_else(|| words::well(&part));
    match changed.or_else(said).unwrap_or(Sign::Info) {
        Sign::Info => Sign::Benign,
        // A physical drive of a logical drive, not the logical drive.
        Sign::ArrayFailed if !is_logical(&part) => Sign::DiskFailed,
        sign => sign,
    }
}

/// Without the adapter's number where the line speaks of something behind it: "Adapter 0, channel 0,
/// target 3: drive failed" is no failed adapter.
fn of_the_part(text: &str) -> String {
    let Some(adapter) = NUMBERS.first().and_then(|(_, pattern)| pattern.as_ref()) else { return text.to_owned() };
    let rest = adapter.replace_all(text, " ").into_owned();
    let names = NUMBERS.iter().skip(1).any(|(_, pattern)| pattern.as_ref().is_some_and(|p| p.is_match(&rest)));
    let lower = rest.to_ascii_lowercase();
    let speaks = ["drive", "disk", "battery", "spare"].iter().any(|w| lower.contains(w));
    if names || speaks { rest } else { text.to_owned() }
}

/// Whether the logical drive is what the line is about, not where its disk belongs.
fn is_logical(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let physical =
        ["physical", "phys ", "pdrv", "pd ", "target", "disk drive", "hard"].iter().any(|w| lower.contains(w));
    !physical
}

#[rustfmt::skip]
const ARRAY: &[(&str, Sign)] = &[
    ("partially", Sign::ArrayDegraded), ("degraded", Sign::ArrayDegraded), ("critical", Sign::ArrayDegraded),
    ("optimal", Sign::ArrayOptimal), ("online", Sign::ArrayOptimal), ("normal", Sign::ArrayOptimal),
    ("off", Sign::ArrayFailed), ("fail", Sign::ArrayFailed), ("dead", Sign::ArrayFailed), ("deleted", Sign::Info),
];

#[rustfmt::skip]
const DISK: &[(&str, Sign)] = &[
    ("fail", Sign::DiskFailed), ("dead", Sign::DiskFailed), ("off", Sign::DiskFailed), ("missing", Sign::DiskMissing),
    ("not resp", Sign::DiskMissing), ("rebuild", Sign::RebuildStarted), ("online", Sign::Info), ("optimal", Sign::Info),
    ("hot", Sign::Info), ("spare", Sign::Info), ("ready", Sign::Info),
];

/// As the adapter for `/proc/megaraid` and megarc names them: `c0/ch0:3` a disk, `c0/v1` a logical drive.
fn place(seen: &mut Observation) {
    let field = |name: &str| Some(seen.about.field(name).to_owned()).filter(|v| !v.is_empty());
    let Some(controller) = field("adapter").map(Path::controller) else { return };
    let disk = || Some(controller.child(format_args!("ch{}:{}", field("channel")?, field("id")?)));
    let array = || Some(controller.array(field("logical-drive")?));
    let of_array = matches!(
        seen.sign,
        Sign::ArrayDegraded | Sign::ArrayFailed | Sign::ArrayOptimal | Sign::Inconsistency | Sign::CheckFailed
    );
    let part = if of_array { array().or_else(disk) } else { disk().or_else(array) };
    seen.about.path = part.unwrap_or(controller);
}

static NUMBERS: LazyLock<Vec<(&'static str, Option<Regex>)>> = LazyLock::new(|| {
    const NAMES: [(&str, &str); 5] = [
        ("adapter", r"(?i)\b(?:adapter|adp|controller|ctrl|hba|card)\s*(?:no\.?|number|id)?\s*[-:=#]?\s*(\d+)"),
        (
            "logical-drive",
            r"(?i)\b(?:logical\s*(?:drive|disk|device)|ld|lgdrv|virtual\s*(?:drive|disk)|vd|array)\s*(?:no\.?|number|id)?\s*[-:=#]?\s*(\d+)",
        ),
        ("channel", r"(?i)\b(?:channel|chan|chn?)\s*(?:no\.?|number|id)?\s*[-:=#]?\s*(\d+)"),
        ("id", r"(?i)\b(?:target|tgt|id|scsi\s*id)\s*[-:=#]?\s*(\d+)"),
        ("slot", r"(?i)\bslot\s*[-:=#]?\s*(\d+)"),
    ];
    NAMES.iter().map(|(name, pattern)| (*name, Regex::new(pattern).ok())).collect()
});

#[cfg(test)]
mod tests {
    use super::super::super::{Carry, Context, LogKind, Scan, Scanner};
    use super::*;

    fn scan(text: &str) -> Scan {
        let scanner = Scanner::new(LogKind::Megaserv, &[]).unwrap();
        scanner.scan(text.as_bytes(), &Context::default(), &mut Carry::default())
    }

    #[test]
    fn objects_are_recognised_in_many_spellings() {
        for (text, fields) in [
            ("Adapter 0: Logical Drive 1 DEGRADED", [("adapter", "0"), ("logical-drive", "1")]),
            ("adp-1 ld#2 degraded", [("adapter", "1"), ("logical-drive", "2")]),
            ("Adapter No:3 Channel 1 drive dead", [("adapter", "3"), ("channel", "1")]),
            ("HBA 2, ch=0, id=5 failed", [("channel", "0"), ("id", "5")]),
        ] {
            let seen = scan(text).observations.remove(0);
            for (name, value) in fields {
                assert_eq!(seen.about.field(name), value, "{name} of {text}");
            }
        }
        assert_eq!(scan("Adapter 2: battery low").observations[0].about.path.as_str(), "c2");
    }

    #[test]
    fn trouble_is_trouble_and_zero_is_not() {
        let signs = |text| scan(text).observations.into_iter().map(|o| o.sign).collect::<Vec<_>>();
        assert_eq!(signs("Physical Drive ch 0 id 3 Missing"), [Sign::DiskMissing]);
        assert_eq!(signs("Fail: 0"), [Sign::Benign]);
        assert_eq!(signs("Logical drive 0: OPTIMAL"), [Sign::ArrayOptimal]);
        assert_eq!(signs("Adapter 1: firmware not responding"), [Sign::ControllerFailed]);
    }

    #[test]
    fn a_change_is_judged_by_the_new_state_and_names_its_object() {
        for (text, sign, path) in [
            ("Adapter 0: Logical drive 1 state changed from OPTIMAL to DEGRADED", Sign::ArrayDegraded, "c0/v1"),
            ("Adapter 0: Logical drive 1 state changed from DEGRADED to OPTIMAL", Sign::ArrayOptimal, "c0/v1"),
            ("Adapter 0: Logical drive 1 state changed from DEGRADED to OFFLINE", Sign::ArrayFailed, "c0/v1"),
            (
                "Adapter 0: Channel 0, Target 3: Physical drive state changed from ONLINE to FAILED",
                Sign::DiskFailed,
                "c0/ch0:3",
            ),
            (
                "Adapter 0: Channel 0, Target 3: Physical drive state changed from FAILED to REBUILD",
                Sign::RebuildStarted,
                "c0/ch0:3",
            ),
            (
                "Adapter 0: Channel 0, Target 3: Physical drive state changed from FAILED to ONLINE",
                Sign::Benign,
                "c0/ch0:3",
            ),
            ("Adapter 2 LD 0: DEGRADED -> OPTIMAL", Sign::ArrayOptimal, "c2/v0"),
            ("Adapter 0 Logical Drive 0: Physical drive ch 0 id 3 failed", Sign::DiskFailed, "c0/ch0:3"),
            ("Adapter 0: Channel 1, Target 2: Rebuild failed", Sign::RebuildFailed, "c0/ch1:2"),
            ("Adapter 0: battery is missing", Sign::BatteryFailed, "c0"),
        ] {
            let seen = scan(text).observations.remove(0);
            assert_eq!((seen.sign, seen.about.path.as_str()), (sign, path), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_counted() {
        let scan = scan("MegaServ 1.2 began\n\nxyzzy\n");
        assert_eq!((scan.observations.len(), scan.counts.unknown), (0, 2));
    }
}
