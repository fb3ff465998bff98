//! What there is to say of the checks of each array: `raidmond check list` and `history`, and a part of the
//! status document.

use super::wire::word;
use jiff::Timestamp;
use raidmond_core::checks::{CheckMemory, CheckResult, Planning, Run, Who, against, upcoming};
use raidmond_core::diagnose::redundancy;
use raidmond_core::host::{Seen, View};
use raidmond_core::incident::{Settings, State};
use raidmond_core::model::{Array, CheckSchedule};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CheckDoc {
    pub array: String,
    pub id: u64,
    /// "raidmond", "external", "off".
    pub policy: String,
    /// Whether raidmond starts checks of it.
    pub runs: bool,
    /// In words: "every 4 weeks on Saturday at 01:00".
    pub schedule: String,
    /// The next times, with this host's offset.
    pub next: Vec<Timestamp>,
    /// The same by the clock of the configured time zone, for people.
    pub next_local: Vec<String>,
    /// A time that has come and was not kept yet.
    pub due: Option<Timestamp>,
    /// All that stands against a start now.
    pub why_not: Vec<String>,
    pub running: Option<RunDoc>,
    /// Newest first.
    pub results: Vec<ResultDoc>,
    pub last_completed: Option<ResultDoc>,
    /// Schedules of the firmware and the distribution.
    pub others: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunDoc {
    pub by: String,
    pub started_at: Timestamp,
    pub paused: bool,
    pub percent: Option<f64>,
    pub percent_per_hour: Option<f64>,
    pub seconds_left: Option<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResultDoc {
    pub by: String,
    pub started_at: Option<Timestamp>,
    pub ended_at: Timestamp,
    /// "completed", "aborted", "failed", "interrupted", "vanished".
    pub how: String,
    pub percent: Option<f64>,
    pub seconds: Option<i64>,
    pub found: Option<u64>,
}

const SHOWN: usize = 5;

/// Arrays that have something to compare; the others need no check.
pub fn documents(settings: &Settings, state: &State, now: Timestamp) -> Vec<CheckDoc> {
    let view = state.host.view();
    let p = Planning::of(settings, state, &view, now);
    view.arrays.iter().filter(|a| redundancy(&view, a).built != Some(0)).map(|a| document(&p, &view, a)).collect()
}

fn document(p: &Planning<'_>, view: &View, array: &Seen<Array>) -> CheckDoc {
    let none = CheckMemory::default();
    let check = p.memory.get(&array.id).unwrap_or(&none);
    let rules = p.checks.of(p.host_name, view, array);
    let raidmonds = rules.who == Who::Raidmond;
    let policy = match rules.who {
        Who::Raidmond => "raidmond",
        Who::External => "external",
        Who::Off => "off",
    };
    let next = if raidmonds { upcoming(p, array, SHOWN) } else { Vec::new() };
    CheckDoc {
        array: array.name.clone(),
        id: array.id.0,
        policy: policy.to_owned(),
        runs: rules.run && raidmonds,
        schedule: rules.schedule.words(),
        next_local: next.iter().map(|at| p.local(*at)).collect(),
        next,
        due: check.plan.as_ref().and_then(|plan| plan.due),
        why_not: against(p, array).into_iter().map(|r| r.why).collect(),
        running: check.run.as_ref().map(running),
        results: check.results.iter().rev().map(result).collect(),
        last_completed: check.last_completed().map(result),
        others: view.schedules_of(array).map(other).collect(),
    }
}

fn other(schedule: &CheckSchedule) -> String {
    let off = if schedule.active == Some(false) { ", switched off" } else { "" };
    format!("{} ({}{off})", schedule.said, word(&schedule.by))
}

fn running(run: &Run) -> RunDoc {
    RunDoc {
        by: run.by.words().to_owned(),
        started_at: run.started_at,
        paused: run.paused,
        percent: run.percent(),
        percent_per_hour: run.percent_per_hour(),
        seconds_left: run.left().map(|d| d.as_secs()),
    }
}

fn result(result: &CheckResult) -> ResultDoc {
    ResultDoc {
        by: result.by.words().to_owned(),
        started_at: result.started_at,
        ended_at: result.ended_at,
        how: word(&result.how),
        percent: result.percent,
        seconds: result.duration().map(|d| d.as_secs()),
        found: result.found,
    }
}
