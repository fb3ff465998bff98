//! The few things raidmond may change through MegaCli, and how its answers to them are judged.
//!
//! Words as in MegaCli's help of 8.x, as admins quote it: `-LDCC {-Start [-force]}|-Abort|-Suspend|-Resume|-ShowProg|-ProgDsply
//! -Lx|-L0,1,2|-LALL -aN|…`. Versions before 8 do not know `-Suspend` and `-Resume` and say so; that is a
//! refusal to report. raidmond never says `-force`.

use super::parse::Page;
use crate::adapter::{Act, Maintenance, Mutation, Verdict};
use crate::storcli::ALWAYS_FIXES;
use raidmond_core::model::Path;
use raidmond_core::survey::Answer;

pub struct MegaCliMaintenance;

impl Maintenance for MegaCliMaintenance {
    fn command(&self, tool: &str, mutation: &Mutation) -> Result<Act, String> {
        let words = match mutation {
            Mutation::StartCheck { .. } => ["-LDCC", "-Start"],
            Mutation::StopCheck { .. } => ["-LDCC", "-Abort"],
            Mutation::PauseCheck { .. } => ["-LDCC", "-Suspend"],
            Mutation::ResumeCheck { .. } => ["-LDCC", "-Resume"],
            Mutation::Locate { on: true, .. } => ["-PdLocate", "-Start"],
            Mutation::Locate { on: false, .. } => ["-PdLocate", "-Stop"],
            Mutation::VerifyFix { .. } => return Err(ALWAYS_FIXES.to_owned()),
        };
        let target = match mutation {
            Mutation::Locate { disk, .. } => disk_option(disk),
            other => array_option(other.on()),
        };
        let adapter = number_after(Path::new(mutation.on()).root().as_str(), 'c');
        let (target, adapter) = target.zip(adapter).ok_or_else(|| mutation.not_here())?;
        Ok(Act::command(&[tool, words[0], words[1], &target, &format!("-a{adapter}"), "-NoLog"]))
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
