//! The controller's own schedules, which both tools print in the same words: consistency check and patrol read.

use crate::scan;
use raidmond_core::model::{CheckSchedule, Path, ScheduledBy, TaskKind};
use raidmond_core::survey::Reading;

/// What a page says, untyped.
#[derive(Debug, Default, Clone, Copy)]
pub struct Said<'a> {
    pub mode: &'a str,
    /// "168 hours", "168".
    pub delay: Option<&'a str>,
    pub next: Option<&'a str>,
    /// "None", "0, 2".
    pub excluded: Option<&'a str>,
}

pub fn lower(reading: &mut Reading, controller: &Path, kind: TaskKind, said: Said<'_>) {
    let Some(schedule) = schedule(controller.clone(), kind, said) else { return };
    let left_out = |number: u32| {
        let words = format!("left out of the controller's schedule ({})", said.excluded.unwrap_or(""));
        let own = CheckSchedule::new(controller.array(number), ScheduledBy::Firmware, Some(false), words);
        CheckSchedule { kind, ..own }
    };
    let excluded: Vec<CheckSchedule> = numbers(said.excluded.unwrap_or("")).map(left_out).collect();
    put(reading, std::iter::once(schedule).chain(excluded));
}

/// The last answer counts.
fn put(reading: &mut Reading, schedules: impl Iterator<Item = CheckSchedule>) {
    for schedule in schedules {
        reading.schedules.retain(|s| !(s.on == schedule.on && s.kind == schedule.kind));
        reading.schedules.push(schedule);
    }
}

fn schedule(on: Path, kind: TaskKind, said: Said<'_>) -> Option<CheckSchedule> {
    let name = if kind == TaskKind::PatrolRead { "patrol read" } else { "consistency check" };
    let every = said.delay.map_or(String::new(), |d| format!(", every {}", hours(d)));
    let next = said.next.filter(|n| scan::count(n).is_some()).map_or(String::new(), |n| format!(", next {n}"));
    let words = format!("{name} {}{every}{next}", said.mode);
    let active = match said.mode.to_ascii_lowercase().as_str() {
        "" | "un-supported" | "unsupported" | "not supported" => return None,
        "disabled" | "disable" | "off" | "manual" => Some(false),
        "concurrent" | "sequential" | "conc" | "seq" | "enabled" | "auto" | "automatic" => Some(true),
        _ => None,
    };
    let schedule = CheckSchedule { kind, ..CheckSchedule::new(on, ScheduledBy::Firmware, active, words) };
    Some(schedule.every_hours(said.delay.and_then(scan::count)).next_month_first(said.next))
}

fn hours(delay: &str) -> String {
    match scan::count(delay) {
        Some(n) => format!("{n} hours"),
        None => delay.to_owned(),
    }
}

fn numbers(text: &str) -> impl Iterator<Item = u32> + '_ {
    text.split([',', ' ']).filter_map(|n| n.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Object, active, hours, next.
    type Read = (String, Option<bool>, Option<i64>, Option<String>);

    fn read(kind: TaskKind, said: Said<'_>) -> Vec<Read> {
        let mut reading = Reading::new("storcli", raidmond_core::model::Space::Megaraid);
        lower(&mut reading, &Path::controller(0), kind, said);
        let row = |s: &CheckSchedule| {
            (s.on.to_string(), s.active, s.period.map(|p| p.as_hours()), s.next.map(|n| n.to_string()))
        };
        reading.schedules.iter().map(row).collect()
    }

    #[test]
    fn a_schedule_has_its_mode_its_period_and_its_next_start() {
        let said = Said {
            mode: "Concurrent",
            delay: Some("168 hours"),
            next: Some("08/30/2026, 02:00:00"),
            excluded: Some("0, 2"),
        };
        let next = Some("2026-08-30T02:00:00".to_owned());
        assert_eq!(
            read(TaskKind::Check, said),
            [
                ("c0".to_owned(), Some(true), Some(168), next),
                ("c0/v0".to_owned(), Some(false), None, None),
                ("c0/v2".to_owned(), Some(false), None, None)
            ]
        );
    }

    #[test]
    fn off_is_off_and_an_unknown_word_may_be_on() {
        let active = |mode| read(TaskKind::PatrolRead, Said { mode, ..Said::default() }).first().and_then(|r| r.1);
        assert_eq!(
            (active("Disabled"), active("Manual"), active("Auto"), active("Lunar")),
            (Some(false), Some(false), Some(true), None)
        );
        assert_eq!(read(TaskKind::Check, Said { mode: "Un-supported", ..Said::default() }), []);
        // Cut off in the middle, as MegaCli once did.
        let cut = Said { mode: "Concurrent", next: Some("08/13/2016, 10:00:"), ..Said::default() };
        assert_eq!(read(TaskKind::Check, cut)[0].3, None);
    }
}
