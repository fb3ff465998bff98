//! Pictures → facts. Redundancy is counted here, because md knows every place of an array.
//!
//! The path of an array is its kernel name, that of a member its name below the array (`md0/sda1`): one
//! disk may serve several arrays and be well in one and failed in another. What is a disk and what a
//! partition is for core to join by the kernel name of the whole disk.

use super::picture::{Picture, Place, Role, Work};
use super::vocabulary::{ARRAY, MEMBER, WAITS, WORK, meaning};
use crate::Said;
use raidmond_core::model::{
    Alias, Array, ArrayState, Disk, DiskState, Finding, FindingKind, Level, Member, Observed, Path, SpareScope, Task,
    TaskKind,
};
use raidmond_core::observe::whole_disk;
use raidmond_core::survey::{NoteKind, Reading};

pub fn picture(reading: &mut Reading, picture: &Picture) {
    if picture.is_container() {
        return;
    }
    let at = Path::new(&picture.name);
    for line in &picture.unread {
        reading.unknown_word(at.clone(), "the line", line);
    }
    let work = picture.work.as_ref().and_then(|work| task(reading, &at, picture, work));
    let array = array(reading, &at, picture, work.as_ref());
    for place in &picture.places {
        member(reading, &at, picture, place);
    }
    if picture.level.as_deref() == Some("multipath") && picture.missing() > 0 {
        reading.findings.push(Finding::new(at, FindingKind::PathLost, picture.said.clone()));
    }
    reading.tasks.extend(work);
    reading.arrays.push(array);
}

fn array(reading: &mut Reading, at: &Path, picture: &Picture, work: Option<&Task>) -> Array {
    let (level, state) = (level(reading, at, picture), state(reading, at, picture, work));
    let left = left(picture, level, work);
    let mut array = Array { at: at.clone(), level, ..Array::default() };
    array.level_said = picture.level.clone();
    array.aliases = vec![Alias::Kernel(picture.name.clone())];
    array.aliases.extend(picture.uuid.as_deref().and_then(uuid));
    array.device = Some(format!("/dev/{}", picture.name));
    array.name = picture.title.clone();
    array.size_bytes = picture.bytes;
    array.width = picture.width;
    array.state = state.map(|word| Observed::new(overall(word, picture, left, work), said(picture)));
    array.redundancy_built = level.and_then(|l| built(l, picture));
    array.redundancy_left = left.map(|l| u32::try_from(l).unwrap_or(0)).filter(|_| picture.is_started());
    array.members = members(at, picture, level);
    array.inconsistencies = picture.mismatches.filter(|_| check_is_over(picture));
    array
}

/// One form for what sysfs and mdadm print differently.
fn uuid(text: &str) -> Option<Alias> {
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    Alias::array_uid(&digits)
}

fn level(reading: &mut Reading, at: &Path, picture: &Picture) -> Option<Level> {
    let said = picture.level.as_deref()?;
    let level = match said {
        "multipath" | "faulty" => Some(Level::Single),
        other => Level::parse(other),
    };
    if level.is_none() {
        reading.unknown_word(at.clone(), "level", said);
    }
    level
}

/// The worst of the words said of the whole array; `None` where only its identity is known.
fn state(reading: &mut Reading, at: &Path, picture: &Picture, work: Option<&Task>) -> Option<ArrayState> {
    let badness = |s: &ArrayState| match s {
        ArrayState::Optimal => 0,
        ArrayState::Inactive => 1,
        ArrayState::Unknown => 2,
        ArrayState::Degraded => 3,
        _ => 4,
    };
    let mut worst = work.map(|_| ArrayState::Optimal);
    if picture.lacks_counts() {
        let said = "its places are not counted: the line with the blocks is cut off or not understood";
        reading.note(NoteKind::Partial, at.clone(), said);
        worst = Some(ArrayState::Unknown);
    }
    for word in &picture.words {
        let state = match meaning(ARRAY, word) {
            Some(Said::Array(state)) => state,
            _ => {
                reading.unknown_word(at.clone(), "array state", word);
                ArrayState::Unknown
            }
        };
        worst = worst.into_iter().chain([state]).max_by_key(badness);
    }
    worst
}

/// The source's own words, then what sysfs adds, then what goes on; no numbers that move.
fn said(picture: &Picture) -> String {
    let bad = |w: &&String| meaning(ARRAY, w) != Some(Said::Array(ArrayState::Optimal));
    let doing = picture.work.as_ref().map(|w| if w.waits.is_some() { w.said.clone() } else { w.word.clone() });
    let mut said = picture.said.clone();
    for word in picture.words.iter().filter(bad).cloned().chain(doing.filter(|_| picture.is_live)) {
        if !said.contains(&word) {
            said = format!("{said}, {word}");
        }
    }
    said
}

/// Words and counts together: `clean` is also said of an array that lacks half of its disks.
fn overall(word: ArrayState, picture: &Picture, left: Option<i64>, work: Option<&Task>) -> ArrayState {
    if word == ArrayState::Failed || left.is_some_and(|l| l < 0) {
        return ArrayState::Failed;
    }
    if picture.level.as_deref() == Some("multipath") {
        // A path is lost, no data and no copy of it: a finding of its own.
        return word;
    }
    let restoring = work.is_some_and(|t| t.kind == TaskKind::Rebuild);
    match (picture.missing(), left) {
        (0, _) if restoring && is_resync(picture) => ArrayState::Rebuilding,
        (0, _) => word,
        (_, Some(1..)) => ArrayState::PartlyDegraded,
        _ if restoring => ArrayState::Rebuilding,
        _ => ArrayState::Degraded,
    }
}

fn is_resync(picture: &Picture) -> bool {
    picture.action() == Some("resync")
}

fn built(level: Level, picture: &Picture) -> Option<u32> {
    match level {
        Level::Raid1 => picture.width.map(|w| w.saturating_sub(1)),
        Level::Raid10 => picture.copies.map(|(copies, _)| copies.saturating_sub(1)),
        other => Some(other.tolerance()),
    }
}

/// How many further disks the worst group can lose; below zero, data is out of reach.
fn left(picture: &Picture, level: Option<Level>, work: Option<&Task>) -> Option<i64> {
    let (level, missing) = (level?, i64::from(picture.missing()));
    let built = i64::from(built(level, picture)?);
    let resync = work.is_some_and(|t| t.kind == TaskKind::Rebuild) && missing == 0 && is_resync(picture);
    Some(match level {
        Level::Single if picture.level.as_deref() == Some("multipath") => {
            i64::from(picture.width? > picture.missing()) - 1
        }
        _ if resync => 0,
        Level::Raid10 => match groups(picture) {
            Some(size) => worst_group(picture, size),
            // Which disks hold the copies is not known: the unlucky case is assumed, the worst one not.
            None => (built - missing).max(0),
        },
        _ => built - missing,
    })
}

/// Neighbours that hold the same data, where the places are known and fall into such groups.
fn groups(picture: &Picture) -> Option<usize> {
    let (copies, near) = picture.copies?;
    let size = usize::try_from(copies).ok().filter(|size| *size > 1)?;
    (near && !picture.map.is_empty() && picture.map.len().is_multiple_of(size)).then_some(size)
}

fn worst_group(picture: &Picture, size: usize) -> i64 {
    let healthy = |group: &[bool]| group.iter().filter(|in_sync| **in_sync).count() as i64 - 1;
    picture.map.chunks(size).map(healthy).min().unwrap_or(0)
}

fn members(at: &Path, picture: &Picture, level: Option<Level>) -> Vec<Member> {
    let member_at = |p: &Place| at.child(&p.device);
    if picture.map.is_empty() {
        let placed = picture.places.iter().filter(|p| matches!(p.role, Role::InSync | Role::Idle | Role::Target));
        let in_sync = |p: &Place| match p.role {
            Role::InSync => Some(true),
            Role::Target => Some(false),
            _ => None,
        };
        return placed.map(|p| Member { disk: member_at(p), group: 0, in_sync: in_sync(p) }).collect();
    }
    let size = groups(picture).filter(|_| level == Some(Level::Raid10) && seats_are_sure(picture));
    let member = |(slot, in_sync): (usize, &bool)| {
        let holder = picture.places.iter().find(|p| p.slot.and_then(|s| usize::try_from(s).ok()) == Some(slot));
        let disk = holder.map_or_else(|| at.child(format_args!("slot {slot}")), member_at);
        let group = size.and_then(|size| u32::try_from(slot / size).ok()).unwrap_or(0);
        Member { disk, group, in_sync: Some(*in_sync) }
    };
    picture.map.iter().enumerate().map(member).collect()
}

/// Naming the partner that must not be pulled allows no guess.
fn seats_are_sure(picture: &Picture) -> bool {
    let sure = |p: &Place| !p.words.is_empty() || p.slot == p.number;
    picture.places.iter().filter(|p| p.role == Role::InSync).all(sure)
}

/// A count is a finding only once a check has ended: while it runs it still grows, a resync counts what
/// it repairs, and a repair has repaired it.
fn check_is_over(picture: &Picture) -> bool {
    let idle = picture.work.is_none() && picture.sync_action.as_deref().is_none_or(|a| a == "idle" || a == "frozen");
    idle && picture.last_sync_action.as_deref().is_none_or(|a| a == "check")
}

fn task(reading: &mut Reading, at: &Path, picture: &Picture, work: &Work) -> Option<Task> {
    let action = picture.action()?;
    let Some(Said::Task(mut kind, mut state)) = meaning(WORK, action) else {
        reading.unknown_word(at.clone(), "work", action);
        return None;
    };
    if let Some(word) = &work.waits {
        match meaning(WAITS, word) {
            Some(Said::Task(_, waiting)) => state = waiting,
            _ => reading.unknown_word(at.clone(), "work that waits", word),
        }
        kind = waiting_for(picture, word, kind);
    }
    // Written beside a member that still serves: nothing is missing.
    if action.starts_with("recover") && picture.missing() == 0 {
        kind = TaskKind::Copyback;
    }
    let said = if work.said.is_empty() { action.to_owned() } else { work.said.clone() };
    let (percent, seconds_left) = (work.percent, work.seconds_left);
    Some(Task { on: at.clone(), kind, state: Observed::new(state, said), percent, seconds_left })
}

/// mdstat prints `resync=DELAYED` whatever waits: sysfs knows what, else the places tell. PENDING is a
/// resync that begins with the first write.
fn waiting_for(picture: &Picture, word: &str, kind: TaskKind) -> TaskKind {
    let is_written = picture.places.iter().any(|p| p.role == Role::Target);
    let stated = picture.sync_action.as_deref().is_some_and(|a| !["idle", "frozen"].contains(&a));
    match word {
        "REMOTE" => kind,
        "PENDING" if picture.missing() == 0 => TaskKind::BackgroundInitialise,
        _ if stated || is_written => kind,
        _ => TaskKind::Check,
    }
}

fn member(reading: &mut Reading, array: &Path, picture: &Picture, place: &Place) {
    let at = array.child(&place.device);
    if reading.disks.iter().any(|d| d.at == at) {
        return;
    }
    for word in &place.words {
        match meaning(MEMBER, word) {
            Some(Said::Finding(kind)) => reading.findings.push(Finding::new(at.clone(), kind, word.clone())),
            Some(_) => {}
            None => reading.unknown_word(at.clone(), "member state", word),
        }
    }
    if let Some(count) = place.bad_blocks.filter(|n| *n > 0) {
        let said = format!("bad block table has {count} entries");
        let finding = Finding::new(at.clone(), FindingKind::SectorsLost, said);
        reading.findings.push(Finding { count: Some(count), ..finding });
    }
    let mut disk = Disk { at, ..Disk::default() };
    disk.aliases = vec![Alias::Kernel(whole_disk(&place.device))];
    disk.device = Some(format!("/dev/{}", place.device));
    disk.array = Some(array.clone());
    disk.spare = (place.role == Role::Spare).then_some(SpareScope::Dedicated);
    disk.media_errors = place.errors;
    // Of an array that is not started nothing is known of its members; sysfs may still call them faulty.
    let state = disk_state(place.role, picture).filter(|_| picture.is_started() || place.role == Role::Faulty);
    disk.state = state.map(|state| Observed::new(state, place.said.clone()));
    reading.disks.push(disk);
}

fn disk_state(role: Role, picture: &Picture) -> Option<DiskState> {
    let is_written = picture.action().is_some_and(|a| a == "resync" || a.starts_with("recover"));
    Some(match role {
        Role::InSync | Role::Journal => DiskState::Online,
        Role::Target if is_written => DiskState::Rebuilding,
        // In its place, and nothing writes it: not a disk that is being rebuilt.
        Role::Target => DiskState::UnconfiguredGood,
        Role::Spare => DiskState::HotSpare,
        Role::Faulty => DiskState::Failed,
        Role::Replacement => DiskState::CopyingBack,
        Role::Idle => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::md::mdstat::sheet;

    /// (state, left, groups) of one array of mdstat.
    fn lowered(text: &str) -> (ArrayState, Option<u32>, Vec<u32>) {
        let mut reading = Reading::new("md", raidmond_core::model::Space::Kernel);
        picture(&mut reading, &sheet(text).arrays[0]);
        let array = &reading.arrays[0];
        let groups = array.members.iter().map(|m| m.group).collect();
        (array.state.as_ref().unwrap().state, array.redundancy_left, groups)
    }

    fn raid10(layout: &str, map: &str) -> (ArrayState, Option<u32>, Vec<u32>) {
        let there = map.bytes().enumerate().filter(|(_, b)| *b == b'U');
        let disks: String = there.map(|(i, _)| format!(" sd{}[{i}]", char::from(b'a' + i as u8))).collect();
        let working = map.matches('U').count();
        lowered(&format!("md1 : active raid10{disks}\n 5 blocks {layout} [{}/{working}] [{map}]\n", map.len()))
    }

    #[test]
    fn raid_10_counts_the_worst_mirror() {
        let near = "2 near-copies";
        assert_eq!(raid10(near, "UUUU"), (ArrayState::Optimal, Some(1), vec![0, 0, 1, 1]));
        assert_eq!(raid10(near, "U_U_"), (ArrayState::Degraded, Some(0), vec![0, 0, 1, 1]));
        assert_eq!(raid10(near, "U__U").0, ArrayState::Degraded);
        assert_eq!(raid10(near, "__UU").0, ArrayState::Failed);
        assert_eq!(raid10("3 near-copies", "UU_UUU").0, ArrayState::PartlyDegraded);
        assert_eq!(raid10("2 far-copies", "_U_U"), (ArrayState::Degraded, Some(0), vec![0; 4]));
        assert_eq!(raid10(near, "UU_").2, vec![0; 3], "an odd number does not fall into pairs");
    }

    #[test]
    fn without_its_counts_nothing_is_known_of_an_array() {
        let head = "md0 : active raid1 sdb1[1] sda1[0]\n";
        for rest in ["", " 5 blocks super 1.2 [2/", " 5 blocks super 1.2 [2/2] [U", " 5 blocks level 5, algorithm 2"] {
            assert_eq!(lowered(&format!("{head}{rest}")).0, ArrayState::Unknown, "{rest}");
        }
        assert_eq!(lowered(&format!("{head} 5 blocks [2/2] [UU]\n")).0, ArrayState::Optimal);
        assert_eq!(lowered("md0 : active raid0 sdb1[1] sda1[0]\n 5 blocks 512k chunks\n").0, ArrayState::Optimal);
    }

    #[test]
    fn a_mirror_of_one_by_design_is_whole() {
        let text = "md1 : active raid1 sda[0]\n 5 blocks [1/1] [U]\n";
        assert_eq!(lowered(text), (ArrayState::Optimal, Some(0), vec![0]));
    }

    #[test]
    fn too_many_lost_is_failed_whatever_the_first_word_says() {
        let text = "md1 : active raid5 sda[0] sdb[1](F)\n 5 blocks [3/1] [U__]\n";
        assert_eq!(lowered(text).0, ArrayState::Failed);
    }
}
