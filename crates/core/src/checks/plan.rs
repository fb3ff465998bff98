//! What is to be done next: appointments are kept, missed ones made up once, and orders given where nothing
//! stands against them.
//!
//! Times pass into `Plan::due`, which holds one time and no more: a host that was off for months checks once.
//! An order is noted in the plan in the same turn that gives it, so that a daemon that dies in between does
//! not give it twice at once.

use super::against::{Reason, Refusal, against, other_schedule, scheduled};
use super::memory::{CheckMemory, Ending, Plan, Starter};
use super::rules::{Ability, Checks, Rules, Who, offset};
use crate::diagnose::{Condition, redundancy};
use crate::host::{Host, Seen, View};
use crate::identity::ObjectId;
use crate::incident::{Settings, State};
use crate::model::{Array, CheckSchedule};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Start,
    Pause,
    Resume,
    Stop,
}

impl Verb {
    pub fn word(self) -> &'static str {
        match self {
            Verb::Start => "start",
            Verb::Pause => "pause",
            Verb::Resume => "resume",
            Verb::Stop => "stop",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub array: ObjectId,
    pub verb: Verb,
    /// For the audit log: "every 4 weeks on Saturday at 01:00".
    pub why: String,
}

/// All that a decision rests on.
pub struct Planning<'a> {
    pub host: &'a Host,
    pub view: &'a View,
    pub host_name: &'a str,
    pub zone: &'a TimeZone,
    pub checks: &'a Checks,
    pub ability: &'a Ability,
    pub conditions: &'a [Condition],
    pub memory: &'a BTreeMap<ObjectId, CheckMemory>,
    pub now: Timestamp,
}

impl<'a> Planning<'a> {
    pub fn of(settings: &'a Settings, state: &'a State, view: &'a View, now: Timestamp) -> Self {
        Self {
            host: &state.host,
            view,
            host_name: &settings.host_name,
            zone: &settings.time_zone,
            checks: &settings.checks,
            ability: &settings.ability,
            conditions: &state.conditions,
            memory: &state.memory.checks,
            now,
        }
    }

    pub fn local(&self, at: Timestamp) -> String {
        at.to_zoned_datetime(self.zone.clone()).strftime("%a %Y-%m-%d %H:%M").to_string()
    }
}

/// Between two orders to one array.
const BETWEEN_ORDERS: SignedDuration = SignedDuration::from_mins(15);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Keeps the appointments of all arrays; before conditions are judged, which tell of what was not kept.
pub fn appointments(settings: &Settings, state: &mut State, now: Timestamp) {
    let view = state.host.view();
    let mut memory = state.memory.checks.clone();
    for array in &view.arrays {
        let p = Planning { memory: &BTreeMap::new(), ..Planning::of(settings, state, &view, now) };
        let check = memory.entry(array.id).or_default();
        keep(&p, array, check);
    }
    memory.retain(|_, check| !check.is_empty());
    state.memory.checks = memory;
}

/// Gives what orders are due. `fresh_since`: what was read before is from another life of the daemon.
pub fn plan(settings: &Settings, state: &mut State, now: Timestamp, fresh_since: Timestamp) -> Vec<Order> {
    let view = state.host.view();
    let mut memory = state.memory.checks.clone();
    let mut orders = Vec::new();
    for array in view.arrays.iter().filter(|a| a.at >= fresh_since) {
        let p = Planning { memory: &memory, ..Planning::of(settings, state, &view, now) };
        let Some(order) = decide(&p, array) else { continue };
        if let Some(plan) = memory.get_mut(&array.id).and_then(|c| c.plan.as_mut()) {
            plan.asked_at = Some(now);
            plan.not_before = Some(now + BETWEEN_ORDERS);
            plan.refused_why = None;
        }
        orders.push(order);
    }
    state.memory.checks = memory;
    orders
}

/// The appointment of one array.
fn keep(p: &Planning<'_>, array: &Seen<Array>, check: &mut CheckMemory) {
    let rules = p.checks.of(p.host_name, p.view, array);
    let comparable = redundancy(p.view, array).built != Some(0);
    let other = other_schedule(p, array);
    check.conflict = conflict(&rules, array, other).filter(|_| comparable);
    match rules.who {
        _ if !comparable => check.plan = None,
        Who::Raidmond if rules.run => keep_own(p, &rules, check),
        Who::External => keep_others(p, other, check),
        Who::Raidmond | Who::Off => check.plan = None,
    }
}

fn conflict(rules: &Rules, array: &Seen<Array>, other: Option<&CheckSchedule>) -> Option<String> {
    match (rules.who, other) {
        (Who::Raidmond, Some(other)) if rules.run => {
            Some(format!("{}; raidmond starts none", scheduled(&array.name, other)))
        }
        (Who::External, None) => {
            Some(format!("others are to check {}, and no schedule of theirs was found", array.name))
        }
        _ => None,
    }
}

fn keep_own(p: &Planning<'_>, rules: &Rules, check: &mut CheckMemory) {
    let offset = offset(p.host_name, rules.spread);
    let following = |at: Timestamp| next(rules, at, offset, p.zone);
    let key = format!("{} + {} min", rules.schedule.text(), offset.as_mins());
    let plan = appointment(&mut check.plan, key, p.now);
    if plan.next.is_none() {
        plan.next = following(p.now);
    }
    // The clock was set back: what was next is far away.
    plan.since = plan.since.min(p.now);
    while let Some(at) = plan.next.filter(|at| *at <= p.now) {
        plan.comes_due(at);
        plan.next = following(at);
    }
    let done = |due: Timestamp| check.results.iter().any(|r| r.how == Ending::Completed && r.ended_at >= due);
    if plan.due.is_some_and(done) {
        plan.due = None;
    }
    let usual = check.results.iter().rev().find(|r| r.how == Ending::Completed);
    let allowance = usual.and_then(|r| r.duration()).map_or(DAY, |d| d + d + SignedDuration::from_hours(1));
    count(plan, usual.map(|r| r.ended_at), |from| Some(following(following(from)?)? + allowance));
}

fn keep_others(p: &Planning<'_>, other: Option<&CheckSchedule>, check: &mut CheckMemory) {
    let Some(period) = other.and_then(|o| o.period) else { return check.plan = None };
    let plan = appointment(&mut check.plan, format!("others, every {} h", period.as_hours()), p.now);
    let completed = check.results.iter().rev().find(|r| r.how == Ending::Completed).map(|r| r.ended_at);
    count(plan, completed, |from| Some(from + period + period + DAY));
}

fn appointment(plan: &mut Option<Plan>, key: String, now: Timestamp) -> &mut Plan {
    if plan.as_ref().is_some_and(|p| p.schedule != key) {
        *plan = None;
    }
    plan.get_or_insert_with(|| Plan::new(key, now))
}

/// From when it is too long, counted from the last completed check, or from when the plan was made.
fn count(plan: &mut Plan, completed: Option<Timestamp>, until: impl Fn(Timestamp) -> Option<Timestamp>) {
    let from = completed.map_or(plan.since, |at| at.max(plan.since));
    if plan.counted_from != Some(from) {
        plan.counted_from = Some(from);
        plan.overdue_at = until(from);
    }
}

fn next(rules: &Rules, after: Timestamp, offset: SignedDuration, zone: &TimeZone) -> Option<Timestamp> {
    let before = after.checked_sub(offset).ok()?;
    rules.schedule.next_after(before, zone)?.checked_add(offset).ok()
}

fn decide(p: &Planning<'_>, array: &Seen<Array>) -> Option<Order> {
    let check = p.memory.get(&array.id)?;
    let plan = check.plan.as_ref()?;
    let rules = p.checks.of(p.host_name, p.view, array);
    if rules.who != Who::Raidmond || !rules.run {
        return None;
    }
    let found = against(p, array);
    let verb = match &check.run {
        None => plan.due.filter(|_| found.is_empty()).map(|_| Verb::Start),
        Some(run) if plan.not_before.is_none_or(|at| at <= p.now) => {
            let held = run.held.as_ref().is_some_and(|h| h.by == Starter::Raidmond);
            let open = is_open(p, &rules, run.started_at, plan);
            // The window that counts is the one it was started in.
            let itself = |r: &Refusal| matches!(r.reason, Reason::Running | Reason::OutsideWindow);
            let only_itself = found.iter().all(itself);
            match (held, open) {
                (true, true) if only_itself => Some(Verb::Resume),
                (false, false) if run.by == Starter::Raidmond && !run.paused => Some(Verb::Pause),
                _ => None,
            }
        }
        Some(_) => None,
    }?;
    can(p, array, verb).then(|| Order { array: array.id, verb, why: rules.schedule.words() })
}

fn can(p: &Planning<'_>, array: &Seen<Array>, verb: Verb) -> bool {
    array.sources.iter().any(|family| (p.ability)(family, verb).is_ok())
}

/// Whether a check that was begun may go on now.
fn is_open(p: &Planning<'_>, rules: &Rules, started_at: Timestamp, plan: &Plan) -> bool {
    let Some(window) = rules.window else { return true };
    let of = plan.started_for.unwrap_or(started_at);
    opens_at(p, of, window).is_none_or(|at| at <= p.now)
}

/// When the window for this time opens: now or before, where it is open. It opens each day at the same time
/// of day again, until the check is made.
pub fn opens_at(p: &Planning<'_>, due: Timestamp, window: SignedDuration) -> Option<Timestamp> {
    if due > p.now {
        return Some(due);
    }
    let time = due.to_zoned_datetime(p.zone.clone()).time();
    let today = p.now.to_zoned_datetime(p.zone.clone()).date();
    let back = window.as_hours() / 24 + 1;
    let opening = |days: i64| {
        let date = today.checked_add(SignedDuration::from_hours(24 * days)).ok()?;
        p.zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible().ok()
    };
    let openings = (-back..=1).filter_map(opening).filter(|at| *at >= due);
    openings.into_iter().find(|at| at.checked_add(window).is_ok_and(|end| end > p.now))
}

/// The next times of an array's schedule, whether raidmond starts anything or not.
pub fn upcoming(p: &Planning<'_>, array: &Seen<Array>, n: usize) -> Vec<Timestamp> {
    let rules = p.checks.of(p.host_name, p.view, array);
    let offset = offset(p.host_name, rules.spread);
    let first = next(&rules, p.now, offset, p.zone);
    std::iter::successors(first, |at| next(&rules, *at, offset, p.zone)).take(n).collect()
}

/// When a plan wants to be looked at by time alone.
pub fn next_wake(memory: &BTreeMap<ObjectId, CheckMemory>) -> impl Iterator<Item = Timestamp> + '_ {
    memory.values().flat_map(|check| {
        let plan = check.plan.as_ref();
        let again = plan.filter(|p| p.due.is_some()).and_then(|p| p.not_before);
        let overdue = plan.and_then(|p| p.overdue_at);
        [plan.and_then(|p| p.next), again, overdue].into_iter().flatten()
    })
}
