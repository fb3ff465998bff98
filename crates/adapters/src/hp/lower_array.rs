//! Logical drives → arrays. An "array" of HP is a set of drives with a letter; what holds data and is
//! watched is the logical drive on it.

use super::lower::{Drives, Heap};
use super::parse::{Letter, Side, Volume};
use super::vocabulary as words;
use crate::scan::{percent, size_bytes};
use raidmond_core::model::{
    Alias, Array, ArrayState, DiskState, Finding, FindingKind, Level, Member, Observed, Path, Task, TaskKind,
    TaskState, WriteCache,
};
use raidmond_core::survey::{NoteKind, Reading};

pub fn volumes(reading: &mut Reading, heap: &Heap, drives: &Drives) {
    for volume in &heap.volumes {
        let at = heap.at.array(&volume.number);
        let state = state(reading, &at, volume);
        let letter = volume.letter.as_ref().and_then(|name| heap.letters.iter().find(|l| l.name == *name));
        describe(reading, &at, volume);
        let array = reading.array(&at);
        array.members = members(volume, array.level, drives, &heap.at);
        array.width = u32::try_from(array.members.len()).ok().filter(|n| *n > 0);
        array.state = Some(state);
        cache(array, heap, volume);
        if let Some(letter) = letter {
            letter_says(reading, &at, letter, drives);
        }
        health_pairs(reading, &at, volume);
    }
}

fn state(reading: &mut Reading, at: &Path, volume: &Volume) -> Observed<ArrayState> {
    let said = status(volume);
    if said.is_empty() {
        reading.note(NoteKind::Partial, at.clone(), "the logical drive's status is not stated");
        return Observed::new(ArrayState::Unknown, "");
    }
    // "Recovering, 55.73% complete"
    let word = said.split(',').next().unwrap_or("").trim();
    let state = words::array_state(words::VOLUME, word).unwrap_or_else(|| {
        reading.unknown_word(at.clone(), words::VOLUME, word);
        ArrayState::Unknown
    });
    for rest in said.split(',').skip(1).map(str::trim).filter(|r| !r.contains("complete")) {
        reading.unknown_word(at.clone(), words::VOLUME, rest);
    }
    if let Some(kind) = words::volume_finding(word) {
        reading.findings.push(Finding::new(at.clone(), kind, word));
    }
    if let Some((kind, task)) = words::task_of(words::VOLUME_TASK, word) {
        let percent = said.split(',').find(|c| c.contains('%')).and_then(percent);
        push_task(reading, at, kind, Observed::new(task, word), percent);
    }
    Observed::new(state, said)
}

/// What follows the level in the row, else the pair.
fn status(volume: &Volume) -> String {
    let level = volume.row.iter().position(|c| is_level(c)).map_or(2, |i| i + 1);
    let row: Vec<&str> = volume.row.iter().skip(level).map(String::as_str).collect();
    let (row, own) = (row.join(", "), volume.pairs.get("status").unwrap_or(""));
    // Two answers may say different things of one array: the worse one is believed.
    let overruled = super::lower_disk::is_well(&row) && !own.is_empty() && !super::lower_disk::is_well(own);
    if row.is_empty() || overruled { own.to_owned() } else { row }
}

fn is_level(cell: &str) -> bool {
    crate::scan::starts_with_word(cell, "RAID")
}

fn push_task(reading: &mut Reading, at: &Path, kind: TaskKind, state: Observed<TaskState>, percent: Option<f64>) {
    reading.tasks.push(Task { on: at.clone(), kind, state, percent, seconds_left: None });
}

fn describe(reading: &mut Reading, at: &Path, volume: &Volume) {
    let row_level = volume.row.iter().find(|c| is_level(c)).map(String::as_str);
    let said = volume.pairs.get("fault tolerance").or(row_level);
    let level = said.and_then(level);
    if let (Some(said), None) = (said, level) {
        reading.unknown_word(at.clone(), "RAID level", said);
    }
    let array = reading.array(at);
    array.level = level;
    array.level_said = said.map(str::to_owned);
    array.redundancy_built = said.filter(|s| is_triple(s)).map(|_| 2);
    let size = volume.pairs.get("size").or(volume.row.first().map(String::as_str));
    array.size_bytes = size.and_then(|s| size_bytes(s, true));
    array.name = volume.pairs.get("logical drive label").map(str::to_owned).filter(|l| is_a_name(l));
    array.aliases.extend(volume.pairs.get("unique identifier").and_then(Alias::array_uid));
    array.device = volume.pairs.get("disk name").filter(|d| d.starts_with('/')).map(|d| d.trim().to_owned());
    let mounts = volume.pairs.get("mount points").unwrap_or("");
    array.mounts = mounts.split([',', ' ']).filter(|m| m.starts_with('/')).map(str::to_owned).collect();
}

/// The label that the controller makes itself is a row of letters and digits without sense.
fn is_a_name(label: &str) -> bool {
    label.len() < 20 || label.chars().any(|c| c.is_ascii_lowercase())
}

/// `1+0`, `RAID 1 (ADM)`, `10 (Triple)`, `ADG`, `RAID 1(1+0)`.
pub fn level(said: &str) -> Option<Level> {
    let plain = said.to_ascii_uppercase().replace("RAID", "").replace("(ADG)", "");
    match plain.trim() {
        "ADG" => Some(Level::Raid6),
        "1(1+0)" => Some(Level::Raid1),
        other => Level::parse(other),
    }
}

/// Advanced data mirroring: three copies.
fn is_triple(said: &str) -> bool {
    let upper = said.to_ascii_uppercase();
    upper.contains("ADM") || upper.contains("TRIPLE")
}

fn members(volume: &Volume, level: Option<Level>, drives: &Drives, controller: &Path) -> Vec<Member> {
    let letter = volume.letter.as_deref().unwrap_or("");
    if !volume.seats.is_empty() {
        return seated(volume, drives, controller);
    }
    // Whose partner is who is not known without the groups: one group would claim a wrong one.
    let nested = matches!(level, Some(Level::Raid10 | Level::Raid50 | Level::Raid60));
    let member = |(_, at, state): &(String, Path, DiskState)| member(at.clone(), 0, *state);
    if nested { Vec::new() } else { drives.of(letter).map(member).collect() }
}

/// The n-th drives of all copies of a mirror hold the same data. Copies of different length would mean
/// that this is not so: then no groups are claimed.
fn seated(volume: &Volume, drives: &Drives, controller: &Path) -> Vec<Member> {
    let mut seen: Vec<(u32, u32)> = Vec::new();
    let mut members = Vec::new();
    for seat in &volume.seats {
        let index = match seen.iter_mut().find(|(group, _)| *group == seat.group) {
            Some((_, count)) => {
                *count += 1;
                *count - 1
            }
            None => {
                seen.push((seat.group, 1));
                0
            }
        };
        let group = if seat.side == Side::Mirror { index } else { seat.group };
        let at = drives.holder(&controller.child(&seat.drive));
        let state = drives.data.iter().find(|(_, path, _)| *path == at).map_or(DiskState::Unknown, |(_, _, s)| *s);
        members.push(member(at, group, state));
    }
    let even = seen.iter().all(|(_, count)| seen.first().is_some_and(|(_, first)| first == count));
    if even { members } else { Vec::new() }
}

fn member(disk: Path, group: u32, state: DiskState) -> Member {
    let in_sync = match state {
        DiskState::Online => Some(true),
        DiskState::Unknown => None,
        _ => Some(false),
    };
    Member { disk, group, in_sync }
}

/// "array B (Failed)" over a logical drive that says OK: one of its drives failed. When the drives are
/// listed they tell more; when they are not, or none of them owns up, the array is not well.
fn letter_says(reading: &mut Reading, at: &Path, letter: &Letter, drives: &Drives) {
    let said: Vec<&str> = letter.said.iter().map(String::as_str).chain(letter.pairs.get("status")).collect();
    for word in said {
        let state = words::array_state(words::LETTER, word);
        if state == Some(ArrayState::Optimal) {
            continue;
        }
        if state.is_none() {
            reading.unknown_word(at.clone(), words::LETTER, word);
            continue;
        }
        let known = drives.data.iter().filter(|(name, _, _)| *name == letter.name);
        let explained = known.into_iter().any(|(_, _, s)| !matches!(s, DiskState::Online));
        let array = reading.array(at);
        if let Some(state) = array.state.as_mut().filter(|s| s.state == ArrayState::Optimal && !explained) {
            state.state = ArrayState::Degraded;
            state.said = format!("{}, while array {} says {word}", state.said, letter.name);
        }
    }
}

fn cache(array: &mut Array, heap: &Heap, volume: &Volume) {
    let caching = volume.pairs.get("caching").or(volume.pairs.get("array accelerator"));
    let (Some(caching), Some(status)) = (caching, heap.pairs.get("cache status")) else { return };
    array.cache.said_current = Some(format!("Caching: {caching}"));
    let no_writes = heap.pairs.get("cache ratio").or(heap.pairs.get("accelerator ratio"));
    let no_writes = no_writes.is_some_and(|r| r.contains("/ 0% Write"));
    let in_force = words::cache_state(words::CACHE, status) == Some(raidmond_core::model::CacheState::Optimal);
    array.cache.current_write = Some(match caching.eq_ignore_ascii_case("enabled") && in_force && !no_writes {
        true => WriteCache::WriteBack,
        false => WriteCache::WriteThrough,
    });
    let bare = heap.pairs.get("no-battery write cache").map(|w| w.eq_ignore_ascii_case("enabled"));
    array.cache.write_back_without_battery = bare;
}

fn health_pairs(reading: &mut Reading, at: &Path, volume: &Volume) {
    if let Some(said) = volume.pairs.get("unrecoverable media errors").filter(|v| !is_none(v)) {
        let said = format!("Unrecoverable Media Errors: {said}");
        reading.findings.push(Finding::new(at.clone(), FindingKind::SectorsLost, said));
    }
    if let Some(said) = volume.pairs.get("multidomain status").filter(|v| !["OK", "N/A"].contains(v)) {
        let said = format!("MultiDomain Status: {said}");
        reading.findings.push(Finding::new(at.clone(), FindingKind::PathLost, said));
    }
    let Some(word) = volume.pairs.get("parity initialization status") else { return };
    match words::task_of(words::PARITY, word) {
        Some((_, TaskState::Completed)) => {}
        Some((_, TaskState::Failed)) => {
            let said = format!("Parity Initialization Status: {word}");
            reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
        }
        Some((kind, state)) => {
            let percent = volume.pairs.get("parity initialization progress").and_then(percent);
            push_task(reading, at, kind, Observed::new(state, word), percent);
        }
        None => reading.unknown_word(at.clone(), words::PARITY, word),
    }
}

fn is_none(value: &str) -> bool {
    ["none", "0", "no"].iter().any(|n| value.eq_ignore_ascii_case(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        for (said, expected) in [
            ("RAID 1+0", Level::Raid10),
            ("1", Level::Raid1),
            ("RAID 1 (ADM)", Level::Raid1),
            ("10 (Triple)", Level::Raid10),
            ("RAID ADG", Level::Raid6),
            ("6 (ADG)", Level::Raid6),
            ("50", Level::Raid50),
            ("RAID 1(1+0)", Level::Raid1),
        ] {
            assert_eq!(level(said), Some(expected), "{said}");
        }
        assert_eq!(level("Sometimes"), None);
    }
}
