//! `/var/log/megaserv.log`, the log of the MegaRAID SCSI daemon MegaServ.
//!
//! **Untested on real captures**: no public sample of this format could be found. So nothing depends on
//! the format: a line is trouble when it says so in one of many words (see `words`), and adapter,
//! logical drive, channel and id are taken where they can be recognised. Lines in which nothing is
//! understood are counted as unknown by the scanner.

use super::{Observation, Rule, Sign, by_words, rule, words};
use crate::model::{Path, Space};
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
    by_words(seen);
    if seen.sign == Sign::Info {
        seen.sign = Sign::Benign;
    }
    let text = seen.said.clone();
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

fn place(seen: &mut Observation) {
    let adapter = seen.about.field("adapter").to_owned();
    if !adapter.is_empty() {
        seen.about.path = Path::controller(adapter);
    }
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
    }

    #[test]
    fn what_is_not_understood_is_counted() {
        let scan = scan("MegaServ 1.2 began\n\nxyzzy\n");
        assert_eq!((scan.observations.len(), scan.counts.unknown), (0, 2));
    }
}
