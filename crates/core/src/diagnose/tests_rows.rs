//! Rows of the severity table that need more than one look or an unusual array.

use super::tests::{key, reading, set_disk, t, task};
use super::*;
use crate::host::Host;
use crate::model::*;
use crate::survey::{Covers, NoteKind, Reading};
use ConditionKind as K;

/// Diagnoses these readings a minute apart.
fn over_time(readings: &[Reading]) -> Vec<Vec<Condition>> {
    let (mut host, mut memory) = (Host::default(), Memory::default());
    let mut all = Vec::new();
    for (n, reading) in readings.iter().enumerate() {
        let now = t(60 * n as i64);
        host.apply(&key(), reading, now);
        let (found, next) = diagnose(&host, &memory, &Policy::default(), now);
        memory = next;
        all.push(found);
    }
    all
}

fn judge(r: &Reading) -> Vec<Condition> {
    over_time(std::slice::from_ref(r)).remove(0)
}

fn kinds(found: &[Condition]) -> Vec<K> {
    found.iter().map(|c| c.kind).collect()
}

fn healthy() -> Reading {
    reading(Level::Raid5, 4, ArrayState::Optimal)
}

/// RAID 50 of two groups of three.
fn raid50(failed: &[usize]) -> Reading {
    let mut r = reading(Level::Raid50, 6, ArrayState::Degraded);
    r.arrays[0].members.iter_mut().enumerate().for_each(|(n, m)| m.group = n as u32 / 3);
    failed.iter().for_each(|slot| set_disk(&mut r, *slot, DiskState::Failed));
    r
}

#[test]
fn raid_50_counts_the_worst_group_and_suspects_within_it() {
    let mut r = raid50(&[0]);
    assert_eq!(judge(&r)[0].kind, K::ArrayDegraded);
    r.disks[4].predictive = Some(Observed::new(true, "trip"));
    assert_eq!(judge(&r)[0].kind, K::ArrayDegraded, "the other group can still lose a disk");
    r.disks[1].predictive = Some(Observed::new(true, "trip"));
    assert_eq!(judge(&r)[0].kind, K::ArrayAtRisk);
}

#[test]
fn a_mirror_of_three_minus_one_has_redundancy_and_no_sole_copy() {
    let mut r = reading(Level::Raid1, 3, ArrayState::PartlyDegraded);
    set_disk(&mut r, 0, DiskState::Failed);
    r.arrays[0].redundancy_left = Some(1);
    let (mut host, found) = (Host::default(), judge(&r));
    assert_eq!(found[0].kind, K::ArrayReduced);
    host.apply(&key(), &r, t(0));
    let view = host.view();
    assert_eq!(redundancy(&view, &view.arrays[0]).alone, []);
    set_disk(&mut r, 1, DiskState::Failed);
    r.arrays[0].redundancy_left = None;
    r.arrays[0].state = Some(Observed::new(ArrayState::Degraded, "Dgrd"));
    host.apply(&key(), &r, t(1));
    let view = host.view();
    let left = redundancy(&view, &view.arrays[0]);
    assert_eq!((left.left, left.alone.len()), (Some(0), 1));
}

#[test]
fn two_members_gone_from_the_list_are_two_lost() {
    let mut r = reading(Level::Raid6, 6, ArrayState::Degraded);
    r.space = Space::Aacraid;
    let whole = Reading { arrays: reading(Level::Raid6, 6, ArrayState::Optimal).arrays, ..r.clone() };
    r.disks.truncate(4);
    r.arrays[0].members.truncate(4);
    let found = over_time(&[whole, r]).remove(1);
    assert_eq!(found[0].kind, K::ArrayDegraded, "{found:#?}");
    assert_eq!(found[0].related.len(), 2);
}

#[test]
fn a_second_failed_disk_is_named_in_the_same_incident() {
    let mut one = reading(Level::Raid6, 6, ArrayState::PartlyDegraded);
    set_disk(&mut one, 1, DiskState::Failed);
    let mut two = one.clone();
    set_disk(&mut two, 4, DiskState::Failed);
    two.arrays[0].state = Some(Observed::new(ArrayState::Degraded, "Dgrd"));
    let all = over_time(&[one, two]);
    assert_eq!(all[0][0].incident_key(), all[1][0].incident_key());
    assert_eq!((all[0][0].severity, all[1][0].severity), (Severity::Warning, Severity::Critical));
    for name in ["32:1", "32:4"] {
        assert!(all[1][0].headline.contains(name), "{}", all[1][0].headline);
    }
    assert!(all[1].iter().all(|c| c.incident_key() == all[1][0].incident_key()));
}

#[test]
fn a_failed_hot_spare_is_one_warning() {
    let mut r = healthy();
    set_disk(&mut r, 3, DiskState::HotSpare);
    r.disks[3].array = None;
    r.disks[3].spare = Some(SpareScope::Global);
    r.arrays[0].members.pop();
    r.arrays[0].width = Some(3);
    let mut failed = r.clone();
    set_disk(&mut failed, 3, DiskState::Failed);
    let all = over_time(&[r.clone(), failed, r]);
    assert_eq!((kinds(&all[1]), all[1][0].severity), (vec![K::SpareFailed], Severity::Warning));
    assert_eq!((&all[0], &all[2]), (&vec![], &vec![]));
}

#[test]
fn no_spare_left_is_an_incident_of_its_own() {
    let mut r = healthy();
    r.disk(&Path::from("c0/32:7")).state = Some(Observed::new(DiskState::HotSpare, "GHS"));
    let mut used = reading(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut used, 1, DiskState::Failed);
    let spare = used.disk(&Path::from("c0/32:7"));
    spare.state = Some(Observed::new(DiskState::Rebuilding, "Rbld"));
    spare.array = Some("c0/v0".into());
    task(&mut used, TaskKind::Rebuild, TaskState::Running);
    let found = over_time(&[r, used]).remove(1);
    let short = found.iter().find(|c| c.kind == K::SparesShort).unwrap();
    assert_eq!((short.topic, short.anchor.name.as_str()), (Topic::Spares, "c0"));
    assert!(found.iter().filter(|c| c.kind != K::SparesShort).all(|c| c.anchor.name == "c0/v0"), "{found:#?}");
}

#[test]
fn temperature_limits_have_hysteresis_both() {
    let at = |celsius: i64| {
        let mut r = healthy();
        r.disks[0].temperature_celsius = Some(celsius);
        r
    };
    let temperatures = [59, 60, 58, 70, 69, 67, 66, 57, 56, 59, 255];
    let all = over_time(&temperatures.map(at));
    let told: Vec<Severity> = all.iter().map(|c| verdict(c)).collect();
    use Severity::{Critical, Ok, Warning};
    assert_eq!(told, [Ok, Warning, Warning, Critical, Critical, Critical, Warning, Warning, Ok, Ok, Ok]);
}

fn with_battery(state: CacheState) -> Reading {
    let mut r = healthy();
    let mut battery = CacheProtection::new("c0/battery".into(), CacheKind::Battery);
    battery.state = Some(Observed::new(state, format!("{state:?}")));
    r.caches.push(battery);
    r
}

#[test]
fn a_battery_is_missed_only_where_one_was() {
    assert_eq!(judge(&with_battery(CacheState::NotFitted)), []);
    for before in [CacheState::Optimal, CacheState::Charging, CacheState::Weak, CacheState::Failed] {
        let all = over_time(&[with_battery(before), with_battery(CacheState::NotFitted)]);
        assert_eq!(kinds(&all[1]), [K::BatteryMissing], "{before:?}");
    }
    let mut without = healthy();
    without.coverage.add(&Path::from("c0"), Covers::Cache);
    assert_eq!(kinds(&over_time(&[with_battery(CacheState::Optimal), without.clone()])[1]), [K::BatteryMissing]);
    assert_eq!(over_time(&[with_battery(CacheState::NotFitted), without])[1], []);
}

#[test]
fn write_through_is_judged_by_what_was_chosen() {
    let policy = |default, current, battery| {
        let mut r = with_battery(battery);
        r.arrays[0].cache.default_write = Some(default);
        r.arrays[0].cache.current_write = Some(current);
        judge(&r).into_iter().filter(|c| c.subject.kind == ObjectKind::Array).map(|c| c.kind).collect::<Vec<_>>()
    };
    use WriteCache::{WriteBack, WriteThrough};
    assert_eq!(policy(WriteThrough, WriteThrough, CacheState::NotFitted), []);
    assert_eq!(policy(WriteBack, WriteBack, CacheState::Optimal), []);
    assert_eq!(policy(WriteBack, WriteThrough, CacheState::Failed), [K::WriteBackLost]);
    assert_eq!(policy(WriteBack, WriteThrough, CacheState::Learning), [K::WriteBackPaused]);
    assert_eq!(policy(WriteBack, WriteBack, CacheState::Failed), [K::WriteBackUnprotected]);
}

#[test]
fn a_fan_is_critical_when_no_other_turns() {
    let fans = |states: &[PartState]| {
        let mut r = healthy();
        let parts = states.iter().enumerate().map(|(n, state)| Part {
            kind: PartKind::Fan,
            name: format!("Fan {n}"),
            state: Observed::new(*state, format!("{state:?}")),
            value: None,
        });
        r.enclosures.push(Enclosure { at: "c0/e32".into(), parts: parts.collect(), ..Enclosure::default() });
        verdict(&judge(&r))
    };
    use PartState::{Failed, NotInstalled, Ok, Warning};
    assert_eq!(fans(&[Ok, NotInstalled]), Severity::Ok);
    assert_eq!(fans(&[Failed, Ok]), Severity::Warning);
    assert_eq!(fans(&[Failed, Warning]), Severity::Warning, "it turns, though not well");
    assert_eq!(fans(&[Failed, NotInstalled]), Severity::Critical);
    assert_eq!(fans(&[Failed, Failed]), Severity::Critical);
}

#[test]
fn a_new_array_without_redundancy_is_a_warning_and_a_mirror_mismatch_a_notice() {
    let mut r = reading(Level::Raid5, 4, ArrayState::Initialising);
    assert_eq!(verdict(&judge(&r)), Severity::Ok);
    r.arrays[0].redundancy_left = Some(0);
    assert_eq!(verdict(&judge(&r)), Severity::Warning);
    for (level, severity) in [(Level::Raid5, Severity::Warning), (Level::Raid1, Severity::Notice)] {
        let mut r = reading(level, 2, ArrayState::Optimal);
        r.arrays[0].inconsistencies = Some(3);
        assert_eq!(verdict(&judge(&r)), severity, "{level:?}");
    }
}

#[test]
fn a_word_not_known_is_quoted() {
    let mut r = healthy();
    r.disks[0].state = Some(Observed::new(DiskState::Unknown, "Wobbly"));
    r.note(NoteKind::UnknownWord, Path::from("c0/v0"), "cache policy \"Quux\"");
    let found = judge(&r);
    assert_eq!((found.len(), verdict(&found)), (2, Severity::Warning));
    for word in ["Wobbly", "Quux"] {
        assert!(found.iter().any(|c| c.headline.contains(word)), "{word}");
    }
}
