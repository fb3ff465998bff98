//! Answers of `btrfs` → file systems: `filesystem show`, `df` and `usage`, `device stats`, `scrub status`.
//! Layouts of btrfs-progs 3 to 6.

use super::picture::{Device, Filesystem, Profile, Stats};
use super::vocabulary::{SCRUB, SUMMARY, meaning};
use crate::scan::{clean, count, key_value, percent};
use serde_json::Value;

#[derive(Debug, Default)]
pub struct Sheet {
    pub filesystems: Vec<Filesystem>,
    /// Errors of the tool, and lines that were not understood.
    pub unread: Vec<String>,
}

fn lines(text: &str) -> Vec<String> {
    clean(text).lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect()
}

fn is_aside(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.starts_with("btrfs v") || lower.starts_with("btrfs-progs v") || lower.starts_with('#')
}

pub fn show(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    let mut warned = false;
    for line in lines(text).iter().filter(|l| !is_aside(l)) {
        if let Some(filesystem) = head(line) {
            sheet.filesystems.push(filesystem);
        } else if line.to_ascii_lowercase().starts_with("warning") && line.contains("missing") {
            // Printed before the file system it is about.
            warned = true;
        } else if let Some(filesystem) = sheet.filesystems.last_mut() {
            if !member(filesystem, line) {
                sheet.unread.push(line.clone());
            }
        } else {
            sheet.unread.push(line.clone());
        }
    }
    let told = sheet.filesystems.iter().any(|f| f.some_missing || f.devices.iter().any(|d| d.missing == Some(true)));
    if warned && !told {
        sheet.filesystems.iter_mut().for_each(|f| f.some_missing = true);
    }
    sheet
}

/// `Label: 'data'  uuid: 1b2c…`, `Label: none  uuid: …`
fn head(line: &str) -> Option<Filesystem> {
    let (label, uuid) = line.strip_prefix("Label:")?.split_once("uuid:")?;
    let label = label.trim().trim_matches('\'');
    let label = Some(label.to_owned()).filter(|l| !l.is_empty() && l != "none");
    Some(Filesystem { uuid: Some(uuid.trim().to_owned()), label, ..Filesystem::default() })
}

fn member(filesystem: &mut Filesystem, line: &str) -> bool {
    if let Some(rest) = line.strip_prefix("Total devices") {
        filesystem.total_devices = count(rest).and_then(|n| u32::try_from(n).ok());
        return true;
    }
    if line.contains("Some devices missing") {
        filesystem.some_missing = true;
        return true;
    }
    let mut words = line.split_whitespace();
    if words.next() != Some("devid") {
        return false;
    }
    let id = words.next().and_then(|n| n.parse().ok());
    let (_, path) = line.split_once(" path").unwrap_or((line, ""));
    let path = path.trim();
    let missing = path.ends_with("MISSING") || path.contains("missing") || path.is_empty();
    let path = Some(path.split_whitespace().next().unwrap_or_default().to_owned()).filter(|p| p.starts_with('/'));
    let device = Device { id, path: path.filter(|_| !missing), missing: Some(missing), stats: Stats::default() };
    filesystem.devices.push(device);
    true
}

/// `df` and `usage`: `Data, RAID1: total=1.00GiB, used=512.00MiB`, `Data,RAID1: Size:1.00GiB, Used:…`
pub fn profiles(text: &str) -> Sheet {
    let mut filesystem = Filesystem::default();
    let mut unread = Vec::new();
    for line in lines(text) {
        if line.contains("Multiple block group profiles") || line.starts_with("WARNING: ") && line.contains("profile") {
            // Judged by the profiles themselves.
        } else if let Some(missing) = line.strip_prefix("Device missing:") {
            filesystem.some_missing = missing.trim().starts_with(|c: char| c.is_ascii_digit() && c != '0');
        } else if let Some(profile) = profile(&line) {
            filesystem.profiles.push(profile);
        } else if line.to_ascii_lowercase().starts_with("error") {
            unread.push(line);
        }
    }
    let filesystems = if filesystem.profiles.is_empty() { Vec::new() } else { vec![filesystem] };
    Sheet { filesystems, unread }
}

fn profile(line: &str) -> Option<Profile> {
    let (head, rest) = line.split_once(": ")?;
    let (of, word) = head.split_once(',')?;
    let of = of.trim().to_ascii_lowercase();
    if !["data", "metadata", "system", "data+metadata"].contains(&of.as_str()) {
        return None;
    }
    let used = rest.to_ascii_lowercase();
    let used = used.split_once("used").map(|(_, u)| u.trim_start_matches(['=', ':', ' ']).to_owned());
    let used = used.map(|u| u.trim_start_matches(['0', '.']).starts_with(|c: char| c.is_ascii_digit()));
    Some(Profile { of, word: word.trim().to_ascii_lowercase(), used })
}

pub fn stats(text: &str) -> Sheet {
    if text.trim_start().starts_with('{') {
        return stats_json(text);
    }
    let mut filesystem = Filesystem::default();
    let mut unread = Vec::new();
    let mut table = false;
    for line in lines(text) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let counter = line.strip_prefix('[').and_then(|l| l.rsplit_once("]."));
        match (counter, words.as_slice()) {
            (Some((path, rest)), _) => {
                let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let value = value.trim().parse().ok();
                let known = filesystem.by_path(path).stats.set(key.trim(), value);
                if !known || value.is_none() {
                    filesystem.unknown.push(("counter", line.clone()));
                }
            }
            (None, ["Id", "Path", ..]) => table = true,
            (None, [rule, ..]) if rule.starts_with("--") => {}
            (None, [id, path, write, read, flush, corruption, generation]) if table && id.parse::<u64>().is_ok() => {
                let device = filesystem.by_path(path);
                device.id = id.parse().ok();
                let number = |text: &str| text.parse().ok();
                device.stats = Stats {
                    write: number(write),
                    read: number(read),
                    flush: number(flush),
                    corruption: number(corruption),
                    generation: number(generation),
                };
            }
            _ => unread.push(line),
        }
    }
    if filesystem.devices.iter().any(|d| d.stats.is_partial()) {
        filesystem.unknown.push(("device statistics", "fewer than five counters".to_owned()));
    }
    let filesystems = if filesystem.devices.is_empty() { Vec::new() } else { vec![filesystem] };
    Sheet { filesystems, unread }
}

fn stats_json(text: &str) -> Sheet {
    let mut filesystem = Filesystem::default();
    let document: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    for row in document.get("device-stats").and_then(Value::as_array).into_iter().flatten() {
        let word = |key: &str| row.get(key).map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
        let Some(path) = word("device") else { continue };
        let device = filesystem.by_path(&path);
        device.id = word("devid").and_then(|id| id.parse().ok());
        for key in ["write_io_errs", "read_io_errs", "flush_io_errs", "corruption_errs", "generation_errs"] {
            device.stats.set(key, word(key).and_then(|v| v.parse().ok()));
        }
    }
    let filesystems = if filesystem.devices.is_empty() { Vec::new() } else { vec![filesystem] };
    Sheet { filesystems, unread: Vec::new() }
}

/// `scrub status`, one file system or several. `None` in `scrub` where none was ever run.
pub fn scrub(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    for line in lines(text) {
        let uuid = line.strip_prefix("scrub status for ").or_else(|| line.strip_prefix("UUID:"));
        if let Some(uuid) = uuid {
            let uuid = Some(uuid.trim().to_owned());
            sheet.filesystems.push(Filesystem { uuid, ..Filesystem::default() });
        } else if let Some(filesystem) = sheet.filesystems.last_mut() {
            if !result(filesystem, &line) {
                filesystem.unknown.push(("the line of scrub status", line));
            }
        } else {
            sheet.unread.push(line);
        }
    }
    sheet
}

fn result(filesystem: &mut Filesystem, line: &str) -> bool {
    if line == "no stats available" {
        return true;
    }
    if let Some(state) = old_state(line) {
        filesystem.scrub.get_or_insert_default().state = state.to_owned();
        return true;
    }
    let scrub = filesystem.scrub.get_or_insert_default();
    if let Some((_, rest)) = line.split_once("total bytes scrubbed:").filter(|_| line.contains(" with ")) {
        scrub.errors = rest.split_once(" with ").and_then(|(_, n)| count(n));
        scrub.no_errors = scrub.errors == Some(0);
        return scrub.errors.is_some();
    }
    if line.starts_with("error details:") {
        scrub.said = line.trim_start_matches("error details:").trim().to_owned();
        return true;
    }
    if let Some(rest) = line.strip_prefix("corrected errors:") {
        let mut numbers = rest.split(',').map(count);
        scrub.corrected = numbers.next().flatten();
        scrub.uncorrectable = numbers.next().flatten();
        return true;
    }
    let Some((key, value)) = key_value(line, ':') else { return false };
    match key {
        "Status" if meaning(SCRUB, value).is_some() => scrub.state = value.to_owned(),
        "Bytes scrubbed" => scrub.percent = value.split_once('(').and_then(|(_, p)| percent(p)),
        "Error summary" if meaning(SUMMARY, value).is_some() => scrub.no_errors = true,
        "Error summary" if value.contains('=') => scrub.said = value.to_owned(),
        "Corrected" => scrub.corrected = count(value),
        "Uncorrectable" => scrub.uncorrectable = count(value),
        "Unverified" | "Scrub started" | "Scrub resumed" | "Duration" | "Time left" | "ETA" | "Total to scrub" => {}
        "Rate" | "Limit" => {}
        _ => return false,
    }
    true
}

/// `scrub started at … and finished after 00:10:00`, `…, running for 30 seconds`, `… interrupted after …`
fn old_state(line: &str) -> Option<&'static str> {
    let is_old = line.starts_with("scrub started at") || line.starts_with("scrub resumed at");
    let words = [("finished after", "finished"), ("running for", "running"), ("interrupted", "interrupted")];
    let more = [("aborted", "aborted"), ("cancel", "aborted")];
    words.into_iter().chain(more).find(|(mark, _)| is_old && line.contains(mark)).map(|(_, state)| state)
}
