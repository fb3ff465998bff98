//! `/sys/fs/btrfs` → file systems. `missing` came with Linux 5.6, `exclusive_operation` with 5.10,
//! `error_stats` with 5.14.

use super::picture::{Filesystem, Operation, Profile};
use super::vocabulary::{MISSING, OPERATION, meaning};
use crate::Said;
use raidmond_core::model::DiskState;
use raidmond_core::survey::Answer;

pub const ROOT: &str = "/sys/fs/btrfs";

/// `/sys/fs/btrfs/UUID/devinfo/1/missing` → `UUID`, `devinfo/1/missing`
pub fn split(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix(ROOT)?.trim_matches('/');
    let (uuid, file) = rest.split_once('/').unwrap_or((rest, ""));
    is_uuid(uuid).then_some((uuid, file))
}

/// Beside file systems lies `features`.
pub fn is_uuid(name: &str) -> bool {
    name.len() == 36 && name.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

pub fn names(answer: &Answer) -> Vec<String> {
    answer.text().lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect()
}

/// Takes one file or folder of a file system in.
pub fn take(filesystem: &mut Filesystem, answer: &Answer) {
    let Some((_, file)) = split(answer.asked.path()) else { return };
    if !answer.outcome.ended() {
        return;
    }
    let text = answer.text();
    let parts: Vec<&str> = file.split('/').collect();
    match parts.as_slice() {
        ["label"] => filesystem.label = Some(text.trim().to_owned()).filter(|l| !l.is_empty()),
        ["exclusive_operation"] => operation(filesystem, text.trim()),
        ["devinfo"] => {
            for id in names(answer).iter().filter_map(|n| n.parse().ok()) {
                filesystem.by_id(id);
            }
        }
        ["devinfo", id, "missing"] => missing(filesystem, id, text.trim()),
        ["devinfo", id, "error_stats"] => stats(filesystem, id, &text),
        ["allocation", of] => profiles(filesystem, of, &names(answer)),
        ["allocation", of, word, "used_bytes"] => used(filesystem, of, word, text.trim()),
        _ => {}
    }
}

fn operation(filesystem: &mut Filesystem, word: &str) {
    match meaning(OPERATION, word) {
        Some(Said::Task(..)) => filesystem.operation = Some(Operation { word: word.to_owned(), percent: None }),
        Some(_) => {}
        None => filesystem.unknown.push((OPERATION, word.to_owned())),
    }
}

fn missing(filesystem: &mut Filesystem, id: &str, word: &str) {
    let Ok(id) = id.parse() else { return };
    let said = meaning(MISSING, word);
    filesystem.by_id(id).missing = match said {
        Some(Said::Disk(state)) => Some(state == DiskState::Missing),
        _ => None,
    };
    if said.is_none() {
        filesystem.unknown.push((MISSING, word.to_owned()));
    }
}

fn stats(filesystem: &mut Filesystem, id: &str, text: &str) {
    let Ok(id) = id.parse() else { return };
    let mut unknown = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let value = value.trim().parse().ok();
        if !filesystem.by_id(id).stats.set(key, value) || value.is_none() {
            unknown.push(("error_stats", line.to_owned()));
        }
    }
    filesystem.unknown.extend(unknown);
}

/// Folders of profiles lie among files.
const PROFILES: [&str; 10] =
    ["single", "dup", "raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6", "mixed"];

fn profiles(filesystem: &mut Filesystem, of: &str, names: &[String]) {
    for name in names.iter().filter(|n| is_profile(n)) {
        if !filesystem.profiles.iter().any(|p| p.of == of && p.word == *name) {
            filesystem.profiles.push(Profile { of: of.to_owned(), word: name.clone(), used: None });
        }
    }
}

/// A profile nobody knows looks like `raid…` still.
pub fn is_profile(name: &str) -> bool {
    PROFILES.contains(&name) || name.starts_with("raid")
}

fn used(filesystem: &mut Filesystem, of: &str, word: &str, bytes: &str) {
    let found = filesystem.profiles.iter_mut().find(|p| p.of == of && p.word == word);
    if let (Some(profile), Ok(bytes)) = (found, bytes.parse::<u64>()) {
        profile.used = Some(bytes > 0);
    }
}
