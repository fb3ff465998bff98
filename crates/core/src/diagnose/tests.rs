//! One row of the severity table after another.

use super::*;
use crate::host::SourceKey;
use crate::model::*;
use crate::survey::{Covers, NoteKind, Reading};
use jiff::SignedDuration;

pub(crate) fn t(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

pub(crate) fn key() -> SourceKey {
    SourceKey { family: "storcli".into(), about: "c0".into() }
}

/// A controller with one array of `n` disks in slots 0…, and everything covered.
pub(crate) fn reading(level: Level, n: u32, state: ArrayState) -> Reading {
    let mut r = Reading::new("storcli", Space::Megaraid);
    let c0 = Path::from("c0");
    r.controller(&c0).serial = Some("CARD0001".into());
    let v0 = c0.array(0);
    let array = r.array(&v0);
    array.level = Some(level);
    array.name = Some("data".into());
    array.state = Some(Observed::new(state, format!("{state:?}")));
    array.width = Some(n);
    array.members = (0..n).map(|s| Member { disk: c0.slot(Some("32"), s), group: s / 2, in_sync: None }).collect();
    if !matches!(level, Level::Raid10) {
        array.members.iter_mut().for_each(|m| m.group = 0);
    }
    for slot in 0..n {
        let disk = r.disk(&c0.slot(Some("32"), slot));
        disk.serial = Some(format!("SERIAL{slot:02}"));
        disk.array = Some(v0.clone());
        disk.state = Some(Observed::new(DiskState::Online, "Onln"));
    }
    for what in [Covers::Arrays, Covers::Disks, Covers::Cache] {
        r.coverage.add(&c0, what);
    }
    r
}

pub(crate) fn set_disk(r: &mut Reading, slot: usize, state: DiskState) {
    r.disks[slot].state = Some(Observed::new(state, format!("{state:?}")));
}

pub(crate) fn task(r: &mut Reading, kind: TaskKind, state: TaskState) {
    let on = Path::from("c0/v0");
    r.tasks.push(Task { on, kind, state: Observed::new(state, "task"), percent: Some(12.0), seconds_left: None });
}

fn judge(r: &Reading) -> Vec<Condition> {
    let mut host = Host::default();
    host.apply(&key(), r, t(0));
    diagnose(&host, &Memory::default(), &Policy::default(), t(0)).0
}

fn kinds(conditions: &[Condition]) -> Vec<ConditionKind> {
    conditions.iter().map(|c| c.kind).collect()
}

#[test]
fn a_healthy_array_is_ok() {
    for level in [Level::Raid0, Level::Raid1, Level::Raid5, Level::Raid6, Level::Raid10, Level::Single] {
        assert_eq!(judge(&reading(level, 4, ArrayState::Optimal)), [], "{level:?}");
    }
}

#[test]
fn redundancy_left_decides() {
    use ConditionKind as K;
    let case = |level, n, failed: &[usize], state, expected: K| {
        let mut r = reading(level, n, state);
        failed.iter().for_each(|s| set_disk(&mut r, *s, DiskState::Failed));
        let found = judge(&r);
        assert_eq!(found[0].kind, expected, "{level:?} minus {failed:?}: {found:#?}");
    };
    case(Level::Raid5, 4, &[1], ArrayState::Degraded, K::ArrayDegraded);
    case(Level::Raid5, 4, &[1, 2], ArrayState::Failed, K::ArrayFailed);
    case(Level::Raid6, 6, &[1], ArrayState::PartlyDegraded, K::ArrayReduced);
    case(Level::Raid6, 6, &[1, 2], ArrayState::Degraded, K::ArrayDegraded);
    case(Level::Raid1, 3, &[1], ArrayState::Degraded, K::ArrayDegraded);
    case(Level::Raid10, 6, &[2], ArrayState::Degraded, K::ArrayDegraded);
    // The summary says optimal, a member says failed: the member is believed.
    case(Level::Raid5, 4, &[1], ArrayState::Optimal, K::ArrayDegraded);
}

#[test]
fn a_rebuild_makes_it_a_warning_and_stopping_short_critical_again() {
    use ConditionKind as K;
    for (state, expected) in [
        (TaskState::Running, K::ArrayRebuilding),
        (TaskState::Queued, K::ArrayRebuilding),
        (TaskState::Paused, K::ArrayDegraded),
        (TaskState::Failed, K::ArrayDegraded),
    ] {
        let mut r = reading(Level::Raid5, 4, ArrayState::Degraded);
        set_disk(&mut r, 1, DiskState::Rebuilding);
        task(&mut r, TaskKind::Rebuild, state);
        assert_eq!(judge(&r)[0].kind, expected, "{state:?}");
    }
}

#[test]
fn a_suspect_member_of_a_degraded_array_is_an_emergency() {
    let mut r = reading(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut r, 1, DiskState::Failed);
    r.disks[2].predictive = Some(Observed::new(true, "Predictive Failure Count: 1"));
    let found = judge(&r);
    assert_eq!((found[0].kind, found[0].severity), (ConditionKind::ArrayAtRisk, Severity::Emergency));
    let anchors: Vec<_> = found.iter().map(|c| c.anchor.name.as_str()).collect();
    assert!(anchors.iter().all(|a| *a == "c0/v0"), "one incident: {anchors:?}");
}

#[test]
fn in_a_mirror_only_the_partner_is_suspect() {
    let mut r = reading(Level::Raid10, 4, ArrayState::Degraded);
    set_disk(&mut r, 0, DiskState::Failed);
    r.disks[2].predictive = Some(Observed::new(true, "trip"));
    assert_eq!(judge(&r)[0].kind, ConditionKind::ArrayDegraded);
    r.disks[1].predictive = Some(Observed::new(true, "trip"));
    assert_eq!(judge(&r)[0].kind, ConditionKind::ArrayAtRisk);
}

#[test]
fn a_rebuild_of_one_mirror_does_not_excuse_another() {
    let mut r = reading(Level::Raid10, 6, ArrayState::Degraded);
    set_disk(&mut r, 0, DiskState::Rebuilding);
    task(&mut r, TaskKind::Rebuild, TaskState::Running);
    assert_eq!(judge(&r)[0].kind, ConditionKind::ArrayRebuilding);
    set_disk(&mut r, 3, DiskState::Failed);
    assert_eq!(judge(&r)[0].kind, ConditionKind::ArrayDegraded);
}

#[test]
fn a_reduced_array_is_critical_after_three_days() {
    let mut r = reading(Level::Raid6, 6, ArrayState::PartlyDegraded);
    set_disk(&mut r, 1, DiskState::Failed);
    let mut host = Host::default();
    host.apply(&key(), &r, t(0));
    let (first, memory) = diagnose(&host, &Memory::default(), &Policy::default(), t(0));
    let later = t(0) + SignedDuration::from_hours(73);
    host.apply(&key(), &r, later);
    let (second, _) = diagnose(&host, &memory, &Policy::default(), later);
    assert_eq!((first[0].severity, second[0].severity), (Severity::Warning, Severity::Critical));
}

#[test]
fn counters_are_judged_by_growth() {
    let mut r = reading(Level::Raid5, 4, ArrayState::Optimal);
    r.disks[0].media_errors = Some(7);
    let mut host = Host::default();
    host.apply(&key(), &r, t(0));
    let (first, memory) = diagnose(&host, &Memory::default(), &Policy::default(), t(0));
    assert_eq!(kinds(&first), [ConditionKind::MediaErrors]);
    r.disks[0].media_errors = Some(9);
    host.apply(&key(), &r, t(60));
    let (second, memory) = diagnose(&host, &memory, &Policy::default(), t(60));
    assert_eq!((second[0].kind, second[0].severity), (ConditionKind::MediaErrorsGrowing, Severity::Warning));
    assert!(second[0].headline.contains("9 (+2)"), "{}", second[0].headline);
    let quiet = t(60) + SignedDuration::from_hours(8 * 24);
    host.apply(&key(), &r, quiet);
    assert_eq!(kinds(&diagnose(&host, &memory, &Policy::default(), quiet).0), [ConditionKind::MediaErrors]);
}

#[test]
fn a_used_spare_is_its_own_condition() {
    let mut r = reading(Level::Raid5, 4, ArrayState::Optimal);
    set_disk(&mut r, 3, DiskState::HotSpare);
    r.disks[3].array = None;
    r.arrays[0].members.pop();
    let mut host = Host::default();
    host.apply(&key(), &r, t(0));
    let (_, memory) = diagnose(&host, &Memory::default(), &Policy::default(), t(0));
    set_disk(&mut r, 3, DiskState::Online);
    host.apply(&key(), &r, t(60));
    let (found, _) = diagnose(&host, &memory, &Policy::default(), t(60));
    assert_eq!(kinds(&found), [ConditionKind::SparesShort]);
}

#[test]
fn what_a_complete_list_lacks_is_missed_and_a_partial_one_proves_nothing() {
    let whole = reading(Level::Raid5, 4, ArrayState::Optimal);
    let mut host = Host::default();
    host.apply(&key(), &whole, t(0));
    let mut partial = Reading::new("storcli", Space::Megaraid);
    partial.note(NoteKind::ToolFailed, Path::from("c0"), "killed by SIGILL");
    host.apply(&key(), &partial, t(60));
    let (found, _) = diagnose(&host, &Memory::default(), &Policy::default(), t(60));
    assert_eq!(found, [], "one failure is not yet blindness and takes nothing away");
    let mut empty = Reading::new("storcli", Space::Megaraid);
    empty.controller(&Path::from("c0")).serial = Some("CARD0001".into());
    empty.coverage.add(&Path::from("c0"), Covers::Arrays);
    host.apply(&key(), &empty, t(120));
    let (found, _) = diagnose(&host, &Memory::default(), &Policy::default(), t(120));
    assert_eq!((found[0].kind, found[0].severity), (ConditionKind::ArrayMissing, Severity::Critical));
}

#[test]
fn a_source_that_keeps_failing_is_blindness() {
    let mut host = Host::default();
    host.apply(&key(), &reading(Level::Raid5, 4, ArrayState::Optimal), t(0));
    let mut failing = Reading::new("storcli", Space::Megaraid);
    failing.note(NoteKind::ToolFailed, Path::from("c0"), "no answer in time");
    for n in 1..=3 {
        host.apply(&key(), &failing, t(60 * n));
    }
    let (found, _) = diagnose(&host, &Memory::default(), &Policy::default(), t(200));
    assert_eq!(found[0].severity, Severity::Blind);
}

#[test]
fn lost_data_stays_until_a_person_closes_it() {
    let mut r = reading(Level::Raid5, 4, ArrayState::Optimal);
    r.arrays[0].bad_blocks = Some(true);
    let mut host = Host::default();
    host.apply(&key(), &r, t(0));
    let (found, mut memory) = diagnose(&host, &Memory::default(), &Policy::default(), t(0));
    assert_eq!(kinds(&found), [ConditionKind::SectorsLost]);
    r.arrays[0].bad_blocks = Some(false);
    host.apply(&key(), &r, t(60));
    let (still, _) = diagnose(&host, &memory, &Policy::default(), t(60));
    assert_eq!(kinds(&still), [ConditionKind::SectorsLost]);
    memory.deal_with(&found[0], &host.view());
    assert_eq!(diagnose(&host, &memory, &Policy::default(), t(60)).0, []);
}

#[test]
fn write_back_lost_is_a_warning_unless_the_battery_learns() {
    let mut r = reading(Level::Raid5, 4, ArrayState::Optimal);
    r.arrays[0].cache.default_write = Some(WriteCache::WriteBack);
    r.arrays[0].cache.current_write = Some(WriteCache::WriteThrough);
    assert_eq!(verdict(&judge(&r)), Severity::Warning);
    let mut battery = CacheProtection::new(Path::from("c0/battery"), CacheKind::Battery);
    battery.state = Some(Observed::new(CacheState::Learning, "Learn Cycle Active"));
    r.caches.push(battery);
    assert_eq!(verdict(&judge(&r)), Severity::Info);
}

#[test]
fn an_admin_overrides_any_row() {
    let mut r = reading(Level::Raid5, 4, ArrayState::Optimal);
    r.disks[0].predictive = Some(Observed::new(true, "trip"));
    let mut host = Host::default();
    host.apply(&key(), &r, t(0));
    let policy =
        Policy { overrides: [(ConditionKind::DiskPredictive, Severity::Critical)].into(), ..Policy::default() };
    assert_eq!(verdict(&diagnose(&host, &Memory::default(), &policy, t(0)).0), Severity::Critical);
}

#[test]
fn every_kind_has_its_own_word() {
    for kind in ConditionKind::ALL {
        assert_eq!(ConditionKind::from_word(kind.word()), Some(*kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.word(), "serde and word() agree");
    }
}

#[test]
fn what_is_grave_cannot_be_made_to_look_well() {
    let ok = |kind| Policy { overrides: [(kind, Severity::Ok)].into(), ..Policy::default() }.severity(kind);
    for kind in [ConditionKind::ArrayDegraded, ConditionKind::ArrayRebuilding, ConditionKind::SectorsLost] {
        assert_eq!(ok(kind), Severity::Notice, "{}", kind.word());
    }
    assert_eq!(ok(ConditionKind::SourceBlind), Severity::Notice);
    assert_eq!(ok(ConditionKind::BatteryFailed), Severity::Ok, "an admin decides");
}
