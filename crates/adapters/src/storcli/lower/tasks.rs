//! Work in progress: rebuild and copyback by disk, operations by array, patrol read by controller.

use super::{Gathered, Place, disks};
use crate::megaraid::schedule::{self, Said};
use crate::scan;
use crate::storcli::parse::{Row, Section, stated};
use crate::storcli::recognise::{COPYBACK, REBUILD};
use crate::storcli::vocabulary;
use raidmond_core::model::{Observed, Path, Task, TaskKind, TaskState};
use raidmond_core::survey::Reading;

pub fn lower(all: &mut Gathered, place: &Place<'_>) {
    for (_, row) in place.reply.rows_with("Progress%") {
        progress(&mut all.reading, place, row);
    }
    for section in &place.reply.sections {
        let array = section.title.strip_prefix("VD").and_then(|t| t.trim().strip_suffix("Properties"));
        if let (Some(number), Some(word)) = (array, section.property("Active Operations")) {
            operations(&mut all.reading, &place.at.array(number.trim()), word);
        }
        patrol(&mut all.reading, place.at, section.property("PR Mode"), section.property("PR Current State"));
        schedules(&mut all.reading, place.at, section);
    }
}

fn progress(reading: &mut Reading, place: &Place<'_>, row: &Row) {
    let said = row.get("Status").unwrap_or("");
    let Some((on, kind)) = subject(reading, place, row) else { return };
    let Some(state) = task_state(said) else {
        match said.to_ascii_lowercase().as_str() {
            // Of an older answer of the arrays.
            "not in progress" => reading.tasks.retain(|t| !(t.on == on && t.kind == kind)),
            _ if stated(said) => reading.unknown_word(on, "operation status", said),
            _ => {}
        }
        return;
    };
    let task = Task {
        on,
        kind,
        state: Observed::new(state, said),
        percent: row.stated("Progress%").and_then(scan::percent),
        seconds_left: row.stated("Estimated Time Left").and_then(time_left),
    };
    put(reading, task);
}

/// Last word wins: the array lists its operations, and so may a table of its own.
fn put(reading: &mut Reading, task: Task) {
    reading.tasks.retain(|t| !(t.on == task.on && t.kind == task.kind));
    reading.tasks.push(task);
}

fn subject(reading: &mut Reading, place: &Place<'_>, row: &Row) -> Option<(Path, TaskKind)> {
    if let Some(disk) = row.get("Drive-ID") {
        let kind = match place.kind {
            REBUILD => TaskKind::Rebuild,
            COPYBACK => TaskKind::Copyback,
            _ => TaskKind::Unknown,
        };
        return disks::path_in(disk).map(|at| (at, kind));
    }
    let (number, word) = match (row.get("VD"), row.get("Operation"), row.get("VD Operation")) {
        (Some(number), Some(word), _) => (number.to_owned(), word.to_owned()),
        (_, _, Some(both)) => both.split_once(' ').map(|(n, w)| (n.to_owned(), w.trim().to_owned()))?,
        _ => return None,
    };
    let at = place.at.array(number.trim());
    let kind = vocabulary::task_kind(&word);
    if kind.is_none() {
        reading.unknown_word(at.clone(), "operation", &word);
    }
    Some((at, kind.unwrap_or(TaskKind::Unknown)))
}

fn task_state(word: &str) -> Option<TaskState> {
    match word.trim().to_ascii_lowercase().as_str() {
        "in progress" | "running" | "active" => Some(TaskState::Running),
        "paused" | "suspended" => Some(TaskState::Paused),
        "queued" | "pending" => Some(TaskState::Queued),
        "failed" => Some(TaskState::Failed),
        "aborted" => Some(TaskState::Stopped),
        _ => None,
    }
}

/// "1 Days 2 Hours 5 Minutes"
fn time_left(text: &str) -> Option<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut total: u64 = 0;
    for pair in words.chunks_exact(2) {
        let [number, unit] = pair else { continue };
        let each = match unit.to_ascii_lowercase().trim_end_matches('s') {
            "day" => 86_400,
            "hour" => 3_600,
            "minute" => 60,
            "second" => 1,
            _ => return None,
        };
        total = total.saturating_add(number.parse::<u64>().ok()?.saturating_mul(each));
    }
    (words.len() >= 2).then_some(total)
}

/// "None", "Consistency Check (36%)", several with commas.
fn operations(reading: &mut Reading, at: &Path, text: &str) {
    for said in text.split(',').map(str::trim).filter(|t| stated(t) && !t.eq_ignore_ascii_case("none")) {
        let (word, percent) = said.split_once('(').map_or((said, None), |(w, p)| (w, scan::percent(p)));
        let kind = vocabulary::task_kind(word);
        if kind.is_none() {
            reading.unknown_word(at.clone(), "operation", word.trim());
        }
        let state = Observed::new(TaskState::Running, said);
        put(
            reading,
            Task { on: at.clone(), kind: kind.unwrap_or(TaskKind::Unknown), state, percent, seconds_left: None },
        );
    }
}

/// `show cc` and `show patrolread`; where neither is known, what `show all` says of the next launch.
fn schedules(reading: &mut Reading, at: &Path, section: &Section) {
    let of = |name: &str| section.property(name);
    if let Some(mode) = of("CC Operation Mode") {
        let (delay, next) = (of("CC Execution Delay"), of("CC Next Starttime"));
        let said = Said { mode, delay, next, excluded: of("CC Excluded VDs") };
        schedule::lower(reading, at, TaskKind::Check, said);
    }
    if let Some(mode) = of("PR Mode") {
        let (delay, next) = (of("PR Execution Delay"), of("PR Next Start time"));
        let said = Said { mode, delay, next, excluded: of("PR Excluded VDs") };
        schedule::lower(reading, at, TaskKind::PatrolRead, said);
    }
    let known = reading.schedules.iter().any(|s| s.on == *at && s.kind == TaskKind::Check);
    if let Some(delay) = of("Consistency Check Reoccurrence").filter(|_| !known) {
        // A date stays there when the schedule is switched off.
        let said = Said {
            mode: "(mode not stated)",
            delay: Some(delay),
            next: of("Next Consistency check launch"),
            ..Said::default()
        };
        schedule::lower(reading, at, TaskKind::Check, said);
    }
}

fn patrol(reading: &mut Reading, at: &Path, mode: Option<&str>, state: Option<&str>) {
    let Some(state) = state else { return };
    let said = format!("{}, {state}", mode.unwrap_or("-"));
    reading.controller(at).patrol_read = Some(said);
    if state.to_ascii_lowercase().starts_with("active") {
        let state = Observed::new(TaskState::Running, state);
        put(reading, Task { on: at.clone(), kind: TaskKind::PatrolRead, state, percent: None, seconds_left: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_added_up() {
        assert_eq!(time_left("2 Hours 5 Minutes"), Some(7500));
        assert_eq!(time_left("-"), None);
        assert_eq!(time_left("soon enough"), None);
    }
}
