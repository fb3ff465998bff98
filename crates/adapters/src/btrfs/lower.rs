//! File systems → facts.
//!
//! The path of a file system is `btrfs-` and the first part of its UUID, that of a device its id below it
//! (`btrfs-1b2c3d4e/devid2`): it stays when the device's name moves. btrfs keeps several profiles at
//! once; the weakest one that holds data counts.

use super::picture::{Device, Filesystem, Profile, Scrub, Stats};
use super::vocabulary::{COUNTER, OPERATION, SCRUB, meaning};
use crate::Said;
use raidmond_core::model::{
    Alias, Array, ArrayState, Disk, DiskState, Finding, FindingKind, Level, Member, Observed, Path, Task, TaskKind,
    TaskState,
};
use raidmond_core::observe::whole_disk;
use raidmond_core::survey::Reading;

pub fn filesystem(reading: &mut Reading, fs: &Filesystem) {
    let at = path(fs);
    for (of, word) in &fs.unknown {
        reading.unknown_word(at.clone(), of, word);
    }
    let profiles = in_use(&fs.profiles);
    for profile in profiles.iter().filter(|p| tolerance(&p.word).is_none()) {
        reading.unknown_word(at.clone(), "profile", &profile.word);
    }
    // Counters alone, of a file system that nobody named.
    let is_array = fs.uuid.is_some() || !profiles.is_empty();
    if is_array {
        mixed(reading, &at, &profiles);
        let work = task(&at, fs);
        reading.arrays.push(array(&at, fs, &profiles, work.as_ref()));
        reading.tasks.extend(work);
    }
    fs.devices.iter().for_each(|device| disk(reading, &at, device, fs, is_array));
    if let Some(scrub) = &fs.scrub {
        self::scrub(reading, &at, scrub);
    }
}

fn path(fs: &Filesystem) -> Path {
    match fs.uuid.as_deref().and_then(|u| u.split('-').next()).filter(|u| !u.is_empty()) {
        Some(short) => Path::new(format!("btrfs-{short}")),
        None => Path::new(format!("btrfs{}", fs.asked.as_deref().unwrap_or_default().replace('/', "-"))),
    }
}

/// How many devices a profile can lose; `None` for one nobody knows.
fn tolerance(word: &str) -> Option<u32> {
    Some(match word {
        "single" | "dup" | "raid0" => 0,
        "raid1" | "raid10" | "raid5" => 1,
        "raid1c3" | "raid6" => 2,
        "raid1c4" => 3,
        _ => return None,
    })
}

/// mkfs of old left empty chunks behind: they hold nothing that could be lost.
fn in_use(profiles: &[Profile]) -> Vec<Profile> {
    let others = |p: &Profile| profiles.iter().any(|q| q.of == p.of && q.word != p.word && q.used != Some(false));
    profiles.iter().filter(|p| p.used != Some(false) || !others(p)).cloned().collect()
}

fn weakest(profiles: &[Profile]) -> Option<&Profile> {
    profiles.iter().min_by_key(|p| tolerance(&p.word).unwrap_or(0))
}

/// Mounted degraded and writable, btrfs writes single chunks; they stay when the device is back.
fn mixed(reading: &mut Reading, at: &Path, profiles: &[Profile]) {
    for of in ["data", "metadata", "system"] {
        let words: Vec<&Profile> = profiles.iter().filter(|p| p.of == of).collect();
        let safe = words.iter().find(|p| tolerance(&p.word).is_some_and(|t| t > 0));
        let bare = words.iter().find(|p| tolerance(&p.word) == Some(0));
        if let (Some(safe), Some(bare)) = (safe, bare) {
            let said = format!("{of} is {} and partly {}, which no device loss leaves whole", safe.word, bare.word);
            reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
        }
    }
}

fn level(word: &str) -> Option<Level> {
    Some(match word {
        "single" | "dup" => Level::Single,
        "raid1c3" | "raid1c4" => Level::Raid1,
        other => Level::parse(other)?,
    })
}

fn array(at: &Path, fs: &Filesystem, profiles: &[Profile], work: Option<&Task>) -> Array {
    let data = profiles.iter().filter(|p| p.of.starts_with("data")).min_by_key(|p| tolerance(&p.word).unwrap_or(0));
    let built = weakest(profiles).and_then(|p| tolerance(&p.word));
    let (missing, told) = missing(fs);
    let left = built.filter(|_| told).map(|weakest| left(profiles, i64::from(weakest), i64::from(missing)));
    let mut array = Array { at: at.clone(), name: fs.label.clone().or_else(|| fs.asked.clone()), ..Array::default() };
    array.aliases = fs.uuid.as_deref().and_then(Alias::array_uid).into_iter().collect();
    array.level = data.and_then(|p| level(&p.word));
    let said: Vec<String> = profiles.iter().map(|p| format!("{} {}", p.of, p.word)).collect();
    array.level_said = Some(said.join(", ")).filter(|s| !s.is_empty());
    array.width = fs.total_devices.or_else(|| u32::try_from(fs.devices.len()).ok()).filter(|w| *w > 0);
    array.redundancy_built = built;
    array.redundancy_left = left.map(|l| u32::try_from(l).unwrap_or(0));
    array.group_tolerance = built.into_iter().collect();
    array.members = fs.devices.iter().map(|d| member(at, d)).collect();
    array.state = told.then(|| state(missing, left, work));
    let clean = |s: &Scrub| s.no_errors && s.state == "finished";
    array.inconsistencies = fs.scrub.as_ref().is_some_and(clean).then_some(0);
    array
}

/// Single chunks beside safe ones were written after the loss, so they are on what is left.
fn left(profiles: &[Profile], weakest: i64, missing: i64) -> i64 {
    if missing == 0 {
        return weakest;
    }
    let strongest = |of: &str| profiles.iter().filter(|p| p.of == of).filter_map(|p| tolerance(&p.word)).max();
    let safe = profiles.iter().filter_map(|p| strongest(&p.of)).min().map_or(weakest, i64::from);
    let left = safe - missing;
    if weakest < safe { left.min(0) } else { left }
}

/// How many devices are missing, and whether any source told at all.
pub fn missing(fs: &Filesystem) -> (u32, bool) {
    let listed = fs.devices.iter().filter(|d| d.missing == Some(true)).count();
    let present = fs.devices.iter().filter(|d| d.missing != Some(true)).count();
    let absent = fs.total_devices.map_or(0, |t| (t as usize).saturating_sub(present));
    let missing = listed.max(absent).max(usize::from(fs.some_missing));
    let told = fs.some_missing || (!fs.devices.is_empty() && fs.devices.iter().all(|d| d.missing.is_some()));
    (u32::try_from(missing).unwrap_or(u32::MAX), told || missing > 0)
}

fn state(missing: u32, left: Option<i64>, work: Option<&Task>) -> Observed<ArrayState> {
    let restores = work.is_some_and(|t| t.kind == TaskKind::Rebuild);
    let state = match (missing, left) {
        (0, _) => ArrayState::Optimal,
        (_, Some(..=-1)) => ArrayState::Failed,
        (_, Some(1..)) => ArrayState::PartlyDegraded,
        _ if restores => ArrayState::Rebuilding,
        _ => ArrayState::Degraded,
    };
    let said = match missing {
        0 => "no device missing",
        1 => "a device is missing",
        _ => "devices are missing",
    };
    Observed::new(state, said)
}

fn member(at: &Path, device: &Device) -> Member {
    Member { disk: disk_path(at, device), group: 0, in_sync: device.missing.map(|m| !m) }
}

fn disk_path(at: &Path, device: &Device) -> Path {
    match (device.id, &device.path) {
        (Some(id), _) => at.child(format_args!("devid{id}")),
        (None, Some(path)) => at.child(path.trim_start_matches("/dev/")),
        (None, None) => at.child("unnamed"),
    }
}

fn disk(reading: &mut Reading, array: &Path, device: &Device, fs: &Filesystem, is_array: bool) {
    let at = disk_path(array, device);
    if reading.disks.iter().any(|d| d.at == at) {
        return;
    }
    let mut disk = Disk { at: at.clone(), ..Disk::default() };
    disk.array = is_array.then(|| array.clone());
    disk.device = device.path.clone();
    disk.aliases = device.path.as_deref().map(|p| Alias::Kernel(whole_disk(p))).into_iter().collect();
    disk.state = match device.missing {
        Some(true) => Some(Observed::new(DiskState::Missing, "missing")),
        Some(false) => Some(Observed::new(DiskState::Online, "not missing")),
        // The statistics list the devices of a mounted file system.
        None if !device.stats.is_empty() => Some(Observed::new(DiskState::Online, "listed")),
        None => None,
    };
    let stats = &device.stats;
    disk.media_errors = sum(&[stats.read, stats.corruption]);
    disk.other_errors = sum(&[stats.write, stats.flush, stats.generation]);
    reading.disks.push(disk);
    counters(reading, &at, stats, verified(fs));
}

fn sum(counters: &[Option<u64>]) -> Option<u64> {
    counters.iter().flatten().copied().reduce(u64::saturating_add)
}

/// The last scrub read every copy and found all of them good.
fn verified(fs: &Filesystem) -> bool {
    fs.scrub.as_ref().is_some_and(|s| s.state == "finished" && s.no_errors)
}

/// btrfs keeps them until `btrfs device stats -z`: once it dropped a write it goes on as if nothing was.
fn counters(reading: &mut Reading, at: &Path, stats: &Stats, verified: bool) {
    let all = [
        ("write_io_errs", stats.write, "writes"),
        ("flush_io_errs", stats.flush, "flushes"),
        ("generation_errs", stats.generation, "stale blocks"),
        ("corruption_errs", stats.corruption, "bad checksums"),
        ("read_io_errs", stats.read, "reads"),
    ];
    let mut worst: Option<(FindingKind, Vec<&str>)> = None;
    for (key, value, words) in all {
        let (Some(1..), Some(Said::Finding(kind))) = (value, meaning(COUNTER, key)) else { continue };
        match &mut worst {
            Some((_, all)) => all.push(words),
            None => worst = Some((kind, vec![words])),
        }
    }
    let Some((kind, words)) = worst else { return };
    let kind = if verified { FindingKind::ToolReportsNotice } else { kind };
    let said = format!("device statistics count errors: {}", words.join(", "));
    reading.findings.push(Finding::new(at.clone(), kind, said));
}

fn task(at: &Path, fs: &Filesystem) -> Option<Task> {
    let operation = fs.operation.as_ref()?;
    let Some(Said::Task(kind, state)) = meaning(OPERATION, &operation.word) else { return None };
    // Nothing is missing: a good device makes room for another one.
    let kind = if kind == TaskKind::Rebuild && missing(fs).0 == 0 { TaskKind::Copyback } else { kind };
    let state = Observed::new(state, operation.word.clone());
    Some(Task { on: at.clone(), kind, state, percent: operation.percent, seconds_left: None })
}

fn scrub(reading: &mut Reading, at: &Path, scrub: &Scrub) {
    let Some(Said::Task(kind, state)) = meaning(SCRUB, &scrub.state) else {
        return reading.unknown_word(at.clone(), SCRUB, &scrub.state);
    };
    if state == TaskState::Running {
        let state = Observed::new(state, "scrub running");
        reading.tasks.push(Task { on: at.clone(), kind, state, percent: scrub.percent, seconds_left: None });
    } else if state == TaskState::Stopped {
        let said = format!("the last scrub was {}", scrub.state);
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsNotice, said));
    }
    let told_apart = scrub.corrected.is_some() || scrub.uncorrectable.is_some();
    let errors = scrub.errors.filter(|n| *n > 0 && !told_apart);
    let details = if scrub.said.is_empty() { String::new() } else { format!(" ({})", scrub.said) };
    let mut found = |kind: FindingKind, count: u64, words: &str| {
        let finding = Finding::new(at.clone(), kind, format!("the last scrub found {count} errors{words}{details}"));
        reading.findings.push(Finding { count: Some(count), ..finding });
    };
    match (scrub.uncorrectable, errors, scrub.corrected) {
        (Some(n), ..) if n > 0 => found(FindingKind::SectorsLost, n, " that it could not correct"),
        (_, Some(n), _) => found(FindingKind::ToolReportsFault, n, ""),
        (_, _, Some(n)) if n > 0 => found(FindingKind::ToolReportsNotice, n, " and corrected them"),
        // Errors that nobody told apart, or an answer that ends before its summary.
        _ if !scrub.no_errors && !told_apart && (state == TaskState::Completed || !scrub.said.is_empty()) => {
            reading.unknown_word(at.clone(), "scrub summary", &scrub.said);
        }
        _ => {}
    }
}
