//! Whole messages, as a person gets them.

use super::*;
use crate::diagnose::Rates;
use crate::diagnose::Subject;
use crate::diagnose::tests::{key, reading, set_disk, t, task};
use crate::incident::{ChannelSpec, Engine, Input, Operator};
use crate::model::*;
use crate::observe::{Observation, Sign};
use crate::survey::{NoteKind, Reading};

/// The last message after these inputs, a minute apart, with a last look after the confirming time.
fn told(inputs: Vec<Input>) -> Notice {
    let notice = all_told(inputs).pop().expect("something is told");
    let subject = format!("[raidmond db3] {}: {}", notice.severity.word().to_uppercase(), notice.headline);
    assert!(subject.chars().count() <= 78, "{} characters: {subject}", subject.chars().count());
    notice
}

fn all_told(inputs: Vec<Input>) -> Vec<Notice> {
    let mail = ChannelSpec { name: "mail".into(), min_severity: Severity::Warning };
    let settings = Settings {
        host_name: "db3".into(),
        channels: vec![mail],
        locator: std::sync::Arc::new(|_: &str, d: &Disk| {
            Some(format!("storcli64 /c0/e32/s{} start locate", d.slot.as_deref()?))
        }),
        ..Settings::default()
    };
    let mut engine = Engine::new(settings, State { instance: "t".into(), ..State::default() });
    let mut all = Vec::new();
    let count = inputs.len() as i64;
    let ticks = [(count * 60, Input::Tick)];
    for (at, input) in inputs.into_iter().enumerate().map(|(n, i)| (60 * n as i64, i)).chain(ticks) {
        let turn = engine.handle(t(at), input);
        all.extend(turn.changes.postings.iter().map(|p| p.notice.clone()));
        engine.adopt(turn);
    }
    all
}

fn read(reading: &Reading) -> Input {
    Input::Reading { key: key(), reading: Box::new(reading.clone()) }
}

fn line(sign: Sign, path: &str, said: &str) -> Input {
    let mut seen = Observation::new(sign, "test", said);
    seen.about.space = Some(Space::Megaraid);
    seen.about.path = path.into();
    let observations = vec![seen];
    Input::Observations { source: "kernel".into(), observations, rates: Rates::new(), cursor: None, past: false }
}

/// With what a person wants to know of disks and array.
fn card(level: Level, n: u32, state: ArrayState) -> Reading {
    let mut r = reading(level, n, state);
    r.controllers[0].model = Some("PERC H730P".into());
    r.controllers[0].auto_rebuild = Some(true);
    r.arrays[0].size_bytes = Some(24_000_000_000_000);
    r.arrays[0].device = Some("/dev/sda".into());
    r.arrays[0].mounts = vec!["/srv".into()];
    r.arrays[0].state = Some(Observed::new(state, if state == ArrayState::Optimal { "Optl" } else { "Dgrd" }));
    for (slot, disk) in r.disks.iter_mut().enumerate() {
        disk.enclosure = Some("32".into());
        disk.slot = Some(slot.to_string());
        disk.model = Some("ST4000NM0023".into());
        disk.interface = Some(Interface::Sas);
        disk.size_bytes = Some(4_000_000_000_000);
    }
    r
}

fn healthy() -> Reading {
    card(Level::Raid5, 4, ArrayState::Optimal)
}

fn degraded() -> Reading {
    let mut r = card(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut r, 1, DiskState::Failed);
    r
}

fn text(notice: &Notice) -> String {
    let mut all = vec![format!("{} {}: {}", notice.event.word(), notice.severity, notice.headline)];
    let sections = [("HAPPENED", &notice.happened), ("MEANS", &notice.means), ("TO DO", &notice.to_do)];
    for (title, lines) in sections.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        all.push(title.to_owned());
        all.extend(lines.iter().map(|l| format!("  {l}")));
    }
    all.push("WHY".to_owned());
    all.extend(notice.evidence.iter().map(|e| {
        let at = e.at.map(|at| at.duration_since(t(0)).as_secs().to_string()).unwrap_or_default();
        format!("  {at} {}: {}", e.source, e.said)
    }));
    all.extend(notice.footer.iter().map(|l| format!("-- {l}")));
    all.join("\n")
}

#[test]
fn a_failed_disk_without_a_spare() {
    let expected = r#"opened critical: RAID 5 data degraded, disk 32:1 failed
HAPPENED
  Disk 32:1 (enclosure 32, slot 1, ST4000NM0023, serial SERIAL01) failed, noticed at 2027-01-15 08:01:00 +00:00.
  Array data (c0/v0, RAID 5 of 4 disks, 21.8 TiB, /dev/sda on /srv) runs degraded.
MEANS
  Nothing is lost yet.
  No redundancy is left and nothing is restoring it: the next disk failure loses the array.
  There is no hot spare: nothing is rebuilding.
TO DO
  Get a SAS disk of 4.0 TB or more.
  Blink the slot:   storcli64 /c0/e32/s1 start locate
  Pull only slot 1 of enclosure 32 (serial SERIAL01).
  Put the new disk in. Auto-rebuild is on for this controller: the rebuild starts by itself. You will hear from me when redundancy is back.
WHY
  60 storcli: c0/v0 state "Dgrd"
  60 storcli: c0/32:1 state "Failed"
  60 now: unchanged
-- incident 1 · reminder in 4 h, then daily · quiet it: raidmond ack 1 --for 3d --comment "disk ordered""#;
    assert_eq!(text(&told(vec![read(&healthy()), read(&degraded())])), expected);
}

#[test]
fn a_spare_is_being_rebuilt() {
    let mut r = card(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut r, 1, DiskState::Rebuilding);
    task(&mut r, TaskKind::Rebuild, TaskState::Running);
    let expected = r#"opened warning: RAID 5 data rebuilding (12 %), no redundancy yet
HAPPENED
  Disk 32:1 (enclosure 32, slot 1, ST4000NM0023, serial SERIAL01) is being rebuilt.
  Array data (c0/v0, RAID 5 of 4 disks, 21.8 TiB, /dev/sda on /srv) is being rebuilt (12 %).
MEANS
  Nothing is lost yet.
  No redundancy is left until the running or queued rebuild ends.
  A rebuild is running, 12 % done.
TO DO
  Leave the other disks of this array alone until the rebuild has ended.
WHY
  60 storcli: c0/v0 state "Dgrd"
  60 storcli: c0/32:1 state "Rebuilding"
  60 now: unchanged
-- incident 1 · reminder in 24 h, then after 3 and 7 days, then weekly · quiet it: raidmond ack 1 --for 3d --comment "disk ordered""#;
    assert_eq!(text(&told(vec![read(&healthy()), read(&r)])), expected);
    r.tasks[0].state.state = TaskState::Paused;
    let paused = told(vec![read(&healthy()), read(&r)]);
    assert_eq!(paused.severity, Severity::Critical);
    assert!(paused.means.iter().any(|m| m.starts_with("The rebuild is paused")), "{:?}", paused.means);
}

#[test]
fn the_end_names_what_was_replaced_by_what() {
    let mut mended = healthy();
    mended.disks[1].serial = Some("NEWDISK1".into());
    let expected = r#"resolved critical: RAID 5 data is whole again after 60 s
HAPPENED
  Over after 60 s: RAID 5 data degraded, disk 32:1 failed.
  Disk 32:1: serial NEWDISK1 took the place of serial SERIAL01.
MEANS
  Array data (c0/v0, RAID 5 of 4 disks, 21.8 TiB, /dev/sda on /srv) is optimal.
  Redundancy was reduced for 60 s.
WHY
  0 storcli: c0/v0 state "Dgrd"
  0 storcli: c0/32:1 state "Failed"
  60 now: no longer so
-- incident 1 is closed"#;
    assert_eq!(text(&told(vec![read(&degraded()), read(&mended)])), expected);
}

#[test]
fn the_partner_in_a_mirror_is_named() {
    let mut r = card(Level::Raid10, 4, ArrayState::Degraded);
    set_disk(&mut r, 0, DiskState::Failed);
    let notice = told(vec![read(&r)]);
    assert_eq!(notice.headline, "RAID 10 data degraded, disk 32:0 failed");
    let partner = "Nothing is restoring the lost disk, and its partner 32:1 has no other copy: the failure of 32:1 loses the array.";
    assert!(notice.means.iter().any(|m| m == partner), "{:?}", notice.means);
    let step = "Do not pull disk 32:1 (enclosure 32, slot 1, ST4000NM0023, serial SERIAL01): it is the only copy left of its mirror.";
    assert!(notice.to_do.iter().any(|s| s == step), "{:?}", notice.to_do);
    assert!(!notice.to_do.iter().any(|s| s.contains("32:2") || s.contains("32:3")));
}

#[test]
fn a_second_array_or_card_makes_names_longer_where_they_would_be_mistaken() {
    let mut r = degraded();
    let other = r.array(&Path::from("c0/v1"));
    other.name = Some("data".into());
    other.state = Some(Observed::new(ArrayState::Optimal, "Optl"));
    assert_eq!(told(vec![read(&r)]).headline, "RAID 5 data (c0/v0) degraded, disk 32:1 failed");
    let elsewhere = r.disk(&Path::from("c1/32:1"));
    elsewhere.controller = Some("c1".into());
    elsewhere.state = Some(Observed::new(DiskState::Online, "Onln"));
    assert!(told(vec![read(&r)]).happened[0].starts_with("Disk c0/32:1 (enclosure 32"));
}

#[test]
fn a_predicted_failure_in_a_whole_array() {
    let mut r = healthy();
    r.disks[2].predictive = Some(Observed::new(true, "Predictive Failure Count: 1"));
    let notice = told(vec![read(&r)]);
    assert_eq!((notice.severity, notice.headline.as_str()), (Severity::Warning, "disk 32:2 will fail soon"));
    assert!(!notice.means.iter().any(|m| m.contains("redundancy")), "{:?}", notice.means);
    assert!(notice.to_do[0].starts_with("See that the backup is current"), "{:?}", notice.to_do);
}

#[test]
fn a_failed_array_is_not_said_to_have_lost_nothing() {
    let mut r = degraded();
    set_disk(&mut r, 2, DiskState::Failed);
    r.arrays[0].state = Some(Observed::new(ArrayState::Failed, "Offln"));
    let notice = told(vec![read(&r)]);
    assert_eq!(notice.severity, Severity::Emergency);
    let all = text(&notice);
    assert!(!all.contains("Nothing is lost yet") && !all.contains("hot spare"), "{all}");
    assert!(all.contains("FAILED, disk 32:1 failed, 32:2 failed"), "{all}");
}

#[test]
fn lost_data_beside_a_degraded_array_is_not_hushed_up() {
    let said = "Puncturing bad block on PD 15(e0x20/s1) at 1f2";
    let lost = told(vec![read(&healthy()), line(Sign::DataLoss, "c0/32:1", said)]);
    assert_eq!((lost.severity, lost.headline.as_str()), (Severity::Critical, "disk 32:1: data was lost"));
    assert!(lost.to_do[0].contains("raidmond close 1 --comment"), "{:?}", lost.to_do);
    assert!(!lost.evidence.iter().any(|e| e.source == "now"), "no tool has looked for it");
    let both = told(vec![read(&healthy()), line(Sign::DataLoss, "c0/32:1", said), read(&degraded())]);
    assert_eq!(both.headline, "RAID 5 data degraded, disk 32:1 failed");
    assert!(!both.means.iter().any(|m| m.contains("Nothing is lost")), "{:?}", both.means);
}

#[test]
fn a_blind_tool_says_what_to_do() {
    let mut deaf = Reading::new("storcli", Space::Megaraid);
    deaf.note(NoteKind::ToolFailed, Path::from("c0"), "killed by SIGILL");
    deaf.notes[0].remedy = Some("use perccli64 for this card".into());
    let notice = told(vec![read(&healthy()), read(&deaf), read(&deaf), read(&deaf)]);
    assert_eq!((notice.severity, notice.to_do[0].as_str()), (Severity::Blind, "use perccli64 for this card"));
    assert_eq!(notice.headline, "cannot read storcli c0: killed by SIGILL");
    assert!(!text(&notice).contains("unchanged") && !text(&notice).contains("disk ordered"));
}

#[test]
fn a_controller_that_is_gone_and_a_failed_battery() {
    let mut gone = Reading::new("storcli", Space::Megaraid);
    gone.coverage.add(&Path::default(), crate::survey::Covers::Controllers);
    let notice = told(vec![read(&healthy()), read(&gone)]);
    assert_eq!(notice.headline, "controller c0 (PERC H730P) is not seen any more");
    assert!(notice.to_do[0].ends_with("raidmond accept c0"), "{:?}", notice.to_do);
    let mut battery = healthy();
    let mut pack = CacheProtection::new("c0/battery".into(), CacheKind::Battery);
    pack.state = Some(Observed::new(CacheState::Failed, "Failed"));
    battery.caches.push(pack);
    let notice = told(vec![read(&battery)]);
    assert_eq!((notice.severity, notice.headline.as_str()), (Severity::Warning, "battery c0/battery failed"));
    let over = told(vec![
        read(&battery),
        Input::Tick,
        read(&{
            let mut well = battery.clone();
            well.caches[0].state = Some(Observed::new(CacheState::Optimal, "Optimal"));
            well
        }),
    ]);
    assert_eq!(over.headline, "battery c0/battery failed", "as it was opened");
    assert_eq!(over.happened, ["Over after 2 min: battery c0/battery failed."]);
}

#[test]
fn old_lines_are_told_as_old() {
    let Input::Observations { source, observations, rates, cursor, .. } =
        line(Sign::Predictive, "c0/32:1", "Predictive failure: PD 15(e0x20/s1)")
    else {
        panic!("a line is an observation")
    };
    let past = Input::Observations { source, observations, rates, cursor, past: true };
    let notice = told(vec![read(&healthy()), past]);
    assert_eq!(notice.headline, "disk 32:1: failure predicted, in old log lines");
    assert!(!notice.evidence.iter().any(|e| e.source == "now"));
}

#[test]
fn nobody_is_told_to_pull_a_disk_that_is_still_needed() {
    let mut bad = degraded();
    bad.disks[2].media_errors = Some(0);
    let mut worse = bad.clone();
    worse.disks[2].media_errors = Some(3);
    let notice = told(vec![read(&bad), read(&worse)]);
    assert!(notice.to_do.iter().any(|s| s.starts_with("Leave disk 32:2 in")), "{:#?}", notice.to_do);
    assert!(!notice.to_do.iter().any(|s| s.contains("Pull") && s.contains("slot 2")), "{:#?}", notice.to_do);
}

#[test]
fn who_closed_it_and_why_is_told() {
    let mut lost = healthy();
    lost.arrays[0].bad_blocks = Some(true);
    let what = Operator::Close { incident: 1, comment: "files restored".into() };
    let notice = all_told(vec![read(&lost), Input::Operator { by: "anna".into(), what }]).remove(1);
    assert_eq!(notice.event, NoticeEvent::Resolved);
    assert!(notice.headline.starts_with("closed by anna: "), "{}", notice.headline);
    assert_eq!(notice.happened[0], "anna closed this after 60 s: files restored");
    let all = text(&notice);
    assert!(!all.contains("no longer so") && !all.contains("whole again"), "{all}");
}

#[test]
fn names_keep_their_small_letters() {
    for name in ["aac: reported degraded", "c1/v0: cut off", "raidmond cannot save", "`arcconf` failed", "p5 is gone"] {
        assert_eq!(capital(name), name);
    }
    assert_eq!(capital("disk 32:1 failed"), "Disk 32:1 failed");
    assert_eq!(capital("on \"data\""), "On \"data\"");
}

#[test]
fn what_is_only_partly_read_is_no_reason_to_pull_a_disk() {
    let mut part = degraded();
    part.note(NoteKind::Partial, Path::from("c0/v0"), "the output is cut off");
    let mut engine = Engine::new(Settings::default(), State { instance: "t".into(), ..State::default() });
    let turn = engine.handle(t(0), read(&part));
    engine.adopt(turn);
    let turn = engine.handle(t(60), read(&part));
    engine.adopt(turn);
    let state = engine.state();
    let incident = state.open_incidents().find(|i| i.key.topic == Topic::Source).expect("it is told");
    let notice = notice(&engine.settings, state, incident, Severity::Warning, NoticeEvent::Opened, t(60));
    assert!(notice.headline.starts_with("c0/v0: the output is cut off"), "{}", notice.headline);
    assert!(!notice.to_do.iter().any(|s| s.contains("Pull") || s.contains("Get a")), "{:#?}", notice.to_do);
    assert!(notice.to_do.iter().any(|s| s.contains("raidmond probe")), "{:#?}", notice.to_do);
}

#[test]
fn blindness_names_what_nobody_watches() {
    let mut deaf = Reading::new("storcli", Space::Megaraid);
    deaf.note(NoteKind::ToolFailed, Path::from("c0"), "no answer in time");
    let notice = told(vec![read(&healthy()), read(&deaf), read(&deaf), read(&deaf)]);
    let unwatched = notice.happened.iter().find(|l| l.starts_with("Not watched meanwhile: RAID 5 data; last read at"));
    assert!(unwatched.is_some(), "{:#?}", notice.happened);
    assert!(notice.to_do.iter().any(|s| s.ends_with("raidmond doctor")), "{:#?}", notice.to_do);
}

#[test]
fn the_disk_a_spare_stands_in_for_is_named() {
    let mut took_over = card(Level::Raid5, 5, ArrayState::Degraded);
    set_disk(&mut took_over, 3, DiskState::Rebuilding);
    set_disk(&mut took_over, 4, DiskState::UnconfiguredBad);
    let out = took_over.disks[4].at.clone();
    took_over.disks[4].array = None;
    took_over.arrays[0].members.retain(|m| m.disk != out);
    task(&mut took_over, TaskKind::Rebuild, TaskState::Running);
    let notices = all_told(vec![read(&took_over)]);
    let of_array = notices.iter().find(|n| n.headline.contains("RAID 5 data")).expect("the array is told");
    let named = of_array.happened.iter().find(|l| l.starts_with("On the same controller, disk 32:4 ("));
    assert!(named.is_some(), "{:#?}", of_array.happened);
}

#[test]
fn all_well_is_said_only_of_what_is_well() {
    let mut state = State::default();
    assert_eq!(worth_saying(&state), "all well: 0 arrays, 0 disks");
    let subject = Subject::named("disk", "32:1");
    state.conditions.push(Condition::new(K::MediaErrors, Severity::Notice, subject, "disk 32:1 counts 3 media errors"));
    assert_eq!(worth_saying(&state), "disk 32:1 counts 3 media errors");
    assert_eq!(counted(1, "array"), "1 array");
}

#[test]
fn only_a_whole_array_is_said_to_be_whole_again() {
    let mut checked = degraded();
    checked.findings.push(Finding::new("c0/v0".into(), FindingKind::CheckFailed, "check failed"));
    let ended = told(vec![read(&degraded()), read(&checked), Input::Tick, read(&degraded())]);
    assert_eq!(ended.event, NoticeEvent::Resolved);
    assert_eq!(ended.headline, "c0/v0: check failed");
}
