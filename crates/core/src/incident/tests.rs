//! The engine over simulated time.

use super::*;
use crate::changes::Changes;
use crate::diagnose::tests::{key, reading, set_disk, t, task};
use crate::model::*;
use crate::notice::NoticeEvent;
use crate::severity::Severity;
use crate::survey::Reading;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// An engine with its database, as the shell would hold them.
pub(super) struct World {
    pub engine: Engine,
    saved: BTreeMap<(String, String), String>,
    pub told: Vec<(NoticeEvent, Severity, String)>,
    pub notices: Vec<crate::notice::Notice>,
}

pub(super) fn settings() -> Settings {
    let mail = ChannelSpec { name: "mail".into(), min_severity: Severity::Warning };
    Settings { host_name: "db3".into(), channels: vec![mail], ..Settings::default() }
}

impl World {
    pub fn new() -> Self {
        Self::with(settings())
    }

    pub fn with(settings: Settings) -> Self {
        let state = State { instance: "t".into(), ..State::default() };
        let engine = Engine::new(settings, state);
        Self { engine, saved: BTreeMap::new(), told: Vec::new(), notices: Vec::new() }
    }

    pub fn give(&mut self, at: Timestamp, input: Input) -> Result<String, OperatorError> {
        let turn = self.engine.handle(at, input);
        let answer = turn.answer.clone();
        self.commit(&turn.changes);
        self.engine.adopt(turn);
        answer
    }

    fn commit(&mut self, changes: &Changes) {
        for put in &changes.puts {
            self.saved.insert((put.collection.to_owned(), put.key.clone()), put.json.clone());
        }
        for (collection, key) in &changes.deletes {
            self.saved.remove(&((*collection).to_owned(), key.clone()));
        }
        self.notices.extend(changes.postings.iter().map(|p| p.notice.clone()));
        self.told
            .extend(changes.postings.iter().map(|p| (p.notice.event, p.notice.severity, p.notice.headline.clone())));
    }

    pub fn read(&mut self, at: Timestamp, reading: &Reading) {
        let _ = self.give(at, Input::Reading { key: key(), reading: Box::new(reading.clone()) });
    }

    pub fn tick(&mut self, at: Timestamp) {
        let _ = self.give(at, Input::Tick);
    }

    /// Restarts from what was saved.
    pub fn restart(&mut self) {
        let documents = self.saved.iter().map(|((c, k), j)| (c.as_str(), k.as_str(), j.as_str()));
        let mut state = load(documents).unwrap();
        state.instance = "t".into();
        self.engine = Engine::new(self.engine.settings.clone(), state);
    }

    pub fn events(&self) -> Vec<NoticeEvent> {
        self.told.iter().map(|(e, ..)| *e).collect()
    }
}

pub(super) fn healthy() -> Reading {
    reading(Level::Raid5, 4, ArrayState::Optimal)
}

pub(super) fn degraded() -> Reading {
    let mut r = reading(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut r, 1, DiskState::Failed);
    r
}

pub(super) fn rebuilding() -> Reading {
    let mut r = reading(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut r, 1, DiskState::Rebuilding);
    task(&mut r, TaskKind::Rebuild, TaskState::Running);
    r
}

pub(super) fn predictive() -> Reading {
    let mut r = healthy();
    r.disks[2].predictive = Some(Observed::new(true, "Predictive Failure Count: 1"));
    r
}

#[test]
fn a_disk_failure_is_told_at_once_once_and_resolved() {
    let mut w = World::new();
    w.read(t(0), &healthy());
    w.read(t(60), &degraded());
    for n in 2..20 {
        w.read(t(60 * n), &degraded());
    }
    assert_eq!(w.events(), [NoticeEvent::Opened]);
    assert_eq!(w.told[0].1, Severity::Critical);
    assert!(w.told[0].2.contains("RAID 5 data") && w.told[0].2.contains("32:1 failed"), "{}", w.told[0].2);
    w.read(t(1300), &rebuilding());
    w.read(t(1400), &healthy());
    assert_eq!(w.events().last(), Some(&NoticeEvent::Resolved));
    assert_eq!(w.events().iter().filter(|e| **e == NoticeEvent::Resolved).count(), 1);
}

#[test]
fn a_rebuild_that_stops_short_is_told_again() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    w.read(t(60), &rebuilding());
    let mut stopped = degraded();
    task(&mut stopped, TaskKind::Rebuild, TaskState::Failed);
    w.read(t(7200), &stopped);
    let critical = w.told.iter().filter(|(_, s, _)| *s == Severity::Critical).count();
    assert!(critical >= 2, "{:?}", w.told);
}

#[test]
fn a_warning_waits_for_a_confirming_look() {
    let mut w = World::new();
    w.read(t(0), &healthy());
    w.read(t(60), &predictive());
    assert_eq!(w.events(), []);
    w.read(t(70), &healthy());
    w.tick(t(90));
    assert_eq!(w.events(), [], "gone before it was confirmed");
    w.read(t(120), &predictive());
    w.read(t(130), &predictive());
    w.tick(t(136));
    assert_eq!(w.events(), [NoticeEvent::Opened]);
}

#[test]
fn a_predicted_disk_joins_the_incident_of_its_array() {
    let mut w = World::new();
    w.read(t(0), &predictive());
    w.tick(t(20));
    let mut both = degraded();
    both.disks[2].predictive = predictive().disks[2].predictive.clone();
    w.read(t(60), &both);
    let open: Vec<_> = w.engine.state().open_incidents().map(|i| i.anchor.name.clone()).collect();
    assert_eq!(open, ["c0/v0"]);
    assert_eq!(w.events(), [NoticeEvent::Opened, NoticeEvent::Opened]);
    assert_eq!(w.told[1].1, Severity::Emergency);
}

#[test]
fn reminders_grow_and_an_ack_quiets_them_until_it_gets_worse() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    for hour in 1..=30 {
        w.tick(t(3600 * hour));
    }
    assert_eq!(w.events(), [NoticeEvent::Opened, NoticeEvent::Reminder, NoticeEvent::Reminder]);
    let what = Operator::Ack { incident: 1, for_: SignedDuration::from_hours(72), comment: "disk ordered".into() };
    w.give(t(3600 * 31), Input::Operator { by: "root".into(), what }).unwrap();
    for hour in 32..=90 {
        w.tick(t(3600 * hour));
    }
    assert_eq!(w.told.len(), 3);
    let mut worse = degraded();
    worse.disks[2].predictive = predictive().disks[2].predictive.clone();
    w.read(t(3600 * 91), &worse);
    assert_eq!(w.events().last(), Some(&NoticeEvent::Escalated));
}

#[test]
fn blindness_closes_nothing_and_is_told() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    let mut failing = Reading::new("storcli", Space::Megaraid);
    failing.note(crate::survey::NoteKind::ToolFailed, Path::from("c0"), "no answer in time");
    for n in 1..=6 {
        w.read(t(60 * n), &failing);
    }
    assert_eq!(w.engine.state().open_incidents().count(), 2);
    assert_eq!(w.events(), [NoticeEvent::Opened, NoticeEvent::Opened]);
    assert_eq!(w.told[1].1, Severity::Blind);
}

#[test]
fn maintenance_keeps_quiet_and_tells_at_its_end_what_is_still_wrong() {
    let mut w = World::new();
    w.read(t(0), &healthy());
    let what = Operator::MaintenanceStart { for_: SignedDuration::from_hours(1), comment: "new shelf".into() };
    w.give(t(1), Input::Operator { by: "root".into(), what }).unwrap();
    w.read(t(60), &degraded());
    assert_eq!(w.events(), []);
    w.tick(t(3700));
    assert_eq!(w.events(), [NoticeEvent::Opened]);
}

#[test]
fn a_replaced_disk_is_superseded_and_named() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    let mut mended = healthy();
    mended.disks[1].serial = Some("NEWDISK1".into());
    w.read(t(3600), &mended);
    w.tick(t(3700));
    assert_eq!(w.engine.state().open_incidents().count(), 0, "{:#?}", w.engine.state().conditions);
    assert_eq!(w.events(), [NoticeEvent::Opened, NoticeEvent::Resolved]);
}

#[test]
fn a_flapping_incident_does_not_fill_the_mailbox() {
    let mut w = World::new();
    w.read(t(0), &healthy());
    for n in 0..60 {
        let r = if n % 2 == 0 { degraded() } else { healthy() };
        w.read(t(60 * (n + 1)), &r);
    }
    assert!(w.told.len() <= 10, "{} messages", w.told.len());
}

#[test]
fn an_accepted_absence_is_not_missed() {
    let mut w = World::new();
    w.read(t(0), &healthy());
    let mut empty = healthy();
    empty.arrays.clear();
    w.read(t(60), &empty);
    assert_eq!(w.told[0].1, Severity::Critical);
    let what = Operator::Accept { object: Some("c0/v0".into()) };
    w.give(t(100), Input::Operator { by: "root".into(), what }).unwrap();
    assert_eq!(w.events().last(), Some(&NoticeEvent::Resolved));
    assert!(w.told.last().is_some_and(|t| t.2.starts_with("accepted by root")), "{:?}", w.told);
    assert_eq!(w.engine.state().open_incidents().count(), 0);
}

#[test]
fn a_link_taken_out_of_its_bond_for_good_is_accepted_by_its_name_or_that_of_the_bond() {
    let bond = |links: &[&str]| {
        let mut r = healthy();
        let state = Observed::new(PartState::Ok, "up");
        let link = |name: &&str| BondLink {
            name: (*name).to_owned(),
            state: state.clone(),
            speed_mbps: None,
            duplex: None,
            failures: None,
            in_group: None,
        };
        let links = links.iter().map(link).collect();
        r.bonds.push(Bond { at: "bond0".into(), links, ..Bond::default() });
        r
    };
    for object in ["bond0", "bond0 eth1"] {
        let mut w = World::new();
        w.read(t(0), &bond(&["eth0", "eth1"]));
        for n in 1..4 {
            w.read(t(60 * n), &bond(&["eth0"]));
        }
        assert!(w.told[0].2.contains("eth1 is not part of it any more"), "{:?}", w.told);
        let what = Operator::Accept { object: Some(object.into()) };
        w.give(t(300), Input::Operator { by: "root".into(), what }).unwrap();
        assert!(w.told.last().is_some_and(|t| t.2.starts_with("accepted by root")), "{:?}", w.told);
        assert_eq!(w.engine.state().open_incidents().count(), 0, "{object}");
    }
}

#[test]
fn only_what_a_person_may_close_is_closed_by_hand() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    let close = |id| Input::Operator { by: "root".into(), what: Operator::Close { incident: id, comment: "x".into() } };
    assert!(matches!(w.give(t(1), close(1)), Err(OperatorError::NotByHand { .. })));
    assert_eq!(w.give(t(1), close(99)), Err(OperatorError::NoIncident(99)));
    let mut lost = healthy();
    lost.arrays[0].bad_blocks = Some(true);
    w.read(t(60), &lost);
    let id = w.engine.state().open_incidents().map(|i| i.id).max().unwrap();
    w.give(t(61), close(id)).unwrap();
    assert_eq!(w.engine.state().open_incidents().count(), 0);
}

#[test]
fn nothing_that_was_due_wakes_again() {
    let mut world = World::new();
    world.engine.settings.digest = Some((1, 9));
    for hours in [0, 30, 24 * 5, 24 * 40] {
        let now = t(0) + SignedDuration::from_hours(hours);
        world.give(now, Input::Tick).unwrap();
        let wake = world.engine.next_wake().unwrap();
        assert!(wake > now && wake <= now + SignedDuration::from_hours(7 * 24), "{hours} h: {wake}");
    }
}

#[test]
fn not_to_know_a_state_is_no_recovery() {
    let over = |w: &World| w.told.iter().any(|(e, s, _)| (*e, *s) == (NoticeEvent::Resolved, Severity::Critical));
    let mut world = World::new();
    world.read(t(0), &healthy());
    let mut broken = reading(Level::Raid5, 4, ArrayState::Degraded);
    set_disk(&mut broken, 1, DiskState::Failed);
    world.read(t(60), &broken);
    for (at, state) in [(120, Some(ArrayState::Unknown)), (180, None)] {
        let mut cut = healthy();
        cut.arrays[0].state = state.map(|s| Observed::new(s, ""));
        cut.disks[1].state = None;
        world.read(t(at), &cut);
        world.tick(t(at + 30));
        assert!(!over(&world), "{:?}", world.told);
        let worst = world.engine.state().conditions.iter().map(|c| c.severity).max();
        assert_eq!(worst, Some(Severity::Critical));
    }
    world.restart();
    world.tick(t(240));
    assert!(!over(&world), "{:?}", world.told);
    world.read(t(300), &healthy());
    assert!(over(&world), "{:?}", world.told);
}

#[test]
fn a_replaced_card_inherits_its_arrays_and_is_a_notice() {
    let mut world = World::new();
    let mut old = healthy();
    old.controllers[0].aliases = Alias::pci("0000:03:00.0").into_iter().collect();
    world.read(t(0), &old);
    world.restart();
    let mut new = old.clone();
    new.controllers[0].serial = Some("CARD0002".into());
    new.controllers[0].firmware = Some("2".into());
    world.read(t(3600), &new);
    world.tick(t(3700));
    assert_eq!(world.told, [], "nothing is broken");
    let kinds: Vec<_> = world.engine.state().conditions.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [crate::diagnose::ConditionKind::ControllerReplaced]);
    assert_eq!(world.engine.state().host.view().controllers.len(), 1);
    let mut without = new.clone();
    without.arrays.clear();
    world.read(t(7200), &without);
    world.tick(t(7300));
    assert!(
        world.told.iter().any(|(_, s, words)| *s == Severity::Critical && words.contains("not listed")),
        "{:?}",
        world.told
    );
}

#[test]
fn a_card_that_only_moved_is_not_replaced() {
    let mut world = World::new();
    world.read(t(0), &healthy());
    let mut moved = reading(Level::Raid5, 4, ArrayState::Optimal);
    moved.controller(&Path::from("c1")).serial = Some("CARD0001".into());
    moved.controllers[0].serial = Some("CARD0002".into());
    world.read(t(60), &moved);
    let kinds: Vec<_> = world.engine.state().conditions.iter().map(|c| c.kind).collect();
    assert!(!kinds.contains(&crate::diagnose::ConditionKind::ControllerReplaced), "{kinds:?}");
}
