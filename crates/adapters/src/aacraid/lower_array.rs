//! Logical devices, maxCache devices and their members.

use super::lower::is_gone;
use super::lower_controller::fault;
use super::lower_task;
use super::parse::{Block, Kind};
use super::place::{self, Placed, Segment};
use super::vocabulary::{self, LOGICAL, SEGMENT};
use crate::{Said, scan};
use raidmond_core::model::{Alias, Array, ArrayState, CachePolicy, DiskState, FindingKind, Level, Member};
use raidmond_core::model::{Observed, Path, WriteCache};
use raidmond_core::survey::{NoteKind, Reading};

pub fn all(reading: &mut Reading, at: &Path, blocks: &[&Block], disks: &[Placed]) {
    let lonely = lonely_failed_disk(blocks, disks);
    for block in blocks {
        match block.kind {
            Kind::Logical | Kind::MaxCache => logical(reading, at, block, disks, lonely.as_ref()),
            Kind::Array => disk_group(reading, at, block),
            _ => {}
        }
    }
}

fn logical(reading: &mut Reading, at: &Path, block: &Block, disks: &[Placed], lonely: Option<&Path>) {
    let path = at.array(&block.id);
    describe(reading.array(&path), block);
    if let Some(word) = block.get(&["Status of logical device", "Status of logical drive", "Status of MaxCache"]) {
        state(reading, &path, word);
    } else {
        reading.note(NoteKind::Partial, path.clone(), "no status is printed: the output is cut off or of a new layout");
    }
    let members = members(reading, &path, block, disks, lonely);
    let array = reading.array(&path);
    array.width = (!members.is_empty()).then_some(members.len() as u32);
    array.members = members;
    join_disks(reading, &path);
    lost_data(reading, &path, block);
    lower_task::parity(reading, &path, block);
}

fn describe(array: &mut Array, block: &Block) {
    let text = |keys: &[&str]| block.get(keys).map(str::to_owned);
    array.name = text(&["Logical device name", "Logical drive name", "Maxcache device name"]);
    array.level_said = text(&["RAID level"]);
    array.level = array.level_said.as_deref().and_then(level);
    array.size_bytes = block.get(&["Size"]).and_then(|s| scan::size_bytes(s, true));
    array.is_cache_device = block.kind == Kind::MaxCache;
    array.device = block.get(&["Disk Name"]).and_then(device);
    let words = block.get(&["Mount Points"]).unwrap_or("").split_whitespace();
    array.mounts = words.filter(|w| w.starts_with('/')).map(str::to_owned).collect();
    let uid = block.get(&["Volume Unique Identifier", "Unique Identifier"]).and_then(Alias::array_uid);
    let kernel = array.device.as_deref().and_then(|d| d.strip_prefix("/dev/")).map(|d| Alias::Kernel(d.to_owned()));
    array.aliases = [uid, kernel].into_iter().flatten().collect();
    array.cache = policy(block);
}

/// "6 Reed-Solomon" is RAID 6.
fn level(said: &str) -> Option<Level> {
    Level::parse(said).or_else(|| Level::parse(said.split_whitespace().next()?))
}

pub fn device(said: &str) -> Option<String> {
    said.split_whitespace().next().filter(|d| d.starts_with("/dev/")).map(str::to_owned)
}

/// Setting is what was configured, mode or status what is in force.
fn policy(block: &Block) -> CachePolicy {
    let setting = block.get(&["Write-cache setting", "Caching"]);
    let status = block.get(&["Write-cache mode", "Write-cache status"]);
    let protected = setting.map(|s| s.to_ascii_lowercase().contains("protected by"));
    let default_write = setting.and_then(write_cache);
    let read_ahead = block.get(&["Read-cache status", "Read-cache mode", "Read-cache setting"]);
    CachePolicy {
        default_write,
        current_write: status.and_then(write_cache),
        said_default: setting.map(str::to_owned),
        said_current: status.map(str::to_owned),
        write_back_without_battery: match (default_write, block.get(&["Write-cache setting"])) {
            (Some(WriteCache::WriteBack), Some(_)) => protected.map(|p| !p),
            _ => None,
        },
        read_ahead: read_ahead.map(|v| scan::starts_with_word(v, "Enabled") || scan::starts_with_word(v, "On")),
        disk_cache: None,
    }
}

fn write_cache(said: &str) -> Option<WriteCache> {
    let starts = |w: &str| scan::starts_with_word(said, w);
    if starts("Enabled") || starts("On") {
        Some(WriteCache::WriteBack)
    } else if starts("Disabled") || starts("Off") {
        Some(WriteCache::WriteThrough)
    } else {
        None
    }
}

/// The word, and the task some firmware puts behind it: "Impacted ( Build/Verify with fix : 90 % )".
fn state(reading: &mut Reading, path: &Path, word: &str) {
    let state = match vocabulary::meaning(LOGICAL, word) {
        Some(Said::Array(state)) => state,
        _ => {
            reading.unknown_word(path.clone(), LOGICAL, word);
            ArrayState::Unknown
        }
    };
    if scan::starts_with_word(word, "Impacted") {
        let said = format!("{LOGICAL} {word}: the redundancy is not built or was not verified to its end");
        fault(reading, path, FindingKind::NoRedundancyYet, said);
    }
    lower_task::behind_a_word(reading, path, word);
    reading.array(path).state = Some(Observed::new(state, word));
}

fn members(reading: &mut Reading, path: &Path, block: &Block, disks: &[Placed], lonely: Option<&Path>) -> Vec<Member> {
    let mut members = Vec::new();
    for segment in block.fields.iter().filter_map(Segment::parse) {
        let state = segment_state(reading, path, &segment);
        let present = state == Some(DiskState::Online);
        let found = segment.find(disks, present);
        if found.is_some_and(|d| d.state == DiskState::HotSpare) && present {
            continue;
        }
        let disk = found.map(|d| d.path.clone());
        let disk = disk.or_else(|| place_of_missing(reading, path, &segment, state, disks));
        let guess = lonely.filter(|_| segment.spot.is_nowhere()).cloned();
        let disk = disk.or(guess).unwrap_or_else(|| segment.missing(&path.root()));
        members.push(Member { disk, group: segment.group, in_sync: state.map(|s| s == DiskState::Online) });
    }
    if members.is_empty() { listed_by_channel(path, block, disks) } else { members }
}

fn segment_state(reading: &mut Reading, path: &Path, segment: &Segment) -> Option<DiskState> {
    match vocabulary::meaning(SEGMENT, &segment.word) {
        Some(Said::Disk(state)) => Some(state),
        _ => {
            reading.unknown_word(path.clone(), SEGMENT, &segment.said);
            None
        }
    }
}

/// A segment tells its place though no disk is listed there. One that is gone gets a disk of its own,
/// so that a person reads which slot is empty; where another disk sits by now there is none to name.
fn place_of_missing(
    reading: &mut Reading,
    array: &Path,
    segment: &Segment,
    state: Option<DiskState>,
    disks: &[Placed],
) -> Option<Path> {
    let path = segment.spot.path(&array.root())?;
    if disks.iter().any(|d| d.path == path) {
        return None;
    }
    if let Some(state) = state.filter(|s| is_gone(*s)) {
        let disk = reading.disk(&path);
        disk.state = Some(Observed::new(state, segment.said.clone()));
        disk.enclosure = segment.spot.enclosure.clone();
        disk.slot = segment.spot.slot.clone();
        disk.aliases = segment.serial.iter().map(|s| Alias::Serial(s.clone())).collect();
        disk.serial = segment.serial.clone();
    }
    Some(path)
}

/// IBM's oldest layout lists channels only; whether a member is in sync, its disk says.
fn listed_by_channel(path: &Path, block: &Block, disks: &[Placed]) -> Vec<Member> {
    let Some(list) = block.get(&["Drive(s) (Channel,Device)", "Stripe order (Channel,Device)"]) else {
        return Vec::new();
    };
    let member = |spot: place::Spot| {
        let disk = disks.iter().find(|d| d.spot.channel == spot.channel);
        let in_sync = disk.map(|d| d.state == DiskState::Online);
        Some(Member { disk: disk.map(|d| d.path.clone()).or_else(|| spot.path(&path.root()))?, group: 0, in_sync })
    };
    place::channel_list(list).into_iter().filter_map(member).collect()
}

/// Exactly one segment is missing without a place, and exactly one failed disk says it had segments.
fn lonely_failed_disk(blocks: &[&Block], disks: &[Placed]) -> Option<Path> {
    let logical = blocks.iter().filter(|b| matches!(b.kind, Kind::Logical | Kind::MaxCache));
    let segments = logical.flat_map(|b| b.fields.iter().filter_map(Segment::parse));
    let lost = segments.filter(|s| s.spot.is_nowhere() && s.serial.is_none()).count();
    let mut failed = disks.iter().filter(|d| d.failed_segments && is_gone(d.state));
    match (lost, failed.next(), failed.next()) {
        (1, Some(disk), None) => Some(disk.path.clone()),
        _ => None,
    }
}

fn join_disks(reading: &mut Reading, path: &Path) {
    let members: Vec<Path> = reading.array(path).members.iter().map(|m| m.disk.clone()).collect();
    for disk in reading.disks.iter_mut().filter(|d| members.contains(&d.at)) {
        disk.array = Some(path.clone());
    }
}

/// "Failed stripes : Yes": sectors of the array are lost.
fn lost_data(reading: &mut Reading, path: &Path, block: &Block) {
    let stripes = block.get(&["Failed stripes", "Defunct stripes"]);
    reading.array(path).bad_blocks = stripes.and_then(|v| match v {
        v if scan::same_word(v, "No") => Some(false),
        v if scan::same_word(v, "Yes") => Some(true),
        _ => None,
    });
    if let Some(word) = stripes.filter(|v| !scan::same_word(v, "No") && !scan::same_word(v, "Yes")) {
        reading.unknown_word(path.clone(), "Failed stripes", word);
    }
    let segments = block.get(&["Defunct segments"]).is_some_and(|v| scan::same_word(v, "Yes"));
    let sound = reading.array(path).state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal);
    if segments && sound {
        fault(reading, path, FindingKind::ToolReportsFault, "Defunct segments: Yes");
    }
}

/// SmartRAID's "Array": the disks under one or more logical devices. Its logical devices are read here
/// only when the answer does not list them themselves (GETCONFIG n AR).
fn disk_group(reading: &mut Reading, at: &Path, block: &Block) {
    for field in block.starting("Logical ") {
        let number = field.key.split_whitespace().nth(1).filter(|n| n.parse::<u32>().is_ok());
        let Some(path) = number.map(|n| at.array(n)) else { continue };
        if reading.arrays.iter().any(|a| a.at == path && a.state.is_some()) {
            continue;
        }
        let (word, rest) = field.value.split_once('(').unwrap_or((&field.value, ""));
        state(reading, &path, word.trim());
        let array = reading.array(&path);
        array.level_said = rest.split(',').next().map(|l| l.trim().to_owned());
        array.level = array.level_said.as_deref().and_then(level);
        array.name = rest.rsplit_once(')').map(|(_, name)| name.trim().to_owned()).filter(|n| !n.is_empty());
    }
    group_status(reading, at, block);
}

fn group_status(reading: &mut Reading, at: &Path, block: &Block) {
    let Some(word) = block.get(&["Status"]) else { return };
    if !["Ok", "Optimal"].iter().any(|w| scan::same_word(w, word)) {
        let name = block.get(&["Name"]).unwrap_or(&block.id);
        fault(reading, at, FindingKind::ToolReportsFault, format!("array {name}: Status {word}"));
    }
}
