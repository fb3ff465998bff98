//! A schedule in words, where it has some; else its own text serves.

use super::on_calendar::WEEKDAYS;
use super::rule::{ANCHOR, Field, Part, Rule, Unit};

pub(super) fn of(rule: &Rule) -> Option<String> {
    let time = format!("{:02}:{:02}", single(&rule.hours)?, single(&rule.minutes)?);
    let odd = single(&rule.seconds) != Some(0) || !rule.years.is_empty() || !rule.months.is_empty();
    if odd {
        return None;
    }
    let days = days(rule)?;
    let Some(every) = rule.every else { return Some(format!("{days} at {time}")) };
    let n = every.n;
    let counted = if every.anchor == ANCHOR { String::new() } else { format!(", counted from {}", every.anchor) };
    let days = days.trim_start_matches("every ");
    let often = match every.unit {
        Unit::Days => format!("every {n} days at {time}"),
        Unit::Weeks => format!("every {n} weeks on {days} at {time}"),
        Unit::Months => format!("every {n} months on {days} at {time}"),
    };
    Some(often + &counted)
}

fn days(rule: &Rule) -> Option<String> {
    let names: Vec<String> =
        rule.weekdays.iter().map(|d| capital(WEEKDAYS.iter().find(|(_, w)| w == d)?.0)).collect::<Option<_>>()?;
    match (names.is_empty(), rule.days.as_slice(), rule.from_end) {
        (true, [], _) => Some("every day".to_owned()),
        (false, [], _) => Some(format!("every {}", names.join(", "))),
        (true, [day], true) if *day == Part::one(1) => Some("the last day of the month".to_owned()),
        (true, [day], false) if day.from == day.to => Some(format!("day {} of the month", day.from)),
        (false, [week], true) if *week == (Part { from: 7, to: 0, step: 1 }) => {
            Some(format!("the last {} of the month", names.join(", ")))
        }
        (false, weeks, false) => {
            let ordinals: Option<Vec<&str>> = weeks.iter().map(ordinal).collect();
            Some(format!("the {} {} of the month", ordinals?.join(" and "), names.join(", ")))
        }
        _ => None,
    }
}

fn ordinal(week: &Part) -> Option<&'static str> {
    let n =
        usize::try_from(week.to / 7).ok().filter(|_| week.to == week.from + 6 && week.to % 7 == 0 && week.step == 1)?;
    ["first", "second", "third", "fourth", "fifth"].get(n.checked_sub(1)?).copied()
}

fn single(field: &Field) -> Option<i16> {
    match field.as_slice() {
        [part] if part.from == part.to => Some(part.from),
        _ => None,
    }
}

fn capital(word: &str) -> Option<String> {
    let mut chars = word.chars();
    Some(chars.next()?.to_uppercase().chain(chars).collect())
}
