//! Pictures → facts.
//!
//! The path of an array is its device-mapper name, that of a member its image's name below it
//! (`vg-root/rimage_0`): what is known of an image is known of its place in this array, not of a disk.

use super::picture::{Picture, Place, title};
use super::vocabulary::{ACTION, meaning};
use crate::Said;
use raidmond_core::model::{
    Alias, Array, ArrayState, Disk, DiskState, Finding, Level, Member, Observed, Path, Task, TaskKind, TaskState,
};
use raidmond_core::observe::whole_disk;
use raidmond_core::survey::Reading;

pub fn picture(reading: &mut Reading, picture: &Picture) {
    let at = Path::new(&picture.name);
    for (of, word) in &picture.unknown {
        reading.unknown_word(at.clone(), of, word);
    }
    for (kind, said) in &picture.findings {
        reading.findings.push(Finding::new(at.clone(), *kind, said.clone()));
    }
    if let Some(said) = &picture.level {
        let level = level(reading, &at, said);
        let work = task(&at, picture);
        let array = array(&at, picture, level, work.as_ref());
        reading.arrays.push(array);
        reading.tasks.extend(work);
    }
    if !is_multipath(picture) {
        picture.places.iter().for_each(|place| disk(reading, &at, picture, place));
    }
}

fn is_multipath(picture: &Picture) -> bool {
    picture.level.as_deref() == Some("multipath")
}

/// `raid5_ls`, `raid6_zr`, `raid10_near`, `mirror`, dmraid's `raid5_la` and `stripe`.
fn level(reading: &mut Reading, at: &Path, said: &str) -> Option<Level> {
    const PLAIN: [&str; 9] =
        ["multipath", "thin-pool", "thin", "cache", "writecache", "integrity", "verity", "error", "linear"];
    let word = said.split('_').next().unwrap_or(said);
    let level = match word {
        "raid01" => Some(Level::Raid10),
        // lvs without its type: some redundancy, nobody says how much.
        "raid" => return None,
        w if PLAIN.contains(&w) => Some(Level::Single),
        w => Level::parse(w),
    };
    if level.is_none() {
        reading.unknown_word(at.clone(), "level", said);
    }
    level
}

fn array(at: &Path, picture: &Picture, level: Option<Level>, work: Option<&Task>) -> Array {
    let count = Count::of(picture, level, work);
    let mut array = Array { at: at.clone(), level, level_said: picture.level.clone(), ..Array::default() };
    array.name = picture.title.clone().or_else(|| title(&picture.name));
    array.aliases = picture.uuid.as_deref().and_then(Alias::array_uid).into_iter().collect();
    array.device = Some(format!("/dev/mapper/{}", picture.name));
    array.width = u32::try_from(picture.places.len()).ok().filter(|w| *w > 0 && !is_multipath(picture));
    array.redundancy_built = count.built.and_then(|b| u32::try_from(b).ok());
    array.redundancy_left = count.left.map(|l| u32::try_from(l).unwrap_or(0));
    array.state = state(picture, &count, work).map(|state| Observed::new(state, said(picture)));
    if !is_multipath(picture) {
        let pairs = level == Some(Level::Raid10) && picture.places.len().is_multiple_of(2);
        let group = |n: usize| if pairs { u32::try_from(n / 2).unwrap_or(0) } else { 0 };
        let member = |(n, p): (usize, &Place)| Member { disk: at.child(&p.name), group: group(n), in_sync: in_sync(p) };
        array.members = picture.places.iter().enumerate().map(member).collect();
    }
    array.inconsistencies = picture.mismatches.filter(|_| work.is_none());
    array
}

fn said(picture: &Picture) -> String {
    match &picture.work {
        Some(work) if !picture.said.contains(&work.action) => format!("{} {}", picture.said, work.action),
        _ => picture.said.clone(),
    }
}

fn in_sync(place: &Place) -> Option<bool> {
    place.state.filter(|s| *s != DiskState::Unknown).map(|s| s == DiskState::Online)
}

/// What can be lost, by construction and now.
struct Count {
    built: Option<i64>,
    left: Option<i64>,
    missing: usize,
    /// More places failed than may; those merely out of sync are not counted.
    out_of_reach: bool,
}

impl Count {
    fn of(picture: &Picture, level: Option<Level>, work: Option<&Task>) -> Self {
        let places = &picture.places;
        let missing = places.iter().filter(|p| in_sync(p) == Some(false)).count();
        let built = match level {
            // dmraid lists a disk without its partners.
            Some(Level::Raid1) if places.len() > 1 => Some(places.len() as i64 - 1),
            Some(level) => Some(i64::from(level.tolerance())),
            None => None,
        };
        if is_multipath(picture) {
            return Count { built: None, left: None, missing: 0, out_of_reach: false };
        }
        let gone = |p: &Place| in_sync(p) == Some(false) && p.state != Some(DiskState::Rebuilding);
        let (lost, failed) = match level {
            // Neighbours hold the same data.
            Some(Level::Raid10) if places.len().is_multiple_of(2) => {
                let worst = |is: &dyn Fn(&Place) -> bool| {
                    places.chunks(2).map(|pair| pair.iter().filter(|p| is(p)).count()).max().unwrap_or(0)
                };
                (worst(&|p| in_sync(p) == Some(false)), worst(&gone))
            }
            _ => (missing, places.iter().filter(|p| gone(p)).count()),
        };
        let resync = work.is_some_and(|t| t.kind == TaskKind::Rebuild) && missing == 0;
        let left = built.map(|b| if resync { 0 } else { b - lost as i64 });
        let out_of_reach = built.is_some_and(|b| failed as i64 > b);
        Count { built, left: left.filter(|_| !places.is_empty() || resync), missing, out_of_reach }
    }
}

fn state(picture: &Picture, count: &Count, work: Option<&Task>) -> Option<ArrayState> {
    let restores = work.is_some_and(|t| t.kind == TaskKind::Rebuild);
    let word = picture.word;
    if word == Some(ArrayState::Failed) || count.out_of_reach {
        return Some(ArrayState::Failed);
    }
    let damaged = count.missing > 0 || word == Some(ArrayState::Degraded);
    let unknown = picture.places.iter().any(|p| p.state == Some(DiskState::Unknown));
    Some(match count.left {
        _ if unknown && !damaged => ArrayState::Unknown,
        Some(1..) if damaged => ArrayState::PartlyDegraded,
        _ if restores => ArrayState::Rebuilding,
        _ if damaged => ArrayState::Degraded,
        _ => return word.or_else(|| (!picture.places.is_empty()).then_some(ArrayState::Optimal)),
    })
}

fn task(at: &Path, picture: &Picture) -> Option<Task> {
    let work = picture.work.as_ref()?;
    let kind = match meaning(ACTION, &work.action) {
        Some(Said::Task(kind, _)) => kind,
        // Only a share in sync is told: the rest is being copied, or waits for it.
        _ => TaskKind::Rebuild,
    };
    let said = if work.action.is_empty() { "not in sync" } else { &work.action };
    let state = Observed::new(TaskState::Running, said);
    Some(Task { on: at.clone(), kind, state, percent: work.percent, seconds_left: None })
}

fn disk(reading: &mut Reading, array: &Path, picture: &Picture, place: &Place) {
    let at = array.child(&place.name);
    if reading.disks.iter().any(|d| d.at == at) {
        return;
    }
    let mut disk = Disk { at, ..Disk::default() };
    disk.array = picture.level.is_some().then(|| array.clone());
    disk.device = place.device.clone();
    disk.aliases = place.device.as_deref().map(|d| Alias::Kernel(whole_disk(d))).into_iter().collect();
    let restores = picture.work.as_ref().is_some_and(|w| {
        w.action.is_empty() || matches!(meaning(ACTION, &w.action), Some(Said::Task(TaskKind::Rebuild, _)))
    });
    // Out of sync, and nothing brings it back.
    let state = place.state.map(|s| if s == DiskState::Rebuilding && !restores { DiskState::Offline } else { s });
    disk.state = state.map(|state| Observed::new(state, place.said.clone()));
    reading.disks.push(disk);
}
