//! Arrays that hang on no controller: md, pools, volumes.

use super::super::*;
use crate::diagnose::{ConditionKind as K, Memory, Policy, diagnose};
use crate::model::*;
use crate::survey::{Covers, Reading};

fn t(minutes: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + minutes * 60).unwrap()
}

/// Mirrors by name with the disks in their places; all arrays and disks are covered.
fn reading(arrays: &[(&str, &str, &[&str])]) -> Reading {
    let mut r = Reading::new("md", Space::Kernel);
    for (name, uuid, disks) in arrays {
        let at = Path::new(name);
        let aliases = Alias::array_uid(uuid).into_iter().collect();
        let state = Some(Observed::new(ArrayState::Optimal, "active"));
        let member = |d: &&str| Member { disk: at.child(d), group: 0, in_sync: Some(true) };
        let members = disks.iter().map(member).collect();
        let level = Some(Level::Raid1);
        let device = Some(format!("/dev/{name}"));
        r.arrays.push(Array {
            at: at.clone(),
            aliases,
            state,
            members,
            level,
            device,
            width: Some(2),
            ..Array::default()
        });
        for name in *disks {
            let state = Some(Observed::new(DiskState::Online, "in_sync"));
            let aliases = vec![Alias::Kernel("sda".to_owned())];
            r.disks.push(Disk { at: at.child(name), array: Some(at.clone()), aliases, state, ..Disk::default() });
        }
    }
    r.coverage.add(&Path::default(), Covers::Arrays);
    r.coverage.add(&Path::default(), Covers::Disks);
    r
}

fn key() -> SourceKey {
    SourceKey { family: "md".into(), about: String::new() }
}

/// What is found after each reading, ten minutes apart.
fn kinds_after(readings: &[Reading]) -> Vec<Vec<K>> {
    let (mut host, mut memory) = (Host::default(), Memory::default());
    let mut all = Vec::new();
    for (n, reading) in readings.iter().enumerate() {
        host.apply(&key(), reading, t(n as i64 * 10));
        let (found, next) = diagnose(&host, &memory, &Policy::default(), t(n as i64 * 10));
        memory = next;
        all.push(found.iter().map(|c| c.kind).collect());
    }
    all
}

#[test]
fn one_disk_in_two_arrays_has_two_places() {
    let mut host = Host::default();
    let r = reading(&[("md125", "aaaa1111", &["sda", "sdb"]), ("md126", "bbbb2222", &["sda", "sdb"])]);
    for n in 0..2 {
        let changes = host.apply(&key(), &r, t(n));
        assert_eq!(changes.len(), if n == 0 { 6 } else { 0 }, "{changes:?}");
    }
    let view = host.view();
    let members: Vec<usize> = view.arrays.iter().map(|a| view.members(a).count()).collect();
    assert_eq!((members, view.disks.len()), (vec![2, 2], 4));
}

#[test]
fn an_array_that_a_complete_list_lacks_is_missing_and_its_members_are_no_news() {
    let both = reading(&[("md0", "aaaa1111", &["sda1", "sdb1"]), ("md1", "bbbb2222", &["sda2", "sdb2"])]);
    let one = reading(&[("md0", "aaaa1111", &["sda1", "sdb1"])]);
    let mut partial = one.clone();
    partial.coverage = Default::default();
    let none: Vec<K> = Vec::new();
    assert_eq!(
        kinds_after(&[both.clone(), partial, one, both]),
        [none.clone(), none.clone(), vec![K::ArrayMissing], none]
    );
}

#[test]
fn renamed_disks_and_arrays_raise_nothing() {
    let before = reading(&[("md127", "aaaa1111", &["sda1", "sdb1"])]);
    let after = reading(&[("md0", "aaaa1111", &["sdc1", "sda1"])]);
    assert_eq!(kinds_after(&[before, after]), [Vec::<K>::new(), Vec::new()]);
}

#[test]
fn fewer_spares_than_the_array_had() {
    let mut with = reading(&[("md0", "aaaa1111", &["sda1", "sdb1", "sdc1"])]);
    with.arrays[0].members.pop();
    with.disks[2].state = Some(Observed::new(DiskState::HotSpare, "spare"));
    with.disks[2].spare = Some(SpareScope::Dedicated);
    let mut without = with.clone();
    without.disks.pop();
    assert_eq!(kinds_after(&[with.clone(), without, with]), [vec![], vec![K::SparesShort], vec![]]);
}

#[test]
fn a_disk_taken_out_of_a_place_that_another_one_holds_is_not_lost_twice() {
    let mut r = reading(&[("md0", "aaaa1111", &["sda1", "sdb1", "sdc1", "sdd1", "sde1"])]);
    r.arrays[0].level = Some(Level::Raid6);
    r.arrays[0].width = Some(4);
    r.arrays[0].members.pop();
    r.arrays[0].members[3].in_sync = Some(false);
    r.disks[3].state = Some(Observed::new(DiskState::Rebuilding, "spare"));
    r.disks[4].state = Some(Observed::new(DiskState::Failed, "faulty"));
    let mut host = Host::default();
    host.apply(&key(), &r, t(0));
    let (found, _) = diagnose(&host, &Memory::default(), &Policy::default(), t(0));
    let anchors: Vec<(K, &str)> = found.iter().map(|c| (c.kind, c.anchor.name.as_str())).collect();
    assert_eq!(anchors, [(K::ArrayReduced, "md0"), (K::DiskFailed, "md0")]);
}
