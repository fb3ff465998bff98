//! Starts, stops, pauses and resumes the check of an array: words for `sync_action`, no command.
//!
//! As in the kernel's Documentation/admin-guide/md.rst. A check that is interrupted leaves its place in
//! `sync_min`, and the next one goes on from there: that is what pausing is here, and why a start first
//! writes 0, or half a check would pass for a whole one. The place is lost at a reboot. `repair` is never
//! written: on a mirror it copies one half over the other, whichever was right.

use crate::adapter::Write;
use crate::{Act, Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct MdMaintenance;

impl Maintenance for MdMaintenance {
    fn command(&self, _tool: &str, mutation: &Mutation) -> Result<Act, String> {
        let writes: &[(&str, &'static str)] = match mutation {
            Mutation::StartCheck { .. } => &[("sync_min", "0"), ("sync_action", "check")],
            Mutation::ResumeCheck { .. } => &[("sync_action", "check")],
            Mutation::StopCheck { .. } | Mutation::PauseCheck { .. } => &[("sync_action", "idle")],
            Mutation::VerifyFix { .. } => return Err(NO_REPAIR.to_owned()),
            Mutation::Locate { .. } => return Err("md has no lamps; ledctl or the enclosure's tool may".to_owned()),
        };
        let name = mutation.on();
        if !is_array(name) {
            return Err(mutation.not_here());
        }
        let write = |(file, text): &(&str, &'static str)| Write { path: format!("/sys/block/{name}/md/{file}"), text };
        Ok(Act::Write(writes.iter().map(write).collect()))
    }

    fn judge(&self, _: &Mutation, answer: &Answer) -> Verdict {
        let outcome = &answer.outcome;
        if outcome.absent || outcome.denied || (outcome.ended() && outcome.exit != 0) {
            return Verdict::Refused(format!("the kernel says: {}", answer.stderr_text().trim()));
        }
        if outcome.ended() { Verdict::Started } else { Verdict::Unknown }
    }
}

const NO_REPAIR: &str = "raidmond never writes \"repair\" to sync_action: on a mirror it copies one half over the other, \
     whichever was right";

/// `md0`, `md127`, `md_d0`, `md_home`; nothing that could leave the folder.
fn is_array(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.strip_prefix("md").is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::survey::{Asked, Outcome};

    fn shown(mutation: &Mutation) -> Option<String> {
        MdMaintenance.command("", mutation).ok().map(|act| act.to_string())
    }

    #[test]
    fn a_start_begins_at_the_beginning_and_a_resume_does_not() {
        let array = || "md127".to_owned();
        let start = "echo 0 > /sys/block/md127/md/sync_min && echo check > /sys/block/md127/md/sync_action";
        assert_eq!(shown(&Mutation::StartCheck { array: array() }).as_deref(), Some(start));
        let resume = "echo check > /sys/block/md127/md/sync_action";
        assert_eq!(shown(&Mutation::ResumeCheck { array: array() }).as_deref(), Some(resume));
        let idle = Some("echo idle > /sys/block/md127/md/sync_action");
        assert_eq!(shown(&Mutation::PauseCheck { array: array() }).as_deref(), idle);
        assert_eq!(shown(&Mutation::StopCheck { array: array() }).as_deref(), idle);
        assert_eq!(shown(&Mutation::VerifyFix { array: array() }), None);
    }

    #[test]
    fn no_name_leaves_its_folder() {
        for wrong in ["md", "sda", "md0/../../sda", "md0 ", "", "../md0", "md0/md"] {
            assert_eq!(shown(&Mutation::StartCheck { array: wrong.to_owned() }), None, "{wrong}");
        }
    }

    #[test]
    fn the_kernels_no_is_a_no() {
        let judge = |outcome: Outcome, said: &str| {
            let asked = Asked::File("/sys/block/md0/md/sync_action".to_owned());
            let answer = Answer { asked, stdout: b"check".to_vec(), stderr: said.into(), outcome };
            MdMaintenance.judge(&Mutation::StartCheck { array: "md0".to_owned() }, &answer)
        };
        let busy = judge(Outcome { exit: 1, ..Outcome::default() }, "device or resource busy\n");
        assert_eq!(busy, Verdict::Refused("the kernel says: device or resource busy".to_owned()));
        assert!(matches!(judge(Outcome { absent: true, ..Outcome::default() }, "no such file"), Verdict::Refused(_)));
        assert_eq!(judge(Outcome { timed_out: true, ..Outcome::default() }, ""), Verdict::Unknown);
        assert_eq!(judge(Outcome::default(), ""), Verdict::Started);
    }
}
