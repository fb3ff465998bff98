//! What is kept of the checks of each array. Part of the persisted state.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckMemory {
    pub plan: Option<Plan>,
    pub run: Option<Run>,
    /// Newest last; bounded.
    pub results: Vec<CheckResult>,
    /// Why the plan cannot be kept: two schedules, or none.
    pub conflict: Option<String>,
}

/// raidmond's own appointment with an array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its schedule and the host's offset; another one begins anew.
    pub schedule: String,
    pub since: Timestamp,
    /// The next time, with the host's offset; `None` where others start the checks.
    pub next: Option<Timestamp>,
    /// A check is to be made for this time, and was not yet. Never more than one.
    pub due: Option<Timestamp>,
    /// For which time the last one was started.
    pub started_for: Option<Timestamp>,
    /// It was taken up again after it had been lost.
    pub again: bool,
    /// Not asked again before this.
    pub not_before: Option<Timestamp>,
    pub asked_at: Option<Timestamp>,
    pub refused: u32,
    pub refused_why: Option<String>,
    /// No completed check by then is too long; from when it was counted.
    pub overdue_at: Option<Timestamp>,
    pub counted_from: Option<Timestamp>,
}

impl Plan {
    pub(super) fn new(schedule: String, now: Timestamp) -> Self {
        Self {
            schedule,
            since: now,
            next: None,
            due: None,
            started_for: None,
            again: false,
            not_before: None,
            asked_at: None,
            refused: 0,
            refused_why: None,
            overdue_at: None,
            counted_from: None,
        }
    }

    /// A time of the schedule has come.
    pub(super) fn comes_due(&mut self, at: Timestamp) {
        self.due = Some(at);
        (self.again, self.refused, self.refused_why, self.not_before) = (false, 0, None, None);
    }

    pub(super) fn started(&mut self) {
        self.started_for = self.due.take().or(self.started_for);
        (self.refused, self.refused_why, self.not_before) = (0, None, None);
    }

    /// One that was lost is made up, once.
    pub(super) fn ended(&mut self, how: Ending) {
        let started_for = self.started_for.take();
        let lost = matches!(how, Ending::Interrupted | Ending::Vanished);
        if lost && !self.again && self.due.is_none() && started_for.is_some() {
            (self.due, self.again, self.not_before) = (started_for, true, None);
        }
    }

    pub(super) fn was_refused(&mut self, why: String, again_at: Timestamp) {
        self.refused += 1;
        self.refused_why = Some(why);
        self.not_before = Some(again_at);
        self.asked_at = None;
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Starter {
    Raidmond,
    /// By hand, through raidmond.
    Person(String),
    /// The firmware, the distribution, another tool.
    Others,
}

impl Starter {
    pub fn words(&self) -> &str {
        match self {
            Starter::Raidmond => "raidmond",
            Starter::Person(name) => name,
            Starter::Others => "others",
        }
    }
}

/// A check under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub by: Starter,
    pub started_at: Timestamp,
    /// When a reading last showed it.
    pub seen_at: Option<Timestamp>,
    /// Where progress is measured from, and the last mark.
    pub first: Option<Mark>,
    pub last: Option<Mark>,
    /// When progress last moved.
    pub moved_at: Timestamp,
    pub paused: bool,
    /// raidmond paused it; where md pauses a check, nothing shows it any more.
    pub held: Option<Held>,
    pub stopped_by: Option<String>,
    /// A log said how it ended.
    pub said: Option<Ending>,
    pub found: Option<u64>,
    /// Since when complete readings lack it.
    pub missing_since: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub by: Starter,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    pub at: Timestamp,
    pub percent: f64,
}

impl Run {
    pub fn new(by: Starter, at: Timestamp) -> Self {
        Self {
            by,
            started_at: at,
            seen_at: None,
            first: None,
            last: None,
            moved_at: at,
            paused: false,
            held: None,
            stopped_by: None,
            said: None,
            found: None,
            missing_since: None,
        }
    }

    pub fn percent(&self) -> Option<f64> {
        self.last.map(|m| m.percent)
    }

    /// Percent in a second, as measured, else on average since the start.
    fn rate(&self) -> Option<f64> {
        let last = self.last?;
        let since_start = Mark { at: self.started_at, percent: 0.0 };
        let first = self.first.filter(|f| last.percent - f.percent >= 1.0).unwrap_or(since_start);
        let seconds = last.at.duration_since(first.at).as_secs_f64();
        let rate = (last.percent - first.percent) / seconds;
        (seconds > 0.0 && rate > 0.0).then_some(rate)
    }

    pub fn percent_per_hour(&self) -> Option<f64> {
        self.rate().filter(|_| !self.paused).map(|rate| rate * 3600.0)
    }

    pub fn left(&self) -> Option<SignedDuration> {
        let seconds = (100.0 - self.percent()?) / self.rate()?;
        (seconds.is_finite() && !self.paused).then(|| SignedDuration::from_secs(seconds.clamp(0.0, 1e9) as i64))
    }

    /// How far it would be now if it had gone on as before.
    pub(super) fn projected(&self, now: Timestamp) -> Option<f64> {
        let last = self.last?;
        Some(last.percent + self.rate()? * now.duration_since(last.at).as_secs_f64())
    }
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    Completed,
    /// Stopped, by a person or a tool.
    Aborted,
    Failed,
    /// The host went down meanwhile: not completed.
    Interrupted,
    /// It is gone, and nothing says that it came to its end.
    Vanished,
}

impl Ending {
    pub fn word(self) -> &'static str {
        match self {
            Ending::Completed => "completed",
            Ending::Aborted => "stopped",
            Ending::Failed => "failed",
            Ending::Interrupted => "interrupted by a restart",
            Ending::Vanished => "vanished",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    pub by: Starter,
    /// `None` where only its end was heard of.
    pub started_at: Option<Timestamp>,
    pub ended_at: Timestamp,
    pub how: Ending,
    pub percent: Option<f64>,
    /// Inconsistencies; `None` where nothing says.
    pub found: Option<u64>,
    /// A person has dealt with it.
    #[serde(default)]
    pub dealt_with: bool,
}

impl CheckResult {
    pub fn duration(&self) -> Option<SignedDuration> {
        self.started_at.map(|at| self.ended_at.duration_since(at))
    }
}

const RESULTS_KEPT: usize = 20;

impl CheckMemory {
    pub fn add(&mut self, result: CheckResult) {
        self.results.push(result);
        let surplus = self.results.len().saturating_sub(RESULTS_KEPT);
        self.results.drain(..surplus);
    }

    pub fn last(&self) -> Option<&CheckResult> {
        self.results.last()
    }

    pub fn last_completed(&self) -> Option<&CheckResult> {
        self.results.iter().rev().find(|r| r.how == Ending::Completed)
    }

    /// What a completed check usually takes, where there are two to compare.
    pub fn usual(&self) -> Option<SignedDuration> {
        let completed = self.results.iter().filter(|r| r.how == Ending::Completed);
        let mut took: Vec<SignedDuration> = completed.filter_map(CheckResult::duration).collect();
        took.sort_unstable();
        (took.len() >= 2).then(|| took.get(took.len() / 2).copied()).flatten()
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
