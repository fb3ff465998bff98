//! `dmsetup status` → pictures. Layouts as in Documentation/admin-guide/device-mapper of the kernel.

use super::picture::{Picture, Place, Work, share};
use super::vocabulary::{ACTION, MIRROR, PATH, POOL, RAID, TARGET, array_state, disk_state, meaning};
use crate::Said;
use crate::scan::clean;
use raidmond_core::model::{ArrayState, DiskState, FindingKind};

#[derive(Debug, Default)]
pub struct Sheet {
    pub pictures: Vec<Picture>,
    /// Devices listed, those that can lose nothing among them.
    pub devices: usize,
    /// `No devices found`
    pub none: bool,
    pub unread: Vec<String>,
}

/// Targets that keep nothing of their own: what is below or above them tells.
const PLAIN: [&str; 18] = [
    "linear",
    "crypt",
    "zero",
    "snapshot-origin",
    "snapshot-merge",
    "delay",
    "flakey",
    "era",
    "clone",
    "log-writes",
    "dust",
    "switch",
    "unstriped",
    "zoned",
    "ebs",
    "bow",
    "user",
    "vdo",
];

pub fn status(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    for line in clean(text).lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if line == "No devices found" {
            sheet.none = true;
        } else if let Some((name, words)) = split(line) {
            sheet.devices += 1;
            take(&mut sheet.pictures, picture(name, &words));
        } else {
            sheet.unread.push(line.to_owned());
        }
    }
    sheet
}

/// `NAME: START LENGTH TARGET …`; the name may hold colons.
fn split(line: &str) -> Option<(&str, Vec<&str>)> {
    let (name, rest) = line.split_once(": ")?;
    let mut words = rest.split_whitespace();
    let numbers = words.by_ref().take(2).filter(|w| w.bytes().all(|b| b.is_ascii_digit())).count();
    (numbers == 2).then(|| (name, words.collect()))
}

/// A device may have several segments: one that failed is enough.
fn take(pictures: &mut Vec<Picture>, new: Picture) {
    if new.is_blank() {
        return;
    }
    match pictures.iter_mut().find(|p| p.name == new.name) {
        Some(old) if new.word == Some(ArrayState::Failed) => *old = new,
        Some(old) => {
            old.unknown.extend(new.unknown);
            old.findings.extend(new.findings);
        }
        None => pictures.push(new),
    }
}

fn picture(name: &str, words: &[&str]) -> Picture {
    let picture = Picture::named(name);
    let Some((target, rest)) = words.split_first() else { return picture.strange("line", name) };
    match *target {
        "raid" => raid(picture, rest),
        "mirror" => mirror(picture, rest),
        "striped" => striped(picture, rest),
        "multipath" => multipath(picture, rest),
        "snapshot" => snapshot(picture, rest),
        "thin-pool" => thin_pool(picture, rest),
        "thin" | "cache" | "writecache" | "integrity" | "verity" => lone(picture, target, rest),
        "error" => picture.failed("error", "an error target stands for a missing device"),
        other if PLAIN.contains(&other) => picture,
        other => picture.strange(TARGET, other),
    }
}

/// `raid1 2 AA 2097152/2097152 idle 0 [OFFSET JOURNAL]`
fn raid(mut picture: Picture, words: &[&str]) -> Picture {
    let [level, count, letters, ratio, rest @ ..] = words else {
        return picture.strange("raid status", words.join(" "));
    };
    picture.level = Some((*level).to_owned());
    let action = rest.first().copied();
    picture.said = [Some(*letters), action].into_iter().flatten().collect::<Vec<_>>().join(" ");
    images(&mut picture, RAID, "rimage", letters);
    if count.parse() != Ok(picture.places.len()) {
        picture.unknown.push(("raid status", words.join(" ")));
    }
    let share = share(ratio);
    match action.map(|a| (a, meaning(ACTION, a))) {
        Some((action, Some(Said::Task(..)))) => {
            picture.work = Some(Work { action: action.to_owned(), percent: share });
        }
        Some((_, Some(_))) => {}
        // Kernels before 3.10 tell no action.
        None if share.is_some_and(|s| s < 100.0) => picture.work = Some(Work { action: String::new(), percent: share }),
        None => {}
        Some((action, None)) => picture.unknown.push((ACTION, action.to_owned())),
    }
    picture.mismatches = rest.get(1).and_then(|n| n.parse().ok()).filter(|_| action == Some("idle"));
    picture
}

fn images(picture: &mut Picture, of: &'static str, stem: &str, letters: &str) {
    for (index, letter) in letters.chars().enumerate() {
        let word = letter.to_string();
        let state = disk_state(of, &word);
        if state.is_none() {
            picture.unknown.push((of, word.clone()));
        }
        let state = Some(state.unwrap_or(DiskState::Unknown));
        picture.places.push(Place { name: format!("{stem}_{index}"), device: None, state, said: word });
    }
}

/// `2 253:1 253:2 2048/2048 1 AA 3 disk 253:0 A`
fn mirror(mut picture: Picture, words: &[&str]) -> Picture {
    let legs: usize = words.first().and_then(|n| n.parse().ok()).unwrap_or(0);
    let rest = words.get(legs.saturating_add(1)..).unwrap_or_default();
    let [ratio, _, letters, log @ ..] = rest else {
        return picture.strange("mirror status", words.join(" "));
    };
    picture.level = Some("mirror".to_owned());
    picture.said = (*letters).to_owned();
    images(&mut picture, MIRROR, "mimage", letters);
    if picture.places.len() != legs {
        picture.unknown.push(("mirror status", words.join(" ")));
    }
    let share = share(ratio);
    picture.work = share.filter(|s| *s < 100.0).map(|s| Work { action: "resync".to_owned(), percent: Some(s) });
    if let [_, "disk", _, state] = log {
        match disk_state(MIRROR, state) {
            Some(DiskState::Online) => {}
            Some(_) => picture.findings.push((FindingKind::ToolReportsFault, format!("mirror log device {state}"))),
            None => picture.unknown.push((MIRROR, (*state).to_owned())),
        }
    }
    picture
}

/// `2 8:0 8:16 1 AA`: older kernels print nothing.
fn striped(picture: Picture, words: &[&str]) -> Picture {
    match words.last() {
        Some(letters) if letters.bytes().all(|b| b == b'A' || b == b'D') && letters.contains('D') => {
            picture.failed("striped", format!("striped {letters}"))
        }
        _ => picture,
    }
}

/// `2 0 0 0 GROUPS CURRENT { A|D|E 0 PATHS ARGS { 8:16 A|F FAILS ARGS… }… }…`
fn multipath(mut picture: Picture, words: &[&str]) -> Picture {
    picture.level = Some("multipath".to_owned());
    match paths(words) {
        Some(paths) if !paths.is_empty() => picture.places = paths,
        _ => return picture.strange("multipath status", words.join(" ")),
    }
    judge_paths(&mut picture);
    picture
}

/// The state of a multipath device is that of its paths.
pub fn judge_paths(picture: &mut Picture) {
    for place in &mut picture.places {
        if place.state.is_none() {
            picture.unknown.push((PATH, place.said.clone()));
            place.state = Some(DiskState::Unknown);
        }
    }
    let total = picture.places.len();
    let works = picture.places.iter().filter(|p| p.state == Some(DiskState::Online)).count();
    let lost = picture.places.iter().filter(|p| p.state == Some(DiskState::Failed)).count();
    picture.said = format!("{works} of {total} paths work");
    picture.word = Some(if works == 0 && lost > 0 { ArrayState::Failed } else { ArrayState::Optimal });
    if works > 0 && lost > 0 {
        let names: Vec<&str> =
            picture.places.iter().filter(|p| p.state == Some(DiskState::Failed)).map(|p| p.name.as_str()).collect();
        let said = format!("{} lost, {}", names.join(", "), picture.said);
        picture.findings.push((FindingKind::PathLost, said));
    }
}

fn paths(words: &[&str]) -> Option<Vec<Place>> {
    let mut words = Numbers(words);
    let features = words.number()?;
    words.skip(features)?;
    let handler = words.number()?;
    words.skip(handler)?;
    let groups = words.number()?;
    words.skip(1)?;
    let mut found = Vec::new();
    for _ in 0..groups.min(256) {
        words.skip(1)?;
        let selector = words.number()?;
        words.skip(selector)?;
        let (paths, args) = (words.number()?, words.number()?);
        for _ in 0..paths.min(1024) {
            let (device, state) = (words.word()?, words.word()?);
            words.skip(args.checked_add(1)?)?;
            found.push(Place {
                name: device.to_owned(),
                device: None,
                state: disk_state(PATH, state),
                said: state.to_owned(),
            });
        }
    }
    Some(found)
}

struct Numbers<'w>(&'w [&'w str]);

impl<'w> Numbers<'w> {
    fn word(&mut self) -> Option<&'w str> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<usize> {
        self.word()?.parse().ok()
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.get(count..)?;
        Some(())
    }
}

/// `1024/8192 16`, `Invalid`
fn snapshot(mut picture: Picture, words: &[&str]) -> Picture {
    let said = words.join(" ");
    match (words.first().and_then(|w| share(w)), meaning("snapshot", &said)) {
        (Some(_), _) => picture,
        (None, Some(Said::Finding(kind))) => {
            picture.findings.push((kind, format!("snapshot {said}: what it kept is lost")));
            picture
        }
        _ => picture.strange("snapshot status", said),
    }
}

/// Metadata fuller than this stops the pool soon, and a pool that ran out of it needs repair.
const METADATA_FULL: f64 = 95.0;

/// `1 11/2048 77/8192 - rw no_discard_passdown queue_if_no_space - 1024`, `Fail`
fn thin_pool(mut picture: Picture, words: &[&str]) -> Picture {
    if let [only] = words {
        return match array_state(POOL, only) {
            Some(ArrayState::Failed) => picture.failed("thin-pool", *only),
            _ => picture.strange("thin-pool status", *only),
        };
    }
    let [_, metadata, _, _, mode, ..] = words else {
        return picture.strange("thin-pool status", words.join(" "));
    };
    match array_state(POOL, mode) {
        Some(ArrayState::Optimal) => {}
        Some(_) => picture = picture.failed("thin-pool", *mode),
        None => picture.unknown.push((POOL, (*mode).to_owned())),
    }
    if words.contains(&"needs_check") {
        picture.findings.push((FindingKind::ToolReportsFault, "thin-pool needs_check".to_owned()));
    }
    if share(metadata).is_some_and(|s| s >= METADATA_FULL) {
        picture.findings.push((FindingKind::ToolReportsFault, "thin-pool metadata is nearly full".to_owned()));
    }
    picture
}

/// Targets whose first or last word tells whether they failed.
fn lone(mut picture: Picture, target: &str, words: &[&str]) -> Picture {
    let failed = match (target, words) {
        ("integrity", [mismatches, ..]) if mismatches.parse::<u64>().is_ok_and(|n| n > 0) => {
            let said = format!("{mismatches} integrity mismatches");
            picture.findings.push((FindingKind::ToolReportsFault, said));
            false
        }
        ("writecache", [error, ..]) => error.parse::<i64>().is_ok_and(|n| n != 0),
        ("verity", ["C", ..]) => true,
        (_, [word, ..]) => array_state(POOL, word) == Some(ArrayState::Failed),
        _ => return picture.strange(TARGET, format!("{target} without a status")),
    };
    if words.contains(&"needs_check") {
        picture.findings.push((FindingKind::ToolReportsFault, format!("{target} needs_check")));
    }
    if failed { picture.failed(target, format!("{target} {}", words.join(" "))) } else { picture }
}
