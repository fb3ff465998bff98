use super::{Path, TaskKind};
use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

/// Whose schedule it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduledBy {
    /// The controller starts it.
    Firmware,
    /// A timer or a cron job of this machine.
    Distribution,
}

/// Regular work that somebody else than raidmond starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckSchedule {
    /// The array, or the controller where it is for all of its arrays; empty for all arrays of the space.
    pub on: Path,
    /// `Check`, or `PatrolRead` on controllers that know the difference.
    pub kind: TaskKind,
    pub by: ScheduledBy,
    /// `Some(false)`: switched off. `None`: the words were not understood, so it may be on.
    pub active: Option<bool>,
    /// The words it rests on: "CC Operation Mode = Sequential, CC Execution Delay = 168 hours".
    pub said: String,
    /// By the clock of whoever keeps the schedule, which need not be right.
    pub next: Option<DateTime>,
    pub period: Option<SignedDuration>,
}

impl CheckSchedule {
    pub fn new(on: Path, by: ScheduledBy, active: Option<bool>, said: impl Into<String>) -> Self {
        Self { on, kind: TaskKind::Check, by, active, said: said.into(), next: None, period: None }
    }

    #[must_use]
    pub fn every_hours(mut self, hours: Option<u64>) -> Self {
        let hours = hours.and_then(|h| i64::try_from(h).ok()).filter(|h| (1..=24 * 3660).contains(h));
        self.period = hours.map(SignedDuration::from_hours);
        self
    }

    /// "02/26/2026, 21:00:00": month first, as LSI prints it.
    #[must_use]
    pub fn next_month_first(mut self, text: Option<&str>) -> Self {
        self.next = text.and_then(|t| DateTime::strptime("%m/%d/%Y, %H:%M:%S", t.trim()).ok());
        self
    }
}
