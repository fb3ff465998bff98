//! Start and stop a verify, switch the locate light: the only changes raidmond makes on a 3ware card.

use crate::{Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct TwMaintenance;

impl Maintenance for TwMaintenance {
    fn command(&self, tool: &str, mutation: &Mutation) -> Option<Vec<String>> {
        let (object, leaf, words) = match mutation {
            Mutation::StartCheck { array } => (array, 'u', vec!["start", "verify"]),
            Mutation::StopCheck { array } => (array, 'u', vec!["stop", "verify"]),
            Mutation::Locate { disk, on: true } => (disk, 'p', vec!["set", "identify=on"]),
            Mutation::Locate { disk, on: false } => (disk, 'p', vec!["set", "identify=off"]),
        };
        let (controller, part) = object.split_once('/')?;
        let named = super::is_numbered(controller, 'c') && super::is_numbered(part, leaf) && !object.contains('x');
        let head = [tool.to_owned(), format!("/{object}")];
        named.then(|| head.into_iter().chain(words.into_iter().map(str::to_owned)).collect())
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
        assert_eq!(start("c0/u1"), Some(["tw_cli", "/c0/u1", "start", "verify"].map(str::to_owned).to_vec()));
        for wrong in ["c0", "c0/p1", "c0/u", "c0/u0; reboot", "cx/u0", "md0", "c0/u0-1"] {
            assert_eq!(start(wrong), None, "{wrong}");
        }
        let light = Mutation::Locate { disk: "c0/p3".into(), on: false };
        assert_eq!(
            TwMaintenance.command("tw_cli", &light).and_then(|c| c.last().cloned()).as_deref(),
            Some("identify=off")
        );
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
