//! What an expression means: sets of fields, and the arithmetic of the next time.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;

/// `from`, or `from..to`, or either in steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub from: i16,
    pub to: i16,
    pub step: i16,
}

impl Part {
    pub fn one(n: i16) -> Self {
        Self { from: n, to: n, step: 1 }
    }

    pub fn range(from: i16, to: i16) -> Self {
        Self { from, to, step: 1 }
    }

    fn holds(self, n: i16) -> bool {
        (self.from..=self.to).contains(&n) && (n - self.from) % self.step.max(1) == 0
    }
}

/// Empty: any.
pub(super) type Field = Vec<Part>;

pub(super) fn holds(field: &[Part], n: i16) -> bool {
    field.is_empty() || field.iter().any(|p| p.holds(n))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Days,
    Weeks,
    Months,
}

/// Only every n-th, counted from the one that holds `anchor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Every {
    pub n: i32,
    pub unit: Unit,
    pub anchor: Date,
}

/// A Monday and the first of a year: weeks, months and quarters are counted from it.
pub(super) const ANCHOR: Date = jiff::civil::date(2024, 1, 1);

impl Every {
    fn holds(self, day: Date) -> bool {
        let passed = match self.unit {
            Unit::Days => days(day) - days(self.anchor),
            Unit::Weeks => (days(day) - days(ANCHOR)).div_euclid(7) - (days(self.anchor) - days(ANCHOR)).div_euclid(7),
            Unit::Months => months(day) - months(self.anchor),
        };
        passed.rem_euclid(self.n.max(1)) == 0
    }
}

fn days(day: Date) -> i32 {
    day.duration_since(ANCHOR).as_hours().try_into().map_or(0, |hours: i32| hours / 24)
}

fn months(day: Date) -> i32 {
    i32::from(day.year()) * 12 + i32::from(day.month())
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rule {
    /// Empty: any.
    pub weekdays: Vec<Weekday>,
    pub years: Field,
    pub months: Field,
    pub days: Field,
    /// `days` are counted from the end of the month, the last one being 1.
    pub from_end: bool,
    pub hours: Field,
    pub minutes: Field,
    pub seconds: Field,
    pub every: Option<Every>,
}

/// Where a search gives up; systemd's limit.
const LAST_YEAR: i16 = 2199;
/// The clock is put forward or back by less than this.
const CLOCK_CHANGE: i64 = 3;

impl Rule {
    pub fn comes_ever(&self) -> bool {
        let days = std::iter::successors(Some(jiff::civil::date(1970, 1, 1)), |d| following(*d));
        days.take_while(|d| d.year() <= LAST_YEAR).any(|d| self.holds_day(d)) && self.times().next().is_some()
    }

    fn holds_day(&self, day: Date) -> bool {
        let n = if self.from_end { i16::from(day.days_in_month() - day.day()) + 1 } else { i16::from(day.day()) };
        let of_end = |p: &Part| holds_from_end(*p, n);
        let in_month = if self.from_end { self.days.iter().any(of_end) } else { holds(&self.days, n) };
        in_month
            && (self.weekdays.is_empty() || self.weekdays.contains(&day.weekday()))
            && holds(&self.years, day.year())
            && holds(&self.months, i16::from(day.month()))
            && self.every.is_none_or(|e| e.holds(day))
    }

    fn times(&self) -> impl Iterator<Item = Time> + '_ {
        let all =
            |field: &'_ [Part], max: i8| -> Vec<i8> { (0..=max).filter(|n| holds(field, i16::from(*n))).collect() };
        let (hours, minutes, seconds) = (all(&self.hours, 23), all(&self.minutes, 59), all(&self.seconds, 59));
        hours.into_iter().flat_map(move |h| {
            let seconds = seconds.clone();
            let of_minute = move |m: i8| seconds.clone().into_iter().map(move |s| (h, m, s));
            minutes.clone().into_iter().flat_map(of_minute).filter_map(|(h, m, s)| Time::new(h, m, s, 0).ok())
        })
    }

    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let local = after.to_zoned_datetime(zone.clone()).datetime();
        let floor = local.checked_sub(jiff::SignedDuration::from_hours(CLOCK_CHANGE)).unwrap_or(local);
        let mut day = Some(floor.date());
        while let Some(date) = day.filter(|d| d.year() <= LAST_YEAR) {
            if self.holds_day(date)
                && let Some(found) = self.first_of_day(date, floor, after, zone)
            {
                return Some(found);
            }
            day = following(date);
        }
        None
    }

    fn first_of_day(&self, date: Date, floor: DateTime, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let at = |time| Some(date.to_datetime(time)).filter(|at| *at >= floor);
        let moment = |at: DateTime| zone.to_ambiguous_timestamp(at).compatible().ok().filter(|t| *t > after);
        let mut times = self.times().filter_map(at).filter_map(moment);
        // Around a change of the clock the later wall time may be the earlier moment.
        let first = times.next()?;
        let near = first.checked_add(jiff::SignedDuration::from_hours(CLOCK_CHANGE)).unwrap_or(first);
        Some(times.take_while(|t| *t < near).fold(first, Timestamp::min))
    }
}

/// `from/step` goes on towards the end of the month and is kept with 0 as its end.
fn holds_from_end(part: Part, n: i16) -> bool {
    if part.to == 0 { n <= part.from && (part.from - n) % part.step.max(1) == 0 } else { part.holds(n) }
}

fn following(day: Date) -> Option<Date> {
    day.tomorrow().ok()
}
