//! The few things raidmond may change through MegaCli, and how its answers to them are judged.

use super::parse::Page;
use crate::adapter::{Maintenance, Mutation, Verdict};
use raidmond_core::model::Path;
use raidmond_core::survey::Answer;

pub struct MegaCliMaintenance;

impl Maintenance for MegaCliMaintenance {
    fn command(&self, tool: &str, mutation: &Mutation) -> Option<Vec<String>> {
        let (words, target) = match mutation {
            Mutation::StartCheck { array } => ("-LDCC -Start", array_option(array)?),
            Mutation::StopCheck { array } => ("-LDCC -Abort", array_option(array)?),
            Mutation::Locate { disk, on: true } => ("-PdLocate -Start", disk_option(disk)?),
            Mutation::Locate { disk, on: false } => ("-PdLocate -Stop", disk_option(disk)?),
        };
        let adapter = number_after(Path::new(path(mutation)).root().as_str(), 'c')?;
        let mut argv = vec![tool.to_owned()];
        argv.extend(words.split(' ').map(str::to_owned));
        argv.extend([target, format!("-a{adapter}"), "-NoLog".to_owned()]);
        Some(argv)
    }

    fn judge(&self, _mutation: &Mutation, answer: &Answer) -> Verdict {
        let page = Page::of(answer);
        if !answer.outcome.ended() {
            return Verdict::Unknown;
        }
        match (page.failed(answer), page.exit) {
            (true, _) => Verdict::Refused(page.quote()),
            (false, Some(0)) if !page.body.trim().is_empty() => Verdict::Started,
            _ => Verdict::Unknown,
        }
    }
}

fn path(mutation: &Mutation) -> &str {
    match mutation {
        Mutation::StartCheck { array } | Mutation::StopCheck { array } => array,
        Mutation::Locate { disk, .. } => disk,
    }
}

/// `c0/v3` → `-L3`.
fn array_option(array: &str) -> Option<String> {
    number_after(Path::new(array).leaf(), 'v').map(|n| format!("-L{n}"))
}

/// `c0/32:5` → `-PhysDrv[32:5]`. MegaCli takes an empty enclosure for disks without one.
fn disk_option(disk: &str) -> Option<String> {
    let path = Path::new(disk);
    let (enclosure, slot) = path.leaf().split_once(':')?;
    let digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
    (digits(enclosure) && digits(slot) && !slot.is_empty()).then(|| format!("-PhysDrv[{enclosure}:{slot}]"))
}

fn number_after(word: &str, letter: char) -> Option<u32> {
    word.strip_prefix(letter)?.parse().ok()
}
