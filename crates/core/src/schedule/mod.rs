//! Calendar expressions: when something is to happen, as an admin writes it.
//!
//! Understood are plain words ("every 4 weeks on Sat at 01:00", "first Sunday 02:00", "daily 03:00"),
//! systemd's OnCalendar forms, and the line of MegaCtrl ("-h01 -w4 -d6"). Pure: the time and its zone are
//! arguments. Times are those of a wall clock:
//!
//! - One that the clock skips (put forward) comes as much later as the clock was put forward: 02:30 is
//!   03:30 that day. A check is not left out because of summer time.
//! - One that the clock shows twice (put back) is the first of the two, once.
//! - "Every N weeks" counts weeks from Monday, 1 January 2024, or from the date after "from": a restart, a
//!   new host or a changed spread does not move it.
//!
//! Deliberately knows nothing of checks, and no time zone in the expression: the zone is the host's.

mod on_calendar;
mod plain;
mod rule;
#[cfg(test)]
mod tests;
mod words;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rule::Rule;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// As it was written.
    text: String,
    rule: Rule,
}

/// What is wrong with an expression, and what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {hint}")]
pub struct ScheduleError {
    pub what: String,
    pub hint: String,
}

pub(crate) const EXAMPLES: &str =
    "write \"Sat 01:00\", \"every 4 weeks on Sat at 01:00\", \"first Sunday 02:00\" or \"daily 03:00\"";

impl ScheduleError {
    fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }

    fn no_sense(word: &str) -> Self {
        Self::new(format!("`{word}` makes no sense here"), EXAMPLES)
    }
}

impl Schedule {
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let words = text.trim();
        if words.is_empty() {
            return Err(ScheduleError::new("the schedule is empty", EXAMPLES));
        }
        let rule = if plain::is_megactrl(words) {
            plain::megactrl(words)
        } else if plain::is_plain(words) {
            plain::parse(words)
        } else {
            on_calendar::parse(words)
        }?;
        if !rule.comes_ever() {
            return Err(ScheduleError::new(format!("`{words}` never comes"), "there is no such date"));
        }
        Ok(Self { text: words.to_owned(), rule })
    }

    /// What the one line `run = true` means without a schedule.
    pub fn usual() -> Self {
        let text = "every 4 weeks on Sat at 01:00";
        let rule = plain::parse(text).unwrap_or_default();
        Self { text: text.to_owned(), rule }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// For people: "every 4 weeks on Saturday at 01:00".
    pub fn words(&self) -> String {
        words::of(&self.rule).unwrap_or_else(|| self.text.clone())
    }

    /// The first time after `after`.
    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        self.rule.next_after(after, zone)
    }
}
