//! systemd's OnCalendar forms: `[weekdays] [[year-]month-day] [hour:minute[:second]]`, and its words.
//!
//! Fractions of a second and a time zone are refused: checks need no such grain, and the zone is the host's.

use super::ScheduleError;
use super::rule::{Field, Part, Rule};
use jiff::civil::Weekday;

pub(super) const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

pub(super) fn parse(text: &str) -> Result<Rule, ScheduleError> {
    let lower = text.to_ascii_lowercase();
    if let Some(rule) = by_word(&lower) {
        return Ok(rule);
    }
    if lower.contains("*/") {
        return Err(ScheduleError::new("a step needs a beginning: `*/` has none", "write 0/6 for hours, 1/2 for days"));
    }
    let mut words = lower.split_whitespace().peekable();
    let mut rule = Rule { weekdays: weekdays_first(&mut words)?, ..midnight() };
    if let Some(word) = words.next_if(|w| !w.contains(':')) {
        date(word, &mut rule)?;
    }
    if let Some(word) = words.next() {
        time(word, &mut rule)?;
    }
    match words.next() {
        None => Ok(rule),
        Some(zone) if zone == "utc" || zone.contains('/') => Err(ScheduleError::new(
            format!("`{zone}` is a time zone"),
            "set `time-zone` at the top of the file instead",
        )),
        Some(word) => Err(ScheduleError::no_sense(word)),
    }
}

fn weekdays_first<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> Result<Vec<Weekday>, ScheduleError> {
    let named = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic());
    match words.next_if(named) {
        Some(word) => weekdays(word.trim_end_matches(',')).ok_or_else(|| no_weekday(word)),
        None => Ok(Vec::new()),
    }
}

fn no_weekday(word: &str) -> ScheduleError {
    let meant = WEEKDAYS.iter().find(|(day, _)| word.len() >= 2 && day.get(..2) == word.get(..2));
    match meant {
        Some((day, _)) => ScheduleError::new(format!("`{word}` is no weekday"), format!("did you mean `{day}`?")),
        None => ScheduleError::no_sense(word),
    }
}

/// At 00:00:00 on any day.
pub(super) fn midnight() -> Rule {
    let zero = || vec![Part::one(0)];
    Rule { hours: zero(), minutes: zero(), seconds: zero(), ..Rule::default() }
}

pub(super) fn by_word(word: &str) -> Option<Rule> {
    let on = |months: &[i16]| Rule {
        months: months.iter().copied().map(Part::one).collect(),
        days: vec![Part::one(1)],
        ..midnight()
    };
    Some(match word {
        "minutely" => Rule { hours: Vec::new(), minutes: Vec::new(), ..midnight() },
        "hourly" => Rule { hours: Vec::new(), ..midnight() },
        "daily" => midnight(),
        "weekly" => Rule { weekdays: vec![Weekday::Monday], ..midnight() },
        "monthly" => on(&[]),
        "quarterly" => on(&[1, 4, 7, 10]),
        "semiannually" | "semi-annually" | "biannually" => on(&[1, 7]),
        "yearly" | "annually" => on(&[1]),
        _ => return None,
    })
}

/// `sat`, `Mon,Wed..Fri`; a range may go over the end of the week.
pub(super) fn weekdays(text: &str) -> Option<Vec<Weekday>> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once("..").unwrap_or((part, part));
        let (first, last) = (weekday(first)?, weekday(last)?);
        found.extend(std::iter::successors(Some(first), |d| (*d != last).then(|| d.next())));
    }
    Some(found)
}

fn weekday(text: &str) -> Option<Weekday> {
    let lower = text.to_ascii_lowercase();
    let name = |day: &&(&str, Weekday)| day.0 == lower || day.0.get(..3) == Some(lower.as_str());
    WEEKDAYS.iter().find(name).map(|(_, day)| *day)
}

fn date(text: &str, rule: &mut Rule) -> Result<(), ScheduleError> {
    let bad = || ScheduleError::new(format!("`{text}` is no date"), "a date has the form 2026-12-24, *-*-1 or 12-24");
    let (head, day, from_end) = match text.split_once('~') {
        Some((head, day)) => (head, day, true),
        None => text.rsplit_once('-').map(|(head, day)| (head, day, false)).ok_or_else(bad)?,
    };
    let (year, month) = head.rsplit_once('-').unwrap_or(("*", head));
    rule.years = field(year, 1970, 2199).ok_or_else(bad)?;
    rule.months = field(month, 1, 12).ok_or_else(bad)?;
    rule.days = if from_end { days_from_end(day) } else { field(day, 1, 31) }.ok_or_else(bad)?;
    rule.from_end = from_end;
    Ok(())
}

pub(super) fn time(text: &str, rule: &mut Rule) -> Result<(), ScheduleError> {
    let bad = || ScheduleError::new(format!("`{text}` is no time of day"), "a time has the form 01:00");
    let mut parts = text.splitn(3, ':');
    let (Some(hour), Some(minute)) = (parts.next(), parts.next()) else { return Err(bad()) };
    rule.hours = field(hour, 0, 23).ok_or_else(bad)?;
    rule.minutes = field(minute, 0, 59).ok_or_else(bad)?;
    rule.seconds = field(parts.next().unwrap_or("0"), 0, 59).ok_or_else(bad)?;
    Ok(())
}

fn days_from_end(text: &str) -> Option<Field> {
    // A step leads to the end of the month: `07/1` are the last seven days.
    let one = |part: &str| match part.split_once('/') {
        Some((from, step)) => Some(Part { from: number(from, 1, 31)?, to: 0, step: number(step, 1, 31)? }),
        None => parts(part, 1, 31),
    };
    text.split(',').map(one).collect()
}

/// `*`, or a list of `a`, `a..b`, `a/step`, `a..b/step`.
fn field(text: &str, min: i16, max: i16) -> Option<Field> {
    if text == "*" {
        return Some(Vec::new());
    }
    text.split(',').map(|part| parts(part, min, max)).collect()
}

fn parts(text: &str, min: i16, max: i16) -> Option<Part> {
    let (range, step) = match text.split_once('/') {
        Some((range, step)) => (range, Some(number(step, 1, max.max(1))?)),
        None => (text, None),
    };
    let (from, to) = match range.split_once("..") {
        Some((from, to)) => (number(from, min, max)?, number(to, min, max)?),
        None => (number(range, min, max)?, if step.is_some() { max } else { number(range, min, max)? }),
    };
    (from <= to).then_some(Part { from, to, step: step.unwrap_or(1) })
}

pub(super) fn number(text: &str, min: i16, max: i16) -> Option<i16> {
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|n| digits && (min..=max).contains(n))
}
