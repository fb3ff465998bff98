//! Plain words: "every 4 weeks on Sat at 01:00", "first Sunday 02:00", "monthly on day 15 at 03:00"; and the
//! line of MegaCtrl.

use super::on_calendar::{by_word, midnight, number, time, weekdays};
use super::rule::{ANCHOR, Every, Part, Rule, Unit};
use super::{EXAMPLES, ScheduleError};
use jiff::civil::{Date, Weekday};

const ORDINALS: [(&str, i16); 11] = [
    ("first", 1),
    ("1st", 1),
    ("second", 2),
    ("2nd", 2),
    ("third", 3),
    ("3rd", 3),
    ("fourth", 4),
    ("4th", 4),
    ("fifth", 5),
    ("5th", 5),
    ("last", LAST),
];
const LAST: i16 = -1;
const FILLERS: [&str; 7] = ["on", "at", "of", "the", "and", "in", "each"];
const MARKS: [&str; 9] = ["every", "each", "on", "at", "of", "day", "days", "from", "starting"];

/// Anything that systemd's form has no word for.
pub(super) fn is_plain(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split_whitespace();
    let marked = |w: &str| MARKS.contains(&w) || ORDINALS.iter().any(|(o, _)| *o == w) || plural(w).is_some();
    words.clone().any(marked) || (words.next().is_some_and(|w| by_word(w).is_some()) && words.next().is_some())
}

#[derive(Default)]
struct Heard {
    weekdays: Vec<Weekday>,
    ordinals: Vec<i16>,
    /// 1 to 31; `LAST`.
    day: Option<i16>,
    every: Option<(i32, Unit)>,
    base: Option<Rule>,
    time: Option<Rule>,
    from: Option<Date>,
}

pub(super) fn parse(text: &str) -> Result<Rule, ScheduleError> {
    let lower = text.to_ascii_lowercase().replace(", ", ",");
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut heard = Heard::default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += heard.take(word, words.get(at + 1..).unwrap_or_default())?;
    }
    heard.rule()
}

impl Heard {
    /// How many words were used.
    fn take(&mut self, word: &str, rest: &[&str]) -> Result<usize, ScheduleError> {
        let next = rest.first().copied();
        match word {
            "every" => return self.every(rest),
            "day" | "days" => return self.day_of_month(next),
            "from" | "starting" => return self.from(next),
            _ if FILLERS.contains(&word) => return Ok(1),
            _ => {}
        }
        if let Some((_, n)) = ORDINALS.iter().find(|(w, _)| *w == word) {
            return self.ordinal(*n, next);
        }
        if word.contains(':') {
            let mut rule = midnight();
            time(word, &mut rule)?;
            self.time = Some(rule);
        } else if let Some(days) = weekdays(word).or_else(|| plural(word)) {
            self.weekdays.extend(days);
        } else if let Some(base) = by_word(word).filter(|_| self.base.is_none()) {
            self.base = Some(base);
        } else if word == "month" && (self.day.is_some() || !self.ordinals.is_empty()) {
            return Ok(1);
        } else {
            return Err(unknown(word));
        }
        Ok(1)
    }

    fn every(&mut self, rest: &[&str]) -> Result<usize, ScheduleError> {
        let (n, used) = match rest.first().copied() {
            Some("other" | "second") if rest.get(1).is_some_and(|w| unit(w).is_some()) => (2, 2),
            Some(word) if number(word, 1, 999).is_some() => (number(word, 1, 999).unwrap_or(1), 2),
            _ => (1, 1),
        };
        match rest.get(used - 1).and_then(|w| unit(w)) {
            Some(unit) => {
                self.every = Some((i32::from(n), unit));
                Ok(used + 1)
            }
            None if used == 1 => Ok(1),
            None => {
                let hint = "write \"every 4 weeks on Sat at 01:00\": days, weeks or months can be counted";
                Err(ScheduleError::new(format!("every {n} of what?"), hint))
            }
        }
    }

    fn ordinal(&mut self, n: i16, next: Option<&str>) -> Result<usize, ScheduleError> {
        match next {
            Some("day") => {
                self.day = Some(n);
                Ok(2)
            }
            _ => {
                self.ordinals.push(n);
                Ok(1)
            }
        }
    }

    fn day_of_month(&mut self, next: Option<&str>) -> Result<usize, ScheduleError> {
        let day = next.and_then(|w| number(w.trim_end_matches('.'), 1, 31));
        let bad = || ScheduleError::new("which day of the month?", "write \"monthly on day 15 at 03:00\"");
        self.day = Some(day.ok_or_else(bad)?);
        Ok(2)
    }

    fn from(&mut self, next: Option<&str>) -> Result<usize, ScheduleError> {
        let date = next.and_then(|w| w.parse().ok());
        let bad = || ScheduleError::new("from which date?", "write \"every 4 weeks on Sat at 01:00 from 2026-01-03\"");
        self.from = Some(date.ok_or_else(bad)?);
        Ok(2)
    }

    fn rule(self) -> Result<Rule, ScheduleError> {
        let mut rule = self.base.clone().unwrap_or_else(midnight);
        if let Some(time) = &self.time {
            (rule.hours, rule.minutes, rule.seconds) = (time.hours.clone(), time.minutes.clone(), time.seconds.clone());
        }
        if !self.weekdays.is_empty() {
            rule.weekdays = self.weekdays.clone();
        }
        self.days_of(&mut rule)?;
        self.count(&mut rule)?;
        Ok(rule)
    }

    fn days_of(&self, rule: &mut Rule) -> Result<(), ScheduleError> {
        let last = self.ordinals.contains(&LAST);
        match (self.ordinals.as_slice(), self.day) {
            ([], None) if !self.weekdays.is_empty() => rule.days = Vec::new(),
            ([], None) => {}
            ([], Some(LAST)) => (rule.days, rule.from_end) = (vec![Part::one(1)], true),
            ([], Some(day)) => rule.days = vec![Part::one(day)],
            _ if self.weekdays.is_empty() => {
                return Err(ScheduleError::new("the first, second or last of what?", "write \"first Sunday 02:00\""));
            }
            (_, Some(_)) => return Err(ScheduleError::new("a weekday or a day of the month, not both", EXAMPLES)),
            ([_], None) if last => (rule.days, rule.from_end) = (vec![Part { from: 7, to: 0, step: 1 }], true),
            _ if last => {
                return Err(ScheduleError::new("`last` cannot be joined with others", "write \"last Sunday 02:00\""));
            }
            (ordinals, None) => rule.days = ordinals.iter().map(|n| Part::range(7 * n - 6, 7 * n)).collect(),
        }
        Ok(())
    }

    /// Every n-th week, month or day.
    fn count(&self, rule: &mut Rule) -> Result<(), ScheduleError> {
        let Some((n, unit)) = self.every else {
            return match self.from {
                Some(_) => {
                    Err(ScheduleError::new("`from` needs something to count", "write \"every 4 weeks … from DATE\""))
                }
                None => Ok(()),
            };
        };
        let by_days = !self.ordinals.is_empty() || self.day.is_some();
        match unit {
            Unit::Weeks if by_days => return Err(ScheduleError::new("weeks or days of the month, not both", EXAMPLES)),
            Unit::Weeks if rule.weekdays.is_empty() => rule.weekdays = vec![Weekday::Monday],
            Unit::Months if !by_days && rule.weekdays.is_empty() => rule.days = vec![Part::one(1)],
            Unit::Months if !by_days => {
                let hint = "write \"every 3 months on the first Sat at 01:00\"";
                return Err(ScheduleError::new("which of the month's weekdays?", hint));
            }
            Unit::Days if by_days || !self.weekdays.is_empty() => {
                return Err(ScheduleError::new("every so many days, or certain days: not both", EXAMPLES));
            }
            _ => {}
        }
        rule.every = (n > 1).then_some(Every { n, unit, anchor: self.from.unwrap_or(ANCHOR) });
        Ok(())
    }
}

fn unit(word: &str) -> Option<Unit> {
    match word {
        "day" | "days" => Some(Unit::Days),
        "week" | "weeks" => Some(Unit::Weeks),
        "month" | "months" => Some(Unit::Months),
        _ => None,
    }
}

/// "Saturdays".
fn plural(word: &str) -> Option<Vec<Weekday>> {
    word.strip_suffix('s').filter(|w| w.ends_with("day")).and_then(weekdays)
}

fn unknown(word: &str) -> ScheduleError {
    if number(word, 0, 23).is_some() {
        return ScheduleError::new(
            format!("`{word}` may be an hour or a day"),
            format!("write {word}:00, or day {word}"),
        );
    }
    ScheduleError::no_sense(word)
}

/// `MegaCtrl -cons -h01 -w4 -d6`, or its options alone.
pub(super) fn is_megactrl(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
    first.starts_with('-') || first.rsplit('/').next().is_some_and(|tool| tool.starts_with("megactrl"))
}

/// Hour, every so many weeks, and day of the week from 0, Sunday.
pub(super) fn megactrl(text: &str) -> Result<Rule, ScheduleError> {
    let hint = "the form is -h01 -w4 -d6: hour, weeks between, day from 0 (Sunday) to 6 (Saturday)";
    let bad = |word: &str| ScheduleError::new(format!("`{word}` makes no sense in a line of MegaCtrl"), hint);
    let (mut hour, mut weeks, mut day) = (None, 1, None);
    for word in text.split_whitespace().filter(|w| w.starts_with('-')) {
        let lower = word.to_ascii_lowercase();
        let value = |max| lower.get(2..).and_then(|v| number(v, 0, max)).ok_or_else(|| bad(word));
        match lower.get(..2) {
            _ if lower == "-cons" => {}
            Some("-h") => hour = Some(value(23)?),
            Some("-w") => weeks = value(52)?.max(1),
            Some("-d") => day = Some(value(6)?),
            _ => return Err(bad(word)),
        }
    }
    let (Some(hour), Some(day)) = (hour, day) else {
        return Err(ScheduleError::new("a line of MegaCtrl needs an hour and a day", hint));
    };
    let weekday = Weekday::from_sunday_zero_offset(i8::try_from(day).unwrap_or(0)).map_err(|_| bad(text))?;
    let every = (weeks > 1).then_some(Every { n: i32::from(weeks), unit: Unit::Weeks, anchor: ANCHOR });
    Ok(Rule { weekdays: vec![weekday], hours: vec![Part::one(hour)], every, ..midnight() })
}
