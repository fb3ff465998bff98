//! Nothing is changed on these cards: what cannot be proven is not run.
//!
//! megarc has a consistency check ("Check consistency on given logical drives", "Detect the ongoing Check
//! consistency … and abort it on all logical drives", megarc specification, contents), and MegaCtrl sets the
//! card's own weekly one (`-cons -h01 -w4 -d6`: Saturday 01:00, every fourth week). Neither their answers nor
//! what the card does on a degraded array is documented or captured anywhere raidmond could learn it from.

use crate::{Act, Maintenance, Mutation, Verdict};
use raidmond_core::survey::Answer;

pub struct LegacyMaintenance;

impl Maintenance for LegacyMaintenance {
    fn command(&self, _tool: &str, mutation: &Mutation) -> Result<Act, String> {
        Err(match mutation {
            Mutation::Locate { .. } => "megarc has no word for the lamp of a disk".to_owned(),
            _ => UNPROVEN.to_owned(),
        })
    }

    fn judge(&self, _: &Mutation, _: &Answer) -> Verdict {
        Verdict::Unknown
    }
}

const UNPROVEN: &str = "raidmond does not start checks on MegaRAID SCSI cards: how megarc and MegaCtrl answer is not known \
     well enough to tell a check that runs from one that does not. Set the card's own: MegaCtrl -cons -h01 -w4 -d6 \
     (Saturday 01:00, every 4 weeks)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_refused_in_words() {
        let array = || "c0/v0".to_owned();
        let all = [
            Mutation::StartCheck { array: array() },
            Mutation::VerifyFix { array: array() },
            Mutation::StopCheck { array: array() },
            Mutation::PauseCheck { array: array() },
            Mutation::ResumeCheck { array: array() },
        ];
        for mutation in all {
            let said = LegacyMaintenance.command("megarc", &mutation);
            assert!(said.is_err_and(|why| why.contains("MegaCtrl -cons")), "{mutation:?}");
        }
        assert!(LegacyMaintenance.can(&Mutation::Locate { disk: "c0/0:3".into(), on: true }).is_err());
    }
}
