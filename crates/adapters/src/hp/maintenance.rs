//! Switches the lamp of a drive: the only change raidmond makes on a Smart Array.
//!
//! There is no consistency check to start: the controller scans surfaces by itself whenever it is idle.

use crate::{Act, Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct HpMaintenance;

impl Maintenance for HpMaintenance {
    fn command(&self, tool: &str, mutation: &Mutation) -> Result<Act, String> {
        let Mutation::Locate { disk, on } = mutation else { return Err(BY_ITSELF.to_owned()) };
        if tool.ends_with(super::VOL_STATUS) {
            return Err(format!("{tool} only reads"));
        }
        let (slot, drive) = drive(disk).ok_or_else(|| mutation.not_here())?;
        let led = if *on { "led=on" } else { "led=off" };
        Ok(Act::command(&[tool, "ctrl", &format!("slot={slot}"), "pd", drive, "modify", led]))
    }

    /// It prints nothing when it has done it, "Error: …" when not.
    fn judge(&self, _mutation: &Mutation, answer: &Answer) -> Verdict {
        let text = format!("{}\n{}", answer.text(), answer.stderr_text());
        let refusal = text.lines().map(str::trim).find(|l| l.to_ascii_lowercase().starts_with("error"));
        match refusal {
            Some(line) => Verdict::Refused(line.to_owned()),
            None if answer.outcome.ended() && answer.outcome.exit == 0 => Verdict::Started,
            None => Verdict::Unknown,
        }
    }
}

const BY_ITSELF: &str = "Smart Array controllers scan surfaces and parity by themselves while idle; no tool of theirs starts, \
     pauses or stops that (ssacli only sets its priority)";

/// `c0b/1I:1:3` → `0b`, `1I:1:3`.
fn drive(disk: &str) -> Option<(&str, &str)> {
    let (controller, drive) = disk.split_once('/')?;
    let slot = controller.strip_prefix('c').filter(|n| super::is_slot(n))?;
    let parts: Vec<&str> = drive.split(':').collect();
    let plain = |p: &&str| !p.is_empty() && p.chars().all(|c| c.is_ascii_alphanumeric());
    let named = (2..=3).contains(&parts.len()) && parts.iter().all(plain);
    named.then_some((slot, drive))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::survey::{Asked, Outcome};

    #[test]
    fn only_whole_names_become_commands() {
        let light = |disk: &str| HpMaintenance.command("ssacli", &Mutation::Locate { disk: disk.into(), on: true });
        let words = |disk: &str| light(disk).ok().map(|act| act.to_string());
        assert_eq!(words("c0b/1I:1:3").as_deref(), Some("ssacli ctrl slot=0b pd 1I:1:3 modify led=on"));
        for wrong in ["c0", "c0/v1", "c0/all", "c0/1I:1:3; x", "csg0/1I:1:3", "c/1I:1:3", "c0/1I::3"] {
            assert!(light(wrong).is_err(), "{wrong}");
        }
        let check = HpMaintenance.can(&Mutation::StartCheck { array: "c0/v1".into() });
        assert!(check.is_err_and(|why| why.contains("by themselves")));
    }

    #[test]
    fn refusals_are_told_from_success() {
        let judge = |text: &str, exit: i32| {
            let outcome = Outcome { exit, ..Outcome::default() };
            let answer = Answer { asked: Asked::cmd(&["ssacli"]), stdout: text.into(), stderr: Vec::new(), outcome };
            HpMaintenance.judge(&Mutation::Locate { disk: "c0/1I:1:3".into(), on: true }, &answer)
        };
        assert_eq!(judge("\n", 0), Verdict::Started);
        assert_eq!(judge("", 1), Verdict::Unknown);
        assert_eq!(judge("\nError: no such drive\n", 1), Verdict::Refused("Error: no such drive".to_owned()));
    }
}
