//! May this array be checked now, and if not, why not: each reason in words.

use super::memory::{CheckMemory, Plan};
use super::plan::{Planning, Verb, opens_at};
use super::rules::Who;
use crate::diagnose::{ConditionKind as K, Redundancy, redundancy};
use crate::host::Seen;
use crate::identity::ObjectId;
use crate::model::{Array, CacheState, CheckSchedule, Task, TaskKind, TaskState};
use jiff::SignedDuration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The level keeps no second copy.
    NothingToCompare,
    Unknown,
    Blind,
    Stale,
    Degraded,
    Rebuilding,
    Initialising,
    Reshaping,
    Learning,
    TooHot,
    Running,
    /// Asked a moment ago, or refused by the tool.
    Asked,
    CannotFamily,
    // The harmless ones.
    OtherCheck,
    Budget,
    OtherSchedule,
    OutsideWindow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub reason: Reason,
    pub why: String,
}

impl Refusal {
    /// It costs time, not data: a person may go over it.
    pub fn is_harmless(&self) -> bool {
        self.reason >= Reason::OtherCheck
    }
}

type Found = Vec<Refusal>;

/// All that stands against a start now; the weightiest first.
pub fn against(p: &Planning<'_>, array: &Seen<Array>) -> Found {
    let mut found = Vec::new();
    let mut add = |reason, why: Option<String>| found.extend(why.map(|why| Refusal { reason, why }));
    let r = redundancy(p.view, array);
    add(Reason::NothingToCompare, nothing_to_compare(&r));
    add(Reason::Unknown, unknown(p, array));
    add(Reason::Blind, blind(p, array));
    add(Reason::Stale, stale(p, array));
    add(Reason::Degraded, degraded(p, array, &r));
    add(Reason::Rebuilding, busy(p, array, &[TaskKind::Rebuild, TaskKind::Copyback]));
    let new = [TaskKind::Initialise, TaskKind::BackgroundInitialise, TaskKind::Erase];
    let initialising = r.initialising.then(|| format!("{} is being initialised", array.name));
    add(Reason::Initialising, initialising.or_else(|| busy(p, array, &new)));
    add(Reason::Reshaping, busy(p, array, &[TaskKind::Expand]));
    add(Reason::Learning, learning(p, array));
    add(Reason::TooHot, too_hot(p, array));
    let check = p.memory.get(&array.id);
    let running = check.and_then(|c| c.run.as_ref());
    add(Reason::Running, running.map(|r| format!("a check is there already, started by {}", r.by.words())));
    add(Reason::CannotFamily, cannot(p, array));
    add(Reason::Asked, check.and_then(|c| c.plan.as_ref()).and_then(|plan| asked(p, plan)));
    add(Reason::OtherCheck, other_check(p, array));
    add(Reason::Budget, budget(p, array));
    add(Reason::OtherSchedule, other_schedule(p, array).map(|s| scheduled(&array.name, s)));
    add(Reason::OutsideWindow, outside(p, array, check));
    found
}

fn nothing_to_compare(r: &Redundancy) -> Option<String> {
    (r.built == Some(0)).then(|| "there is no second copy or parity to compare".to_owned())
}

fn unknown(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    use crate::model::ArrayState as S;
    match array.facts.state.as_ref() {
        None => Some("its state is not known".to_owned()),
        Some(s) if matches!(s.state, S::Unknown | S::Inactive) => Some(format!("its state is \"{}\"", s.said)),
        Some(_) => {
            let doubt = |c: &&crate::diagnose::Condition| {
                matches!(c.kind, K::UnknownWord | K::SourcesDisagree)
                    && c.subject.id.is_some_and(|id| is_near(p, array, id))
            };
            p.conditions.iter().find(doubt).map(|c| c.headline.clone())
        }
    }
}

fn blind(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    let root = array.facts.at.root();
    let about = |key: &str| key.is_empty() || key == root.as_str();
    let mine = p.host.sources.iter().filter(|(k, _)| array.sources.contains(&k.family) && about(&k.about));
    let failing = mine.clone().find(|(_, s)| s.failures > 0);
    // One tool that works is enough.
    let works = mine.clone().any(|(k, s)| s.failures == 0 && (k.about == root.as_str() || array.parent.is_none()));
    failing.filter(|_| !works).map(|(k, s)| {
        let why = s.notes.first().map_or("no usable answer", |n| n.said.as_str());
        format!("{k} cannot be read: {why}")
    })
}

fn stale(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    let age = p.now.duration_since(array.at);
    (age > p.checks.stale_after).then(|| format!("it was read {} ago", crate::tell::duration(age)))
}

fn degraded(p: &Planning<'_>, array: &Seen<Array>, r: &Redundancy) -> Option<String> {
    use crate::model::ArrayState as S;
    let bad = |a: &Seen<Array>| {
        a.facts
            .state
            .as_ref()
            .is_some_and(|s| matches!(s.state, S::Degraded | S::PartlyDegraded | S::Rebuilding | S::Failed))
    };
    if r.failed || r.reduced() || bad(array) {
        return Some(format!("{} is degraded", array.name));
    }
    let others =
        p.view.arrays.iter().filter(|a| a.id != array.id && array.parent.is_some() && a.parent == array.parent);
    let other = others.into_iter().find(|a| bad(a) || redundancy(p.view, a).reduced());
    other.map(|a| format!("{} of the same controller is degraded", a.name))
}

/// Work on the same controller; among arrays without one, on those of the same kind.
fn busy(p: &Planning<'_>, array: &Seen<Array>, kinds: &[TaskKind]) -> Option<String> {
    let under_way = |t: &Task| matches!(t.state.state, TaskState::Running | TaskState::Queued | TaskState::Paused);
    let concerns = |(on, t): &&(Option<ObjectId>, Task)| {
        kinds.contains(&t.kind) && under_way(t) && on.is_some_and(|id| is_near(p, array, id))
    };
    let (on, task) = p.view.tasks.iter().find(concerns)?;
    let name = on.map_or_else(|| task.on.to_string(), |id| p.host.name(id));
    Some(format!("{} on {name}", crate::diagnose::task_word(task.kind)))
}

/// The object is the array, its controller, or belongs to that.
fn is_near(p: &Planning<'_>, array: &Seen<Array>, id: ObjectId) -> bool {
    if id == array.id {
        return true;
    }
    let entry = p.host.registry.get(id);
    let parent = entry.and_then(|e| e.parent);
    match array.parent {
        Some(card) => id == card || parent == Some(card),
        None => parent.is_none() && entry.is_some_and(|e| e.paths.contains_key(&array.space)),
    }
}

fn learning(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    let mine = p.view.caches.iter().filter(|c| array.parent.is_some() && c.parent == array.parent);
    let learns = mine.into_iter().find(|c| {
        c.facts.learning == Some(true) || c.facts.state.as_ref().is_some_and(|s| s.state == CacheState::Learning)
    });
    learns.map(|c| format!("{} is in a learn cycle", c.name))
}

fn too_hot(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    let hot =
        [K::DiskTemperature, K::DiskTemperatureCritical, K::ControllerTemperature, K::ControllerTemperatureCritical];
    let members: Vec<ObjectId> = p.view.members(array).map(|d| d.id).collect();
    let mine = |id: ObjectId| members.contains(&id) || (array.parent.is_some() && is_near(p, array, id));
    let found = p.conditions.iter().find(|c| hot.contains(&c.kind) && c.subject.id.is_some_and(mine));
    found.map(|c| format!("too hot: {}", c.headline))
}

fn cannot(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    let mut reasons = array.sources.iter().map(|family| (p.ability)(family, Verb::Start));
    let first = reasons.next()?;
    if first.is_ok() || reasons.any(|r| r.is_ok()) { None } else { first.err() }
}

fn asked(p: &Planning<'_>, plan: &Plan) -> Option<String> {
    let until = plan.not_before.filter(|at| *at > p.now)?;
    let wait = crate::tell::duration(until.duration_since(p.now));
    Some(match &plan.refused_why {
        Some(why) => format!("{why}; tried again in {wait}"),
        None => "it was told to start a moment ago".to_owned(),
    })
}

/// Arrays with a check under way or just ordered.
fn checked_now<'a>(p: &'a Planning<'_>, but: ObjectId) -> impl Iterator<Item = &'a Seen<Array>> + 'a {
    let just = |c: &CheckMemory| {
        c.plan.as_ref().and_then(|plan| plan.asked_at).is_some_and(|at| p.now.duration_since(at) < JUST_ASKED)
    };
    let at_work = move |c: &CheckMemory| c.run.as_ref().is_some_and(|r| !r.paused) || just(c);
    p.view.arrays.iter().filter(move |a| a.id != but && p.memory.get(&a.id).is_some_and(at_work))
}

/// An order and the reading that shows it take less.
const JUST_ASKED: SignedDuration = SignedDuration::from_mins(2);

fn other_check(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    let near = |a: &&Seen<Array>| a.parent == array.parent && (a.parent.is_some() || a.space == array.space);
    checked_now(p, array.id).find(near).map(|a| format!("{} is being checked, one at a time", a.name))
}

fn budget(p: &Planning<'_>, array: &Seen<Array>) -> Option<String> {
    let now = checked_now(p, array.id).count();
    let words = if now == 1 { "1 check is".to_owned() } else { format!("{now} checks are") };
    (now >= p.checks.at_once).then(|| format!("{words} under way on this host, at-once = {}", p.checks.at_once))
}

/// What somebody else starts on it. Where it is not understood whether it does, it may.
pub(super) fn other_schedule<'a>(p: &'a Planning<'_>, array: &'a Seen<Array>) -> Option<&'a CheckSchedule> {
    p.view.schedules_of(array).find(|s| s.kind == TaskKind::Check && s.active != Some(false))
}

pub(super) fn scheduled(name: &str, other: &CheckSchedule) -> String {
    let doubt = if other.active.is_none() { "may be" } else { "is" };
    format!("{name} {doubt} checked by another schedule already: {}", other.said)
}

fn outside(p: &Planning<'_>, array: &Seen<Array>, check: Option<&CheckMemory>) -> Option<String> {
    let rules = p.checks.of(p.host_name, p.view, array);
    let window = rules.window.filter(|_| rules.who == Who::Raidmond)?;
    let plan = check.and_then(|c| c.plan.as_ref())?;
    let opens = opens_at(p, plan.due.or(plan.next)?, window)?;
    (opens > p.now).then(|| format!("outside its window, which opens {}", p.local(opens)))
}
