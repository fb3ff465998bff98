//! Several cards on one host.

mod without_card;

use super::*;
use crate::diagnose::tests::{reading, t};
use crate::model::{Alias, ArrayState, Level};
use crate::survey::{Coverage, Reading};

fn card(number: u32) -> Reading {
    let mut r = reading(Level::Raid5, 4, ArrayState::Optimal);
    let renamed =
        |path: &crate::model::Path| crate::model::Path::new(path.as_str().replacen("c0", &format!("c{number}"), 1));
    r.controllers[0].at = renamed(&r.controllers[0].at);
    r.controllers[0].serial = Some(format!("CARD000{number}"));
    r.arrays[0].at = renamed(&r.arrays[0].at);
    r.arrays[0].controller = Some(r.controllers[0].at.clone());
    r.arrays[0].aliases.extend(Alias::array_uid("600605b0aabbccdd"));
    r.coverage = Coverage::default();
    r.disks.clear();
    r.arrays[0].members.clear();
    r
}

fn key(number: u32) -> SourceKey {
    SourceKey { family: "storcli".into(), about: format!("c{number}") }
}

#[test]
fn arrays_of_two_cards_are_two_though_their_ids_are_alike() {
    let mut host = Host::default();
    for at in [0, 60] {
        host.apply(&key(0), &card(0), t(at));
        host.apply(&key(1), &card(1), t(at + 1));
    }
    assert_eq!(host.view().arrays.len(), 2);
}

#[test]
fn an_array_behind_a_new_card_is_the_same_array() {
    let mut host = Host::default();
    host.apply(&key(0), &card(0), t(0));
    host.apply(&key(1), &card(1), t(3600));
    assert_eq!(host.view().arrays.len(), 1);
}
