//! Start and stop a verify, switch the locate light: the only changes raidmond makes on a 3ware card.
//!
//! `/cx/ux start verify` and `stop verify` as in the 3ware CLI guides from 9.3 on; before them, `maint verify
//! c0 u0` one of the legacy `maint` commands, which have no word to stop one; never tried on a card. `pause` and `resume` exist for rebuilds
//! only. A verify started by hand waits for the card's own schedule where that is enabled, and a parity
//! mismatch makes the card initialise the unit anew in the background: there is no verify that only looks.

use crate::{Act, Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct TwMaintenance;

impl Maintenance for TwMaintenance {
    fn command(&self, tool: &str, mutation: &Mutation) -> Result<Act, String> {
        let (leaf, words) = match mutation {
            Mutation::StartCheck { .. } => ('u', ["start", "verify"]),
            Mutation::StopCheck { .. } => ('u', ["stop", "verify"]),
            Mutation::Locate { on: true, .. } => ('p', ["set", "identify=on"]),
            Mutation::Locate { on: false, .. } => ('p', ["set", "identify=off"]),
            Mutation::PauseCheck { .. } | Mutation::ResumeCheck { .. } => return Err(NO_PAUSE.to_owned()),
            Mutation::VerifyFix { .. } => return Err(ALWAYS_FIXES.to_owned()),
        };
        let object = mutation.on();
        split(object, leaf).ok_or_else(|| mutation.not_here())?;
        Ok(Act::command(&[tool, &format!("/{object}"), words[0], words[1]]))
    }

    fn otherwise(&self, tool: &str, mutation: &Mutation, answer: &Answer) -> Option<Act> {
        let Mutation::StartCheck { array } = mutation else { return None };
        let (controller, unit) = split(array, 'u')?;
        let refused = answer.outcome.ended() && does_not_know(&answer.text(), &answer.stderr_text());
        refused.then(|| Act::command(&[tool, "maint", "verify", controller, unit]))
    }

    /// Seen in the guides: `Sending start verify message to /c0/u0 ... Done.`,
    /// `Setting Port Identify on /c0/p3 to [on] ... Done.`
    fn judge(&self, _mutation: &Mutation, answer: &Answer) -> Verdict {
        let text = format!("{}\n{}", answer.text(), answer.stderr_text());
        let refusal = text.lines().map(str::trim).find(|line| {
            let lower = line.to_ascii_lowercase();
            lower.starts_with("error") || lower.contains("failed") || lower.contains("not supported")
        });
        if let Some(line) = refusal {
            return Verdict::Refused(line.to_owned());
        }
        let done = text.to_ascii_lowercase().contains("done");
        match answer.outcome.ended() && answer.outcome.exit == 0 && done {
            true => Verdict::Started,
            false => Verdict::Unknown,
        }
    }
}

const NO_PAUSE: &str = "tw_cli pauses and resumes rebuilds only; a verify can be stopped, and starts anew";
const ALWAYS_FIXES: &str =
    "a verify of these cards puts right what differs by itself; there is nothing more to ask for";

/// `c0/u1` → `c0`, `u1`.
fn split(object: &str, leaf: char) -> Option<(&str, &str)> {
    let (controller, part) = object.split_once('/')?;
    let named = super::is_numbered(controller, 'c') && super::is_numbered(part, leaf) && !object.contains('x');
    named.then_some((controller, part))
}

/// What versions without the slash syntax say of it.
fn does_not_know(stdout: &str, stderr: &str) -> bool {
    let text = format!("{stdout}\n{stderr}").to_ascii_lowercase();
    ["syntax is not known", "invalid command", "unknown command", "syntax error"].iter().any(|w| text.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::survey::{Asked, Outcome};

    fn answer(text: &str, exit: i32) -> Answer {
        let outcome = Outcome { exit, ..Outcome::default() };
        Answer { asked: Asked::cmd(&["tw_cli"]), stdout: text.as_bytes().to_vec(), stderr: Vec::new(), outcome }
    }

    #[test]
    fn only_whole_names_become_commands() {
        let start = |array: &str| TwMaintenance.command("tw_cli", &Mutation::StartCheck { array: array.into() });
        assert_eq!(start("c0/u1"), Ok(Act::command(&["tw_cli", "/c0/u1", "start", "verify"])));
        let stop = TwMaintenance.command("tw_cli", &Mutation::StopCheck { array: "c0/u1".into() });
        assert_eq!(stop, Ok(Act::command(&["tw_cli", "/c0/u1", "stop", "verify"])));
        for wrong in ["c0", "c0/p1", "c0/u", "c0/u0; reboot", "cx/u0", "md0", "c0/u0-1"] {
            assert!(start(wrong).is_err(), "{wrong}");
        }
        let light = Mutation::Locate { disk: "c0/p3".into(), on: false };
        assert_eq!(
            TwMaintenance.command("tw_cli", &light),
            Ok(Act::command(&["tw_cli", "/c0/p3", "set", "identify=off"]))
        );
    }

    #[test]
    fn an_old_tool_is_told_in_its_old_words_and_only_then() {
        let check = Mutation::StartCheck { array: "c0/u2".into() };
        let otherwise = |text: &str, exit: i32| TwMaintenance.otherwise("tw_cli", &check, &answer(text, exit));
        let old = Act::command(&["tw_cli", "maint", "verify", "c0", "u2"]);
        assert_eq!(otherwise("Error: Invalid command /c0/u2\n", 1), Some(old));
        assert_eq!(otherwise("Error: (CLI:069) The unit is busy.\n", 1), None);
        assert_eq!(otherwise("", 0), None);
        let stop = Mutation::StopCheck { array: "c0/u2".into() };
        assert_eq!(TwMaintenance.otherwise("tw_cli", &stop, &answer("Error: Invalid command\n", 1)), None);
    }

    #[test]
    fn a_verify_cannot_be_paused() {
        let pause = TwMaintenance.can(&Mutation::PauseCheck { array: "c0/u0".into() });
        assert!(pause.is_err_and(|why| why.contains("rebuilds only")));
    }

    #[test]
    fn silence_is_not_success() {
        let check = Mutation::StartCheck { array: "c0/u0".into() };
        let judge = |text: &str, exit: i32| TwMaintenance.judge(&check, &answer(text, exit));
        assert_eq!(judge("Sending start verify message to /c0/u0 ... Done.\n", 0), Verdict::Started);
        assert_eq!(judge("", 0), Verdict::Unknown);
        assert_eq!(judge("Sending start verify message to /c0/u0 ... Done.\n", 1), Verdict::Unknown);
        let no = "Error: (CLI:069) The unit is busy.";
        assert_eq!(judge(no, 1), Verdict::Refused(no.to_owned()));
    }
}
