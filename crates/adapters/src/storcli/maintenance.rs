//! What raidmond may have storcli change: start, stop, pause and resume a consistency check, locate LED.
//!
//! Words as in the StorCLI reference manual, "Consistency Check". A start without `force` is refused by the
//! firmware for an array that was never initialised; raidmond never says `force`. The check of these cards
//! repairs parity by itself: there is no check that only looks.

use super::parse::{DETAILED_STATUS, Document, parse};
use crate::{Act, Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct StorcliMaintenance;

impl Maintenance for StorcliMaintenance {
    fn command(&self, tool: &str, mutation: &Mutation) -> Result<Act, String> {
        let words = match mutation {
            Mutation::StartCheck { .. } => ["start", "cc"],
            Mutation::StopCheck { .. } => ["stop", "cc"],
            Mutation::PauseCheck { .. } => ["pause", "cc"],
            Mutation::ResumeCheck { .. } => ["resume", "cc"],
            Mutation::Locate { on: true, .. } => ["start", "locate"],
            Mutation::Locate { on: false, .. } => ["stop", "locate"],
            Mutation::VerifyFix { .. } => return Err(ALWAYS_FIXES.to_owned()),
        };
        let object = match mutation {
            Mutation::Locate { disk, .. } => disk_object(disk),
            other => array_object(other.on()),
        };
        let object = object.ok_or_else(|| mutation.not_here())?;
        Ok(Act::command(&[tool, &object, words[0], words[1], "J", "nolog"]))
    }

    fn judge(&self, _: &Mutation, answer: &Answer) -> Verdict {
        if !answer.outcome.ended() {
            return Verdict::Unknown;
        }
        let document = parse(&answer.text());
        match document.replies.iter().find_map(|r| r.status.as_deref()) {
            Some(status) if status.eq_ignore_ascii_case("success") => Verdict::Started,
            Some(_) => Verdict::Refused(reason(&document)),
            None => Verdict::Unknown,
        }
    }
}

/// Also said of MegaCli.
pub const ALWAYS_FIXES: &str = "its consistency check repairs what differs by itself; there is nothing more to ask for";

/// `c0/v3` → `/c0/v3`
fn array_object(path: &str) -> Option<String> {
    let (controller, array) = path.split_once('/')?;
    Some(format!("/{}/{}", numbered(controller, 'c')?, numbered(array, 'v')?))
}

/// `c0/32:5` → `/c0/e32/s5`, `c0/:5` → `/c0/s5`
fn disk_object(path: &str) -> Option<String> {
    let (controller, place) = path.split_once('/')?;
    let controller = numbered(controller, 'c')?;
    let (enclosure, slot) = place.split_once(':')?;
    if !digits(slot) {
        return None;
    }
    match enclosure {
        "" => Some(format!("/{controller}/s{slot}")),
        e if digits(e) => Some(format!("/{controller}/e{e}/s{slot}")),
        _ => None,
    }
}

fn numbered(text: &str, letter: char) -> Option<&str> {
    text.strip_prefix(letter).filter(|n| digits(n)).map(|_| text)
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn reason(document: &Document) -> String {
    let detail = document.replies.iter().flat_map(|r| r.titled(DETAILED_STATUS)).flat_map(|s| &s.rows);
    let mut said: Vec<String> = document.replies.iter().filter_map(|r| r.description.clone()).collect();
    said.extend(detail.filter_map(|row| row.stated("ErrMsg").map(str::to_owned)));
    said.retain(|s| super::parse::stated(s) && !s.eq_ignore_ascii_case("none"));
    if said.is_empty() { "refused without a reason".to_owned() } else { said.join(": ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::survey::{Asked, Outcome};

    fn argv(mutation: Mutation) -> Option<String> {
        StorcliMaintenance.command("perccli64", &mutation).ok().map(|act| act.to_string())
    }

    #[test]
    fn commands_name_their_object() {
        let locate = |disk: &str, on| argv(Mutation::Locate { disk: disk.to_owned(), on });
        let start = |array: &str| argv(Mutation::StartCheck { array: array.to_owned() });
        assert_eq!(start("c0/v3").as_deref(), Some("perccli64 /c0/v3 start cc J nolog"));
        let array = || "c12/v239".to_owned();
        let others = [
            (Mutation::StopCheck { array: array() }, "perccli64 /c12/v239 stop cc J nolog"),
            (Mutation::PauseCheck { array: array() }, "perccli64 /c12/v239 pause cc J nolog"),
            (Mutation::ResumeCheck { array: array() }, "perccli64 /c12/v239 resume cc J nolog"),
        ];
        for (mutation, words) in others {
            assert_eq!(argv(mutation).as_deref(), Some(words));
        }
        assert_eq!(argv(Mutation::VerifyFix { array: array() }), None);
        assert_eq!(locate("c1/32:5", true).as_deref(), Some("perccli64 /c1/e32/s5 start locate J nolog"));
        assert_eq!(locate("c1/:5", false).as_deref(), Some("perccli64 /c1/s5 stop locate J nolog"));
        assert_eq!((start("c0/v3 delete"), start("md0"), locate("c0/missing1", true)), (None, None, None));
    }

    #[test]
    fn only_success_is_started() {
        let judge = |text: &str, outcome: Outcome| {
            let answer = Answer { asked: Asked::cmd(&["storcli"]), stdout: text.into(), stderr: Vec::new(), outcome };
            StorcliMaintenance.judge(&Mutation::StopCheck { array: "c0/v0".into() }, &answer)
        };
        assert_eq!(judge("Controller = 0\nStatus = Success\n", Outcome::default()), Verdict::Started);
        let refused =
            judge("Controller = 0\nStatus = Failure\nDescription = Start CC Operation Failed\n", Outcome::default());
        assert_eq!(refused, Verdict::Refused("Start CC Operation Failed".into()));
        assert_eq!(judge("", Outcome::default()), Verdict::Unknown);
        assert_eq!(judge("Status = Success\n", Outcome { timed_out: true, ..Outcome::default() }), Verdict::Unknown);
    }
}
