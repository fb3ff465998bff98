//! Time in the engine: reminders, blindness, digests, clocks that jump, waking up.

use super::tests::*;
use super::*;
use crate::diagnose::tests::t;
use crate::model::*;
use crate::notice::NoticeEvent as E;
use crate::severity::Severity;
use crate::survey::{NoteKind, Reading};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Wakes the engine when it asks for it and returns when it spoke, in seconds after the start.
fn run(w: &mut World, until: i64) -> Vec<(i64, E)> {
    let mut spoken = Vec::new();
    let mut before = Timestamp::MIN;
    while let Some(at) = w.engine.next_wake().filter(|at| *at <= t(until)) {
        assert!(at > before, "woken again at {at} for nothing");
        before = at;
        let known = w.told.len();
        w.tick(at);
        spoken.extend(w.told[known..].iter().map(|(e, ..)| (at.duration_since(t(0)).as_secs(), *e)));
    }
    spoken
}

fn reminders(w: &mut World, until: i64) -> Vec<i64> {
    let spoken = run(w, until);
    spoken.into_iter().filter(|(_, e)| *e == E::Reminder).map(|(at, _)| at).collect()
}

fn failed() -> Reading {
    let mut r = degraded();
    r.arrays[0].state = Some(Observed::new(ArrayState::Failed, "Offln"));
    r
}

fn deaf() -> Reading {
    let mut failing = Reading::new("storcli", Space::Megaraid);
    failing.note(NoteKind::ToolFailed, Path::from("c0"), "no answer in time");
    failing
}

#[test]
fn a_warning_is_reminded_after_1_3_7_14_days() {
    let mut w = World::new();
    w.read(t(0), &predictive());
    let first = 15;
    let days: Vec<i64> = reminders(&mut w, 22 * DAY).into_iter().map(|at| at - first).collect();
    assert_eq!(days, [DAY, 3 * DAY, 7 * DAY, 14 * DAY, 21 * DAY]);
}

#[test]
fn what_is_critical_is_reminded_after_4_hours_then_daily() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    assert_eq!(reminders(&mut w, 3 * DAY), [4 * HOUR, 28 * HOUR, 52 * HOUR]);
}

#[test]
fn an_emergency_is_reminded_hourly() {
    let mut w = World::new();
    w.read(t(0), &failed());
    assert_eq!(reminders(&mut w, 5 * HOUR), (1..=5).map(|h| h * HOUR).collect::<Vec<_>>());
}

#[test]
fn getting_worse_starts_the_reminders_of_the_worse() {
    let mut w = World::new();
    w.read(t(0), &predictive());
    run(&mut w, 100);
    w.read(t(DAY + HOUR), &failed());
    assert_eq!(w.told.last().map(|(_, s, _)| *s), Some(Severity::Emergency));
    assert_eq!(reminders(&mut w, DAY + 3 * HOUR).len(), 2);
}

#[test]
fn three_days_without_the_daemon_cost_one_reminder() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    w.restart();
    for n in 0..30 {
        w.read(t(3 * DAY + 60 * n), &degraded());
    }
    assert_eq!(w.events(), [E::Opened, E::Reminder]);
}

#[test]
fn blindness_is_blind_at_once_and_critical_after_a_day() {
    let mut w = World::new();
    w.read(t(0), &healthy());
    for n in 1..=3 {
        w.read(t(60 * n), &deaf());
    }
    run(&mut w, 300);
    assert_eq!(w.told.iter().map(|(e, s, _)| (*e, *s)).collect::<Vec<_>>(), [(E::Opened, Severity::Blind)]);
    let spoken = run(&mut w, 2 * DAY);
    assert!(spoken.contains(&(180 + DAY, E::Escalated)), "{spoken:?}");
    assert_eq!(w.told.last().map(|(_, s, _)| *s), Some(Severity::Critical));
}

#[test]
fn a_clock_set_back_delays_and_repeats_nothing() {
    let mut w = World::new();
    w.read(t(40 * DAY), &healthy());
    w.read(t(40 * DAY + 60), &degraded());
    w.read(t(40 * DAY + 61), &predictive());
    // To the right time, forty days earlier.
    w.read(t(0), &degraded());
    assert_eq!(w.engine.state().open_incidents().count(), 1);
    let known = w.told.len();
    let spoken = run(&mut w, 5 * HOUR);
    assert_eq!(spoken.iter().map(|(_, e)| *e).collect::<Vec<_>>(), [E::Reminder], "{:?}", w.told);
    assert_eq!(w.told.len(), known + 1);
}

#[test]
fn a_warning_is_told_though_the_clock_was_set_back_before_its_confirmation() {
    let mut w = World::new();
    w.read(t(DAY), &healthy());
    w.read(t(DAY + 1), &predictive());
    w.read(t(0), &predictive());
    assert_eq!(run(&mut w, 60), [(15, E::Opened)]);
}

#[test]
fn a_clock_that_swings_does_not_remind_more_often() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    for minute in 1..(3 * 60) {
        w.read(t(60 * minute + 600 * (minute % 2)), &degraded());
    }
    assert_eq!(w.events(), [E::Opened]);
}

#[test]
fn an_ack_and_a_maintenance_wake_nobody_for_nothing() {
    let mut w = World::new();
    w.read(t(0), &degraded());
    let give = |what| Input::Operator { by: "root".into(), what };
    let long = SignedDuration::from_hours(48);
    w.give(t(60), give(Operator::Ack { incident: 1, for_: long, comment: "x".into() })).unwrap();
    assert_eq!(run(&mut w, DAY), []);
    assert_eq!(run(&mut w, 49 * HOUR), [(48 * HOUR + 60, E::Reminder)]);
    w.give(t(50 * HOUR), give(Operator::MaintenanceStart { for_: long, comment: "x".into() })).unwrap();
    assert_eq!(run(&mut w, 90 * HOUR), []);
}

#[test]
fn a_rebuild_that_stops_and_starts_all_day_does_not_fill_the_mailbox() {
    let mut w = World::new();
    for n in 0..(12 * 60) {
        w.read(t(60 * n), &if n % 2 == 0 { degraded() } else { rebuilding() });
    }
    assert!(w.told.len() <= 20, "{} messages", w.told.len());
    let alarms = w.told.iter().filter(|(e, ..)| *e == E::Escalated).count();
    assert!(alarms >= 3, "{alarms} escalations");
}

/// Sundays at 08:00 in Berlin, over both changes of the clock.
#[test]
fn the_digest_comes_once_a_week_also_when_summer_time_ends() {
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let mut w = World::with(Settings { digest: Some((7, 8)), time_zone: zone.clone(), ..settings() });
    let start: Timestamp = "2026-03-16T00:00:00Z".parse().unwrap();
    let end: Timestamp = "2026-11-30T00:00:00Z".parse().unwrap();
    let mut at = start;
    let mut sent = Vec::new();
    while at < end {
        let known = w.told.len();
        w.tick(at);
        if w.told.len() > known {
            sent.push(at.to_zoned_datetime(zone.clone()));
        }
        at += SignedDuration::from_mins(30);
    }
    assert!(sent.iter().all(|z| (z.hour(), z.minute()) == (8, 0)), "{sent:#?}");
    assert_eq!(sent.len(), 37);
    let next = w.engine.next_wake().unwrap().to_zoned_datetime(zone);
    assert_eq!((next.date(), next.hour()), (jiff::civil::date(2026, 12, 6), 8));
}
