//! Device-mapper: LVM RAID and mirrors, dmraid sets, multipath paths, pools that failed.
//!
//! `dmsetup status` is the kernel's own word on every device, and cheap: it touches no disk. `lvs` adds
//! names, devices and volumes that could not be activated; it reads every disk's label, so it is asked
//! rarely, and only where the kernel knows a volume of LVM. dmraid and multipath are read in captures.
//!
//! Not done: how full volume groups and thin pools are, as long as nothing is lost by it.

mod dmraid;
mod dmsetup;
mod lower;
mod multipath;
mod picture;
mod report;
#[cfg(test)]
mod tests;
mod vocabulary;
mod volumes;

use crate::{Adapter, Step, Term, Tool};
use picture::Picture;
use raidmond_core::model::{Finding, FindingKind, Path, Space};
use raidmond_core::survey::{
    Answer, AnswerKind, Asked, Covers, Deadline, Heard, Known, NoteKind, Query, Reading, Scope,
};

pub struct Lvm;

pub const STATUS: AnswerKind = AnswerKind("dm-status");
pub const VOLUMES: AnswerKind = AnswerKind("volumes");
pub const DMRAID: AnswerKind = AnswerKind("dmraid");
pub const MULTIPATH: AnswerKind = AnswerKind("multipath");
/// Names in `/sys/block`.
pub const BLOCKS: AnswerKind = AnswerKind("block-devices");
/// `/sys/block/dm-0/dm/uuid`: whose device it is.
pub const OWNER: AnswerKind = AnswerKind("dm-owner");
/// Reads, and tells nothing of how a device is.
pub const ASIDE: AnswerKind = AnswerKind("aside");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

const FIELDS: &str = "vg_name,lv_name,lv_uuid,lv_attr,lv_health_status,segtype,copy_percent,raid_sync_action,\
                      raid_mismatch_count,devices";
/// Before LVM 2.02.158 (JSON) and 2.02.111 (health).
const OLD_FIELDS: &str = "vg_name,lv_name,lv_uuid,lv_attr,segtype,copy_percent,devices";

static TOOLS: &[Tool] = &[
    Tool {
        names: &["dmsetup"],
        paths: &["/sbin", "/usr/sbin"],
        how_to_get: "package dmsetup (Debian, Ubuntu) or device-mapper",
    },
    Tool { names: &["lvs"], paths: &["/sbin", "/usr/sbin"], how_to_get: "package lvm2" },
];

impl Adapter for Lvm {
    fn family(&self) -> &'static str {
        "lvm"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &[]
    }

    fn watches_without_card(&self) -> Option<&'static str> {
        Some("/sys/block/dm-0")
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) => by_words(asked),
            Asked::Dir(path) => (path.trim_end_matches('/') == "/sys/block").then_some(BLOCKS),
            Asked::File(path) => (path.starts_with("/sys/block/dm-") && path.ends_with("/dm/uuid")).then_some(OWNER),
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

fn by_words(asked: &Asked) -> Option<AnswerKind> {
    let words = asked.args_lower();
    let first = words.first().map(String::as_str).unwrap_or_default();
    let tool = asked.tool();
    Some(match (tool.as_str(), first) {
        ("lvm", _) => return by_words(&Asked::Cmd(words.iter().map(|w| w.to_owned()).collect())),
        // Lists of commands stand in captures: `lvm fullreport/lvs/pvs/vgs`.
        (tool, _) if tool.starts_with("lvs") || ["pvs", "vgs", "fullreport"].contains(&tool) => VOLUMES,
        ("lvscan" | "pvscan" | "vgscan" | "lvdisplay" | "vgdisplay" | "pvdisplay", _) => ASIDE,
        ("dmsetup", w) if w.starts_with("status") => STATUS,
        ("dmsetup", "table" | "info" | "ls" | "deps" | "version" | "targets" | "splitname" | "" | "-c") => ASIDE,
        ("dmraid", _) if words.iter().any(|w| w.starts_with("-s") || w.starts_with("-r")) => DMRAID,
        ("multipath", "-ll" | "-l" | "-v2" | "-v3") => MULTIPATH,
        ("multipathd", "show" | "list" | "-k") => MULTIPATH,
        ("dmsetup" | "dmraid" | "multipath" | "multipathd", _) => MUTATION,
        _ => return None,
    })
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let sheet = dmsetup::status(head);
    let told = sheet.pictures.iter().any(|p| p.level.is_some() && p.unknown.is_empty());
    let is_lvs = head.contains("LVM2_LV_NAME=") || (head.contains("\"report\"") && head.contains("\"lv_name\""));
    let has_header =
        head.lines().any(|l| l.trim_start().starts_with("LV ") && l.contains(" Attr ") && l.contains(" VG "));
    match () {
        () if sheet.devices > 0 && told && sheet.unread.len() <= sheet.devices => Some(STATUS),
        () if is_lvs || has_header => Some(VOLUMES),
        () if head.contains("*** ") && head.contains("subsets:") => Some(DMRAID),
        () if head.contains("hwhandler=") && head.contains(" dm-") => Some(MULTIPATH),
        () => None,
    }
}

fn queries(known: &Known, heard: &Heard) -> Vec<Query> {
    let mut queries = Vec::new();
    let has = |name: &str| known.tool.as_ref().is_none_or(|t| t.name == name);
    if known.tool.is_some() || heard.has(STATUS) {
        let name = if has("dmsetup") { known.tool.as_ref().map_or("dmsetup", |t| &t.name) } else { "dmsetup" };
        queries.push(Query::cmd(STATUS, &[name, "status"]).deadline(Deadline::Quick));
    }
    queries.push(Query::dir(BLOCKS, "/sys/block").slow());
    let names: Vec<String> = heard.of(BLOCKS).flat_map(|a| mapped(&a.text())).collect();
    queries.extend(names.iter().take(512).map(|n| Query::file(OWNER, format!("/sys/block/{n}/dm/uuid")).slow()));
    if heard.of(OWNER).any(|a| a.text().trim().starts_with("LVM-")) {
        queries.push(Query::cmd(VOLUMES, &["lvs", "-a", "--reportformat", "json", "-o", FIELDS]).slow());
        if heard.of(VOLUMES).any(is_refusal) {
            queries
                .push(Query::cmd(VOLUMES, &["lvs", "-a", "--noheadings", "--nameprefixes", "-o", OLD_FIELDS]).slow());
        }
    }
    queries
}

fn mapped(listing: &str) -> Vec<String> {
    listing.lines().map(str::trim).filter(|n| n.starts_with("dm-")).map(str::to_owned).collect()
}

fn is_refusal(answer: &Answer) -> bool {
    let said = answer.stderr_text().to_ascii_lowercase() + &answer.text().to_ascii_lowercase();
    let words = ["unrecognized option", "unrecognised option", "unrecognised field", "unrecognized field"];
    answer.outcome.ended() && words.iter().any(|w| said.contains(w))
}

fn read(heard: &Heard) -> Reading {
    let mut reading = Reading::new("lvm", Space::Lvm);
    let mut pictures = kernel(&mut reading, heard);
    let kernel_told = heard.of(STATUS).any(|a| a.outcome.ended() && a.outcome.exit == 0);
    for picture in volumes(&mut reading, heard, kernel_told) {
        join(&mut pictures, picture);
    }
    for answer in heard.of(DMRAID) {
        let sheet = dmraid::read(&both(answer));
        let empty = sheet.pictures.is_empty() && !sheet.none;
        complain(&mut reading, answer, &sheet.unread, empty);
        sheet.pictures.into_iter().for_each(|p| join(&mut pictures, p));
    }
    for answer in heard.of(MULTIPATH) {
        let maps = multipath::maps(&answer.text());
        complain(&mut reading, answer, &[], maps.is_empty());
        maps.into_iter().for_each(|p| join(&mut pictures, p));
    }
    pictures.iter().for_each(|picture| lower::picture(&mut reading, picture));
    aside(&mut reading, heard);
    if !reading.arrays.is_empty() {
        // Lets the poller go on asking when no device is mapped any more.
        reading.cursor = Some("devices seen".to_owned());
    }
    reading
}

fn both(answer: &Answer) -> String {
    format!("{}\n{}", answer.text(), answer.stderr_text())
}

fn kernel(reading: &mut Reading, heard: &Heard) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for answer in heard.of(STATUS) {
        if answer.outcome.absent && heard.has(VOLUMES) {
            reading.note(NoteKind::Remark, Path::default(), "dmsetup is not installed: volumes are read less often");
            continue;
        }
        let sheet = dmsetup::status(&both(answer));
        complain(reading, answer, &sheet.unread, sheet.devices == 0 && !sheet.none);
        let whole = answer.outcome.ended() && answer.outcome.exit == 0 && !answer.outcome.truncated;
        let asks_for_all = matches!(&answer.asked, Asked::Cmd(argv) if argv.len() == 2);
        if whole && asks_for_all && sheet.unread.is_empty() && (sheet.none || sheet.devices > 0) {
            // Arrays and disks that hang on no controller.
            reading.coverage.add(&Path::default(), Covers::Arrays);
            reading.coverage.add(&Path::default(), Covers::Disks);
        }
        pictures.extend(sheet.pictures);
    }
    pictures
}

/// What kept an answer from being whole.
fn complain(reading: &mut Reading, answer: &Answer, unread: &[String], empty: bool) {
    let asked = &answer.asked;
    if !answer.outcome.ended() {
        return reading.note(NoteKind::ToolFailed, Path::default(), format!("`{asked}`: {}", answer.outcome.words()));
    }
    for line in unread {
        reading.note(NoteKind::ToolFailed, Path::default(), format!("`{asked}` says: {line}"));
    }
    if answer.outcome.truncated {
        reading.note(NoteKind::Partial, Path::default(), format!("`{asked}`: the answer was cut off"));
    }
    if empty && unread.is_empty() {
        reading.note(NoteKind::Unreadable, Path::default(), format!("`{asked}`: is empty or not understood"));
    }
}

fn volumes(reading: &mut Reading, heard: &Heard, kernel_told: bool) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let several = heard.of(VOLUMES).count() > 1;
    for answer in heard.of(VOLUMES) {
        if several && is_refusal(answer) {
            continue;
        }
        if answer.outcome.absent && kernel_told {
            reading.note(NoteKind::Remark, Path::default(), "lvs is not installed: volumes go by their kernel names");
            continue;
        }
        let report = report::read(&both(answer));
        let failed = !answer.outcome.ended() || !report.readable;
        complain(reading, answer, &[], !report.readable);
        messages(reading, answer, &report.messages, failed);
        missing(reading, &report);
        let mut new = volumes::pictures(&report.lvs);
        if kernel_told {
            // What lvs said may be minutes old: of what goes on, the kernel's word counts.
            new.iter_mut().for_each(|p| p.work = None);
        }
        pictures.extend(new);
    }
    pictures
}

/// Lines that tell of lost devices and failed reads.
const GRAVE: [&str; 9] = [
    "missing PV",
    "Couldn't find device",
    "Couldn't find all physical volumes",
    "read failed",
    "write failed",
    "Checksum error",
    "Failed to write",
    "Input/output error",
    "not found or rejected",
];

fn messages(reading: &mut Reading, answer: &Answer, messages: &[String], failed: bool) {
    for line in messages {
        if GRAVE.iter().any(|g| line.contains(g)) {
            reading.findings.push(Finding::new(Path::new("lvm"), FindingKind::ToolReportsFault, line.clone()));
        } else {
            let kind = if failed { NoteKind::ToolFailed } else { NoteKind::Remark };
            reading.note(kind, Path::default(), format!("`{}` says: {line}", answer.asked));
        }
    }
}

/// Volume groups and physical volumes of which something is not there.
fn missing(reading: &mut Reading, report: &report::Report) {
    let cell = |row: &report::Row, key: &str| row.get(key).cloned().unwrap_or_default();
    let attr = |row: &report::Row, key: &str, place: usize| {
        let all = row.get(key).or_else(|| row.get("attr")).cloned().unwrap_or_default();
        all.chars().nth(place)
    };
    for row in &report.vgs {
        let count = cell(row, "vg_missing_pv_count");
        let is_partial = attr(row, "vg_attr", 3) == Some('p') || cell(row, "vg_partial") == "partial";
        if is_partial || count.parse::<u64>().is_ok_and(|n| n > 0) {
            let name = cell(row, "vg_name");
            let said = format!("volume group {name} is partial: physical volumes are missing {count}");
            reading.findings.push(Finding::new(Path::new(name), FindingKind::ToolReportsFault, said.trim()));
        }
    }
    for row in &report.pvs {
        if attr(row, "pv_attr", 2) == Some('m') || !cell(row, "pv_missing").is_empty() {
            let said = format!("physical volume {} of {} is missing", cell(row, "pv_name"), cell(row, "vg_name"));
            reading.findings.push(Finding::new(Path::new(cell(row, "vg_name")), FindingKind::ToolReportsFault, said));
        }
    }
}

/// Beside the kernel's picture another one adds the name, the devices, and what the kernel cannot know.
fn join(pictures: &mut Vec<Picture>, new: Picture) {
    let Some(old) = pictures.iter_mut().find(|p| p.name == new.name) else { return pictures.push(new) };
    old.title = old.title.take().or(new.title);
    old.uuid = old.uuid.take().or(new.uuid);
    old.level = old.level.take().or(new.level);
    old.word = old.word.or(new.word.filter(|_| old.places.is_empty()));
    old.findings.extend(new.findings);
    old.unknown.extend(new.unknown);
    if old.places.is_empty() {
        old.places = new.places;
        return;
    }
    for place in new.places {
        if let Some(known) = old.places.iter_mut().find(|p| p.name == place.name) {
            known.device = known.device.take().or(place.device);
        }
    }
}

fn aside(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(ASIDE) {
        let said = format!("`{}` tells nothing of the state of a device", answer.asked);
        reading.note(NoteKind::Remark, Path::default(), said);
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` is not a question", answer.asked));
    }
}
