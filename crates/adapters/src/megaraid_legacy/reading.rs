//! All answers of one conversation → one reading: which adapter an answer is about, what was wrong
//! with it, what was listed completely.

use super::parse::{Sheet, sheet};
use super::{
    ARRAYS, BATTERY, CONFIG, DISKS, FILES, MEGARC, MEGARC_LIST, MUTATION, NODE, ROOT, WHOLE, kind_of_file, lower, node,
};
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Covers, Heard, Known, NoteKind, Reading, Scope};

struct Page<'a> {
    kind: AnswerKind,
    answer: &'a Answer,
    sheet: Sheet,
    number: u64,
    whole: bool,
}

pub fn read(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("megaraid_legacy", Space::MegaraidLegacy);
    let bears = |kind: AnswerKind| [ARRAYS, DISKS, BATTERY, CONFIG, WHOLE, MEGARC, MEGARC_LIST].contains(&kind);
    let mut pages: Vec<Page<'_>> = (heard.all())
        .filter(|(kind, answer)| bears(*kind) && !answer.outcome.not_captured)
        .map(|(kind, answer)| page(known, kind, answer))
        .collect();
    let unreachable = missing_node(&mut reading, known, heard, &pages);
    for page in pages.iter_mut().filter(|p| !unreachable || ![MEGARC, MEGARC_LIST].contains(&p.kind)) {
        page.whole = judge(&mut reading, page, heard);
    }
    mutations(&mut reading, heard);
    adapters(&mut reading, heard, &pages);
    for page in pages.iter().filter(|p| p.kind != MEGARC_LIST && !p.sheet.says_nothing()) {
        lower::sheet(&mut reading, &Path::controller(page.number), &page.sheet);
    }
    let found: Vec<Path> = reading.controllers.iter().map(|c| c.at.clone()).collect();
    for at in found {
        lower::place_sick_disks(&mut reading, &at);
        coverage(&mut reading, &at, heard, &pages);
    }
    reading
}

fn page<'a>(known: &Known, kind: AnswerKind, answer: &'a Answer) -> Page<'a> {
    let sheet = sheet(&answer.text());
    let scope = match &known.scope {
        Scope::Controller(number) => number.parse().ok(),
        _ => None,
    };
    let number = number_in_path(answer.asked.path()).or_else(|| number_in_words(&answer.asked.args_lower()));
    let number = sheet.adapter.or(number).or(scope).unwrap_or(0);
    Page { kind, answer, sheet, number, whole: false }
}

/// 1 of `/proc/megaraid/hba1/config`, `/proc/megaraid/1`, `/proc/scsi/megaraid/1`.
fn number_in_path(path: &str) -> Option<u64> {
    let (_, rest) = path.split_once("megaraid/")?;
    rest.split('/').next()?.trim_start_matches("hba").parse().ok()
}

/// 0 of `-a0`.
fn number_in_words(args: &[String]) -> Option<u64> {
    args.iter().find_map(|a| a.strip_prefix("-a")?.parse().ok())
}

fn judge(reading: &mut Reading, page: &Page<'_>, heard: &Heard) -> bool {
    // Asked to find out whether it exists.
    if page.kind == WHOLE && page.answer.outcome.absent && (heard.has(NODE) || heard.has(FILES)) {
        return false;
    }
    let at = if page.kind == MEGARC_LIST { Path::default() } else { Path::controller(page.number) };
    let Some((kind, said)) = problem(page) else { return true };
    let quoted = format!("`{}`: {said}", page.answer.asked);
    let denied = page.answer.outcome.denied || said.to_ascii_lowercase().contains("permission denied");
    match denied {
        true => reading.note_with_remedy(kind, at, quoted, "only root may read it: the files have mode 0400"),
        false => reading.note(kind, at, quoted),
    }
    false
}

fn problem(page: &Page<'_>) -> Option<(NoteKind, String)> {
    let outcome = &page.answer.outcome;
    let sheet = &page.sheet;
    if !outcome.ended() {
        return Some((NoteKind::ToolFailed, outcome.words()));
    }
    if let Some(error) = sheet.errors.first() {
        return Some((NoteKind::ToolFailed, format!("\"{error}\"")));
    }
    if outcome.exit != 0 && sheet.says_nothing() {
        return Some((NoteKind::ToolFailed, outcome.words()));
    }
    if let Some(line) = sheet.unread.first() {
        return Some((NoteKind::UnknownWord, format!("a line is not understood: \"{line}\"")));
    }
    (!readable(page)).then(|| (NoteKind::Unreadable, first_words(&page.answer.text())))
}

/// A file of ten logical drives, or a channel, may well be empty; the first one may not.
fn readable(page: &Page<'_>) -> bool {
    let sheet = &page.sheet;
    let empty = page.answer.stdout.iter().all(u8::is_ascii_whitespace);
    let path = page.answer.asked.path();
    match page.kind {
        ARRAYS => !sheet.drives.is_empty() || (empty && ["10-19", "20-29", "30-39"].iter().any(|r| path.ends_with(r))),
        DISKS => !sheet.disks.is_empty() || (empty && !path.ends_with("ch0")),
        BATTERY => sheet.battery.is_some(),
        CONFIG => !sheet.settings.is_empty(),
        MEGARC_LIST => !sheet.adapters.is_empty(),
        _ => !sheet.drives.is_empty() || !sheet.disks.is_empty() || sheet.battery.is_some(),
    }
}

fn first_words(text: &str) -> String {
    match text.lines().map(str::trim).find(|l| !l.is_empty()) {
        None => "is empty".to_owned(),
        Some(line) => format!("not understood, begins with \"{}\"", line.chars().take(80).collect::<String>()),
    }
}

fn mutations(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(MUTATION) {
        let said = format!("`{}` may change the controller; its answer is not judged", answer.asked);
        reading.note(NoteKind::Mutation, Path::default(), said);
    }
}

/// Adapter numbers that `/proc/megaraid` lists: `hba0`, or `0` as 2.4 named them.
pub fn adapters_in_proc(heard: &Heard) -> Vec<u64> {
    let names = heard.of(ROOT).filter(|a| a.outcome.ended()).map(Answer::text).collect::<String>();
    names.lines().filter_map(|l| l.trim().trim_start_matches("hba").parse().ok()).collect()
}

/// Where the files of an adapter may be: the 2.6 driver's folder, and that of 2.4.
pub fn folders(number: &str) -> [String; 2] {
    [format!("/proc/megaraid/hba{number}"), format!("/proc/megaraid/{number}")]
}

/// Names in one folder.
pub fn files_of(heard: &Heard, folder: &str) -> Vec<String> {
    let listed = |a: &&Answer| a.asked.path().trim_end_matches('/') == folder && a.outcome.ended();
    let text = heard.of(FILES).filter(listed).map(Answer::text).collect::<String>();
    text.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn adapters(reading: &mut Reading, heard: &Heard, pages: &[Page<'_>]) {
    let listed = adapters_in_proc(heard);
    for number in &listed {
        reading.controller(&Path::controller(number)).makes_arrays = Some(true);
    }
    let lists: Vec<&Page<'_>> = pages.iter().filter(|p| p.kind == MEGARC_LIST).collect();
    for (number, card) in lists.iter().flat_map(|p| &p.sheet.adapters) {
        let controller = reading.controller(&Path::controller(number));
        controller.makes_arrays = Some(true);
        controller.model = Some(card.clone());
    }
    if !listed.is_empty() || lists.iter().any(|p| p.whole) {
        reading.coverage.add(&Path::default(), Covers::Controllers);
    }
}

/// A missing node blinds megarc, which then says no more than "No Adapters Found"; it matters only
/// where the card is not read through `/proc`.
fn missing_node(reading: &mut Reading, known: &Known, heard: &Heard, pages: &[Page<'_>]) -> bool {
    let by_megarc = |p: &Page<'_>| p.kind == MEGARC || p.kind == MEGARC_LIST;
    let concerns = known.scope != Scope::Everything || pages.iter().any(by_megarc);
    let answered = pages.iter().any(|p| !p.sheet.says_nothing()) || !adapters_in_proc(heard).is_empty();
    let Some(remedy) = node::remedy(heard).filter(|_| concerns && !answered) else { return false };
    let said = format!("there is no /proc/megaraid and no {}: megarc cannot reach the controller", node::PATH);
    reading.note_with_remedy(NoteKind::ToolFailed, Path::default(), said, remedy);
    true
}

/// A class is complete when every file that the folder lists for it was read, or megarc printed it.
fn coverage(reading: &mut Reading, at: &Path, heard: &Heard, pages: &[Page<'_>]) {
    let own: Vec<&Page<'_>> = pages.iter().filter(|p| p.whole && Path::controller(p.number) == *at).collect();
    let folders = folders(at.as_str().trim_start_matches('c'));
    let files: Vec<String> = folders.iter().flat_map(|folder| files_of(heard, folder)).collect();
    let all_read = |kind: AnswerKind| {
        let mut wanted = files.iter().filter(|name| kind_of_file(name) == kind).peekable();
        let read = |name: &String| own.iter().any(|p| p.answer.asked.path().rsplit('/').next() == Some(name));
        wanted.peek().is_some() && wanted.all(read)
    };
    let whole_drives =
        own.iter().any(|p| [MEGARC, WHOLE].contains(&p.kind) && !p.sheet.drives.is_empty() && lists_all(p));
    let all_disks = all_read(DISKS);
    if whole_drives || all_read(ARRAYS) {
        reading.coverage.add(at, Covers::Arrays);
        reading.coverage.add(at, Covers::Tasks);
    }
    if all_disks {
        reading.coverage.add(at, Covers::Disks);
    }
    if all_read(BATTERY) {
        reading.coverage.add(at, Covers::Cache);
    }
}

/// `-Lall` and `-dispCfg` list all logical drives; `-L0` one.
fn lists_all(page: &Page<'_>) -> bool {
    let one = |a: &String| a.strip_prefix("-l").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    !page.answer.asked.args_lower().iter().any(one)
}
