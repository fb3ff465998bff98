//! Checks over simulated time: a machine with two cards that do what the engine orders, one turn after another.

use super::*;
use crate::diagnose::tests::reading;
use crate::diagnose::{ConditionKind as K, IncidentKey};
use crate::host::SourceKey;
use crate::identity::ObjectId;
use crate::incident::{Effect, Engine, Input, Operator, Settings, State};
use crate::model::{
    ArrayState, CheckSchedule, DiskState, Level, Observed, Path, ScheduledBy, Space, Task, TaskKind, TaskState,
};
use crate::observe::{About, Observation, Sign};
use crate::schedule::Schedule;
use crate::survey::{Covers, Reading};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

mod year;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

#[derive(Clone)]
struct Check {
    percent: f64,
    paused: bool,
}

/// A controller with one array.
struct Card {
    level: Level,
    state: ArrayState,
    check: Option<Check>,
    /// Percent in an hour.
    speed: f64,
    finds: u64,
    refuses: bool,
    schedule: Option<CheckSchedule>,
    news: Vec<Observation>,
}

struct Machine {
    cards: Vec<Card>,
    engine: Engine,
    now: Timestamp,
    boots: u32,
    /// Card, verb, when.
    orders: Vec<(usize, Verb, Timestamp)>,
    told: Vec<String>,
}

fn berlin() -> TimeZone {
    TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
}

fn at(local: &str) -> Timestamp {
    berlin().to_timestamp(local.parse().unwrap()).unwrap()
}

fn weekly() -> Rules {
    let schedule = Schedule::parse("Sun 02:30").unwrap();
    Rules { run: true, schedule, spread: SignedDuration::ZERO, ..Rules::default() }
}

fn settings(rules: Rules) -> Settings {
    let mail = crate::incident::ChannelSpec { name: "mail".into(), min_severity: crate::severity::Severity::Notice };
    Settings {
        host_name: "db3".into(),
        time_zone: berlin(),
        channels: vec![mail],
        checks: Checks { rules, ..Checks::default() },
        ability: Arc::new(|_, _| Ok(())),
        ..Settings::default()
    }
}

fn card(level: Level) -> Card {
    Card {
        level,
        state: ArrayState::Optimal,
        check: None,
        speed: 10.0,
        finds: 0,
        refuses: false,
        schedule: None,
        news: Vec::new(),
    }
}

impl Machine {
    fn new(rules: Rules, from: &str) -> Self {
        Self::with(settings(rules), vec![card(Level::Raid5)], from)
    }

    fn with(settings: Settings, cards: Vec<Card>, from: &str) -> Self {
        let engine = Engine::new(settings, State { instance: "t".into(), ..State::default() });
        let mut m = Self { cards, engine, now: at(from), boots: 0, orders: Vec::new(), told: Vec::new() };
        m.boot();
        m
    }

    fn boot(&mut self) {
        self.boots += 1;
        let state = self.engine.state().clone();
        self.engine = Engine::new(self.engine.settings.clone(), state);
        self.give(Input::Boot(format!("boot {}", self.boots)));
        self.look();
    }

    /// The host goes down for a while; what checked is lost.
    fn down(&mut self, how_long: SignedDuration) {
        self.cards.iter_mut().for_each(|c| c.check = None);
        self.now += how_long;
        self.boot();
    }

    fn give(&mut self, input: Input) {
        let turn = self.engine.handle(self.now, input);
        self.told.extend(turn.changes.postings.iter().map(|p| format!("{:?} {}", p.notice.event, p.notice.headline)));
        let effects = turn.effects.clone();
        self.engine.adopt(turn);
        for effect in effects {
            if let Effect::Check(order) = effect {
                self.carry_out(&order);
            }
        }
    }

    fn carry_out(&mut self, order: &Order) {
        let n = (0..self.cards.len()).find(|n| self.id(*n) == order.array).unwrap();
        self.orders.push((n, order.verb, self.now));
        let card = &mut self.cards[n];
        let what = match (order.verb, &mut card.check) {
            (Verb::Start, _) if card.refuses => Ordered::Refused("other operations in progress".into()),
            (Verb::Start, check @ None) => {
                *check = Some(Check { percent: 0.0, paused: false });
                Ordered::Done
            }
            (Verb::Pause, Some(check)) => {
                check.paused = true;
                Ordered::Done
            }
            (Verb::Resume, Some(check)) => {
                check.paused = false;
                Ordered::Done
            }
            (verb, _) => panic!("{verb:?} makes no sense on card {n} at {}", self.now),
        };
        self.give(Input::Ordered { array: order.array, verb: order.verb, by: Starter::Raidmond, what });
    }

    fn id(&self, card: usize) -> ObjectId {
        let name = Path::new(&format!("c{card}/v0"));
        self.engine.state().host.any_by_path(Space::Megaraid, &name).unwrap()
    }

    fn check(&self, card: usize) -> CheckMemory {
        self.engine.state().memory.checks.get(&self.id(card)).cloned().unwrap_or_default()
    }

    fn endings(&self, card: usize) -> Vec<Ending> {
        self.check(card).results.iter().map(|r| r.how).collect()
    }

    fn against(&self, card: usize) -> Vec<Reason> {
        let (state, view) = (self.engine.state(), self.engine.state().host.view());
        let planning = Planning::of(&self.engine.settings, state, &view, self.now);
        against(&planning, view.array(self.id(card)).unwrap()).iter().map(|r| r.reason).collect()
    }

    fn has(&self, kind: K) -> bool {
        self.engine.state().conditions.iter().any(|c| c.kind == kind)
    }

    fn starts(&self, card: usize) -> usize {
        self.orders.iter().filter(|(n, verb, _)| (*n, *verb) == (card, Verb::Start)).count()
    }

    /// Time passes, and everything is read.
    fn pass(&mut self, step: SignedDuration) {
        self.now += step;
        let hours = step.as_secs_f64() / 3600.0;
        for (n, card) in self.cards.iter_mut().enumerate() {
            let Some(check) = card.check.as_mut().filter(|c| !c.paused) else { continue };
            check.percent += card.speed * hours;
            if check.percent >= 100.0 {
                card.check = None;
                let said = format!("Consistency Check done on VD 00/0 (corrections={})", card.finds);
                card.news.push(about(n, Sign::CheckCompleted, &said));
            }
        }
        self.look();
    }

    fn until(&mut self, local: &str, step: SignedDuration) {
        while self.now < at(local) {
            self.pass(step);
        }
    }

    fn look(&mut self) {
        for n in 0..self.cards.len() {
            let reading = self.cards[n].reading(n);
            self.cards[n].news.clear();
            let key = SourceKey { family: "storcli".into(), about: format!("c{n}") };
            self.give(Input::Reading { key, reading: Box::new(reading) });
        }
    }
}

fn about(card: usize, sign: Sign, said: &str) -> Observation {
    let path = Path::new(&format!("c{card}/v0"));
    let about = About { space: Some(Space::Megaraid), path, ..About::default() };
    Observation { about, ..Observation::new(sign, "test", said) }
}

impl Card {
    fn reading(&self, n: usize) -> Reading {
        let mut r = reading(self.level, 4, self.state);
        let (card, v0) = (Path::new(&format!("c{n}")), Path::new(&format!("c{n}/v0")));
        r.controllers[0].at = card.clone();
        r.controllers[0].serial = Some(format!("CARD{n}"));
        r.arrays[0].at = v0.clone();
        r.arrays[0].controller = Some(card.clone());
        for (slot, disk) in r.disks.iter_mut().enumerate() {
            disk.at = card.slot(Some("32"), slot as u32);
            disk.serial = Some(format!("SERIAL{n}-{slot}"));
            disk.array = Some(v0.clone());
            if slot == 1 && self.state == ArrayState::Degraded {
                disk.state = Some(Observed::new(DiskState::Failed, "Failed"));
            }
        }
        let members: Vec<Path> = r.disks.iter().map(|d| d.at.clone()).collect();
        for (member, disk) in r.arrays[0].members.iter_mut().zip(members) {
            member.disk = disk;
        }
        r.coverage = crate::survey::Coverage::default();
        for what in [Covers::Arrays, Covers::Disks, Covers::Cache, Covers::Tasks] {
            r.coverage.add(&card, what);
        }
        if let Some(check) = &self.check {
            let state = if check.paused { TaskState::Paused } else { TaskState::Running };
            let (percent, seconds_left) = (Some(check.percent.floor()), None);
            let kind = TaskKind::Check;
            r.tasks.push(Task { on: v0, kind, state: Observed::new(state, "In progress"), percent, seconds_left });
        }
        r.schedules.extend(self.schedule.clone());
        r.events.clone_from(&self.news);
        r
    }
}

fn firmware(active: bool) -> CheckSchedule {
    let said = "CC Operation Mode = Sequential, CC Execution Delay = 168 hours";
    CheckSchedule::new(Path::new("c0"), ScheduledBy::Firmware, Some(active), said).every_hours(Some(168))
}

#[test]
fn nothing_is_started_before_one_line_says_so() {
    let mut m = Machine::new(Rules { run: false, ..weekly() }, "2027-01-02T00:00");
    m.until("2027-02-01T00:00", HOUR);
    assert_eq!(m.orders, []);
    assert!(m.check(0).plan.is_none());
}

#[test]
fn a_check_is_started_followed_and_counted() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.cards[0].finds = 3;
    m.until("2027-01-03T02:00", HOUR / 2);
    assert_eq!(m.orders, []);
    m.until("2027-01-03T06:30", HOUR / 2);
    assert_eq!(m.orders, [(0, Verb::Start, at("2027-01-03T02:30"))]);
    let run = m.check(0).run.unwrap();
    assert_eq!((run.percent(), run.by.clone()), (Some(40.0), Starter::Raidmond));
    assert_eq!(run.left(), Some(HOUR * 6));
    m.until("2027-01-03T14:00", HOUR / 2);
    let check = m.check(0);
    let last = check.last().unwrap();
    assert_eq!((last.how, last.found, last.duration().map(|d| d.as_hours())), (Ending::Completed, Some(3), Some(10)));
    assert!(m.has(K::Inconsistencies));
    assert!(m.told.iter().any(|t| t.contains("RAID 5 data") && t.contains("inconsisten")), "{:?}", m.told);
}

#[test]
fn what_a_check_finds_is_judged_by_level_and_ends_with_a_clean_one() {
    let mut m = Machine::with(settings(weekly()), vec![card(Level::Raid1)], "2027-01-02T20:00");
    m.cards[0].finds = 128;
    m.until("2027-01-04T00:00", HOUR);
    assert!(m.has(K::MirrorMismatches) && !m.has(K::Inconsistencies));
    m.cards[0].finds = 0;
    m.until("2027-01-11T00:00", HOUR);
    assert_eq!(m.endings(0), [Ending::Completed, Ending::Completed]);
    assert!(!m.has(K::MirrorMismatches));
}

#[test]
fn each_state_of_the_array_that_forbids_a_check_is_named() {
    for (state, reason) in [
        (ArrayState::Degraded, Reason::Degraded),
        (ArrayState::PartlyDegraded, Reason::Degraded),
        (ArrayState::Failed, Reason::Degraded),
        (ArrayState::Initialising, Reason::Initialising),
        (ArrayState::Unknown, Reason::Unknown),
    ] {
        let mut m = Machine::new(weekly(), "2027-01-02T20:00");
        m.cards[0].state = state;
        m.until("2027-01-06T00:00", HOUR);
        assert_eq!(m.orders, [], "{state:?}");
        assert!(m.against(0).contains(&reason), "{state:?}: {:?}", m.against(0));
        // Whole again, it is made up.
        m.cards[0].state = ArrayState::Optimal;
        m.pass(HOUR);
        assert_eq!(m.starts(0), 1, "{state:?}");
    }
}

#[test]
fn other_work_of_the_controller_comes_first() {
    for (kind, reason) in [
        (TaskKind::Rebuild, Reason::Rebuilding),
        (TaskKind::Copyback, Reason::Rebuilding),
        (TaskKind::BackgroundInitialise, Reason::Initialising),
        (TaskKind::Expand, Reason::Reshaping),
    ] {
        let mut m = Machine::new(weekly(), "2027-01-03T02:00");
        m.now += HOUR;
        let mut busy = m.cards[0].reading(0);
        let state = Observed::new(TaskState::Running, "In progress");
        busy.tasks.push(Task { on: Path::from("c0/v0"), kind, state, percent: Some(5.0), seconds_left: None });
        let key = SourceKey { family: "storcli".into(), about: "c0".into() };
        m.give(Input::Reading { key, reading: Box::new(busy) });
        assert_eq!((m.starts(0), m.against(0).contains(&reason)), (0, true), "{kind:?}: {:?}", m.against(0));
        m.pass(HOUR);
        assert_eq!(m.starts(0), 1, "{kind:?}");
    }
}

#[test]
fn no_redundancy_needs_no_check() {
    let mut m = Machine::with(settings(weekly()), vec![card(Level::Raid0)], "2027-01-02T20:00");
    m.until("2027-01-20T00:00", HOUR);
    assert_eq!(m.orders, []);
    assert!(m.against(0).contains(&Reason::NothingToCompare) && !m.has(K::CheckOverdue));
}

#[test]
fn a_schedule_of_the_firmware_is_not_doubled_and_told() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.cards[0].schedule = Some(firmware(true));
    m.until("2027-01-12T00:00", HOUR);
    assert_eq!(m.orders, []);
    assert!(m.against(0).contains(&Reason::OtherSchedule) && m.has(K::CheckScheduleConflict));
    // Switched off, the missed one is made up.
    m.cards[0].schedule = Some(firmware(false));
    m.pass(HOUR);
    assert_eq!(m.starts(0), 1);
    assert!(!m.has(K::CheckScheduleConflict));
}

#[test]
fn of_others_it_is_only_seen_to_that_they_check() {
    let mut m = Machine::new(Rules { who: Who::External, ..weekly() }, "2027-01-01T00:00");
    m.pass(HOUR);
    assert!(m.has(K::CheckScheduleConflict), "others are to check, and nobody does");
    m.cards[0].schedule = Some(firmware(true));
    m.pass(HOUR);
    assert!(!m.has(K::CheckScheduleConflict));
    m.until("2027-01-10T00:00", HOUR);
    assert!(!m.has(K::CheckOverdue));
    m.until("2027-01-17T00:00", HOUR);
    assert!(m.has(K::CheckOverdue), "two weeks without a completed check");
    m.cards[0].check = Some(Check { percent: 0.0, paused: false });
    m.until("2027-01-18T00:00", HOUR);
    assert_eq!(m.endings(0), [Ending::Completed]);
    assert!(!m.has(K::CheckOverdue));
    assert_eq!(m.orders, []);
    assert_eq!(m.check(0).last().unwrap().by, Starter::Others);
}

#[test]
fn a_restart_interrupts_and_it_is_made_up_once() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.until("2027-01-03T06:00", HOUR);
    m.down(HOUR);
    assert_eq!(m.endings(0), [Ending::Interrupted]);
    assert!(m.has(K::CheckInterrupted));
    assert_eq!(m.starts(0), 2, "made up");
    m.pass(HOUR);
    m.down(HOUR);
    assert_eq!(m.endings(0), [Ending::Interrupted, Ending::Interrupted]);
    m.until("2027-01-09T00:00", HOUR);
    assert_eq!(m.starts(0), 2, "once");
    m.until("2027-01-11T00:00", HOUR);
    assert_eq!(m.endings(0).last(), Some(&Ending::Completed));
    assert!(!m.has(K::CheckInterrupted));
}

#[test]
fn a_host_that_was_off_for_weeks_checks_once() {
    let mut m = Machine::new(weekly(), "2027-01-04T00:00");
    m.down(HOUR * 24 * 30);
    assert_eq!(m.starts(0), 1);
    m.until("2027-02-06T00:00", HOUR);
    assert_eq!((m.starts(0), m.endings(0)), (1, vec![Ending::Completed]));
}

#[test]
fn a_check_that_is_gone_without_a_word_has_vanished() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.until("2027-01-03T06:00", HOUR);
    m.cards[0].check = None;
    m.pass(HOUR / 12);
    assert_eq!(m.endings(0), [], "a word about the end may still come");
    m.pass(HOUR / 12);
    assert_eq!(m.endings(0), [Ending::Vanished]);
    assert!(m.has(K::CheckVanished));
    assert_eq!(m.starts(0), 2, "made up");
}

#[test]
fn a_partial_reading_proves_nothing_of_a_check() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.until("2027-01-03T06:00", HOUR);
    for _ in 0..5 {
        m.now += HOUR / 6;
        let mut partial = m.cards[0].reading(0);
        partial.tasks.clear();
        partial.coverage = crate::survey::Coverage::default();
        let key = SourceKey { family: "storcli".into(), about: "c0".into() };
        m.give(Input::Reading { key, reading: Box::new(partial) });
    }
    assert!(m.check(0).run.is_some());
}

#[test]
fn a_failed_check_is_told_and_a_person_can_close_it() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.until("2027-01-03T06:00", HOUR);
    m.cards[0].check = None;
    m.cards[0].news.push(about(0, Sign::CheckFailed, "Consistency Check failed on VD 00/0"));
    m.pass(HOUR);
    m.pass(HOUR);
    assert_eq!(m.endings(0), [Ending::Failed]);
    assert!(m.has(K::CheckFailed));
    let incident = m.engine.state().open_incidents().next().map(|i| (i.id, i.key.clone()));
    let (id, _): (u64, IncidentKey) = incident.unwrap();
    m.give(Input::Operator { by: "root".into(), what: Operator::Close { incident: id, comment: "seen".into() } });
    m.pass(HOUR);
    assert!(!m.has(K::CheckFailed));
}

#[test]
fn far_longer_than_usual_and_stuck_are_told() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.until("2027-01-12T00:00", HOUR);
    assert_eq!(m.endings(0), [Ending::Completed, Ending::Completed]);
    m.cards[0].speed = 2.0;
    m.until("2027-01-18T09:00", HOUR);
    assert!(!m.has(K::CheckSlow), "30 hours");
    m.until("2027-01-18T11:00", HOUR);
    assert!(m.has(K::CheckSlow), "31 hours of usually 10");
    m.until("2027-01-20T00:00", HOUR);
    assert!(!m.has(K::CheckSlow));

    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.cards[0].speed = 0.0;
    m.until("2027-01-03T11:00", HOUR);
    assert!(m.has(K::CheckSlow), "no progress for six hours");
}

#[test]
fn two_periods_without_a_completed_check_are_too_long() {
    let mut m = Machine::new(weekly(), "2027-01-04T00:00");
    m.cards[0].refuses = true;
    m.until("2027-01-17T00:00", HOUR);
    assert!(!m.has(K::CheckOverdue));
    assert!(m.has(K::CheckFailed), "refused again and again");
    m.until("2027-01-19T00:00", HOUR);
    assert!(m.has(K::CheckOverdue));
    m.cards[0].refuses = false;
    m.until("2027-01-20T00:00", HOUR);
    assert!(!m.has(K::CheckOverdue) && !m.has(K::CheckFailed));
}

#[test]
fn at_the_end_of_the_window_it_pauses_and_goes_on_the_next_day() {
    let rules = Rules { window: Some(HOUR * 4), ..weekly() };
    let mut m = Machine::new(rules, "2027-01-02T20:00");
    m.until("2027-01-06T00:00", HOUR / 2);
    let words: Vec<(Verb, String)> =
        m.orders.iter().map(|(_, v, t)| (*v, t.to_zoned_datetime(berlin()).strftime("%a %H:%M").to_string())).collect();
    let expected = [
        (Verb::Start, "Sun 02:30"),
        (Verb::Pause, "Sun 06:30"),
        (Verb::Resume, "Mon 02:30"),
        (Verb::Pause, "Mon 06:30"),
        (Verb::Resume, "Tue 02:30"),
    ];
    assert_eq!(words, expected.map(|(v, t)| (v, t.to_owned())));
    assert_eq!(m.endings(0), [Ending::Completed]);
}

#[test]
fn hosts_begin_at_different_times_and_always_the_same() {
    let spread = HOUR * 6;
    let of = |n: u32| rules::offset(&format!("db{n}"), spread);
    let all: Vec<SignedDuration> = (0..200).map(of).collect();
    assert!(all.iter().all(|o| *o >= SignedDuration::ZERO && *o < spread));
    assert_eq!(of(3), of(3));
    let mut by_hour = BTreeMap::<i64, u32>::new();
    all.iter().for_each(|o| *by_hour.entry(o.as_hours()).or_default() += 1);
    assert!(by_hour.len() == 6 && by_hour.values().all(|n| (15..=55).contains(n)), "{by_hour:?}");
    assert_eq!(rules::offset("db3", SignedDuration::ZERO), SignedDuration::ZERO);
}

#[test]
fn blocks_say_what_is_different_for_some() {
    let mut wanted = settings(Rules { run: false, ..weekly() });
    let selector = Selector { controller: Some("c1".into()), ..Selector::default() };
    wanted.checks.blocks = vec![Block { selector, run: Some(true), ..Block::default() }];
    let other = Selector { host: Some("web*".into()), ..Selector::default() };
    wanted.checks.blocks.push(Block { selector: other, run: Some(false), ..Block::default() });
    let mut m = Machine::with(wanted, vec![card(Level::Raid5), card(Level::Raid5)], "2027-01-02T20:00");
    m.until("2027-01-04T00:00", HOUR);
    assert_eq!((m.starts(0), m.starts(1)), (0, 1));
}

#[test]
fn a_clock_set_back_starts_nothing_twice() {
    let mut m = Machine::new(weekly(), "2027-01-02T20:00");
    m.until("2027-01-04T00:00", HOUR);
    assert_eq!(m.starts(0), 1);
    m.now = at("2027-01-03T01:00");
    m.until("2027-01-09T00:00", HOUR);
    assert_eq!(m.starts(0), 1);
}
