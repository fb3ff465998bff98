//! The first Fusion-MPT generation: mpt-status in its two styles, and lsiutil's RAID menus.
//!
//! `ioc0 vol_id 0 type IM, 2 phy, 68 GB, state DEGRADED, flags ENABLED RESYNC_IN_PROGRESS`
//! `ioc:0 phys_id:1 scsi_id:1 vendor:… state: ONLINE flags: OUT_OF_SYNC sync_state: 70 … SMART ASC/ASCQ:0x5d/0x02`

use super::vocabulary as words;
use crate::scan;
use raidmond_core::model::{ArrayState, DiskState, Level, Member, Observed, Path, Task, TaskKind, TaskState};
use raidmond_core::survey::{Covers, NoteKind, Reading};

pub fn looks_like(head: &str) -> bool {
    head.lines().any(|l| record(l).is_some_and(|r| r.value("state").is_some()))
}

/// One line as words: names and what follows them.
struct Record<'a> {
    ioc: String,
    line: &'a str,
}

fn record(line: &str) -> Option<Record<'_>> {
    let line = line.trim();
    let rest = line.strip_prefix("ioc")?.trim_start_matches(':');
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!number.is_empty()).then_some(Record { ioc: format!("ioc{number}"), line })
}

impl Record<'_> {
    /// What follows `name`, `name:` or `name: `, up to the next comma or known name.
    fn value(&self, name: &str) -> Option<&str> {
        let at = self.line.match_indices(name).map(|(at, _)| at).find(|at| self.is_name(*at, name))?;
        let rest = self.line.get(at + name.len()..)?.trim_start_matches(':').trim_start();
        let end = rest.find([',']).into_iter().chain(NAMES.iter().filter_map(|n| find_name(rest, n))).min();
        Some(rest.get(..end.unwrap_or(rest.len()))?.trim())
    }

    fn is_name(&self, at: usize, name: &str) -> bool {
        let before = self.line.get(..at).and_then(|b| b.chars().next_back());
        let after = self.line.get(at + name.len()..).and_then(|a| a.chars().next());
        before.is_none_or(|c| c == ' ' || c == ',') && after.is_some_and(|c| c == ' ' || c == ':')
    }

    fn controller(&self) -> Path {
        Path::controller(&self.ioc)
    }
}

/// Names after which a value ends in the style that has no commas.
const NAMES: [&str; 9] =
    ["flags:", "state:", "sync_state:", "ASC/ASCQ:", "SMART ", "size(GB):", "vendor:", "product_id:", "revision:"];

fn find_name(text: &str, name: &str) -> Option<usize> {
    text.find(name).filter(|at| *at > 0)
}

/// `Found SCSI id=0, use ''mpt-status -i 0`` to get more information.`
pub fn ids(text: &str) -> Vec<String> {
    let id = |line: &str| {
        let rest = line.trim().strip_prefix("Found SCSI id=")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        (!digits.is_empty()).then_some(digits)
    };
    text.lines().filter_map(id).collect()
}

/// No id: no volume. The tool says so in its own words.
pub fn probe(r: &mut Reading, text: &str) -> bool {
    let none = text.contains("Nothing found") || text.contains("not found");
    if none {
        r.note(NoteKind::Remark, Path::default(), "mpt-status finds no volume");
    }
    none || !ids(text).is_empty()
}

pub fn mpt_status(r: &mut Reading, text: &str) -> bool {
    let mut understood = false;
    // Volumes first: their members refer to them.
    let records: Vec<Record<'_>> = text.lines().filter_map(record).collect();
    for record in &records {
        if let Some(id) = record.value("vol_id") {
            volume(r, record, id);
            understood = true;
        }
    }
    for record in &records {
        let id = ["phy", "phys_id", "spare_id"]
            .iter()
            .find_map(|n| record.value(n))
            .filter(|_| record.value("scsi_id").is_some());
        if let Some(id) = id {
            disk(r, record, id);
            understood = true;
        }
    }
    short_list(r);
    understood
}

fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

fn volume(r: &mut Reading, record: &Record<'_>, id: &str) {
    let controller = record.controller();
    r.controller(&controller);
    let at = controller.array(first(id));
    let kind = record.value("type").map(first).unwrap_or("").to_owned();
    let said = record.value("raidlevel").map(|l| first(l).to_owned()).unwrap_or(kind);
    let level = by_kind(&said).or_else(|| Level::parse(&said));
    if level.is_none() {
        r.unknown_word(at.clone(), "volume type", &said);
    }
    let width = record.value("num_disks").and_then(scan::count).or_else(|| places(record.line));
    let array = r.array(&at);
    (array.level, array.level_said) = (level, Some(said));
    array.width = width.and_then(|n| u32::try_from(n).ok());
    volume_state(r, &at, record.value("state").unwrap_or(""), record.value("flags").unwrap_or(""));
}

/// `, 2 phy,`
fn places(line: &str) -> Option<u64> {
    line.split(',').find_map(|part| part.trim().strip_suffix(" phy")).and_then(scan::count)
}

/// Integrated mirroring, mirroring enhanced, striping.
fn by_kind(kind: &str) -> Option<Level> {
    match kind {
        "IM" => Some(Level::Raid1),
        "IME" => Some(Level::Raid1E),
        "IS" => Some(Level::Raid0),
        _ => None,
    }
}

fn volume_state(r: &mut Reading, at: &Path, word: &str, flags: &str) {
    let state = words::volume_state(word);
    let said = format!("{word}, {flags}");
    match state {
        None if word.is_empty() => r.note(NoteKind::Unreadable, at.clone(), "a volume is listed without its state"),
        None => r.unknown_word(at.clone(), "volume state", word),
        Some(_) => {}
    }
    let upper = flags.to_ascii_uppercase().replace(' ', "_");
    let resync = upper.contains("RESYNC_IN_PROGRESS");
    let state = match state.unwrap_or(ArrayState::Unknown) {
        ArrayState::Degraded if resync => ArrayState::Rebuilding,
        ArrayState::Optimal if upper.contains("VOLUME_INACTIVE") || !upper.contains("ENABLED") => ArrayState::Inactive,
        other => other,
    };
    r.array(at).state = Some(Observed::new(state, said.clone()));
    if resync {
        let state = Observed::new(TaskState::Running, said);
        r.tasks.push(Task { on: at.clone(), kind: TaskKind::Rebuild, state, percent: None, seconds_left: None });
    }
}

fn disk(r: &mut Reading, record: &Record<'_>, id: &str) {
    let controller = record.controller();
    let at = controller.port(first(id));
    let word = record.value("state").map(first).unwrap_or("").to_owned();
    let flags = record.value("flags").unwrap_or("").to_owned();
    disk_state(r, &at, &word, &flags);
    let array = r.arrays.iter().rev().find(|a| a.at.root() == controller).map(|a| a.at.clone());
    let spare = record.value("spare_id").is_some();
    let disk = r.disk(&at);
    disk.device_id = record.value("scsi_id").map(|s| first(s).to_owned());
    disk.vendor = record.value("vendor").map(str::to_owned);
    disk.model = record.value("product_id").map(str::to_owned);
    predicted(disk, record);
    let healthy = disk.state.as_ref().is_some_and(|s| s.state == DiskState::Online);
    if spare {
        if healthy {
            disk.state = Some(Observed::new(DiskState::HotSpare, word));
        }
        return;
    }
    disk.array.clone_from(&array);
    if let Some(array) = array {
        r.array(&array).members.push(Member { disk: at.clone(), in_sync: Some(healthy), ..Member::default() });
        progress(r, &array, record);
    }
}

fn disk_state(r: &mut Reading, at: &Path, word: &str, flags: &str) {
    let state = words::disk_state(word);
    match state {
        None if word.is_empty() => r.note(NoteKind::Unreadable, at.clone(), "a disk is listed without its state"),
        None => r.unknown_word(at.clone(), "disk state", word),
        Some(_) => {}
    }
    let out = flags.to_ascii_uppercase().replace(' ', "_").contains("OUT_OF_SYNC");
    let state = match state.unwrap_or(DiskState::Unknown) {
        DiskState::Online if out => DiskState::Rebuilding,
        other => other,
    };
    r.disk(at).state = Some(Observed::new(state, format!("{word}, {flags}")));
}

/// The disk's own words for "failure predicted": additional sense code 5Dh.
fn predicted(disk: &mut raidmond_core::model::Disk, record: &Record<'_>) {
    let Some((_, code)) = record.line.rsplit_once("SMART ASC/ASCQ:") else { return };
    let trips = code.trim().to_ascii_lowercase().starts_with("0x5d");
    disk.predictive = Some(Observed::new(trips, format!("SMART ASC/ASCQ {}", first(code))));
}

fn progress(r: &mut Reading, array: &Path, record: &Record<'_>) {
    let percent = record.value("sync_state").map(first).and_then(scan::percent).filter(|p| *p < 100.0);
    if let Some(task) = r.tasks.iter_mut().find(|t| t.on == *array) {
        task.percent = percent.or(task.percent);
    }
}

/// A volume that lists fewer disks than it counts was cut off, unless it says itself that some are gone.
fn short_list(r: &mut Reading) {
    let short: Vec<Path> = r
        .arrays
        .iter()
        .filter(|a| a.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal))
        .filter(|a| a.width.is_some_and(|w| (a.members.len() as u64) < u64::from(w)))
        .map(|a| a.at.clone())
        .collect();
    for at in short {
        r.note(NoteKind::FewerThanCounted, at, "the volume counts more disks than are listed");
    }
    let complete: Vec<Path> = r.arrays.iter().map(|a| a.at.root()).collect();
    complete.iter().for_each(|at| r.coverage.add(at, Covers::Tasks));
}

/// `Volume 0 is Bus 0 Target 0, Type IM (…)`, `PhysDisk 1 is Bus 0 Target 9`, and the lines below each.
pub fn lsiutil(r: &mut Reading, text: &str) -> bool {
    let at = Path::controller("ioc0");
    let mut current: Option<Path> = None;
    for line in text.lines().map(str::trim) {
        if let Some(found) = lsiutil_heading(r, &at, line) {
            current = Some(found);
        } else if let (Some(path), Some((key, value))) = (&current, scan::key_value(line, ':')) {
            lsiutil_line(r, path, key, value);
        }
    }
    let first = r.arrays.iter().find(|a| a.at.root() == at).map(|a| a.at.clone());
    if let Some(array) = first {
        let disks: Vec<Path> = r.disks.iter().filter(|d| d.at.root() == at).map(|d| d.at.clone()).collect();
        r.array(&array).members = disks.into_iter().map(|disk| Member { disk, ..Member::default() }).collect();
    }
    current.is_some()
}

fn lsiutil_heading(r: &mut Reading, at: &Path, line: &str) -> Option<Path> {
    let (object, place) = line.split_once(" is Bus ")?;
    if let Some(number) = object.strip_prefix("Volume ") {
        let path = at.array(number);
        let kind = place.split_once("Type ").map_or("", |(_, t)| first(t));
        let array = r.array(&path);
        (array.level, array.level_said) = (by_kind(kind), Some(kind.to_owned()));
        return Some(path);
    }
    let number = object.strip_prefix("PhysDisk ")?;
    let path = at.port(number);
    r.disk(&path);
    Some(path)
}

fn lsiutil_line(r: &mut Reading, path: &Path, key: &str, value: &str) {
    let (word, flags) = value.split_once(',').unwrap_or((value, ""));
    match key {
        "Volume State" => volume_state(r, path, word.trim(), flags.trim()),
        "PhysDisk State" => disk_state(r, path, word.trim(), flags.trim()),
        _ => {}
    }
}
