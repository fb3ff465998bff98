//! What SMART adds to what controllers and software arrays say of the same disks.

use super::tests::{reading, set_disk, t};
use super::*;
use crate::host::{Host, SourceKey};
use crate::model::*;
use crate::survey::Reading;
use ConditionKind as K;

fn key(family: &str) -> SourceKey {
    SourceKey { family: family.into(), about: String::new() }
}

/// All of them heard a minute apart, diagnosed each time; what holds at the end.
fn judged(readings: &[Reading]) -> Vec<Condition> {
    let (mut host, mut memory, mut found) = (Host::default(), Memory::default(), Vec::new());
    for (n, reading) in readings.iter().enumerate() {
        host.apply(&key(&reading.family), reading, t(60 * n as i64));
        (found, memory) = diagnose(&host, &memory, &Policy::default(), t(60 * n as i64));
    }
    found
}

fn kinds(found: &[Condition]) -> Vec<K> {
    found.iter().map(|c| c.kind).collect()
}

/// What smartctl says of the disk at this place.
fn smart(space: Space, at: &str, controller: Option<&str>, change: impl Fn(&mut Disk)) -> Reading {
    let mut r = Reading::new("smart", space);
    let disk = r.disk(&at.into());
    disk.controller = controller.map(Path::from);
    change(disk);
    r
}

fn plain(change: impl Fn(&mut Disk)) -> Reading {
    smart(Space::Kernel, "sdb", None, |d| {
        d.aliases = vec![Alias::Kernel("sdb".into())];
        change(d);
    })
}

fn tries(state: ErrorRecovery) -> Option<Observed<ErrorRecovery>> {
    Some(Observed::new(state, "error recovery control"))
}

#[test]
fn the_kernel_must_wait_longer_than_the_disk_tries() {
    let kind = |state, timeout: Option<u64>| {
        kinds(&judged(&[plain(|d| {
            d.error_recovery = tries(state);
            d.kernel_timeout_seconds = timeout;
        })]))
    };
    let limited = |deciseconds| ErrorRecovery::Limited { deciseconds };
    assert_eq!(kind(limited(70), Some(30)), []);
    assert_eq!(kind(limited(300), Some(30)), [K::RecoveryTime]);
    assert_eq!(kind(ErrorRecovery::Unlimited, Some(30)), [K::RecoveryTime]);
    assert_eq!(kind(ErrorRecovery::Unlimited, Some(180)), []);
    assert_eq!(kind(ErrorRecovery::Unlimited, None), [], "nobody said how long the kernel waits");
    let behind = smart(Space::Megaraid, "c0/32:1", Some("c0"), |d| d.error_recovery = tries(ErrorRecovery::Unlimited));
    assert_eq!(kinds(&judged(&[behind])), [K::RecoveryTimeBehindRaid]);
}

#[test]
fn unreadable_sectors_on_the_last_copy_are_an_emergency() {
    let mut degraded = reading(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut degraded, 0, DiskState::Failed);
    let at = degraded.disks[1].at.clone();
    let space = degraded.space;
    let told = smart(space, at.as_str(), Some("c0"), |d| d.unreadable = Some(Observed::new(8, "pending 8")));
    let found = judged(&[degraded, told]);
    assert_eq!(found[0].kind, K::ArrayAtRisk, "{found:?}");
    let keys: std::collections::BTreeSet<_> =
        found.iter().filter(|c| c.severity.is_fault()).map(Condition::incident_key).collect();
    assert_eq!(keys.len(), 1, "one incident: {found:?}");
}

/// md names a place in its array; smartctl names the disk.
#[test]
fn a_disk_in_a_software_array_is_suspect_where_its_array_needs_it() {
    let mut md = Reading::new("md", Space::Kernel);
    let array = md.array(&"md0".into());
    (array.controller, array.level, array.width) = (None, Some(Level::Raid1), Some(2));
    array.state = Some(Observed::new(ArrayState::Degraded, "[2/1] [_U]"));
    array.members = ["sda1", "sdb1"].map(|n| Member { disk: Path::from("md0").child(n), ..Member::default() }).to_vec();
    for (name, state) in [("sda1", DiskState::Failed), ("sdb1", DiskState::Online)] {
        let disk = md.disk(&Path::from("md0").child(name));
        (disk.controller, disk.array) = (None, Some("md0".into()));
        disk.aliases = vec![Alias::Kernel(name[..3].into())];
        disk.state = Some(Observed::new(state, name));
    }
    let told = plain(|d| d.predictive = Some(Observed::new(true, "FAILED!")));
    let found = judged(&[md, told]);
    assert_eq!(found[0].kind, K::ArrayAtRisk, "{found:?}");
    let sdb = found.iter().find(|c| c.kind == K::DiskPredictive).unwrap();
    assert_eq!(sdb.incident_key(), found[0].incident_key(), "one incident");
}

#[test]
fn counts_of_smart_and_of_the_controller_are_not_added_up() {
    let controller = |n| {
        let mut r = reading(Level::Raid5, 4, ArrayState::Optimal);
        r.disks[1].media_errors = Some(n);
        r
    };
    let at = controller(0).disks[1].at.clone();
    let told = |n| {
        smart(controller(0).space, at.as_str(), Some("c0"), |d| {
            d.unrecovered_errors = Some(n);
            d.predictive = Some(Observed::new(false, "PASSED"));
        })
    };
    // The controller has counted 3 errors, the disk 900: neither is growth of the other.
    let found = judged(&[controller(3), told(900), controller(3), told(900)]);
    assert!(!kinds(&found).contains(&K::MediaErrorsGrowing), "{found:?}");
    let found = judged(&[controller(3), told(900), controller(3), told(901)]);
    let growing: Vec<_> = found.iter().filter(|c| c.kind == K::MediaErrorsGrowing).collect();
    assert!(growing.len() == 1 && growing[0].headline.contains("901 (+1)"), "{found:?}");
}

#[test]
fn what_the_disk_says_beside_its_health_is_told() {
    let found = judged(&[plain(|d| {
        d.predictive = Some(Observed::new(false, "PASSED"));
        d.unreadable = Some(Observed::new(3, "Current_Pending_Sector 3"));
        d.self_test_failed = Some(Observed::new(true, "Completed: read failure"));
        d.worn = Some(Observed::new(true, "104 % used"));
    })]);
    assert_eq!(kinds(&found), [K::UnreadableSectors, K::SelfTestFailed, K::DiskWorn]);
    assert!(found.iter().all(|c| c.severity == Severity::Warning && c.evidence[0].source == "smart"), "{found:?}");
}
