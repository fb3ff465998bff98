//! Answers of MegaCli into one reading: which page is lowered how, what is complete, and what an answer
//! that does not hold what was asked for means.

use super::ask::{self, ADAPTER, ARRAYS, BATTERY, COUNT, DISKS, ENCLOSURES, EVENTS, FOREIGN, MEMBERS};
use super::parse::{self, Page, RawAdapter};
use super::{cut, events, lower_array, lower_disk, lower_pages};
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Covers, Heard, Known, NoteKind, Reading, Scope};
use std::collections::BTreeSet;

pub const FAMILY: &str = "megacli";

/// The adapter page comes first: whether a battery is fitted decides how its absence is read.
const ORDER: [AnswerKind; 14] = [
    COUNT,
    ADAPTER,
    ask::PCI,
    MEMBERS,
    ARRAYS,
    DISKS,
    BATTERY,
    ENCLOSURES,
    FOREIGN,
    ask::PROGRESS,
    ask::SCHEDULE,
    EVENTS,
    ask::OTHER,
    ask::MUTATION,
];

pub fn reading(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new(FAMILY, Space::Megaraid);
    reading.cursor = known.cursor.clone();
    for kind in ORDER {
        for answer in heard.of(kind) {
            one(known, heard, kind, answer, &mut reading);
        }
    }
    if known.scope == Scope::Everything {
        cut::fewer_than_counted(heard, &mut reading);
    }
    cover_tasks(heard, &mut reading);
    lower_disk::refuse_shared_serials(&mut reading.disks);
    let mut seen = BTreeSet::new();
    reading.notes.retain(|n| seen.insert((n.kind, n.at.clone(), n.said.clone())));
    reading
}

/// Everything one answer is read with.
pub struct Heed<'a> {
    pub known: &'a Known,
    pub answer: &'a Answer,
    pub page: &'a Page,
    /// Nothing is cut off and the tool reports no failure.
    pub complete: bool,
}

impl Heed<'_> {
    pub fn controller(&self, number: &Option<String>) -> Path {
        Path::controller(number_of(self.known, self.answer, number.clone().map(|n| (n, ""))))
    }

    /// `-LDInfo -L0` and `-PDInfo` list one object, not all of them.
    fn lists_all(&self) -> bool {
        let one = |word: &String| {
            let number = word.trim_start_matches('-').strip_prefix('l');
            word.contains("pdinfo") && !word.contains("ldpdinfo")
                || number.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.complete && !self.answer.asked.args_lower().iter().any(one)
    }
}

/// The adapter a text speaks of: as it says, else as it was asked (`-a1`), else the one in scope.
pub fn number_of(known: &Known, answer: &Answer, stated: Option<(String, &str)>) -> String {
    let asked = || {
        let args = answer.asked.args_lower();
        args.iter().find_map(|a| a.strip_prefix("-a")).filter(|n| n.parse::<u32>().is_ok()).map(str::to_owned)
    };
    let in_scope = || match &known.scope {
        Scope::Controller(number) => Some(number.clone()),
        _ => None,
    };
    stated.map(|(number, _)| number).or_else(asked).or_else(in_scope).unwrap_or_else(|| "0".to_owned())
}

fn one(known: &Known, heard: &Heard, kind: AnswerKind, answer: &Answer, reading: &mut Reading) {
    let page = Page::of(answer);
    let failed = kind != COUNT && page.failed(answer);
    let complete = answer.outcome.ended() && !answer.outcome.truncated && !failed && page.exit.is_some();
    let heed = Heed { known, answer, page: &page, complete };
    let at = concerned(known);
    if kind == ask::MUTATION {
        let said = format!("\"{}\" changes the controller; its answer is not judged", answer.asked);
        return reading.note(NoteKind::Mutation, at, said);
    }
    if !answer.outcome.ended() {
        let said = format!("{}: {}", answer.asked, answer.outcome.words());
        reading.note(NoteKind::ToolFailed, at.clone(), said);
    }
    if answer.outcome.truncated {
        reading.note(NoteKind::Partial, at.clone(), format!("the output of \"{}\" was cut off", answer.asked));
    }
    let understood = !cut::is_of_another_tool(&page) && lower(&heed, kind, reading);
    if !understood && answer.outcome.ended() {
        not_understood(&heed, heard, kind, at, reading);
    } else if let Some(doubt) = cut::doubt(kind, &page, known, heard).filter(|_| answer.outcome.ended() && !failed) {
        let words = if doubt == NoteKind::Partial { "may be" } else { "is" };
        let said = format!("the answer to \"{}\" {words} cut off: its last line (Exit Code) is missing", answer.asked);
        reading.note(doubt, at, said);
    }
}

fn concerned(known: &Known) -> Path {
    match &known.scope {
        Scope::Controller(number) => Path::controller(number),
        _ => Path::default(),
    }
}

/// Whether the answer held what its question asks for.
fn lower(heed: &Heed<'_>, kind: AnswerKind, reading: &mut Reading) -> bool {
    match kind {
        k if k == MEMBERS || k == ARRAYS || k == DISKS => configuration(heed, kind, reading),
        COUNT => lower_pages::count(heed, reading),
        ADAPTER => lower_pages::adapters(heed, reading),
        ask::PCI => lower_pages::pci(heed, reading),
        BATTERY => lower_pages::batteries(heed, reading),
        ENCLOSURES => lower_pages::enclosures(heed, reading),
        FOREIGN => lower_pages::foreign(heed, reading),
        ask::PROGRESS => lower_pages::progress(heed, reading),
        ask::SCHEDULE => lower_pages::schedules(heed, reading),
        EVENTS => events::lower(heed, reading),
        _ => kind == ask::OTHER && !heed.page.is_empty(),
    }
}

const RIGHTS: &str = "run it as root, and see that the megaraid_sas driver is loaded; a MegaCli older than the \
                      controller cannot see it: use storcli or perccli";

/// An answer without what it was asked for. Empty with exit 0 is how MegaCli says it has no rights.
fn not_understood(heed: &Heed<'_>, heard: &Heard, kind: AnswerKind, at: Path, reading: &mut Reading) {
    let asked = &heed.answer.asked;
    if heed.page.is_empty() {
        let said = format!("\"{asked}\" printed nothing");
        return reading.note_with_remedy(NoteKind::Unreadable, at, said, RIGHTS);
    }
    let said = format!("\"{asked}\" answered \"{}\"", heed.page.quote());
    let optional = [ask::PCI, ENCLOSURES, FOREIGN, ask::PROGRESS, ask::SCHEDULE, EVENTS].contains(&kind);
    let replaced = kind == MEMBERS && heard.has(ARRAYS);
    let failed = heed.page.failed(heed.answer);
    let words = heed.page.body.to_ascii_lowercase();
    let refused = ["invalid", "usage", "not supported", "unknown command"].iter().any(|w| words.contains(w));
    match (failed && (optional || replaced), refused) {
        (true, _) => reading.note(NoteKind::Remark, at, said),
        (false, true) => reading.note(NoteKind::CommandRefused, at, said),
        (false, false) if failed => reading.note_with_remedy(NoteKind::ToolFailed, at, said, RIGHTS),
        (false, false) => reading.note(NoteKind::Unreadable, at, said),
    }
}

/// The tool says in so many words that there are no arrays.
pub fn lists_no_arrays(heard: &Heard) -> bool {
    let says_none = |a: &Answer| {
        let adapters = parse::configuration(&Page::of(a).body, true);
        adapters.iter().any(|x| x.no_arrays || x.arrays_stated == Some(0))
    };
    heard.of(MEMBERS).chain(heard.of(ARRAYS)).any(says_none)
}

fn configuration(heed: &Heed<'_>, kind: AnswerKind, reading: &mut Reading) -> bool {
    let adapters = parse::configuration(&heed.page.body, heed.page.exit.is_some());
    let mut understood = false;
    for raw in &adapters {
        let controller = heed.controller(&raw.number);
        let paths: Vec<Path> = raw.arrays.iter().map(|a| controller.array(&a.number)).collect();
        raw.arrays.iter().zip(&paths).for_each(|(a, at)| lower_array::array(a, at, reading));
        raw.disks.iter().for_each(|d| lower_array::disk(raw, d, &controller, &paths, reading));
        let introduced = raw.fields.get("Product Name").is_some();
        if introduced && reading.controller(&controller).model.is_none() {
            lower_pages::adapter(&raw.fields, &controller, reading);
        }
        let all_listed = counted(raw, &controller, heed, reading);
        let arrays = !raw.arrays.is_empty() || raw.no_arrays || raw.arrays_stated == Some(0);
        let none = kind == DISKS && raw.number.is_some() && has_no_disks(&controller, reading);
        understood |= match kind {
            DISKS => none || !raw.disks.is_empty(),
            _ => arrays,
        };
        let (covers, whole) = match kind {
            DISKS => (Covers::Disks, raw.disks.iter().all(lower_disk::is_named) && (!raw.disks.is_empty() || none)),
            _ => (Covers::Arrays, arrays && !raw.arrays.iter().any(|a| a.headless)),
        };
        if whole && all_listed && heed.lists_all() {
            reading.coverage.add(&controller, covers);
        }
    }
    understood
}

/// An empty disk list is believed when the adapter page counts no disks either.
fn has_no_disks(controller: &Path, reading: &Reading) -> bool {
    reading.controllers.iter().any(|c| c.at == *controller && c.disks_counted == Some(0))
}

/// Whether the lists are as long as the text itself counts; says so where they are not.
fn counted(raw: &RawAdapter, controller: &Path, heed: &Heed<'_>, reading: &mut Reading) -> bool {
    let before = reading.notes.len();
    let listed = raw.arrays.len() as u64;
    if let Some(stated) = raw.arrays_stated.filter(|stated| *stated > listed) {
        let said = format!("\"{}\" counts {stated} virtual drives and lists {listed}", heed.answer.asked);
        reading.note(NoteKind::FewerThanCounted, controller.clone(), said);
    }
    for (position, array) in raw.arrays.iter().enumerate() {
        let stated: u64 = array.disks_stated.iter().sum();
        let listed = raw.disks.iter().filter(|d| d.arrays.contains(&position)).count() as u64;
        if stated > listed {
            let said = format!("virtual drive {} counts {stated} disks and {listed} are listed", array.number);
            reading.note(NoteKind::FewerThanCounted, controller.array(&array.number), said);
        }
    }
    reading.notes.len() == before
}

/// Tasks are known completely when arrays, disks and the checks of all arrays were answered.
fn cover_tasks(heard: &Heard, reading: &mut Reading) {
    if heard.of(ask::PROGRESS).next().is_none() {
        return;
    }
    let controllers: Vec<Path> = reading.coverage.iter().map(|(at, _)| at.clone()).collect();
    for at in controllers {
        if reading.coverage.has(&at, Covers::Arrays) && reading.coverage.has(&at, Covers::Disks) {
            reading.coverage.add(&at, Covers::Tasks);
        }
    }
}
