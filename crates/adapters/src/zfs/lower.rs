//! Pools → facts. ZFS tells every place of a pool, so redundancy is counted here.
//!
//! The path of a device is its name below the pool (`tank/ata-EXAMPLE`): one disk may serve two pools, or a
//! pool and its log, and be well in one and failed in the other.

use super::raw::{Class, Doing, Pool, Progress, Row, Scan};
use super::tree::{Kind, Node, tops};
use super::vocabulary::{BESIDE, DEVICE, ERRORS, POOL, SPARE, STATUS, meaning, remarks, sentence};
use crate::Said;
use raidmond_core::model::{
    Alias, Array, ArrayState, Disk, DiskState, Finding, FindingKind, Level, Member, Observed, Path, SpareScope, Task,
    TaskKind, TaskState,
};
use raidmond_core::observe::whole_disk;
use raidmond_core::survey::{NoteKind, Reading};

/// More slow requests than this on one device are no noise: each took 30 seconds or longer.
const SLOW: u64 = 30;

pub fn pool(reading: &mut Reading, pool: &Pool) {
    let at = Path::new(&pool.name);
    pool.unread.iter().for_each(|line| reading.unknown_word(at.clone(), "the line", line));
    let tops = tops(&pool.rows);
    let shape = Shape::of(&tops);
    let word = state(reading, &at, pool);
    let array = array(pool, &at, &shape, word);
    reading.arrays.push(array);
    let before = reading.disks.len();
    tops.iter().for_each(|top| vdev(reading, &at, top));
    let well = |d: &Disk| d.state.as_ref().is_none_or(|s| matches!(s.state, DiskState::Online | DiskState::HotSpare));
    let all_well = reading.disks.iter().skip(before).all(well);
    status(reading, &at, pool, word == Some(ArrayState::Optimal) && all_well);
    errors(reading, &at, pool, word);
    pool.scans.iter().for_each(|s| scan(reading, &at, s, shape.missing()));
}

/// A place: whether it carries valid data, and the device that holds it.
struct Place {
    device: String,
    group: u32,
    whole: bool,
    written: bool,
}

/// The vdevs that bear data.
#[derive(Default)]
struct Shape {
    tolerances: Vec<u32>,
    places: Vec<Place>,
    kinds: Vec<Kind>,
    names: Vec<String>,
    /// A disk is being replaced, or a spare serves in its place.
    shared: bool,
}

impl Shape {
    fn of(tops: &[Node]) -> Self {
        let mut shape = Shape::default();
        for top in tops.iter().filter(|t| t.row.class.bears_data() && t.kind() != Kind::Remnant) {
            let group = u32::try_from(shape.tolerances.len()).unwrap_or(u32::MAX);
            shape.tolerances.push(top.tolerance());
            shape.names.push(vdev_word(top));
            if top.row.class == Class::Normal {
                shape.kinds.push(top.kind());
            }
            shape.shared |= top.places().iter().any(|p| p.kind() == Kind::Shared);
            shape.places.extend(top.places().into_iter().map(|place| Place {
                device: holder(place),
                group,
                whole: is_whole(place),
                written: is_written(place),
            }));
        }
        shape
    }

    fn missing(&self) -> usize {
        self.places.iter().filter(|p| !p.whole).count()
    }

    fn built(&self) -> Option<u32> {
        self.tolerances.iter().min().copied()
    }

    /// How many more the worst vdev can lose; below zero, data is out of reach.
    fn left(&self) -> Option<i64> {
        let lost = |group: usize| self.places.iter().filter(|p| p.group as usize == group && !p.whole).count() as i64;
        self.tolerances.iter().enumerate().map(|(group, t)| i64::from(*t) - lost(group)).min()
    }

    fn level(&self) -> Option<Level> {
        let first = *self.kinds.first()?;
        let several = self.kinds.len() > 1;
        Some(match first {
            _ if self.kinds.iter().any(|k| *k != first) => return None,
            Kind::Mirror if several => Level::Raid10,
            Kind::Mirror => Level::Raid1,
            Kind::Parity(1) if several => Level::Raid50,
            Kind::Parity(1) => Level::Raid5,
            Kind::Parity(2) if several => Level::Raid60,
            Kind::Parity(2) => Level::Raid6,
            Kind::Parity(_) => Level::TripleParity,
            _ if several => Level::Raid0,
            _ => Level::Single,
        })
    }

    /// `mirror ×2, raidz2`
    fn said(&self) -> Option<String> {
        let mut counted: Vec<(&str, usize)> = Vec::new();
        for name in &self.names {
            match counted.iter_mut().find(|(n, _)| n == name) {
                Some((_, count)) => *count += 1,
                None => counted.push((name, 1)),
            }
        }
        let words = counted.iter().map(|(name, n)| if *n > 1 { format!("{name} ×{n}") } else { (*name).to_owned() });
        Some(words.collect::<Vec<_>>().join(", ")).filter(|w| !w.is_empty())
    }
}

fn vdev_word(top: &Node) -> String {
    match top.kind() {
        Kind::Mirror | Kind::Parity(_) => top.row.name.split('-').next().unwrap_or_default().to_owned(),
        _ => "disk".to_owned(),
    }
}

/// Of a shared place the device that serves it, else the one being written, else the first.
fn holder(place: &Node) -> String {
    let disks = place.disks();
    let found = disks.iter().find(|d| is_whole(d)).or_else(|| disks.iter().find(|d| is_written(d)));
    found.or(disks.first()).map_or_else(|| place.row.name.clone(), |d| d.row.name.clone())
}

fn is_whole(place: &Node) -> bool {
    match place.below.is_empty() {
        // A row without a state (`zpool list -v` of old) tells nothing; the pool's word does.
        true => leaf_state(&place.row).is_none_or(|s| s == DiskState::Online),
        false => place.disks().into_iter().any(is_whole),
    }
}

fn is_written(place: &Node) -> bool {
    place.disks().into_iter().any(|d| leaf_state(&d.row) == Some(DiskState::Rebuilding))
}

/// What the words make of a device; `None` where none is stated, `Unknown` for words nobody knows.
fn leaf_state(row: &Row) -> Option<DiskState> {
    let word = row.state.as_deref()?;
    let of = if row.class == Class::Spare { SPARE } else { DEVICE };
    let state = match meaning(of, word) {
        Some(Said::Disk(state)) => state,
        _ => DiskState::Unknown,
    };
    let written = state == DiskState::Online && remarks(&row.said).any(|s| s == Said::Disk(DiskState::Rebuilding));
    Some(if written { DiskState::Rebuilding } else { state })
}

fn array(pool: &Pool, at: &Path, shape: &Shape, word: Option<ArrayState>) -> Array {
    let left = left(pool, shape);
    let mut array = Array { at: at.clone(), ..Array::default() };
    array.aliases = pool.guid.as_deref().and_then(Alias::array_uid).into_iter().collect();
    (array.level, array.level_said) = (shape.level(), shape.said());
    array.state = word.map(|word| Observed::new(overall(word, pool, shape, left), said(pool)));
    if pool.importable {
        return array;
    }
    array.redundancy_built = shape.built();
    array.redundancy_left = left.map(|l| u32::try_from(l).unwrap_or(0));
    array.group_tolerance = shape.tolerances.clone();
    array.width = u32::try_from(shape.places.len()).ok().filter(|w| *w > 0);
    let member = |p: &Place| Member { disk: device_path(at, &p.device), group: p.group, in_sync: Some(p.whole) };
    array.members = shape.places.iter().map(member).collect();
    let clean = |s: &Scan| s.doing == Doing::Scrub && s.progress == Progress::Finished && s.errors == Some(0);
    array.inconsistencies = pool.scans.iter().any(clean).then_some(0);
    array
}

/// A resilver that has just begun marks no device yet: any one of them may be its target.
fn left(pool: &Pool, shape: &Shape) -> Option<i64> {
    let left = shape.left();
    if is_unseated(pool, shape) { left.map(|l| (l - 1).max(0)) } else { left }
}

fn restores(pool: &Pool) -> bool {
    pool.scans.iter().any(|s| s.doing == Doing::Resilver && s.progress == Progress::Running)
}

fn is_unseated(pool: &Pool, shape: &Shape) -> bool {
    restores(pool) && shape.missing() == 0 && !shape.shared && !shape.places.iter().any(|p| p.written)
}

fn said(pool: &Pool) -> String {
    let word = pool.state.clone().unwrap_or_default();
    if pool.importable { format!("{word}, not imported") } else { word }
}

/// The pool's word, and the worse one its status sentence may tell: a suspended pool can call itself ONLINE.
fn state(reading: &mut Reading, at: &Path, pool: &Pool) -> Option<ArrayState> {
    let word = pool.state.as_deref()?;
    let state = match meaning(POOL, word) {
        Some(Said::Array(state)) => state,
        _ => {
            reading.unknown_word(at.clone(), "pool state", word);
            ArrayState::Unknown
        }
    };
    match sentence(STATUS, &pool.status) {
        Some(Said::Array(ArrayState::Failed)) => Some(ArrayState::Failed),
        _ => Some(state),
    }
}

/// The word and the places together.
fn overall(word: ArrayState, pool: &Pool, shape: &Shape, left: Option<i64>) -> ArrayState {
    let unseated = is_unseated(pool, shape);
    let rebuilds = restores(pool) && shape.places.iter().any(|p| p.written && !p.whole);
    let damaged = shape.missing() > 0 || word == ArrayState::Degraded || unseated;
    match (word, left) {
        (ArrayState::Failed | ArrayState::Unknown, _) => word,
        _ if pool.importable => ArrayState::Inactive,
        (_, Some(1..)) if damaged => ArrayState::PartlyDegraded,
        _ if rebuilds || unseated => ArrayState::Rebuilding,
        // Only a log or cache device is hurt: a finding of its own.
        (ArrayState::Degraded, Some(0)) if shape.missing() == 0 && pool.rows.iter().any(is_hurt_beside) => {
            ArrayState::Optimal
        }
        _ if damaged => ArrayState::Degraded,
        _ => word,
    }
}

/// A log or cache vdev that is not in service.
fn is_hurt_beside(row: &Row) -> bool {
    matches!(row.class, Class::Log | Class::Cache) && row.state.as_deref().is_some_and(|w| w != "ONLINE")
}

fn vdev(reading: &mut Reading, pool: &Path, node: &Node) {
    if node.below.is_empty() && node.kind() == Kind::Disk {
        return device(reading, pool, &node.row);
    }
    if let Some(word) = node.row.state.as_deref().filter(|w| meaning(POOL, w).is_none()) {
        reading.unknown_word(pool.child(&node.row.name), "vdev state", word);
    }
    if is_hurt_beside(&node.row) {
        let said = format!("{:?} vdev {} {}", node.row.class, node.row.name, node.row.state.as_deref().unwrap_or(""));
        reading.findings.push(Finding::new(pool.clone(), FindingKind::ToolReportsFault, said.to_lowercase()));
    }
    node.below.iter().for_each(|below| vdev(reading, pool, below));
}

fn device(reading: &mut Reading, pool: &Path, row: &Row) {
    let at = device_path(pool, &row.name);
    let Some(word) = row.state.as_deref() else { return };
    // A spare in use stands among the members, too; one that another pool uses is not this pool's now.
    let lent = row.class == Class::Spare && word == "INUSE";
    if lent || reading.disks.iter().any(|d| d.at == at) {
        return;
    }
    let state = leaf_state(row).unwrap_or(DiskState::Unknown);
    if state == DiskState::Unknown {
        reading.unknown_word(at.clone(), "device state", word);
    }
    let strange = state == DiskState::Online && word == "ONLINE" && !row.said.is_empty();
    if strange && remarks(&row.said).next().is_none() {
        reading.unknown_word(at.clone(), BESIDE, &row.said);
    }
    let said = if row.said.is_empty() { word.to_owned() } else { format!("{word}, {}", row.said) };
    if let Some(slow) = row.slow.filter(|n| *n >= SLOW) {
        let said = format!("{slow} requests took longer than 30 seconds");
        let finding = Finding::new(at.clone(), FindingKind::ToolReportsFault, said);
        reading.findings.push(Finding { count: Some(slow), ..finding });
    }
    reading.disks.push(disk(at, pool, row, state, said));
}

fn disk(at: Path, pool: &Path, row: &Row, state: DiskState, said: String) -> Disk {
    let mut disk = Disk { at, array: Some(pool.clone()), ..Disk::default() };
    let name = row.name.trim_start_matches("/dev/");
    if let Some(kernel) = Some(whole_disk(name)).filter(|k| is_kernel_name(k)) {
        disk.aliases.push(Alias::Kernel(kernel));
        disk.device = Some(format!("/dev/{name}"));
    }
    disk.spare = (row.class == Class::Spare).then_some(SpareScope::Dedicated);
    let predicts = row.state.as_deref() == Some("DEGRADED");
    disk.predictive = predicts.then(|| Observed::new(true, said.clone()));
    disk.media_errors = row.read.map(|n| n.saturating_add(row.checksum.unwrap_or(0)));
    disk.other_errors = row.write;
    disk.state = Some(Observed::new(state, said));
    disk
}

fn is_kernel_name(name: &str) -> bool {
    let starts = |p: &&str| name.strip_prefix(*p).is_some_and(|rest| rest.len() <= 3 && !rest.is_empty());
    ["sd", "hd", "vd", "xvd", "dm-", "md"].iter().any(starts) || name.starts_with("nvme") && !name.contains('-')
}

/// `/dev/disk/by-id/ata-EXAMPLE-part1` is known by its last part.
fn device_path(pool: &Path, name: &str) -> Path {
    let name = name.trim_start_matches("/dev/");
    let name = ["disk/by-id/", "disk/by-path/", "disk/by-vdev/", "disk/by-partuuid/", "disk/by-uuid/", "mapper/"]
        .iter()
        .find_map(|p| name.strip_prefix(p))
        .unwrap_or(name);
    pool.child(name)
}

/// The sentence below `status:`. What the states tell as well is a finding only where they tell nothing.
fn status(reading: &mut Reading, at: &Path, pool: &Pool, looks_well: bool) {
    if pool.status.is_empty() {
        return;
    }
    let short = pool.status.split_inclusive(". ").next().unwrap_or_default().trim().to_owned();
    let kind = match sentence(STATUS, &pool.status) {
        Some(Said::Array(ArrayState::Degraded)) if looks_well => FindingKind::ToolReportsFault,
        Some(Said::Array(_)) => return,
        Some(Said::Finding(kind)) => kind,
        _ => return reading.unknown_word(at.clone(), "status", &pool.status),
    };
    if kind != FindingKind::SectorsLost || !loses_data(pool) {
        reading.findings.push(Finding::new(at.clone(), kind, short));
    }
}

fn loses_data(pool: &Pool) -> bool {
    pool.errors.as_deref().is_some_and(|e| sentence(ERRORS, e) != Some(Said::Array(ArrayState::Optimal)))
}

fn errors(reading: &mut Reading, at: &Path, pool: &Pool, word: Option<ArrayState>) {
    let Some(said) = pool.errors.as_deref() else {
        let cut_short = !pool.importable || pool.rows.is_empty();
        if pool.is_full_listing && cut_short && word != Some(ArrayState::Failed) {
            reading.note(NoteKind::Partial, at.clone(), format!("the listing of pool {} is cut off", pool.name));
        }
        return;
    };
    if said.contains("errors unavailable") {
        if word != Some(ArrayState::Failed) {
            reading.note(NoteKind::Partial, at.clone(), said);
        }
    } else if loses_data(pool) {
        let finding = Finding::new(at.clone(), FindingKind::SectorsLost, said.trim_end_matches(':'));
        let count = crate::scan::count(said).filter(|_| said.starts_with(|c: char| c.is_ascii_digit()));
        reading.findings.push(Finding { count, ..finding });
    }
}

fn scan(reading: &mut Reading, at: &Path, scan: &Scan, missing: usize) {
    let (kind, name) = match scan.doing {
        Doing::Scrub => (TaskKind::Check, "scrub"),
        Doing::Resilver => (TaskKind::Rebuild, "resilver"),
    };
    let (state, word) = match scan.progress {
        Progress::Running => (TaskState::Running, "in progress"),
        Progress::Paused => (TaskState::Paused, "paused"),
        Progress::Canceled if kind == TaskKind::Rebuild && missing > 0 => (TaskState::Stopped, "canceled"),
        Progress::Canceled => return,
        Progress::Finished => return finished(reading, at, scan, name),
    };
    let (percent, seconds_left) = (scan.percent, scan.seconds_left);
    let state = Observed::new(state, format!("{name} {word}"));
    reading.tasks.push(Task { on: at.clone(), kind, state, percent, seconds_left });
}

fn finished(reading: &mut Reading, at: &Path, scan: &Scan, name: &str) {
    if let Some(errors) = scan.errors.filter(|n| *n > 0) {
        let said = format!("the last {name} ended with {errors} errors that it could not repair");
        let finding = Finding::new(at.clone(), FindingKind::SectorsLost, said);
        reading.findings.push(Finding { count: Some(errors), ..finding });
    }
    let repaired = scan.repaired.as_deref().filter(|r| scan.doing == Doing::Scrub && !r.starts_with('0') && *r != "-");
    if let Some(repaired) = repaired {
        let said = format!("the last scrub repaired {repaired}");
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsNotice, said));
    }
}
