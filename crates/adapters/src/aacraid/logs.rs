//! `GETLOGS n DEVICE`: error counters per disk, in its tabular and its XML form.
//!
//! The log of dead drives (`GETLOGS n DEAD`) tells what failed long ago by the controller's own clock;
//! it is remarked and never raised: a replaced disk stays in it for ever.

use super::{lower, parse};
use raidmond_core::model::{Alias, Disk, Observed, Path};
use raidmond_core::survey::{Answer, Covers, NoteKind, Reading};

pub struct Entry {
    dead: bool,
    fields: Vec<(String, String)>,
}

impl Entry {
    fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(k, v)| k.eq_ignore_ascii_case(key) && !v.is_empty()).map(|(_, v)| v.as_str())
    }

    fn count(&self, key: &str) -> Option<u64> {
        self.get(key)?.parse().ok()
    }
}

pub fn all(reading: &mut Reading, at: &Path, answer: &Answer) {
    let entries = entries(&answer.text());
    if entries.is_empty() {
        empty(reading, at, answer);
    }
    for entry in &entries {
        if entry.dead {
            dead(reading, at, entry);
        } else {
            counters(reading, at, entry);
        }
    }
}

/// Not every card and version keeps this log: a refusal is no blindness, silence is.
fn empty(reading: &mut Reading, at: &Path, answer: &Answer) {
    let output = parse::arcconf(&answer.text());
    let refused = output.refusal.is_some() || answer.outcome.exit != 0;
    if answer.outcome.ended() && refused && !answer.stdout.is_empty() {
        let why = output.refusal.unwrap_or_else(|| answer.outcome.words());
        reading.note(NoteKind::Remark, at.clone(), format!("`{}`: {why}", answer.asked));
    } else if !lower::failed(reading, at, answer) && !output.completed {
        let text = answer.text();
        let said = format!("`{}` gave no log: {}", answer.asked, text.lines().next().unwrap_or("the answer is empty"));
        reading.note(NoteKind::Unreadable, at.clone(), said);
    }
}

fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in crate::scan::clean(text).lines().map(str::trim) {
        let name = line.trim_start_matches('<');
        if name.starts_with("driveErrorEntry") || name.starts_with("deadDriveEntry") {
            entries.push(Entry { dead: name.starts_with("dead"), fields: attributes(line) });
        } else if let (Some(entry), Some((key, value))) = (entries.last_mut(), line.split_once(' ')) {
            let value = value.trim_start_matches(['.', ' ']).trim();
            entry.fields.push((key.trim_end_matches('.').to_owned(), value.to_owned()));
        }
    }
    entries
}

/// `channelID="0" deviceID="3"`.
fn attributes(line: &str) -> Vec<(String, String)> {
    let mut parts = line.split('"');
    let mut found = Vec::new();
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        let key = key.trim_end_matches('=').rsplit(' ').next().unwrap_or("");
        found.push((key.to_owned(), value.trim().to_owned()));
    }
    found
}

fn dead(reading: &mut Reading, at: &Path, entry: &Entry) {
    let field = |key| entry.get(key).unwrap_or("?");
    let date = format!("{}-{}-{}", field("rtcYear"), field("rtcMonth"), field("rtcDay"));
    let place = format!("channel {} device {}", field("channelID"), field("deviceID"));
    let said = format!("dead drive log: {date} {place} serial {}", field("serialNumber"));
    reading.note(NoteKind::Remark, at.clone(), said);
}

fn counters(reading: &mut Reading, at: &Path, entry: &Entry) {
    let Some(path) = disk_of(reading, at, entry) else { return };
    let disk = reading.disk(&path);
    let keep = |old: Option<u64>, new: Option<u64>| old.max(new);
    disk.media_errors = keep(disk.media_errors, entry.count("mediumErrors"));
    disk.other_errors = keep(disk.other_errors, entry.count("hwErrors"));
    disk.timeouts = keep(disk.timeouts, entry.count("abortedCmds"));
    let link = [entry.count("linkFailures"), entry.count("numParityErrors")];
    disk.link_errors = keep(disk.link_errors, link.into_iter().flatten().reduce(u64::saturating_add));
    smart(disk, entry);
}

fn smart(disk: &mut Disk, entry: &Entry) {
    let warnings = entry.count("smartWarning");
    disk.predictive_errors = disk.predictive_errors.max(warnings);
    let tripped = entry.get("smartError").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    if tripped || warnings.is_some_and(|count| count > 0) {
        let said =
            if tripped { "smartError: true".to_owned() } else { format!("smartWarning: {}", warnings.unwrap_or(0)) };
        disk.predictive = Some(Observed::new(true, said));
    }
}

/// By serial; by place only when the entry carries no serial. An entry of a disk that is no longer
/// listed is old.
fn disk_of(reading: &Reading, at: &Path, entry: &Entry) -> Option<Path> {
    let mine = || reading.disks.iter().filter(|d| d.at.root() == *at);
    if let Some(serial) = entry.get("serialNumber").and_then(Alias::serial) {
        let listed = mine().find(|d| d.serial.as_deref() == Some(serial.value())).map(|d| d.at.clone());
        let unknown = || mine().all(|d| d.serial.is_none()).then(|| place_of(reading, at, entry))?;
        return listed.or_else(unknown);
    }
    place_of(reading, at, entry)
}

fn place_of(reading: &Reading, at: &Path, entry: &Entry) -> Option<Path> {
    let id = format!("{},{}", entry.get("channelID").unwrap_or("0"), entry.get("deviceID")?);
    let listed = reading.disks.iter().find(|d| d.at.root() == *at && d.device_id.as_deref() == Some(&id));
    let slot = || Some(at.slot(Some(entry.get("enclIndex")?), entry.get("slotNum")?));
    let unlisted = || slot().filter(|_| !reading.coverage.has(at, Covers::Disks));
    listed.map(|d| d.at.clone()).or_else(unlisted)
}
