//! btrfs: devices, profiles, error counters, scrubs.
//!
//! sysfs tells devices, profiles and, since Linux 5.14, counters of every mounted file system, without a
//! child and without rights. `btrfs` adds names of devices, the last scrub, and what older kernels keep to
//! themselves.
//!
//! Not done: file systems that are not mounted, quotas, balance in percent, free space.

mod lower;
mod picture;
mod sysfs;
#[cfg(test)]
mod tests;
mod text;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use picture::Filesystem;
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{
    Answer, AnswerKind, Asked, Covers, Deadline, Heard, Known, NoteKind, Query, Reading, Scope,
};
use text::Sheet;

pub struct Btrfs;

/// Names in `/sys/fs/btrfs`.
pub const MOUNTED: AnswerKind = AnswerKind("mounted");
pub const ATTRIBUTE: AnswerKind = AnswerKind("attribute");
pub const MOUNTS: AnswerKind = AnswerKind("mounts");
pub const SHOW: AnswerKind = AnswerKind("show");
pub const PROFILES: AnswerKind = AnswerKind("profiles");
pub const STATS: AnswerKind = AnswerKind("statistics");
pub const SCRUB: AnswerKind = AnswerKind("scrub");
/// Reads, and tells nothing of how a file system is.
pub const ASIDE: AnswerKind = AnswerKind("aside");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

static TOOLS: &[Tool] = &[Tool {
    names: &["btrfs"],
    paths: &["/sbin", "/usr/sbin", "/bin", "/usr/bin"],
    how_to_get: "package btrfs-progs; not needed for states, it adds scrubs and names of devices",
}];

impl Adapter for Btrfs {
    fn family(&self) -> &'static str {
        "btrfs"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &[]
    }

    fn watches_without_card(&self) -> Option<&'static str> {
        Some(sysfs::ROOT)
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool() == "btrfs" => Some(by_words(asked)),
            Asked::Dir(path) if path.trim_end_matches('/') == sysfs::ROOT => Some(MOUNTED),
            Asked::File(path) if path == "/proc/mounts" => {
                String::from_utf8_lossy(head).contains(" btrfs ").then_some(MOUNTS)
            }
            Asked::Dir(path) | Asked::File(path) => sysfs::split(path).map(|_| ATTRIBUTE),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(read(heard));
        let queries = match known.scope {
            Scope::Everything => Vec::new(),
            _ => queries(known, heard),
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

/// `btrfs` takes shortened words: `btrfs fi sh`, `btrfs dev stats`.
fn by_words(asked: &Asked) -> AnswerKind {
    let words = asked.args_lower();
    let mut words = words.iter().map(String::as_str).filter(|w| !w.starts_with('-') && *w != "json");
    let (group, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is = |word: &str, whole: &str, least: usize| word.len() >= least && whole.starts_with(word);
    match () {
        () if is(group, "filesystem", 1) && is(verb, "show", 2) => SHOW,
        () if is(group, "filesystem", 1) && (is(verb, "df", 2) || is(verb, "usage", 1)) => PROFILES,
        () if is(group, "device", 1) && is(verb, "stats", 3) => {
            let resets = asked.args_lower().iter().any(|w| w == "-z" || w == "--reset");
            if resets { MUTATION } else { STATS }
        }
        () if is(group, "scrub", 2) && is(verb, "status", 4) => SCRUB,
        () if is(group, "device", 1) && is(verb, "usage", 1) => ASIDE,
        () if ["status", "list", "show", "version", "help", ""].contains(&verb) => ASIDE,
        () if group.starts_with("inspect") || group == "version" => ASIDE,
        () => MUTATION,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let is_line = |l: &str| l.trim_start().starts_with('[') && l.contains("].") && l.contains("_errs");
    let is_head = |l: &str| l.starts_with("Label:") && l.contains(" uuid: ");
    match () {
        () if head.lines().any(is_line) || head.contains("\"device-stats\"") => Some(STATS),
        () if head.lines().any(is_head) => Some(SHOW),
        () if head.contains("scrub status for ") || head.contains("Bytes scrubbed:") => Some(SCRUB),
        () if head.contains("GlobalReserve, single:") => Some(PROFILES),
        () => None,
    }
}

fn queries(known: &Known, heard: &Heard) -> Vec<Query> {
    let mut queries = vec![Query::dir(MOUNTED, sysfs::ROOT)];
    let uuids: Vec<String> = heard.of(MOUNTED).flat_map(sysfs::names).filter(|n| sysfs::is_uuid(n)).collect();
    for uuid in uuids.iter().take(256) {
        let at = format!("{}/{uuid}", sysfs::ROOT);
        queries.push(Query::file(ATTRIBUTE, format!("{at}/label")).daily());
        queries.push(Query::file(ATTRIBUTE, format!("{at}/exclusive_operation")));
        queries.push(Query::dir(ATTRIBUTE, format!("{at}/devinfo")));
        for of in ["data", "metadata", "system"] {
            queries.push(Query::dir(ATTRIBUTE, format!("{at}/allocation/{of}")).slow());
        }
    }
    heard.of(ATTRIBUTE).for_each(|listing| queries.extend(below(listing)));
    if let Some(tool) = known.tool.as_ref().filter(|_| !uuids.is_empty()) {
        by_tool(&mut queries, &tool.name, heard);
    }
    queries
}

/// What a listed folder of a file system calls for.
fn below(listing: &Answer) -> Vec<Query> {
    let folder = listing.asked.path();
    let Some((_, file)) = sysfs::split(folder).filter(|_| matches!(listing.asked, Asked::Dir(_))) else {
        return Vec::new();
    };
    let names = sysfs::names(listing);
    match file {
        "devinfo" => {
            let files = |id: &String| ["missing", "error_stats"].map(|f| format!("{folder}/{id}/{f}"));
            names.iter().take(1024).flat_map(files).map(|f| Query::file(ATTRIBUTE, f)).collect()
        }
        _ => {
            let profiles = names.iter().filter(|n| sysfs::is_profile(n));
            profiles.map(|p| Query::file(ATTRIBUTE, format!("{folder}/{p}/used_bytes")).slow()).collect()
        }
    }
}

fn by_tool(queries: &mut Vec<Query>, tool: &str, heard: &Heard) {
    let told = |file: &str| heard.of(ATTRIBUTE).any(|a| a.asked.path().ends_with(file) && !a.outcome.absent);
    let asked = |file: &str| heard.of(ATTRIBUTE).any(|a| a.asked.path().ends_with(file));
    // Names of devices change rarely; before Linux 5.6 only the tool tells which one is missing.
    let show = Query::cmd(SHOW, &[tool, "filesystem", "show", "--mounted"]).deadline(Deadline::Quick);
    queries.push(if told("/missing") { show.daily() } else { show.slow() });
    queries.push(Query::file(MOUNTS, "/proc/mounts").slow());
    let counts = told("/error_stats");
    let knows = asked("/error_stats") || (asked("/devinfo") && !told("/devinfo"));
    for (_, point) in places(heard) {
        queries.push(Query::cmd(SCRUB, &[tool, "scrub", "status", &point]).slow().deadline(Deadline::Quick));
        if knows && !counts {
            queries.push(Query::cmd(STATS, &[tool, "device", "stats", &point]).slow().deadline(Deadline::Quick));
        }
    }
}

/// (device, mount point) of each btrfs device in the table of mounts: one place is enough.
fn places(heard: &Heard) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let tables: Vec<String> = heard.of(MOUNTS).map(Answer::text).collect();
    for line in tables.iter().flat_map(|t| t.lines()) {
        let mut words = line.split(' ');
        if let (Some(device), Some(point), Some("btrfs")) = (words.next(), words.next(), words.next()) {
            if !found.iter().any(|(d, _)| d == device) {
                let point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
                found.push((device.to_owned(), point));
            }
        }
    }
    found
}

fn read(heard: &Heard) -> Reading {
    let mut reading = Reading::new("btrfs", Space::Btrfs);
    let mut all = by_kernel(&mut reading, heard);
    let kernels = all.len();
    let kernel_told = kernels > 0;
    for (kind, parse) in KINDS {
        for answer in heard.of(kind) {
            let sheet = parse(&both(answer));
            complain(&mut reading, answer, &sheet, kernel_told);
            for mut filesystem in sheet.filesystems {
                filesystem.asked = asked_about(&answer.asked);
                join(&mut all, filesystem, heard);
            }
        }
    }
    all.iter().take(kernels).for_each(|mounted| untold(&mut reading, mounted));
    all.iter().for_each(|filesystem| lower::filesystem(&mut reading, filesystem));
    aside(&mut reading, heard);
    if !reading.arrays.is_empty() {
        // Lets the poller go on asking when nothing is mounted any more.
        reading.cursor = Some("file systems seen".to_owned());
    }
    reading
}

const KINDS: [(AnswerKind, fn(&str) -> Sheet); 4] =
    [(SHOW, text::show), (PROFILES, text::profiles), (STATS, text::stats), (SCRUB, text::scrub)];

fn both(answer: &Answer) -> String {
    format!("{}\n{}", answer.stderr_text(), answer.text())
}

fn asked_about(asked: &Asked) -> Option<String> {
    let Asked::Cmd(argv) = asked else { return None };
    argv.last().filter(|w| argv.len() > 3 && w.starts_with('/')).cloned()
}

fn by_kernel(reading: &mut Reading, heard: &Heard) -> Vec<Filesystem> {
    let mut all: Vec<Filesystem> = Vec::new();
    for answer in heard.of(MOUNTED) {
        let uuids: Vec<String> = sysfs::names(answer).into_iter().filter(|n| sysfs::is_uuid(n)).collect();
        if answer.outcome.absent || uuids.is_empty() {
            reading.note(NoteKind::Remark, Path::default(), "no btrfs file system is mounted");
        }
        if answer.outcome.ended() || answer.outcome.absent {
            // File systems and devices that hang on no controller.
            reading.coverage.add(&Path::default(), Covers::Arrays);
            reading.coverage.add(&Path::default(), Covers::Disks);
        }
        all.extend(uuids.into_iter().map(|uuid| Filesystem { uuid: Some(uuid), ..Filesystem::default() }));
    }
    for answer in heard.of(ATTRIBUTE) {
        let Some((uuid, _)) = sysfs::split(answer.asked.path()) else { continue };
        let at = all.iter().position(|f| f.uuid.as_deref() == Some(uuid)).unwrap_or_else(|| {
            all.push(Filesystem { uuid: Some(uuid.to_owned()), ..Filesystem::default() });
            all.len() - 1
        });
        sysfs::take(&mut all[at], answer);
    }
    all
}

/// Mounted, and no source said whether its devices are all there: an old kernel without the tool, or a cut.
fn untold(reading: &mut Reading, mounted: &Filesystem) {
    if !lower::missing(mounted).1 {
        let uuid = mounted.uuid.as_deref().unwrap_or_default();
        let said = format!("nothing tells whether all devices of btrfs {uuid} are there");
        reading.note(NoteKind::Partial, Path::default(), said);
    }
}

fn complain(reading: &mut Reading, answer: &Answer, sheet: &Sheet, kernel_told: bool) {
    let asked = &answer.asked;
    // Beside sysfs the tool only adds names and scrubs.
    let kind = |grave: NoteKind| if kernel_told && !answer.outcome.ended() { NoteKind::Remark } else { grave };
    if !answer.outcome.ended() {
        let said = format!("`{asked}`: {}", answer.outcome.words());
        return reading.note(kind(NoteKind::ToolFailed), Path::default(), said);
    }
    for line in &sheet.unread {
        reading.note(NoteKind::ToolFailed, Path::default(), format!("`{asked}` says: {line}"));
    }
    if answer.outcome.truncated {
        reading.note(NoteKind::Partial, Path::default(), format!("`{asked}`: the answer was cut off"));
    }
    if sheet.filesystems.is_empty() && sheet.unread.is_empty() {
        let said = format!("`{asked}`: is empty or not understood");
        reading.note(NoteKind::Unreadable, Path::default(), said);
    }
}

/// By UUID; by a device both know; by the mount point asked about; a lone one takes what names nothing.
fn join(all: &mut Vec<Filesystem>, new: Filesystem, heard: &Heard) {
    let device_at = |point: &str| places(heard).into_iter().find(|(_, p)| p == point).map(|(d, _)| d);
    let source = new.asked.as_deref().and_then(device_at);
    let paths: Vec<&str> = new.devices.iter().filter_map(|d| d.path.as_deref()).chain(source.as_deref()).collect();
    let shares = |f: &Filesystem| f.devices.iter().any(|d| d.path.as_deref().is_some_and(|p| paths.contains(&p)));
    let same = |f: &Filesystem| match (&f.uuid, &new.uuid) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
        _ => shares(f) || (f.asked.is_some() && f.asked == new.asked),
    };
    let lone = all.len() == 1 && new.uuid.is_none() && (new.asked.is_none() || all.iter().all(|f| f.asked.is_none()));
    let at = all.iter().position(same).or_else(|| lone.then_some(0));
    match at.and_then(|at| all.get_mut(at)) {
        Some(old) => merge(old, new),
        None => all.push(new),
    }
}

/// The kernel's word stays where it has told.
fn merge(old: &mut Filesystem, new: Filesystem) {
    old.label = old.label.take().or(new.label);
    old.uuid = old.uuid.take().or(new.uuid);
    old.asked = old.asked.take().or(new.asked);
    old.scrub = old.scrub.take().or(new.scrub);
    let kernel_told = !old.devices.is_empty() && old.devices.iter().all(|d| d.missing.is_some());
    if !kernel_told {
        old.total_devices = old.total_devices.or(new.total_devices);
        old.some_missing |= new.some_missing;
    }
    old.unknown.extend(new.unknown);
    for profile in new.profiles {
        if !old.profiles.iter().any(|p| p.of == profile.of && p.word == profile.word) {
            old.profiles.push(profile);
        }
    }
    for device in new.devices {
        let same =
            |d: &picture::Device| (d.id.is_some() && d.id == device.id) || (d.path.is_some() && d.path == device.path);
        let Some(known) = old.devices.iter_mut().find(|d| same(d)) else {
            old.devices.push(device);
            continue;
        };
        known.path = known.path.take().or(device.path);
        known.id = known.id.or(device.id);
        known.missing = known.missing.or(device.missing);
        if known.stats.is_empty() {
            known.stats = device.stats;
        }
    }
}

fn aside(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(ASIDE) {
        let said = format!("`{}` tells nothing of the state of a file system", answer.asked);
        reading.note(NoteKind::Remark, Path::default(), said);
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` is not a question", answer.asked));
    }
}
