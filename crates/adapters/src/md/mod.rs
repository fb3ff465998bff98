//! Linux software RAID (md), with or without mdadm; Intel (IMSM, VROC) and DDF arrays, too.
//!
//! `/proc/mdstat` is the list and the truth; sysfs adds places, states and errors of members and the
//! result of checks; mdadm adds names and identity where it is there. One conversation reads all arrays:
//! there is no controller between. Needs no rights but for mdadm.
//!
//! Not done: `mdadm --examine` (it reads superblocks, not arrays), spares that belong to a container and
//! to no array.

mod detail;
mod lower;
mod maintenance;
mod mdstat;
mod picture;
mod sysfs;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Maintenance, Step, Term, Tool};
use picture::Picture;
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{
    Answer, AnswerKind, Asked, Covers, Deadline, Heard, Known, NoteKind, Query, Reading, Scope,
};
use sysfs::Attributes;

pub struct Md;

pub const MDSTAT: AnswerKind = AnswerKind("mdstat");
/// Names in `/sys/block/md0/md`.
pub const FILES: AnswerKind = AnswerKind("array-files");
pub const ATTRIBUTE: AnswerKind = AnswerKind("array-attribute");
pub const MEMBER: AnswerKind = AnswerKind("member-attribute");
pub const DETAIL: AnswerKind = AnswerKind("detail");
/// Reads, and tells nothing of how an array is: superblocks, the platform.
pub const ASIDE: AnswerKind = AnswerKind("aside");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

const PATH: &str = "/proc/mdstat";

static TOOLS: &[Tool] = &[Tool {
    names: &["mdadm"],
    paths: &["/sbin", "/usr/sbin"],
    how_to_get: "package mdadm of the distribution; not needed, it adds the arrays' names",
}];

impl Adapter for Md {
    fn family(&self) -> &'static str {
        "md"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &[]
    }

    fn watches_without_card(&self) -> Option<&'static str> {
        Some(PATH)
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool() == "mdadm" => Some(by_words(asked)),
            Asked::File(path) if path == PATH => Some(MDSTAT),
            Asked::File(path) | Asked::Dir(path) => {
                let (_, file) = sysfs::split(path)?;
                Some(if file.is_empty() { FILES } else { kind_of(file) })
            }
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

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintenance::MdMaintenance)
    }
}

fn kind_of(file: &str) -> AnswerKind {
    if file.starts_with("dev-") { MEMBER } else { ATTRIBUTE }
}

fn by_words(asked: &Asked) -> AnswerKind {
    let Asked::Cmd(argv) = asked else { return ASIDE };
    let words: Vec<&str> = argv.iter().skip(1).map(String::as_str).collect();
    let has = |all: &[&str]| words.iter().any(|w| all.contains(w));
    match () {
        () if has(&["--scan", "-s", "-Ds", "-Es", "--detail-platform"]) => ASIDE,
        () if has(&["--detail", "-D", "-QD", "-DQ", "-DY"]) => DETAIL,
        () if has(&["--examine", "-E", "--query", "-Q", "--examine-bitmap", "-X", "--examine-badblocks"]) => ASIDE,
        () if has(&["--monitor", "--follow", "-F", "--version", "-V", "--help", "-h"]) || words.is_empty() => ASIDE,
        () => MUTATION,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let text = crate::scan::clean(head);
    let sheet = mdstat::sheet(&text);
    if sheet.begun && (sheet.ended || !sheet.arrays.is_empty()) {
        return Some(MDSTAT);
    }
    let is_detail =
        text.trim_start().starts_with("/dev/md") && text.contains("Raid Level :") && !text.contains("Magic :");
    is_detail.then_some(DETAIL)
}

fn queries(known: &Known, heard: &Heard) -> Vec<Query> {
    let mut queries = vec![Query::file(MDSTAT, PATH)];
    let sheets = heard.of(MDSTAT).map(|a| mdstat::sheet(&a.text()));
    for array in sheets.flat_map(|sheet| sheet.arrays).filter(|a| !a.is_container()) {
        queries.push(Query::dir(FILES, format!("/sys/block/{}/md", array.name)));
        if let Some(tool) = &known.tool {
            let device = format!("/dev/{}", array.name);
            queries.push(Query::cmd(DETAIL, &[&tool.name, "--detail", &device]).slow().deadline(Deadline::Quick));
        }
    }
    queries.extend(heard.of(FILES).flat_map(attributes));
    queries
}

fn attributes(listing: &Answer) -> Vec<Query> {
    let (folder, names) = (listing.asked.path().trim_end_matches('/'), listing.text());
    let listed = |file: &&str| names.lines().any(|n| n.trim() == *file);
    let of_array = sysfs::ARRAY_FILES.into_iter().filter(listed);
    let mut queries: Vec<Query> = of_array.map(|file| Query::file(ATTRIBUTE, format!("{folder}/{file}"))).collect();
    for member in sysfs::members(&names) {
        for file in sysfs::MEMBER_FILES {
            let query = Query::file(MEMBER, format!("{folder}/{member}/{file}"));
            queries.push(if sysfs::SLOW.contains(&file) { query.slow() } else { query });
        }
    }
    queries
}

fn read(heard: &Heard) -> Reading {
    let mut reading = Reading::new("md", Space::Kernel);
    let mut arrays = listed(&mut reading, heard);
    let mut attributes = Attributes::default();
    heard.of(ATTRIBUTE).chain(heard.of(MEMBER)).for_each(|answer| attributes.take(answer));
    arrays.iter_mut().for_each(|array| sysfs::refine(array, &attributes));
    let mut mdadm = Reading::new("md", Space::Kernel);
    for page in heard.of(DETAIL).flat_map(|answer| details(&mut mdadm, answer)) {
        join(&mut arrays, page);
    }
    if heard.has(MDSTAT) {
        // Nothing is hidden when mdadm may not or cannot: it only adds names.
        mdadm.notes.iter_mut().for_each(|note| note.kind = NoteKind::Remark);
    }
    reading.notes.append(&mut mdadm.notes);
    let unlisted = attributes.arrays().filter(|name| !arrays.iter().any(|a| a.name == **name));
    for name in unlisted {
        reading.note(NoteKind::Partial, Path::new(name), "only single files of this array, and no /proc/mdstat");
    }
    arrays.iter().for_each(|array| lower::picture(&mut reading, array));
    aside(&mut reading, heard);
    if !reading.arrays.is_empty() {
        // Lets the poller go on asking when the driver is not loaded any more.
        reading.cursor = Some("arrays seen".to_owned());
    }
    reading
}

fn listed(reading: &mut Reading, heard: &Heard) -> Vec<Picture> {
    let mut arrays: Vec<Picture> = Vec::new();
    for answer in heard.of(MDSTAT) {
        let sheet = mdstat::sheet(&answer.text());
        let whole = sheet.ended && answer.outcome.ended() && !answer.outcome.truncated;
        if answer.outcome.absent {
            reading.note(NoteKind::Remark, Path::default(), "the md driver is not loaded: there are no md arrays");
        } else if let Some(said) = problem(answer, &sheet) {
            let kind = if answer.outcome.ended() { NoteKind::Unreadable } else { NoteKind::ToolFailed };
            reading.note(kind, Path::default(), format!("{PATH}: {said}"));
            continue;
        }
        if whole || answer.outcome.absent {
            // Arrays and disks that hang on no controller.
            reading.coverage.add(&Path::default(), Covers::Arrays);
            reading.coverage.add(&Path::default(), Covers::Disks);
        }
        sheet.unread.iter().for_each(|line| reading.unknown_word(Path::default(), "the line", line));
        let new = sheet.arrays.into_iter().filter(|a| !arrays.iter().any(|b| b.name == a.name)).collect::<Vec<_>>();
        arrays.extend(new);
    }
    arrays
}

fn problem(answer: &Answer, sheet: &mdstat::Sheet) -> Option<String> {
    if !answer.outcome.ended() {
        return Some(answer.outcome.words());
    }
    let readable = sheet.begun || !sheet.arrays.is_empty();
    (!readable).then(|| "is empty or not understood".to_owned())
}

fn details(reading: &mut Reading, answer: &Answer) -> Vec<Picture> {
    if !answer.outcome.ended() {
        reading.note(NoteKind::ToolFailed, Path::default(), format!("`{}`: {}", answer.asked, answer.outcome.words()));
        return Vec::new();
    }
    let Asked::Cmd(argv) = &answer.asked else { return Vec::new() };
    let device = argv.iter().skip(1).find_map(|w| w.strip_prefix("/dev/"));
    if argv.iter().any(|w| w == "--export" || w == "-Y" || w == "-DY") {
        let found = device.and_then(|name| detail::export(&answer.text(), name));
        if found.is_none() {
            reading.note(NoteKind::Remark, Path::default(), "`mdadm --detail --export` names no array here");
        }
        return found.into_iter().collect();
    }
    let (pages, errors) = detail::pages(&format!("{}\n{}", answer.text(), answer.stderr_text()));
    for error in errors {
        reading.note(NoteKind::ToolFailed, device.map(Path::new).unwrap_or_default(), error);
    }
    let (readable, empty): (Vec<_>, Vec<_>) = pages.into_iter().partition(|p| !p.words.is_empty() || p.is_container());
    for page in &empty {
        reading.note(NoteKind::Unreadable, Path::new(&page.name), format!("`{}`: no state in it", answer.asked));
    }
    if readable.is_empty() && reading.notes.is_empty() {
        reading.note(NoteKind::Unreadable, Path::default(), format!("`{}`: is empty or not understood", answer.asked));
    }
    readable
}

/// What mdadm said may be minutes old: beside mdstat it only names the array.
fn join(arrays: &mut Vec<Picture>, page: Picture) {
    match arrays.iter_mut().find(|a| a.name == page.name) {
        Some(array) => {
            array.uuid = array.uuid.take().or(page.uuid);
            array.title = array.title.take().or(page.title);
        }
        None => arrays.push(page),
    }
}

fn aside(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(ASIDE) {
        let said = format!("`{}` tells nothing of the state of an array", answer.asked);
        reading.note(NoteKind::Remark, Path::default(), said);
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` is not a question", answer.asked));
    }
}
