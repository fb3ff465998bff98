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

/// A family that follows others speaks of a disk of c0 that storcli lists.
fn smart(serial: &str) -> Reading {
    let mut r = Reading::new("smart", crate::model::Space::Megaraid);
    let disk = r.disk(&"c0/32:1".into());
    disk.serial = Some(serial.to_owned());
    disk.predictive = Some(crate::model::Observed::new(true, "failing"));
    r
}

fn smart_key() -> SourceKey {
    SourceKey { family: "smart".into(), about: "megaraid:c0".into() }
}

fn listing(disks: &[(&str, &str)]) -> Reading {
    let mut r = card(0);
    for (at, serial) in disks {
        let disk = r.disk(&(*at).into());
        disk.serial = Some((*serial).to_owned());
        disk.predictive = Some(crate::model::Observed::new(false, "no"));
    }
    r.coverage.add(&"c0".into(), crate::survey::Covers::Disks);
    r
}

#[test]
fn what_a_follower_says_joins_the_disk_in_its_slot_however_the_serial_is_cut() {
    for cut in ["ACMS0001", "ACMS00010000B412", "  ACMS0001  "] {
        let mut host = Host::default();
        host.apply(&key(0), &listing(&[("c0/32:1", "ACMS00010000B412")]), t(0));
        host.apply(&smart_key(), &smart(cut.trim()), t(1));
        let view = host.view();
        assert_eq!((view.disks.len(), view.disks[0].sources.len()), (1, 2), "{cut}");
        assert!(view.disks[0].facts.predictive.as_ref().is_some_and(|p| p.state), "{cut}");
    }
}

#[test]
fn a_prediction_is_not_taken_back_by_silence() {
    let mut host = Host::default();
    host.apply(&smart_key(), &smart("ACMS0001"), t(0));
    host.apply(&key(0), &listing(&[("c0/32:1", "ACMS0001")]), t(7200));
    assert!(host.view().disks[0].facts.predictive.as_ref().is_some_and(|p| p.state));
}

#[test]
fn a_follower_neither_keeps_a_pulled_disk_nor_brings_it_back() {
    let mut host = Host::default();
    host.apply(&key(0), &listing(&[("c0/32:1", "ACMS0001")]), t(0));
    host.apply(&smart_key(), &smart("ACMS0001"), t(30));
    let changes = host.apply(&key(0), &listing(&[]), t(60));
    assert!(changes.iter().any(|c| matches!(c, Change::Gone(_))), "{changes:?}");
    let changes = host.apply(&smart_key(), &smart("ACMS0001"), t(61));
    assert!(changes.is_empty() && host.view().disks.is_empty(), "{changes:?}");
}

#[test]
fn what_was_known_of_a_disk_that_sleeps_stays() {
    let plain = |predicts: bool| {
        let mut r = Reading::new("smart", crate::model::Space::Kernel);
        let disk = r.disk(&"sda".into());
        disk.controller = None;
        disk.predictive = predicts.then(|| crate::model::Observed::new(true, "failing"));
        r.coverage.add(&crate::model::Path::default(), crate::survey::Covers::Disks);
        r
    };
    let mut host = Host::default();
    let key = SourceKey { family: "smart".into(), about: String::new() };
    host.apply(&key, &plain(true), t(0));
    host.apply(&key, &plain(false), t(60));
    assert!(host.view().disks[0].facts.predictive.as_ref().is_some_and(|p| p.state));
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
