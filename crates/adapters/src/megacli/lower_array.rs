//! One virtual drive of MegaCli into facts, with its members and its tasks.

use super::parse::{RawAdapter, RawArray, RawDisk};
use super::{lower_disk, vocabulary};
use raidmond_core::model::{
    ArrayState, CachePolicy, Disk, DiskState, Finding, FindingKind, Level, Member, Observed, Path, Task, TaskKind,
    TaskState, WriteCache,
};
use raidmond_core::survey::{NoteKind, Reading};

pub fn array(raw: &RawArray, at: &Path, reading: &mut Reading) {
    if raw.headless {
        let said = "values stand before the first \"Virtual Drive\" line; they are taken as virtual drive 0";
        reading.note(NoteKind::Remark, at.clone(), said);
    }
    let state = array_state(raw, at, reading);
    let width = width(raw);
    let level = level(raw, width, at, reading);
    let cache = cache(raw, at, reading);
    let tolerance = level.map(Level::tolerance);
    let array = reading.array(at);
    array.is_cache_device = raw.is_cache_cade;
    array.name = raw.fields.get("Name").map(str::to_owned).or(array.name.take());
    array.level = level.or(array.level);
    array.level_said = raw.fields.get("RAID Level").map(str::to_owned).or(array.level_said.take());
    array.size_bytes = raw.fields.get("Size").and_then(|s| crate::scan::size_bytes(s, true)).or(array.size_bytes);
    array.width = width.and_then(|w| u32::try_from(w).ok()).or(array.width);
    array.redundancy_built = tolerance.or(array.redundancy_built);
    array.redundancy_left = state.as_ref().and_then(|s| left(s.state, tolerance)).or(array.redundancy_left);
    array.state = state.or(array.state.take());
    array.cache = cache;
    array.bad_blocks = bad_blocks(raw).or(array.bad_blocks);
    access(raw, at, reading);
    raw.progress.iter().for_each(|(what, said)| array_task(what, said, at, reading));
}

fn array_state(raw: &RawArray, at: &Path, reading: &mut Reading) -> Option<Observed<ArrayState>> {
    let Some(word) = raw.fields.get("State") else {
        if !raw.is_cache_cade {
            let said = format!("virtual drive {} has no State line", raw.number);
            reading.note(NoteKind::Partial, at.clone(), said);
        }
        return None;
    };
    let state = vocabulary::array_state(word);
    if state.is_none() {
        reading.unknown_word(at.clone(), "virtual drive state", word);
    }
    Some(Observed::new(state.unwrap_or(ArrayState::Unknown), word))
}

/// How many disks it is built with: "Number Of Drives" counts one span where there are several.
fn width(raw: &RawArray) -> Option<u64> {
    let spans = raw.fields.count("Span Depth").filter(|s| *s > 0).unwrap_or(1);
    let per_span = raw.fields.count("Number Of Drives per span").or_else(|| raw.fields.count("Number Of Drives"))?;
    Some(per_span.saturating_mul(spans))
}

fn level(raw: &RawArray, width: Option<u64>, at: &Path, reading: &mut Reading) -> Option<Level> {
    let said = raw.fields.get("RAID Level")?;
    let level = vocabulary::level(said, raw.fields.count("Span Depth").unwrap_or(1), width);
    if level.is_none() {
        reading.unknown_word(at.clone(), "RAID level", said);
    }
    level
}

/// MegaRAID: "Partially Degraded" is RAID 6 and 60 with one disk of a span gone.
fn left(state: ArrayState, tolerance: Option<u32>) -> Option<u32> {
    match state {
        ArrayState::Optimal => tolerance,
        ArrayState::PartlyDegraded => tolerance.map(|t| t.saturating_sub(1)),
        ArrayState::Degraded => Some(0),
        _ => None,
    }
}

fn bad_blocks(raw: &RawArray) -> Option<bool> {
    raw.fields.get("Bad Blocks Exist").map(|v| !v.eq_ignore_ascii_case("No"))
}

fn cache(raw: &RawArray, at: &Path, reading: &mut Reading) -> CachePolicy {
    let default = raw.fields.get("Default Cache Policy");
    let current = raw.fields.get("Current Cache Policy");
    let mut write = |policy: Option<&str>| policy.and_then(|p| write_cache(p, at, reading));
    let policy = current.or(default).unwrap_or("").to_ascii_lowercase();
    let has = |word: &str| policy.split(',').any(|part| part.trim() == word);
    let either = |yes: bool, no: bool| (yes || no).then_some(yes);
    CachePolicy {
        default_write: write(default),
        current_write: write(current),
        said_default: default.map(str::to_owned),
        said_current: current.map(str::to_owned),
        write_back_without_battery: either(has("write cache ok if bad bbu"), has("no write cache if bad bbu")),
        read_ahead: either(has("readahead") || has("readadaptive") || has("adaptivereadahead"), has("readaheadnone")),
        disk_cache: raw.fields.get("Disk Cache Policy").and_then(|word| match word {
            "Enabled" => Some(true),
            "Disabled" => Some(false),
            _ => None,
        }),
    }
}

fn write_cache(policy: &str, at: &Path, reading: &mut Reading) -> Option<WriteCache> {
    let word = policy.split(',').next().unwrap_or("").trim();
    match word.to_ascii_lowercase().as_str() {
        "writeback" | "alwayswriteback" => Some(WriteCache::WriteBack),
        "writethrough" => Some(WriteCache::WriteThrough),
        _ => {
            reading.unknown_word(at.clone(), "write policy", word);
            None
        }
    }
}

/// An array the controller no longer lets be written, though that is not its setting.
fn access(raw: &RawArray, at: &Path, reading: &mut Reading) {
    let (default, current) = (raw.fields.get("Default Access Policy"), raw.fields.get("Current Access Policy"));
    if let (Some(default), Some(current)) = (default, current)
        && !default.eq_ignore_ascii_case(current)
    {
        let said = format!("Current Access Policy: {current} (default {default})");
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
    }
}

fn array_task(what: &str, said: &str, at: &Path, reading: &mut Reading) {
    let kind = vocabulary::task_kind(what).unwrap_or(TaskKind::Unknown);
    if kind == TaskKind::Unknown {
        reading.unknown_word(at.clone(), "progress", what);
    }
    push_task(reading, at.clone(), kind, &format!("{what}: {said}"), crate::scan::percent(said));
}

/// One task of a kind on an object; a percentage is kept when another answer lacks it.
pub fn push_task(reading: &mut Reading, on: Path, kind: TaskKind, said: &str, percent: Option<f64>) {
    if let Some(known) = reading.tasks.iter_mut().find(|t| t.on == on && t.kind == kind) {
        known.percent = known.percent.or(percent);
        return;
    }
    let state = Observed::new(TaskState::Running, said);
    reading.tasks.push(Task { on, kind, state, percent, seconds_left: None });
}

/// A disk, and its place in the arrays it is listed under.
pub fn disk(raw: &RawAdapter, disk: &RawDisk, controller: &Path, paths: &[Path], reading: &mut Reading) {
    let place = disk.arrays.iter().filter_map(|i| raw.arrays.get(*i).zip(paths.get(*i)));
    let at = if !disk.fields.is_empty() {
        lower_disk::disk(disk, controller, reading)
    } else if disk.closed {
        disk.arrays.first().and_then(|i| raw.arrays.get(*i)).map(|a| missing(disk, a, controller, reading))
    } else {
        None
    };
    let Some(at) = at else { return };
    for (array, path) in place {
        let group = group(array, disk);
        let in_sync = reading.disk(&at).state.as_ref().and_then(|s| in_sync(s.state));
        let member = Member { disk: at.clone(), group, in_sync };
        let members = &mut reading.array(path).members;
        if !members.iter().any(|m| m.disk == at) {
            members.push(member);
        }
        reading.disk(&at).array = Some(path.clone());
    }
}

/// A place of an array under which no disk is printed.
fn missing(raw: &RawDisk, array: &RawArray, controller: &Path, reading: &mut Reading) -> Path {
    let index = raw.index.as_deref().unwrap_or("");
    let at = controller.missing_member(format_args!("{}.{}.{index}", array.number, raw.span));
    let said = format!("no disk is listed for PD {index} of virtual drive {}", array.number);
    let disk: &mut Disk = reading.disk(&at);
    disk.state = Some(Observed::new(DiskState::Missing, said));
    at
}

/// Spans are groups; in a RAID 1 of one span and many disks neighbours mirror each other.
fn group(array: &RawArray, disk: &RawDisk) -> u32 {
    let spans = array.fields.count("Span Depth").unwrap_or(1);
    let said = array.fields.get("RAID Level").unwrap_or("");
    let pairs = spans <= 1 && vocabulary::level(said, spans, width(array)) == Some(Level::Raid10);
    let index: Option<u32> = disk.index.as_deref().and_then(|i| i.parse().ok());
    match index.filter(|_| pairs) {
        Some(index) => index / 2,
        None => disk.span,
    }
}

fn in_sync(state: DiskState) -> Option<bool> {
    match state {
        DiskState::Online => Some(true),
        DiskState::Failed | DiskState::Missing | DiskState::Offline | DiskState::Rebuilding => Some(false),
        _ => None,
    }
}
