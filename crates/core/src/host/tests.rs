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

#[test]
fn an_array_is_checked_by_its_own_schedule_else_by_its_controllers_and_by_the_machines() {
    use crate::model::{CheckSchedule, Path, ScheduledBy, Space};
    let schedule = |on: &str, by, said: &str| CheckSchedule::new(Path::new(on), by, Some(true), said);
    let mut first = card(0);
    let mut second = first.arrays[0].clone();
    second.at = Path::new("c0/v1");
    second.aliases.clear();
    first.arrays.push(second);
    first.schedules.push(schedule("c0", ScheduledBy::Firmware, "controller"));
    let left_out = CheckSchedule { active: Some(false), ..schedule("c0/v1", ScheduledBy::Firmware, "left out") };
    first.schedules.push(left_out);
    let mut host = Host::default();
    host.apply(&key(0), &first, t(0));
    host.schedules.push((Space::Megaraid, schedule("", ScheduledBy::Distribution, "cron")));
    host.schedules.push((Space::Kernel, schedule("", ScheduledBy::Distribution, "raid-check")));
    let view = host.view();
    let said = |name: &str| -> Vec<&str> {
        let array = view.arrays.iter().find(|a| a.name == name).unwrap();
        view.schedules_of(array).map(|s| s.said.as_str()).collect()
    };
    assert_eq!(said("c0/v0"), ["controller", "cron"]);
    assert_eq!(said("c0/v1"), ["left out", "cron"]);
}
