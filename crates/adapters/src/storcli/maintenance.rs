//! The three things raidmond may have storcli change: start and stop a consistency check, locate LED.

use super::parse::{DETAILED_STATUS, Document, parse};
use crate::{Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct StorcliMaintenance;

impl Maintenance for StorcliMaintenance {
    fn command(&self, tool: &str, mutation: &Mutation) -> Option<Vec<String>> {
        let (object, words) = match mutation {
            Mutation::StartCheck { array } => (array_object(array)?, ["start", "cc"]),
            Mutation::StopCheck { array } => (array_object(array)?, ["stop", "cc"]),
            Mutation::Locate { disk, on: true } => (disk_object(disk)?, ["start", "locate"]),
            Mutation::Locate { disk, on: false } => (disk_object(disk)?, ["stop", "locate"]),
        };
        let words = [tool, &object, words[0], words[1], "J", "nolog"];
        Some(words.iter().map(|w| (*w).to_owned()).collect())
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
        StorcliMaintenance.command("perccli64", &mutation).map(|words| words.join(" "))
    }

    #[test]
    fn commands_name_their_object() {
        let locate = |disk: &str, on| argv(Mutation::Locate { disk: disk.to_owned(), on });
        let start = |array: &str| argv(Mutation::StartCheck { array: array.to_owned() });
        assert_eq!(start("c0/v3").as_deref(), Some("perccli64 /c0/v3 start cc J nolog"));
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
