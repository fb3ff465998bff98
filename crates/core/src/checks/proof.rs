//! Proof that a check ran: from its start, through its progress, to how it ended.
//!
//! A check that is gone was completed only where a log says so, or where it would have been through by now.
//! Otherwise it was stopped, interrupted by a restart, or has vanished: none of these counts as done.

use super::memory::{CheckMemory, CheckResult, Ending, Held, Mark, Run, Starter};
use super::plan::Verb;
use crate::diagnose::{Memory, Subject};
use crate::host::{Host, Seen, View};
use crate::identity::ObjectId;
use crate::model::{Array, ObjectKind, Path, Task, TaskKind, TaskState};
use crate::observe::{Observation, Sign};
use crate::survey::{Covers, Reading};
use jiff::{SignedDuration, Timestamp};

/// A word about the end may come this much after the check is gone from the list of tasks.
const GRACE: SignedDuration = SignedDuration::from_mins(3);
/// An order whose answer was not understood may still be the reason why a check is there.
const ASKED_LATELY: SignedDuration = SignedDuration::from_mins(15);
/// Of two words about one end, the second.
const SAME_END: SignedDuration = SignedDuration::from_mins(10);
/// A refusal is taken for the weather of the hour.
const TRY_AGAIN: SignedDuration = SignedDuration::from_hours(1);
/// Percent that a measured rate may be wrong.
const NEARLY: f64 = 3.0;

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ordered {
    Done,
    Refused(String),
    /// The answer was not understood.
    Unknown,
}

/// What ended in this turn, for history: the array and the words.
pub(crate) type Told = Vec<(ObjectId, String)>;

/// Looks for the checks of the arrays that this reading speaks of.
pub(crate) fn take_reading(memory: &mut Memory, host: &Host, view: &View, reading: &Reading, now: Timestamp) -> Told {
    let mut told = Told::new();
    for array in view.arrays.iter().filter(|a| a.space == reading.space) {
        let shown =
            reading.tasks.iter().find(|t| is_check(t) && host.any_by_path(reading.space, &t.on) == Some(array.id));
        let follows = memory.checks.get(&array.id).is_some_and(|c| c.run.is_some());
        match shown {
            Some(task) => {
                let check = memory.checks.entry(array.id).or_default();
                told.extend(seen(check, task, now).map(|said| (array.id, said)));
            }
            None if follows && covers(reading, array) => {
                told.extend(missed(memory, array, now).map(|said| (array.id, said)));
            }
            None => {}
        }
    }
    told
}

fn is_check(task: &Task) -> bool {
    let under_way = matches!(task.state.state, TaskState::Running | TaskState::Queued | TaskState::Paused);
    task.kind == TaskKind::Check && under_way
}

/// md and its like list what goes on with their arrays.
fn covers(reading: &Reading, array: &Seen<Array>) -> bool {
    match &array.facts.controller {
        Some(_) => reading.coverage.has(&array.facts.at.root(), Covers::Tasks),
        None => {
            reading.coverage.has(&Path::default(), Covers::Arrays)
                && reading.arrays.iter().any(|a| a.at == array.facts.at)
        }
    }
}

fn seen(check: &mut CheckMemory, task: &Task, now: Timestamp) -> Option<String> {
    let mut ended = None;
    let anew = |run: &Run| run.said.is_some() && run.percent().zip(task.percent).is_some_and(|(old, new)| new < old);
    if check.run.as_ref().is_some_and(anew) {
        ended = finish(check, now);
    }
    if check.run.is_none() {
        let asked = check.plan.as_ref().and_then(|p| p.asked_at);
        let ours = asked.is_some_and(|at| now.duration_since(at) <= ASKED_LATELY);
        check.run = Some(Run::new(if ours { Starter::Raidmond } else { Starter::Others }, now));
        ended = ended.or_else(|| Some(format!("check seen{}: {}", by(check.run.as_ref()), task.state.said)));
    }
    if let Some(run) = &mut check.run {
        run.see(task, now);
    }
    ended
}

fn by(run: Option<&Run>) -> String {
    run.map(|r| format!(", started by {}", r.by.words())).unwrap_or_default()
}

impl Run {
    fn see(&mut self, task: &Task, now: Timestamp) {
        let paused = task.state.state == TaskState::Paused;
        self.seen_at = Some(now);
        self.missing_since = None;
        if paused != self.paused || task.state.state == TaskState::Queued {
            self.first = None;
        }
        self.paused = paused;
        if !paused {
            self.held = self.held.take().filter(|held| now.duration_since(held.at) < GRACE);
        }
        let Some(percent) = task.percent.filter(|p| p.is_finite()) else { return };
        let mark = Mark { at: now, percent };
        let back = self.last.is_some_and(|last| percent < last.percent);
        if self.last.is_none_or(|last| last.percent != percent) {
            self.moved_at = now;
        }
        if self.first.is_none() || back {
            self.first = Some(mark);
        }
        self.last = Some(mark);
    }
}

/// A complete list lacks a check that ran.
fn missed(memory: &mut Memory, array: &Seen<Array>, now: Timestamp) -> Option<String> {
    let booted = memory.booted_at;
    let check = memory.checks.get_mut(&array.id)?;
    let run = check.run.as_mut()?;
    let since = *run.missing_since.get_or_insert(now);
    let down = booted.is_some_and(|at| at > run.seen_at.unwrap_or(run.started_at) && at <= now);
    let how = if let Some(said) = run.said {
        said
    } else if down {
        Ending::Interrupted
    } else if run.held.is_some() {
        return None;
    } else if run.stopped_by.is_some() {
        Ending::Aborted
    } else if now.duration_since(since.max(run.started_at)) < GRACE {
        return None;
    } else if run.projected(since).is_some_and(|p| p >= 100.0 - NEARLY) {
        Ending::Completed
    } else {
        Ending::Vanished
    };
    run.said = Some(how);
    if how == Ending::Completed {
        run.found = run.found.max(array.facts.inconsistencies);
    }
    let said = finish(check, now);
    if check.last().is_some_and(|r| r.how == Ending::Completed && r.found == Some(0)) {
        let key = Subject::object(array.id, ObjectKind::Array, &array.name).key;
        memory.logs.retain(|_, fact| fact.sign != Sign::Inconsistency || fact.subject.key != key);
    }
    said
}

/// The run becomes a result.
fn finish(check: &mut CheckMemory, now: Timestamp) -> Option<String> {
    let run = check.run.take()?;
    let how = run.said.unwrap_or(Ending::Vanished);
    let complete = how == Ending::Completed;
    let result = CheckResult {
        by: run.by.clone(),
        started_at: Some(run.started_at),
        ended_at: run.missing_since.unwrap_or(now),
        how,
        percent: if complete { Some(100.0) } else { run.percent() },
        // Nothing was said of any: a completed check that finds something says so.
        found: run.found.or(complete.then_some(0)),
        dealt_with: false,
    };
    let percent = result.percent.filter(|_| !complete).map(|p| format!(" at {p:.0} %")).unwrap_or_default();
    let found = result.found.filter(|_| complete).map(|n| format!(", {n} inconsistencies")).unwrap_or_default();
    let said = format!("check {}{percent}{found}{}", how.word(), by(Some(&run)));
    if let Some(plan) = &mut check.plan {
        plan.ended(how);
    }
    check.add(result);
    Some(said)
}

/// A log speaks of the check of an array. `true`: it tells of what raidmond did itself.
pub(crate) fn hear(memory: &mut Memory, view: &View, subject: &Subject, heard: &Observation, now: Timestamp) -> bool {
    let Some(id) = subject.id.filter(|id| view.array(*id).is_some()) else { return false };
    let lower = heard.said.to_ascii_lowercase();
    let done = lower.contains("done") || lower.contains("complet");
    let ending = match heard.sign {
        Sign::CheckCompleted => Some(Ending::Completed),
        Sign::Inconsistency if done => Some(Ending::Completed),
        Sign::CheckFailed if ["abort", "interrupt", "stop"].iter().any(|w| lower.contains(w)) => Some(Ending::Aborted),
        Sign::CheckFailed => Some(Ending::Failed),
        Sign::CheckStarted | Sign::Inconsistency => None,
        _ => return false,
    };
    let found = match heard.sign {
        Sign::Inconsistency => Some(number_of(&lower).unwrap_or(heard.count)),
        _ if done => number_of(&lower),
        _ => None,
    };
    let check = memory.checks.entry(id).or_default();
    let own = |run: &Run| run.held.is_some() || run.stopped_by.is_some();
    let explained = ending == Some(Ending::Aborted) && check.run.as_ref().is_some_and(own);
    match &mut check.run {
        // Of an earlier check, read late.
        Some(run) if heard.at.is_some_and(|at| at < run.started_at - SignedDuration::from_hours(1)) => {}
        Some(run) => run.hear(heard.sign, ending, found),
        None => unseen(check, heard.sign, ending, found, now),
    }
    if check.is_empty() {
        memory.checks.remove(&id);
    }
    explained
}

impl Run {
    fn hear(&mut self, sign: Sign, ending: Option<Ending>, found: Option<u64>) {
        if sign == Sign::CheckStarted {
            return;
        }
        let single = sign == Sign::Inconsistency && ending.is_none();
        self.found = match (self.found, found) {
            // One line for each place, then one with their number.
            (Some(sum), Some(n)) if single => Some(sum.saturating_add(n)),
            (old, new) => old.max(new),
        };
        // raidmond's own pause looks like an end.
        if !(self.held.is_some() && ending == Some(Ending::Aborted)) {
            self.said = ending.or(self.said);
        }
    }
}

/// A check that no reading ever showed: too short, or before raidmond looked.
fn unseen(check: &mut CheckMemory, sign: Sign, ending: Option<Ending>, found: Option<u64>, now: Timestamp) {
    if sign == Sign::CheckStarted {
        let asked = check.plan.as_ref().and_then(|p| p.asked_at);
        let ours = asked.is_some_and(|at| now.duration_since(at) <= ASKED_LATELY);
        check.run = Some(Run::new(if ours { Starter::Raidmond } else { Starter::Others }, now));
        return;
    }
    let just_ended = check.results.last_mut().filter(|r| now.duration_since(r.ended_at) <= SAME_END);
    match (just_ended, ending) {
        (Some(last), ending) => {
            if matches!(last.how, Ending::Vanished | Ending::Interrupted) {
                last.how = ending.unwrap_or(last.how);
            }
            last.found = last.found.max(found);
        }
        (None, Some(how)) => {
            let found = found.or((how == Ending::Completed).then_some(0));
            let by = Starter::Others;
            check.add(CheckResult {
                by,
                started_at: None,
                ended_at: now,
                how,
                percent: None,
                found,
                dealt_with: false,
            });
        }
        (None, None) => {}
    }
}

/// `(corrections=3)`, `completed, 3 inconsistencies`.
fn number_of(lower: &str) -> Option<u64> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    if let Some((_, after)) = lower.split_once("corrections=") {
        return digits(after);
    }
    let before = lower.split_once(" inconsistenc").or_else(|| lower.split_once(" mismatch"))?.0;
    before.rsplit([' ', ',']).next().and_then(digits)
}

/// An order was carried out, or not.
pub(crate) fn ordered(check: &mut CheckMemory, verb: Verb, by: &Starter, what: &Ordered, now: Timestamp) {
    match (verb, what) {
        (Verb::Start, Ordered::Done) => {
            check.run.get_or_insert_with(|| Run::new(by.clone(), now));
            if let Some(plan) = &mut check.plan {
                plan.started();
            }
        }
        (Verb::Start, refused) if *by == Starter::Raidmond => {
            if let Some(plan) = &mut check.plan {
                let (why, again) = match refused {
                    Ordered::Refused(why) => (format!("the start was refused: {why}"), TRY_AGAIN),
                    _ => ("it is not known what became of the last order to start".to_owned(), ASKED_LATELY),
                };
                plan.was_refused(why, now + again);
            }
        }
        (Verb::Pause, Ordered::Done) => with_run(check, |run| {
            (run.held, run.paused) = (Some(Held { by: by.clone(), at: now }), true);
        }),
        (Verb::Resume, Ordered::Done) => with_run(check, |run| {
            (run.held, run.paused, run.first, run.moved_at) = (None, false, None, now);
        }),
        (Verb::Stop, Ordered::Done) => with_run(check, |run| {
            run.stopped_by = Some(by.words().to_owned());
            run.held = None;
        }),
        _ => {}
    }
}

fn with_run(check: &mut CheckMemory, change: impl FnOnce(&mut Run)) {
    if let Some(run) = &mut check.run {
        change(run);
    }
}
