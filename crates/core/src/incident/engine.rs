//! One turn: an input, the next state, what to save, what to do.

use super::state::{Settings, State};
use super::{Operator, OperatorError};
use super::{life, operator, persist};
use crate::changes::{Changes, HistoryEntry};
use crate::checks::{self, Order, Ordered, Starter, Verb};
use crate::diagnose::{self, MonitorFact, Rates, Subject};
use crate::host::{Block, Change, ScsiHost, SourceKey};
use crate::identity::ObjectId;
use crate::model::{CheckSchedule, ObjectKind, Path, Space};
use crate::observe::{Observation, Sign, fold};
use crate::survey::Reading;
use jiff::{SignedDuration, Timestamp};

#[derive(Debug, Clone)]
pub enum Input {
    Reading {
        key: SourceKey,
        reading: Box<Reading>,
    },
    /// Lines of a log with the cursor that stands after them. `past`: from before raidmond first looked.
    Observations {
        source: String,
        observations: Vec<Observation>,
        /// Rates of the admin's own rules among them.
        rates: Rates,
        cursor: Option<String>,
        past: bool,
    },
    /// What the kernel shows, in place of what it showed before.
    Devices {
        blocks: Vec<Block>,
        scsi_hosts: Vec<ScsiHost>,
    },
    /// Checks that timers and cron jobs of the machine start, in place of those before.
    Schedules(Vec<(Space, CheckSchedule)>),
    /// The shell's own state: `None` when it is well again.
    Monitor {
        key: String,
        fact: Option<MonitorFact>,
    },
    /// What became of an order to an array.
    Ordered {
        array: ObjectId,
        verb: Verb,
        by: Starter,
        what: Ordered,
    },
    /// What the kernel calls this run of the machine.
    Boot(String),
    Operator {
        by: String,
        what: Operator,
    },
    Tick,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask the tools of this place again, after this delay.
    Poll { space: Option<Space>, at: Path, after: SignedDuration },
    /// Do this to an array, and say with `Input::Ordered` what became of it.
    Check(Order),
    /// The outbox has something new.
    Deliver,
}

#[derive(Debug)]
pub struct Turn {
    at: Timestamp,
    next: Box<State>,
    pub changes: Changes,
    pub effects: Vec<Effect>,
    pub answer: Result<String, OperatorError>,
}

pub struct Engine {
    pub settings: Settings,
    state: State,
    /// When the last turn was: what was due by then has been dealt with.
    turned_at: Timestamp,
    /// When the first one was: what was read before is not acted on.
    began_at: Option<Timestamp>,
}

/// A warning waits this long for a confirming look.
pub const CONFIRM_AFTER: SignedDuration = SignedDuration::from_secs(10);

impl Engine {
    pub fn new(settings: Settings, state: State) -> Self {
        Self { settings, state, turned_at: Timestamp::UNIX_EPOCH, began_at: None }
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Nothing changes until the caller has committed `Turn::changes` and adopts the turn.
    pub fn handle(&self, now: Timestamp, input: Input) -> Turn {
        let mut next = self.state.clone();
        let mut out = Out::default();
        life::after_clock_change(&mut next, now);
        if matches!(input, Input::Operator { .. }) {
            // An operator speaks of what is; after a restart nothing has been diagnosed yet.
            next.conditions = diagnose::diagnose(&next.host, &next.memory, &self.settings.policy, now).0;
        }
        let answer = self.take(&mut next, &mut out, now, input);
        place_facts(&mut next, &mut out, now);
        checks::appointments(&self.settings, &mut next, now);
        let (conditions, memory) = diagnose::diagnose(&next.host, &next.memory, &self.settings.policy, now);
        next.memory = memory;
        next.conditions = conditions;
        let orders = checks::plan(&self.settings, &mut next, now, self.began_at.unwrap_or(now));
        out.effects.extend(orders.into_iter().map(Effect::Check));
        life::live(&self.settings, &mut next, &mut out, now);
        let mut changes = persist::changes(&self.state, &next);
        changes.postings = out.postings;
        changes.history = out.history;
        if !changes.postings.is_empty() {
            out.effects.push(Effect::Deliver);
        }
        Turn { at: now, next: Box::new(next), changes, effects: out.effects, answer }
    }

    pub fn adopt(&mut self, turn: Turn) {
        self.state = *turn.next;
        self.turned_at = turn.at;
        self.began_at.get_or_insert(turn.at);
    }

    /// Everything, for a database that was started afresh.
    pub fn whole(&self) -> Changes {
        persist::changes(&State::default(), &self.state)
    }

    /// When something new is due by time alone.
    pub fn next_wake(&self) -> Option<Timestamp> {
        life::next_wake(&self.settings, &self.state, self.turned_at)
    }

    fn take(&self, next: &mut State, out: &mut Out, now: Timestamp, input: Input) -> Result<String, OperatorError> {
        match input {
            Input::Reading { key, reading } => take_reading(next, out, now, &key, &reading),
            Input::Observations { source, observations, rates, cursor, past } => {
                if let Some(cursor) = cursor {
                    next.cursors.insert(source.clone(), cursor);
                }
                take_observations(next, out, now, &Heard { source: &source, seen: &observations, rates: &rates, past });
            }
            Input::Devices { blocks, scsi_hosts } => {
                next.host.blocks = blocks;
                next.host.scsi_hosts = scsi_hosts;
            }
            Input::Schedules(schedules) => next.host.schedules = schedules,
            Input::Ordered { array, verb, by, what } => take_order(next, out, now, array, (verb, &by, &what)),
            Input::Boot(id) => next.memory.boot(id, now),
            Input::Monitor { key, fact } => take_monitor(next, now, key, fact),
            Input::Operator { by, what } => return operator::operate(next, out, now, &by, what),
            Input::Tick => {}
        }
        Ok(String::new())
    }
}

/// What a turn produces beside the next state.
#[derive(Debug, Default)]
pub(super) struct Out {
    pub postings: Vec<crate::changes::Posting>,
    pub history: Vec<HistoryEntry>,
    pub effects: Vec<Effect>,
}

impl Out {
    pub fn history(&mut self, now: Timestamp, object: Option<u64>, path: &str, kind: &str, said: impl Into<String>) {
        let (path, kind) = (path.to_owned(), kind.to_owned());
        self.history.push(HistoryEntry { at: now, object, path, kind, said: said.into() });
    }
}

fn take_reading(next: &mut State, out: &mut Out, now: Timestamp, key: &SourceKey, reading: &Reading) {
    for change in next.host.apply(key, reading, now) {
        note_change(next, out, now, &change);
    }
    forget_superseded(next, out, now);
    let view = next.host.view();
    for (id, said) in checks::take_reading(&mut next.memory, &next.host, &view, reading, now) {
        out.history(now, Some(id.0), &next.host.name(id), "check", said);
    }
    if let Some(cursor) = &reading.cursor {
        next.cursors.insert(key.to_string(), cursor.clone());
    }
    if !reading.events.is_empty() {
        next.memory.observe(&next.host, &view, &reading.events, &Rates::new(), &key.family, now);
        history_of(out, now, &key.family, &reading.events);
    }
}

fn take_order(next: &mut State, out: &mut Out, now: Timestamp, array: ObjectId, order: (Verb, &Starter, &Ordered)) {
    let (verb, by, what) = order;
    let known = next.memory.checks.contains_key(&array);
    if known || *what == Ordered::Done {
        checks::ordered(next.memory.checks.entry(array).or_default(), verb, by, what, now);
    }
    let became = match what {
        Ordered::Done => "done".to_owned(),
        Ordered::Refused(why) => format!("refused: {why}"),
        Ordered::Unknown => "not known what became of it".to_owned(),
    };
    out.history(
        now,
        Some(array.0),
        &next.host.name(array),
        "check",
        format!("{} for {}: {became}", verb.word(), by.words()),
    );
}

fn note_change(next: &mut State, out: &mut Out, now: Timestamp, change: &Change) {
    let name = |id| next.host.name(id);
    match change {
        Change::New(id) => out.history(now, Some(id.0), &name(*id), "found", "first seen"),
        Change::Gone(id) => out.history(now, Some(id.0), &name(*id), "gone", "not listed any more"),
        Change::Back(id) => out.history(now, Some(id.0), &name(*id), "back", "listed again"),
        Change::NewCard(id) => out.history(now, Some(id.0), &name(*id), "replaced", "another card took its place"),
        Change::Merged { into, from } => {
            out.history(now, Some(into.0), &name(*into), "merged", format!("object {from} is the same"));
            let kind = next.host.registry.get(*into).map_or(ObjectKind::Source, |e| e.kind);
            let subject = Subject::object(*into, kind, name(*into));
            next.memory.merge(&subject, *from);
            life::move_incidents(next, out, now, &format!("o{from}"), &subject);
        }
        Change::Replaced { old, new } => {
            let words = format!("{} took the place of {}", serial_words(next, *new), serial_words(next, *old));
            let view = next.host.view();
            let place = name(*new);
            life::note_replaced(next, *old, &format!("disk {}: {words}", view.disk_label(&place)));
            out.history(now, Some(new.0), &place, "replaced", words);
            next.replaced.insert(*old, *new);
        }
    }
}

pub(super) fn serial_words(state: &State, id: crate::identity::ObjectId) -> String {
    match state.host.registry.get(id).and_then(|e| e.serial()) {
        Some(serial) => format!("serial {serial}"),
        None => format!("object {id}"),
    }
}

/// Lines that came before their object was known belong to it from now on, and so do their incidents.
fn place_facts(next: &mut State, out: &mut Out, now: Timestamp) {
    let view = next.host.view();
    for (old, new) in next.memory.place_facts(&next.host, &view) {
        life::move_incidents(next, out, now, &old.key, &new);
    }
}

/// A gone disk or battery whose place another one holds is not missed any more. An array or a card is:
/// its number may have gone to another.
fn forget_superseded(next: &mut State, out: &mut Out, now: Timestamp) {
    let replaceable = |id: &ObjectId| {
        let kind = next.host.registry.get(*id).map(|e| e.kind);
        !matches!(kind, Some(ObjectKind::Array | ObjectKind::Controller))
    };
    let gone = |id: &ObjectId| next.host.gone.contains_key(id);
    let mut over: Vec<_> = next.replaced.keys().copied().filter(|old| gone(old) && replaceable(old)).collect();
    if !next.host.gone.is_empty() {
        over.extend(diagnose::superseded_members(&next.host.view()));
    }
    for old in over {
        out.history(now, Some(old.0), &next.host.name(old), "superseded", "another disk holds its place");
        next.host.forget(old);
        next.memory.forget(old);
    }
}

/// A batch of log lines.
struct Heard<'a> {
    source: &'a str,
    seen: &'a [Observation],
    rates: &'a Rates,
    past: bool,
}

fn take_observations(next: &mut State, out: &mut Out, now: Timestamp, heard: &Heard<'_>) {
    let view = next.host.view();
    let seen = fold(heard.seen.to_vec());
    if heard.past {
        next.memory.observe_past(&next.host, &view, &seen, heard.source, now);
    } else {
        next.memory.observe(&next.host, &view, &seen, heard.rates, heard.source, now);
    }
    history_of(out, now, heard.source, &seen);
    let worth_a_look = |o: &&Observation| !matches!(o.sign, Sign::Benign | Sign::Info);
    if let Some(first) = seen.iter().find(worth_a_look) {
        let after = SignedDuration::from_secs(1);
        out.effects.push(Effect::Poll { space: first.about.space, at: first.about.path.root(), after });
    }
}

fn history_of(out: &mut Out, now: Timestamp, source: &str, seen: &[Observation]) {
    for observation in seen.iter().filter(|o| o.sign != Sign::Benign).take(100) {
        let at = observation.at.unwrap_or(now);
        out.history(at, None, observation.about.path.as_str(), "observed", format!("{source}: {}", observation.said));
    }
}

fn take_monitor(next: &mut State, now: Timestamp, key: String, fact: Option<MonitorFact>) {
    match fact {
        None => {
            next.memory.monitor.remove(&key);
        }
        Some(mut fact) => {
            let before = next.memory.monitor.get(&key).filter(|f| f.kind == fact.kind);
            fact.since = before.map_or(now, |f| f.since);
            next.memory.monitor.insert(key, fact);
        }
    }
}
