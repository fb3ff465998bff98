//! Log lines beside what tools say: whose line, which incident, how long.

use super::tests::{key, reading, set_disk, t, task};
use super::*;
use crate::host::{Host, SourceKey};
use crate::model::*;
use crate::observe::{Context as LogContext, LogKind, Observation, Scanner};
use crate::survey::{Covers, Reading};
use jiff::SignedDuration;
use std::collections::BTreeSet;

const PCI: &str = "0000:03:00.0";

/// A host and what diagnosis remembers, over several looks and lines.
struct Watch {
    host: Host,
    memory: Memory,
    policy: Policy,
}

impl Watch {
    fn new(first: &Reading) -> Self {
        let mut watch = Self { host: Host::default(), memory: Memory::default(), policy: Policy::default() };
        watch.read(0, first);
        watch
    }

    fn read(&mut self, at: i64, reading: &Reading) -> Vec<Condition> {
        self.host.apply(&key(), reading, t(at));
        self.look(at)
    }

    fn look(&mut self, at: i64) -> Vec<Condition> {
        let (found, memory) = diagnose(&self.host, &self.memory, &self.policy, t(at));
        self.memory = memory;
        found
    }

    fn hear(&mut self, at: i64, line: &str) -> Vec<Condition> {
        let seen = heard(line);
        let view = self.host.view();
        self.memory.observe(&self.host, &view, &seen, &Rates::new(), "kernel", t(at));
        self.look(at)
    }

    fn hear_past(&mut self, at: i64, lines: &[(&str, i64)]) -> Vec<Condition> {
        let seen = lines.iter().flat_map(|(line, when)| {
            heard(line).into_iter().map(|o| Observation { at: Some(t(*when)), ..o }).collect::<Vec<_>>()
        });
        let (seen, view) = (seen.collect::<Vec<_>>(), self.host.view());
        self.memory.observe_past(&self.host, &view, &seen, "kernel", t(at));
        self.look(at)
    }
}

/// Through the real rules.
fn heard(line: &str) -> Vec<Observation> {
    let scanner = Scanner::new(LogKind::Kernel, &[]).unwrap();
    let seen = scanner.scan(line.as_bytes(), &LogContext::default(), &mut Default::default()).observations;
    assert!(!seen.is_empty(), "no rule for {line}");
    seen
}

/// The card of `reading` with its address and the disks with their device ids.
fn card(state: ArrayState) -> Reading {
    let mut r = reading(Level::Raid5, 4, state);
    r.controllers[0].aliases.extend(Alias::pci(PCI));
    for (n, disk) in r.disks.iter_mut().enumerate() {
        disk.device_id = Some((n + 20).to_string());
    }
    r
}

fn degraded() -> Reading {
    let mut r = card(ArrayState::Degraded);
    set_disk(&mut r, 1, DiskState::Failed);
    r
}

fn event(text: &str) -> String {
    format!("megaraid_sas {PCI}: 3211 (736213481s/0x0001/CRIT) - {text}")
}

fn incidents(found: &[Condition]) -> BTreeSet<(String, Topic)> {
    let faults = found.iter().filter(|c| c.severity.is_fault());
    faults.map(|c| (c.anchor.name.clone(), c.topic)).collect()
}

fn kinds(found: &[Condition]) -> Vec<ConditionKind> {
    found.iter().map(|c| c.kind).collect()
}

fn one_of_the_array() -> BTreeSet<(String, Topic)> {
    [("c0/v0".to_owned(), Topic::Redundancy)].into()
}

#[test]
fn line_array_and_disk_are_one_incident() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    assert_eq!(incidents(&w.hear(60, &event("VD 00/0 is now DEGRADED"))), one_of_the_array());
    w.hear(60, &event("State change on PD 15(e0x20/s1) from ONLINE(18) to FAILED(11)"));
    let found = w.read(61, &degraded());
    assert_eq!(incidents(&found), one_of_the_array(), "{found:#?}");
    assert!(found.iter().any(|c| c.subject.name == "c0/32:1"));
}

#[test]
fn a_rebuild_that_fails_on_a_disk_is_told_with_the_array() {
    let mut w = Watch::new(&degraded());
    let found = w.hear(60, &event("Rebuild failed on PD 15(e0x20/s1) due to source drive error"));
    assert_eq!(incidents(&found), one_of_the_array(), "{found:#?}");
    let mut running = card(ArrayState::Degraded);
    set_disk(&mut running, 1, DiskState::Rebuilding);
    task(&mut running, TaskKind::Rebuild, TaskState::Running);
    w.hear(100, &event("Rebuild started on PD 15(e0x20/s1)"));
    assert_eq!(verdict(&w.read(110, &running)), Severity::Warning);
}

#[test]
fn a_later_look_counts_more_than_the_line() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    w.hear(60, &event("VD 00/0 is now DEGRADED"));
    let mut running = card(ArrayState::Degraded);
    set_disk(&mut running, 1, DiskState::Rebuilding);
    task(&mut running, TaskKind::Rebuild, TaskState::Running);
    assert_eq!(kinds(&w.read(70, &running))[0], ConditionKind::ArrayRebuilding);
    assert_eq!(verdict(&w.read(80, &card(ArrayState::Optimal))), Severity::Ok);
}

#[test]
fn a_look_from_before_the_line_ends_nothing() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    let found = w.hear(60, &event("VD 00/0 is now DEGRADED"));
    assert_eq!((found[0].kind, found[0].severity), (ConditionKind::LogArrayDegraded, Severity::Critical));
    assert_eq!(kinds(&w.read(61, &card(ArrayState::Optimal))), [ConditionKind::LogArrayDegraded], "within the margin");
}

#[test]
fn a_failing_member_in_the_log_is_a_suspect_once_nothing_is_left() {
    let mut w = Watch::new(&degraded());
    let found = w.hear(60, &event("Predictive failure: PD 16(e0x20/s2)"));
    assert_eq!((found[0].kind, found[0].severity), (ConditionKind::ArrayAtRisk, Severity::Emergency), "{found:#?}");
    assert_eq!(incidents(&found), one_of_the_array());
}

#[test]
fn the_word_of_one_array_does_not_mend_another() {
    let bare = || {
        let mut r = Reading::new("storcli", Space::Megaraid);
        let c0 = r.controller(&Path::from("c0"));
        c0.serial = Some("CARD0001".into());
        c0.aliases.extend(Alias::pci(PCI));
        r
    };
    for first in [bare(), Reading::new("storcli", Space::Megaraid)] {
        let mut w = Watch::new(&first);
        w.hear(60, &event("VD 00/0 is now DEGRADED"));
        let found = w.hear(61, &event("VD 01/1 is now OPTIMAL"));
        assert_eq!(verdict(&found), Severity::Critical, "{found:#?}");
        assert!(found[0].subject.name.ends_with("/v0"), "{}", found[0].subject.name);
        assert_eq!(w.hear(62, &event("VD 00/0 is now OPTIMAL")), []);
    }
}

#[test]
fn a_line_heard_before_the_first_look_finds_its_array_later() {
    let mut w = Watch::new(&Reading::new("storcli", Space::Megaraid));
    w.hear(60, &event("VD 00/0 is now DEGRADED"));
    w.host.apply(&key(), &degraded(), t(61));
    let moved = w.memory.place_facts(&w.host, &w.host.view());
    assert_eq!(moved.iter().map(|(_, new)| new.name.as_str()).collect::<Vec<_>>(), ["c0/v0"]);
    assert_eq!(incidents(&w.look(61)), one_of_the_array());
}

#[test]
fn a_device_id_means_the_disk_of_its_own_card() {
    let mut other = card(ArrayState::Optimal);
    other.controllers[0].aliases = vec![Alias::pci("0000:04:00.0").unwrap()];
    other.controllers[0].serial = Some("CARD0002".into());
    let mut w = Watch::new(&other);
    let found = w.hear(60, "megaraid_sas 0000:03:00.0: 1 (1s/0x0002/CRIT) - Predictive failure: PD 15(e0x20/s1)");
    assert!(found.iter().all(|c| c.subject.id.is_none()), "{found:#?}");
}

#[test]
fn units_and_ports_of_3ware_are_found() {
    let mut r = Reading::new("tw_cli", Space::ThreeWare);
    let c0 = Path::from("c0");
    r.controller(&c0).aliases.push(Alias::ScsiHost("2".into()));
    let unit = r.array(&c0.child("u0"));
    unit.level = Some(Level::Raid5);
    unit.state = Some(Observed::new(ArrayState::Optimal, "OK"));
    let port = r.disk(&c0.port(3));
    port.array = Some(c0.child("u0"));
    port.state = Some(Observed::new(DiskState::Online, "OK"));
    let mut w = Watch::new(&Reading::new("storcli", Space::Megaraid));
    w.host.scsi_hosts = vec![crate::host::ScsiHost { number: 2, driver: "3w-9xxx".into(), pci: Some(PCI.into()) }];
    w.host.apply(&SourceKey { family: "tw_cli".into(), about: "c0".into() }, &r, t(0));
    let found = w.hear(60, "3w-9xxx: scsi2: AEN: ERROR (0x04:0x0002): Degraded unit:unit=0, port=3.");
    assert_eq!((found[0].kind, found[0].subject.name.as_str()), (ConditionKind::LogArrayDegraded, "c0/u0"));
    let found = w.hear(61, "3w-9xxx: scsi2: AEN: WARNING (0x04:0x000F): SMART threshold exceeded:port=3.");
    assert!(found.iter().any(|c| c.subject.name == "c0/p3"), "{found:#?}");
    assert_eq!(incidents(&found).len(), 1, "{found:#?}");
}

#[test]
fn one_reset_is_nothing_and_three_a_warning() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    let line = format!("megaraid_sas {PCI}: resetting fusion adapter scsi0.");
    assert_eq!(verdict(&w.hear(0, &line)), Severity::Info);
    assert_eq!(verdict(&w.hear(3600, &line)), Severity::Info);
    let found = w.hear(7200, &line);
    assert_eq!((found[0].kind, found[0].severity), (ConditionKind::ControllerResets, Severity::Warning));
    assert_eq!(w.look(7200 + 25 * 3600), [], "a quiet day ends it");
}

#[test]
fn old_trouble_is_told_once_and_only_if_it_lasted() {
    let long_ago = -90 * 86_400;
    let mut w = Watch::new(&Reading::new("storcli", Space::Megaraid));
    let down = event("VD 00/0 is now DEGRADED");
    let up = event("VD 00/0 is now OPTIMAL");
    assert_eq!(w.hear_past(0, &[(&down, long_ago), (&up, long_ago + 60)]), [], "mended long ago");
    let found = w.hear_past(10, &[(&down, long_ago)]);
    assert_eq!((found[0].kind, found[0].severity), (ConditionKind::FoundInPast, Severity::Warning));
    assert_eq!(found[0].evidence[0].at, Some(t(long_ago)));
    assert_eq!(w.look(25 * 3600), []);
}

#[test]
fn one_old_reset_is_as_little_as_one_now() {
    let mut w = Watch::new(&Reading::new("storcli", Space::Megaraid));
    let line = "sd 0:0:0:0: Power-on or device reset occurred";
    assert_eq!(w.hear_past(600, &[(line, 0)]), [], "every disk says it once at boot");
    let found = w.hear_past(700, &[(line, 60), (line, 120)]);
    assert_eq!(kinds(&found), [ConditionKind::FoundInPast], "three within an hour");
}

#[test]
fn old_trouble_that_a_look_contradicts_is_no_news() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    assert_eq!(w.hear_past(0, &[(&event("VD 00/0 is now DEGRADED"), -90 * 86_400)]), []);
}

#[test]
fn data_lost_long_ago_is_lost_and_stays_until_dealt_with() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    let line = event("Puncturing bad block on PD 15(e0x20/s1) at 1f2");
    let found = w.hear_past(0, &[(&line, -90 * 86_400)]);
    assert_eq!((found[0].kind, found[0].severity), (ConditionKind::DataLoss, Severity::Critical));
    let found = w.look(30 * 86_400);
    assert_eq!(kinds(&found), [ConditionKind::DataLoss], "time does not bring it back");
    w.memory.deal_with(&found[0], &w.host.view());
    assert_eq!(w.look(30 * 86_400), []);
    assert_eq!(kinds(&w.hear(31 * 86_400, &line)), [ConditionKind::DataLoss], "the same words again are a new loss");
}

#[test]
fn dealing_with_lost_data_mends_nothing_else() {
    let mut w = Watch::new(&Reading::new("storcli", Space::Megaraid));
    w.hear(0, &event("VD 00/0 is now DEGRADED"));
    let found = w.hear(1, &event("Bad block table on VD 00/0 is cleared, cache discarded"));
    let lost = found.iter().find(|c| c.kind == ConditionKind::DataLoss).unwrap().clone();
    w.memory.deal_with(&lost, &w.host.view());
    assert_eq!(kinds(&w.look(2)), [ConditionKind::LogArrayDegraded]);
}

#[test]
fn a_tool_that_speaks_of_a_disk_is_not_a_line() {
    let mut w = Watch::new(&degraded());
    let found = w.hear(60, "blk_update_request: I/O error, dev sdz, sector 12345");
    let view = w.host.view();
    let by_lines: Vec<_> = found.iter().filter(|c| w.memory.rests_on_lines(c, &view)).map(|c| c.kind).collect();
    assert_eq!(by_lines, [ConditionKind::IoErrors]);
}

#[test]
fn a_quiet_day_ends_what_rests_on_lines_though_the_clock_was_set_back() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    w.hear(10 * 86_400, "blk_update_request: I/O error, dev sdz, sector 12345");
    assert_eq!(kinds(&w.look(0)), [ConditionKind::IoErrors]);
    let after = SignedDuration::from_hours(25).as_secs();
    assert_eq!(w.look(after), []);
}

#[test]
fn merged_objects_share_what_was_remembered() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    w.hear(0, &event("Predictive failure: PD 16(e0x20/s2)"));
    let disk = |slot: &str| w.host.view().disks.iter().find(|d| d.name == slot).map(|d| d.id).unwrap();
    let (into, from) = (disk("c0/32:1"), disk("c0/32:2"));
    w.memory.merge(&Subject::object(into, ObjectKind::Disk, "c0/32:1"), from);
    assert_eq!(w.look(1)[0].subject.id, Some(into));
}

#[test]
fn a_complete_list_keeps_the_lines_of_what_it_lists() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    w.hear(0, &event("Predictive failure: PD 16(e0x20/s2)"));
    let mut r = card(ArrayState::Optimal);
    r.coverage.add(&Path::from("c0"), Covers::Enclosures);
    assert_eq!(kinds(&w.read(60, &r)), [ConditionKind::LogDiskPredictive], "online is no answer to a prediction");
}

const ARRAY_LINE: &str = "I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2";

fn with_device(state: ArrayState) -> Reading {
    let mut r = card(state);
    r.arrays[0].device = Some("/dev/sda".into());
    if state != ArrayState::Optimal {
        set_disk(&mut r, 1, DiskState::Failed);
    }
    r
}

#[test]
fn errors_while_a_member_was_lost_end_when_the_array_is_whole() {
    let mut watch = Watch::new(&with_device(ArrayState::Optimal));
    assert_eq!(kinds(&watch.hear(10, ARRAY_LINE)), [ConditionKind::IoErrorsArray]);
    watch.read(60, &with_device(ArrayState::Degraded));
    assert_eq!(watch.read(3000, &with_device(ArrayState::Optimal)), []);
}

#[test]
fn errors_of_an_array_that_says_optimal_all_the_time_need_a_quiet_hour() {
    let mut watch = Watch::new(&with_device(ArrayState::Optimal));
    watch.hear(10, ARRAY_LINE);
    assert_eq!(kinds(&watch.read(600, &with_device(ArrayState::Optimal))), [ConditionKind::IoErrorsArray]);
    assert_eq!(watch.read(10 + 3700, &with_device(ArrayState::Optimal)), []);
}

#[test]
fn what_line_and_look_both_say_is_one_condition_with_both_as_evidence() {
    let mut r = card(ArrayState::Optimal);
    r.disks[2].predictive = Some(Observed::new(true, "Predictive Failure Count: 1"));
    let mut watch = Watch::new(&r);
    let found = watch.hear(10, &event("Predictive failure: PD 16(e0x20/s2)"));
    assert_eq!(kinds(&found), [ConditionKind::DiskPredictive]);
    assert_eq!(found[0].evidence.len(), 2, "{:#?}", found[0].evidence);
}

#[test]
fn a_battery_that_a_later_look_shows_well_is_not_failed() {
    let mut r = card(ArrayState::Optimal);
    let mut battery = CacheProtection::new(Path::from("c0/battery"), CacheKind::Battery);
    battery.state = Some(Observed::new(CacheState::Optimal, "Optimal"));
    r.caches.push(battery);
    let mut watch = Watch::new(&r);
    let mut line = Observation::new(crate::observe::Sign::BatteryFailed, "test", "Battery failed");
    line.about.aliases = Alias::pci(PCI).into_iter().collect();
    let view = watch.host.view();
    watch.memory.observe(&watch.host, &view, &[line], &Rates::new(), "kernel", t(10));
    let found = watch.look(10);
    assert_eq!((kinds(&found), found[0].subject.name.as_str()), (vec![ConditionKind::BatteryFailed], "c0/battery"));
    assert_eq!(watch.read(60, &r), []);
}

#[test]
fn a_failed_battery_and_what_follows_from_it_are_one_incident() {
    let mut r = card(ArrayState::Optimal);
    r.arrays[0].cache.default_write = Some(WriteCache::WriteBack);
    r.arrays[0].cache.current_write = Some(WriteCache::WriteThrough);
    let mut battery = CacheProtection::new(Path::from("c0/battery"), CacheKind::Battery);
    battery.state = Some(Observed::new(CacheState::Failed, "Failed"));
    r.caches.push(battery);
    let found = Watch::new(&r).look(0);
    assert_eq!(kinds(&found).len(), 2, "{found:#?}");
    assert_eq!(incidents(&found), BTreeSet::from([("c0/battery".to_owned(), Topic::Cache)]));
}

#[test]
fn what_a_disk_says_when_it_is_switched_on_is_no_old_trouble() {
    let mut w = Watch::new(&Reading::new("storcli", Space::Megaraid));
    let line = "sd 2:0:0:0: Power-on or device reset occurred";
    assert_eq!(w.hear_past(0, &[(line, -100)]), []);
    let found = w.hear_past(1, &[(line, -90), (line, -80)]);
    assert_eq!(kinds(&found), [ConditionKind::FoundInPast], "again and again is power or backplane");
}

#[test]
fn old_trouble_of_a_disk_that_is_seen_to_be_well_is_history() {
    let line = event("Predictive failure: PD 15(e0x20/s1)");
    let told = |predictive: Option<bool>| {
        let mut r = card(ArrayState::Optimal);
        r.disks[1].predictive = predictive.map(|p| Observed::new(p, "stated"));
        Watch::new(&r).hear_past(0, &[(&line, -600)])
    };
    assert_eq!(kinds(&told(None)), [ConditionKind::FoundInPast], "online says nothing of what is predicted");
    assert_eq!(told(Some(false)), []);
}

#[test]
fn an_nvme_error_without_a_known_command_is_an_error() {
    let seen = heard("nvme0n1: I/O Cmd(0x2) @ LBA 2048, 8 blocks, I/O Error (sct 0x2 / sc 0x81) DNR");
    assert!(!matches!(seen[0].sign, crate::observe::Sign::Info | crate::observe::Sign::Benign), "{seen:?}");
}

#[test]
fn a_disk_nobody_has_listed_yet_goes_by_its_kernel_name() {
    let mut w = Watch::new(&card(ArrayState::Optimal));
    let found = w.hear(60, "sd 7:0:0:0: [sdi] tag#3 Sense Key : Medium Error [current]");
    let headlines: Vec<&str> = found.iter().map(|c| c.headline.as_str()).collect();
    assert!(headlines.iter().any(|h| h.starts_with("sdi (7:0:0:0): ")), "{headlines:?}");
}
