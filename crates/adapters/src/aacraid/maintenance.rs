//! What raidmond may do to such a card: verify a logical device, stop that, light a disk's lamp.
//!
//! Words as in the arcconf command reference, TASK and IDENTIFY. `VERIFY_FIX` rewrites parity, and which half
//! was right nobody knows then: only where a person asks for exactly that. SmartRAID cards check by themselves
//! and refuse TASK; that is a refusal to report, not to work around. afacli is an interactive tool and is not
//! told to change anything.

use crate::{Act, Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct Arcconf;

pub static ARCCONF: Arcconf = Arcconf;

impl Maintenance for Arcconf {
    fn command(&self, tool: &str, mutation: &Mutation) -> Result<Act, String> {
        let task = |verb: &'static str, rest: &'static [&'static str]| {
            let (controller, number) = split(mutation.on(), "v")?;
            Some([&["TASK", verb, controller, "LOGICALDRIVE", number], rest].concat())
        };
        let words = match mutation {
            _ if tool.ends_with("afacli") => {
                return Err("afacli is interactive; raidmond only reads with it".to_owned());
            }
            Mutation::StartCheck { .. } => task("START", &["VERIFY", "NOPROMPT"]),
            Mutation::VerifyFix { .. } => task("START", &["VERIFY_FIX", "NOPROMPT"]),
            Mutation::StopCheck { .. } => task("STOP", &[]),
            Mutation::PauseCheck { .. } | Mutation::ResumeCheck { .. } => return Err(NO_PAUSE.to_owned()),
            Mutation::Locate { disk, on } => channel_and_device(disk).map(|(controller, channel, device)| {
                vec!["IDENTIFY", controller, "DEVICE", channel, device, if *on { "START" } else { "STOP" }]
            }),
        };
        let words = words.ok_or_else(|| mutation.not_here())?;
        Ok(Act::command(&[&[tool], words.as_slice()].concat()))
    }

    fn judge(&self, _: &Mutation, answer: &Answer) -> Verdict {
        let text = answer.text();
        let lower = text.to_ascii_lowercase();
        if !answer.outcome.ended() || answer.outcome.truncated {
            return Verdict::Unknown;
        }
        if lower.contains("aborted") || lower.contains("failed") || answer.outcome.exit != 0 {
            let said = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
            return Verdict::Refused(said);
        }
        if lower.contains("command completed successfully") { Verdict::Started } else { Verdict::Unknown }
    }
}

const NO_PAUSE: &str = "arcconf cannot pause a verify; it can be stopped, and starts anew";

/// "c1/v0" → 1 and 0.
fn split<'a>(path: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    let (controller, rest) = path.strip_prefix('c')?.split_once('/')?;
    let number = rest.strip_prefix(kind)?;
    (is_number(controller) && is_number(number)).then_some((controller, number))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// "c1/ch0:4", or the device id "c1/0,4". A slot (`c1/0:4`) is no device number and is refused.
fn channel_and_device(disk: &str) -> Option<(&str, &str, &str)> {
    let (controller, place) = disk.strip_prefix('c')?.split_once('/')?;
    let (channel, device) = match place.strip_prefix("ch") {
        Some(rest) => rest.split_once(':')?,
        None => place.split_once(',')?,
    };
    [controller, channel, device].into_iter().all(is_number).then_some((controller, channel, device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::survey::{Asked, Outcome};

    fn words(mutation: Mutation) -> Option<String> {
        ARCCONF.command("arcconf", &mutation).ok().map(|act| act.to_string())
    }

    fn locate(disk: &str) -> Option<String> {
        words(Mutation::Locate { disk: disk.to_owned(), on: true })
    }

    #[test]
    fn the_lamp_needs_a_device_number() {
        assert_eq!(locate("c1/ch0:4").as_deref(), Some("arcconf IDENTIFY 1 DEVICE 0 4 START"));
        assert_eq!(locate("c1/0,4").as_deref(), Some("arcconf IDENTIFY 1 DEVICE 0 4 START"));
        for refused in ["c1/0:4", "c1/ch0:4;reboot", "c1/v0", "ch0:4"] {
            assert_eq!(locate(refused), None, "{refused}");
        }
    }

    #[test]
    fn a_check_verifies_and_never_fixes() {
        let start = words(Mutation::StartCheck { array: "c2/v1".to_owned() });
        assert_eq!(start.as_deref(), Some("arcconf TASK START 2 LOGICALDRIVE 1 VERIFY NOPROMPT"));
        let stop = words(Mutation::StopCheck { array: "c2/v1".to_owned() });
        assert_eq!(stop.as_deref(), Some("arcconf TASK STOP 2 LOGICALDRIVE 1"));
        assert_eq!(words(Mutation::StartCheck { array: "c2/v1 VERIFY_FIX".to_owned() }), None);
        let fix = words(Mutation::VerifyFix { array: "c2/v1".to_owned() });
        assert_eq!(fix.as_deref(), Some("arcconf TASK START 2 LOGICALDRIVE 1 VERIFY_FIX NOPROMPT"));
        assert!(ARCCONF.can(&Mutation::PauseCheck { array: "c2/v1".to_owned() }).is_err());
        assert!(ARCCONF.command("afacli", &Mutation::StopCheck { array: "c2/v1".to_owned() }).is_err());
    }

    #[test]
    fn only_its_own_words_count_as_done() {
        let judge = |text: &str| {
            let stdout = text.as_bytes().to_vec();
            let (asked, outcome) = (Asked::cmd(&["arcconf"]), Outcome::default());
            let mutation = Mutation::Locate { disk: String::new(), on: true };
            ARCCONF.judge(&mutation, &Answer { asked, stdout, stderr: Vec::new(), outcome })
        };
        assert_eq!(judge("Command completed successfully.\n"), Verdict::Started);
        assert_eq!(judge("Command aborted.\n"), Verdict::Refused("Command aborted.".to_owned()));
        assert_eq!(judge(""), Verdict::Unknown);
    }
}
