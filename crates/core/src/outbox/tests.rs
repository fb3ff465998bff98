use super::*;
use crate::notice::{Notice, NoticeObject, Thread};
use jiff::{SignedDuration, ToSpan};
use proptest::prelude::*;

fn t(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn posting(id: &str, incident: u64, event: NoticeEvent, severity: Severity) -> Posting {
    let thread = (incident > 0).then(|| Thread { incident, key: format!("k{incident}"), opened_at: t(0) });
    Posting {
        channel: "mail".into(),
        notice: Notice {
            id: id.into(),
            event,
            severity,
            host: "db3".into(),
            at: t(0),
            time_zone: "UTC".into(),
            thread,
            kinds: vec![],
            headline: format!("headline of {id}"),
            happened: vec![],
            means: vec![],
            to_do: vec![],
            evidence: vec![],
            footer: vec![],
            object: NoticeObject::default(),
            drill: false,
        },
    }
}

fn ok() -> Attempt {
    Attempt::Accepted { receipt: "250 ok".into(), complaint: None }
}

fn later() -> Attempt {
    Attempt::Failed { retryable: true, retry_after: None, said: "451 later".into() }
}

fn never() -> Attempt {
    Attempt::Failed { retryable: false, retry_after: None, said: "550 no".into() }
}

fn begin(outbox: &mut Outbox, now: Timestamp) -> Option<String> {
    match outbox.begin("mail", now) {
        Next::Send(d) => Some(d.notice.id.clone()),
        _ => None,
    }
}

/// Sends until nothing is due; the ids in order.
fn drain(outbox: &mut Outbox, now: Timestamp) -> Vec<String> {
    let mut sent = vec![];
    while let Next::Send(d) = outbox.begin("mail", now) {
        sent.push(d.notice.id.clone());
        outbox.settle(&d.id, &ok(), now);
    }
    sent
}

use NoticeEvent::{Escalated, Opened, Reminder, Resolved};
use Severity::{Critical, Warning};

#[test]
fn backs_off_and_then_tries_every_hour() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    let (mut now, mut waits) = (t(0), vec![]);
    for _ in 0..11 {
        assert_eq!(begin(&mut outbox, now).as_deref(), Some("a"));
        outbox.settle("a/mail", &later(), now);
        let Next::Wait(until) = outbox.begin("mail", now) else { panic!("nothing waits") };
        waits.push(until.duration_since(now).as_secs());
        assert_eq!(begin(&mut outbox, until - 1.second()), None);
        now = until;
    }
    assert_eq!(waits, [10, 30, 60, 120, 300, 900, 1800, 3600, 3600, 3600, 3600]);
}

#[test]
fn an_outage_of_three_days_loses_nothing() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("open", 1, Opened, Critical), t(0));
    outbox.post(&posting("rem1", 1, Reminder, Critical), t(4 * 3600));
    outbox.post(&posting("rem2", 1, Reminder, Critical), t(28 * 3600));
    let mut now = t(0);
    while now < t(72 * 3600) {
        match outbox.begin("mail", now) {
            Next::Send(d) => outbox.settle(&d.id, &later(), now),
            Next::Wait(until) => now = until,
            Next::Idle => panic!("idle with a backlog"),
        }
    }
    assert_eq!(drain(&mut outbox, now + 1.hour()), ["open", "rem2"]);
    assert!(outbox.pending().next().is_none());
}

#[test]
fn the_server_says_when() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    begin(&mut outbox, t(0));
    let wait =
        Attempt::Failed { retryable: true, retry_after: Some(SignedDuration::from_secs(200)), said: "429".into() };
    outbox.settle("a/mail", &wait, t(0));
    outbox.post(&posting("b", 2, Opened, Critical), t(1));
    assert_eq!(outbox.begin("mail", t(1)), Next::Wait(t(200)), "the new alarm obeys as well");
    assert_eq!(begin(&mut outbox, t(200)).as_deref(), Some("b"));
}

#[test]
fn a_new_alarm_does_not_wait_for_the_pause_of_others() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    for at in [0, 10, 40, 100] {
        assert!(begin(&mut outbox, t(at)).is_some());
        outbox.settle("a/mail", &later(), t(at));
    }
    outbox.post(&posting("b", 2, Opened, Warning), t(101));
    assert_eq!(begin(&mut outbox, t(101)), None);
    outbox.post(&posting("c", 3, Opened, Critical), t(102));
    assert_eq!(begin(&mut outbox, t(102)).as_deref(), Some("c"));
    outbox.settle("c/mail", &ok(), t(102));
    assert_eq!(drain(&mut outbox, t(102)), ["a", "b"], "and its success wakes the others");
}

#[test]
fn the_end_waits_for_the_beginning() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("open", 1, Opened, Warning), t(0));
    assert!(begin(&mut outbox, t(0)).is_some());
    outbox.settle("open/mail", &never(), t(0));
    outbox.post(&posting("end", 1, Resolved, Critical), t(5));
    assert_eq!(begin(&mut outbox, t(5)), None);
    assert_eq!(drain(&mut outbox, t(3600)), ["open", "end"]);
}

#[test]
fn a_refused_message_does_not_hold_back_an_alarm() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("open", 1, Opened, Warning), t(0));
    begin(&mut outbox, t(0));
    outbox.settle("open/mail", &never(), t(0));
    outbox.post(&posting("worse", 1, Escalated, Critical), t(5));
    assert_eq!(begin(&mut outbox, t(5)).as_deref(), Some("open"), "the predecessor gets one more chance");
    outbox.settle("open/mail", &never(), t(5));
    assert_eq!(begin(&mut outbox, t(5)).as_deref(), Some("worse"));
}

#[test]
fn a_storm_becomes_a_summary_but_never_hides_an_alarm() {
    let mut outbox = Outbox::default();
    for n in 1..=47 {
        outbox.post(&posting(&format!("w{n}"), n, Opened, Warning), t(0));
    }
    assert_eq!(drain(&mut outbox, t(0)).len(), STORM_CAP);
    assert_eq!(outbox.begin("mail", t(0)), Next::Wait(t(60)));
    outbox.post(&posting("worse", 30, Escalated, Critical), t(10));
    outbox.post(&posting("crit", 99, Opened, Critical), t(11));
    assert_eq!(drain(&mut outbox, t(12)), ["w30", "worse", "crit"]);
    let Next::Send(summary) = outbox.begin("mail", t(60)) else { panic!("no summary") };
    assert_eq!(summary.notice.headline, "+36 more, worst: headline of w11");
    assert!(summary.notice.happened.iter().any(|l| l.contains("headline of w47")));
    outbox.settle(&summary.id, &ok(), t(60));
    assert_eq!(outbox.pending().count(), 0);
    outbox.post(&posting("end1", 1, Resolved, Warning), t(70));
    outbox.post(&posting("end47", 47, Resolved, Warning), t(70));
    assert_eq!(drain(&mut outbox, t(131)), ["end1"], "told by itself, ends by itself; the other waits");
    assert_eq!(drain(&mut outbox, t(3700)), ["end47"]);
}

#[test]
fn greylisting_is_not_a_failing_channel_but_refusal_is() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    for at in [0, 10, 40, 100, 220, 520] {
        assert!(begin(&mut outbox, t(at)).is_some());
        outbox.settle("a/mail", &later(), t(at));
    }
    assert_eq!(outbox.health(t(600))[0].failing_since, None);
    let health = outbox.health(t(901)).remove(0);
    assert_eq!((health.failing_since, health.backlog, health.oldest), (Some(t(0)), 1, Some(t(0))));
    assert_eq!(health.last_error.as_deref(), Some("451 later"));

    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    begin(&mut outbox, t(0));
    outbox.settle("a/mail", &never(), t(0));
    outbox.post(&posting("b", 2, Opened, Warning), t(1));
    assert_eq!(drain(&mut outbox, t(1)), ["b"]);
    let health = outbox.health(t(2)).remove(0);
    assert_eq!((health.failing_since, health.last_error.as_deref()), (Some(t(0)), Some("550 no")));
    drain(&mut outbox, t(3601));
    assert_eq!(outbox.health(t(3602))[0].failing_since, None);
}

#[test]
fn a_message_that_reached_only_some_is_a_complaint() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    begin(&mut outbox, t(0));
    outbox.settle("a/mail", &Attempt::Accepted { receipt: "250".into(), complaint: Some("b: 550".into()) }, t(0));
    let health = outbox.health(t(1)).remove(0);
    assert_eq!((health.failing_since, health.backlog), (Some(t(0)), 0));
}

#[test]
fn a_clock_set_back_does_not_silence() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(864_000));
    assert_eq!(begin(&mut outbox, t(0)).as_deref(), Some("a"));
}

#[test]
fn a_posting_is_taken_once_and_gives_up_after_two_weeks() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    outbox.post(&posting("a", 1, Opened, Warning), t(1));
    assert_eq!(outbox.pending().count(), 1);
    begin(&mut outbox, t(0));
    outbox.settle("a/mail", &later(), t(0));
    outbox.take_dirty();
    let late = t(0) + GIVE_UP_AFTER + SignedDuration::from_secs(1);
    assert_eq!(outbox.begin("mail", late), Next::Idle);
    let dirty = outbox.take_dirty();
    assert!(matches!(&dirty.deliveries[0].state, State::GaveUp { .. }));
}

#[test]
fn what_was_on_the_wire_when_the_program_ended_goes_out_again() {
    let mut outbox = Outbox::default();
    outbox.post(&posting("a", 1, Opened, Warning), t(0));
    let Next::Send(on_the_wire) = outbox.begin("mail", t(0)) else { panic!("not sent") };
    let mut outbox = Outbox::load(vec![*on_the_wire], vec![]);
    assert_eq!(begin(&mut outbox, t(1)).as_deref(), Some("a"));
}

#[derive(Debug, Clone)]
enum Act {
    Post(u64, NoticeEvent, Severity),
    Try(u8),
    Pass(u32),
    Restart,
    /// The program ends while a message is on the wire; whether it arrived, nobody knows.
    Crash(bool),
}

fn act() -> impl Strategy<Value = Act> {
    let event = prop_oneof![Just(Escalated), Just(Reminder), Just(NoticeEvent::Updated)];
    let severity = prop_oneof![3 => Just(Warning), 1 => Just(Critical)];
    prop_oneof![
        4 => (1..6u64, event, severity).prop_map(|(i, e, s)| Act::Post(i, e, s)),
        6 => (0..10u8).prop_map(Act::Try),
        2 => (1..4000u32).prop_map(Act::Pass),
        1 => Just(Act::Restart),
        1 => any::<bool>().prop_map(Act::Crash),
    ]
}

/// What the store does: rows that are pending, rows that are settled.
#[derive(Default)]
struct Saved {
    pending: BTreeMap<u64, Delivery>,
    settled: Vec<Delivery>,
    channels: BTreeMap<String, ChannelState>,
}

impl Saved {
    fn mirror(&mut self, outbox: &mut Outbox) {
        let dirty = outbox.take_dirty();
        for d in dirty.deliveries {
            self.pending.remove(&d.seq);
            match d.state {
                State::Waiting | State::Sending => drop(self.pending.insert(d.seq, d)),
                State::Accepted { .. } | State::GaveUp { .. } => self.settled.push(d),
            }
        }
        self.channels.extend(dirty.channels);
    }
}

struct World {
    outbox: Outbox,
    saved: Saved,
    posted: Vec<(String, u64, NoticeEvent)>,
    accepted: Vec<String>,
    ended: BTreeSet<u64>,
    now: Timestamp,
    refusals: bool,
}

impl World {
    fn new() -> Self {
        let (outbox, saved) = (Outbox::default(), Saved::default());
        World { outbox, saved, posted: vec![], accepted: vec![], ended: BTreeSet::new(), now: t(0), refusals: false }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Post(i, event, severity) => self.post(*i, *event, *severity),
            Act::Try(n) => self.attempt(*n),
            Act::Pass(seconds) => self.now += SignedDuration::from_secs(i64::from(*seconds)),
            Act::Restart => self.restart(),
            Act::Crash(arrived) => self.crash(*arrived),
        }
        self.saved.mirror(&mut self.outbox);
    }

    fn restart(&mut self) {
        let rows = self.saved.pending.values().cloned().collect();
        self.outbox = Outbox::load(rows, self.saved.channels.clone().into_iter().collect());
    }

    fn crash(&mut self, arrived: bool) {
        if let Next::Send(d) = self.outbox.begin("mail", self.now) {
            self.accepted.extend(arrived.then(|| d.notice.id.clone()));
        }
        self.saved.mirror(&mut self.outbox);
        self.restart();
    }

    fn post(&mut self, incident: u64, event: NoticeEvent, severity: Severity) {
        if self.ended.contains(&incident) {
            return;
        }
        let first = !self.posted.iter().any(|p| p.1 == incident);
        let event = if first { Opened } else { event };
        let id = format!("n{}", self.posted.len());
        self.outbox.post(&posting(&id, incident, event, severity), self.now);
        self.posted.push((id, incident, event));
    }

    fn attempt(&mut self, n: u8) {
        let Next::Send(d) = self.outbox.begin("mail", self.now) else { return };
        let outcome = match n {
            0..4 => ok(),
            4..9 => later(),
            _ => never(),
        };
        self.refusals |= n == 9;
        if n < 4 {
            self.accepted.push(d.notice.id.clone());
        }
        self.outbox.settle(&d.id, &outcome, self.now);
    }

    /// The channel works from now on, and every incident ends.
    fn finish(&mut self) {
        for incident in 1..6 {
            if self.posted.iter().any(|p| p.1 == incident) {
                self.post(incident, Resolved, Warning);
                self.ended.insert(incident);
            }
        }
        for _ in 0..1000 {
            match self.outbox.begin("mail", self.now) {
                Next::Send(d) => {
                    self.accepted.push(d.notice.id.clone());
                    self.outbox.settle(&d.id, &ok(), self.now);
                }
                Next::Wait(until) => {
                    assert!(until > self.now, "waiting for the past");
                    self.now = until;
                }
                Next::Idle => break,
            }
            self.saved.mirror(&mut self.outbox);
        }
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.accepted.iter().position(|a| a == id)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn nothing_is_lost_and_nothing_overtakes(acts in prop::collection::vec(act(), 1..120)) {
        let mut world = World::new();
        acts.iter().for_each(|a| world.act(a));
        world.finish();
        prop_assert_eq!(world.saved.pending.len(), 0);
        for (id, ..) in &world.posted {
            let settled: Vec<&Delivery> = world.saved.settled.iter().filter(|d| d.notice.id == *id).collect();
            prop_assert_eq!(settled.len(), 1, "{} settled once", id);
            if let State::GaveUp { reason, .. } = &settled[0].state {
                let by = reason.rsplit(' ').next().unwrap_or("");
                let told = world.place(by).is_some() || world.saved.settled.iter().any(|d| d.notice.id == by);
                prop_assert!(told, "{} gave up: {}", id, reason);
            } else {
                prop_assert!(world.place(id).is_some());
            }
        }
        for (n, (earlier, incident, first)) in world.posted.iter().enumerate() {
            for (later, _, last) in world.posted.iter().skip(n + 1).filter(|p| p.1 == *incident) {
                let strict = !world.refusals || (*first == Opened && *last == Resolved);
                if let (Some(a), Some(b), true) = (world.place(earlier), world.place(later), strict) {
                    prop_assert!(a < b, "{} before {}", earlier, later);
                }
            }
        }
    }
}
