//! Raw MegaCli structs into facts: the run over all answers, and arrays with their members.

use super::ask::{self, ADAPTER, ARRAYS, BATTERY, COUNT, DISKS, ENCLOSURES, EVENTS, FOREIGN, MEMBERS};
use super::parse::{self, Page, RawAdapter, RawArray, RawDisk};
use super::{events, lower_disk, lower_pages, vocabulary};
use raidmond_core::model::{
    ArrayState, CachePolicy, Disk, DiskState, Finding, FindingKind, Level, Member, Observed, Path, Space, Task,
    TaskKind, TaskState, WriteCache,
};
use raidmond_core::survey::{Answer, AnswerKind, Covers, Heard, Known, NoteKind, Reading, Scope};
use std::collections::BTreeSet;

pub const FAMILY: &str = "megacli";

/// The adapter page comes first: whether a battery is fitted decides how its absence is read.
const ORDER: [AnswerKind; 13] = [
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
    let closed = page.exit.is_some() || !prints_trailers(heard);
    let complete = answer.outcome.ended() && !answer.outcome.truncated && !failed && closed;
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
    if !lower(&heed, kind, reading) && answer.outcome.ended() {
        not_understood(&heed, heard, kind, at, reading);
    }
}

/// Only the oldest versions never print `Exit Code:`; from the others an answer without it was cut.
fn prints_trailers(heard: &Heard) -> bool {
    heard.all().any(|(_, answer)| Page::of(answer).exit.is_some())
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
    let optional = [ask::PCI, ENCLOSURES, FOREIGN, ask::PROGRESS, EVENTS].contains(&kind);
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
        raw.arrays.iter().zip(&paths).for_each(|(a, at)| array(a, at, reading));
        raw.disks.iter().for_each(|d| disk(raw, d, &controller, &paths, reading));
        let introduced = raw.fields.get("Product Name").is_some();
        if introduced && reading.controller(&controller).model.is_none() {
            lower_pages::adapter(&raw.fields, &controller, reading);
        }
        let all_listed = counted(raw, &controller, heed, reading);
        let arrays = !raw.arrays.is_empty() || raw.no_arrays || raw.arrays_stated == Some(0);
        understood |= arrays || !raw.disks.is_empty();
        let (covers, whole) = match kind {
            DISKS => (Covers::Disks, !raw.disks.is_empty() && raw.disks.iter().all(lower_disk::is_named)),
            _ => (Covers::Arrays, arrays && !raw.arrays.iter().any(|a| a.headless)),
        };
        if whole && all_listed && heed.lists_all() {
            reading.coverage.add(&controller, covers);
        }
    }
    understood
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

fn array(raw: &RawArray, at: &Path, reading: &mut Reading) {
    if raw.headless {
        let said = "values stand before the first \"Virtual Drive\" line; they are taken as virtual drive 0";
        reading.note(NoteKind::Remark, at.clone(), said);
    }
    let state = array_state(raw, at, reading);
    let width = width(raw);
    let level = level(raw, width, at, reading);
    let cache = cache(raw, at, reading);
    let tolerance = level.map(Level::tolerance);
    let array = reading.array(at);
    array.is_cache_device = raw.is_cache_cade;
    array.name = raw.fields.get("Name").map(str::to_owned).or(array.name.take());
    array.level = level.or(array.level);
    array.level_said = raw.fields.get("RAID Level").map(str::to_owned).or(array.level_said.take());
    array.size_bytes = raw.fields.get("Size").and_then(|s| crate::scan::size_bytes(s, true)).or(array.size_bytes);
    array.width = width.and_then(|w| u32::try_from(w).ok()).or(array.width);
    array.redundancy_built = tolerance.or(array.redundancy_built);
    array.redundancy_left = state.as_ref().and_then(|s| left(s.state, tolerance)).or(array.redundancy_left);
    array.state = state.or(array.state.take());
    array.cache = cache;
    array.bad_blocks = bad_blocks(raw).or(array.bad_blocks);
    access(raw, at, reading);
    raw.progress.iter().for_each(|(what, said)| array_task(what, said, at, reading));
}

fn array_state(raw: &RawArray, at: &Path, reading: &mut Reading) -> Option<Observed<ArrayState>> {
    let Some(word) = raw.fields.get("State") else {
        if !raw.is_cache_cade {
            let said = format!("virtual drive {} has no State line", raw.number);
            reading.note(NoteKind::Partial, at.clone(), said);
        }
        return None;
    };
    let state = vocabulary::array_state(word);
    if state.is_none() {
        reading.unknown_word(at.clone(), "virtual drive state", word);
    }
    Some(Observed::new(state.unwrap_or(ArrayState::Unknown), word))
}

/// How many disks it is built with: "Number Of Drives" counts one span where there are several.
fn width(raw: &RawArray) -> Option<u64> {
    let spans = raw.fields.count("Span Depth").filter(|s| *s > 0).unwrap_or(1);
    let per_span = raw.fields.count("Number Of Drives per span").or_else(|| raw.fields.count("Number Of Drives"))?;
    Some(per_span.saturating_mul(spans))
}

fn level(raw: &RawArray, width: Option<u64>, at: &Path, reading: &mut Reading) -> Option<Level> {
    let said = raw.fields.get("RAID Level")?;
    let level = vocabulary::level(said, raw.fields.count("Span Depth").unwrap_or(1), width);
    if level.is_none() {
        reading.unknown_word(at.clone(), "RAID level", said);
    }
    level
}

/// MegaRAID: "Partially Degraded" is RAID 6 and 60 with one disk of a span gone.
fn left(state: ArrayState, tolerance: Option<u32>) -> Option<u32> {
    match state {
        ArrayState::Optimal => tolerance,
        ArrayState::PartlyDegraded => tolerance.map(|t| t.saturating_sub(1)),
        ArrayState::Degraded => Some(0),
        _ => None,
    }
}

fn bad_blocks(raw: &RawArray) -> Option<bool> {
    raw.fields.get("Bad Blocks Exist").map(|v| !v.eq_ignore_ascii_case("No"))
}

fn cache(raw: &RawArray, at: &Path, reading: &mut Reading) -> CachePolicy {
    let default = raw.fields.get("Default Cache Policy");
    let current = raw.fields.get("Current Cache Policy");
    let mut write = |policy: Option<&str>| policy.and_then(|p| write_cache(p, at, reading));
    let policy = current.or(default).unwrap_or("").to_ascii_lowercase();
    let has = |word: &str| policy.split(',').any(|part| part.trim() == word);
    let either = |yes: bool, no: bool| (yes || no).then_some(yes);
    CachePolicy {
        default_write: write(default),
        current_write: write(current),
        said_default: default.map(str::to_owned),
        said_current: current.map(str::to_owned),
        write_back_without_battery: either(has("write cache ok if bad bbu"), has("no write cache if bad bbu")),
        read_ahead: either(has("readahead") || has("readadaptive") || has("adaptivereadahead"), has("readaheadnone")),
        disk_cache: raw.fields.get("Disk Cache Policy").and_then(|word| match word {
            "Enabled" => Some(true),
            "Disabled" => Some(false),
            _ => None,
        }),
    }
}

fn write_cache(policy: &str, at: &Path, reading: &mut Reading) -> Option<WriteCache> {
    let word = policy.split(',').next().unwrap_or("").trim();
    match word.to_ascii_lowercase().as_str() {
        "writeback" | "alwayswriteback" => Some(WriteCache::WriteBack),
        "writethrough" => Some(WriteCache::WriteThrough),
        _ => {
            reading.unknown_word(at.clone(), "write policy", word);
            None
        }
    }
}

/// An array the controller no longer lets be written, though that is not its setting.
fn access(raw: &RawArray, at: &Path, reading: &mut Reading) {
    let (default, current) = (raw.fields.get("Default Access Policy"), raw.fields.get("Current Access Policy"));
    if let (Some(default), Some(current)) = (default, current)
        && !default.eq_ignore_ascii_case(current)
    {
        let said = format!("Current Access Policy: {current} (default {default})");
        reading.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
    }
}

fn array_task(what: &str, said: &str, at: &Path, reading: &mut Reading) {
    let kind = vocabulary::task_kind(what).unwrap_or(TaskKind::Unknown);
    if kind == TaskKind::Unknown {
        reading.unknown_word(at.clone(), "progress", what);
    }
    push_task(reading, at.clone(), kind, &format!("{what}: {said}"), crate::scan::percent(said));
}

/// One task of a kind on an object; a percentage is kept when another answer lacks it.
pub fn push_task(reading: &mut Reading, on: Path, kind: TaskKind, said: &str, percent: Option<f64>) {
    if let Some(known) = reading.tasks.iter_mut().find(|t| t.on == on && t.kind == kind) {
        known.percent = known.percent.or(percent);
        return;
    }
    let state = Observed::new(TaskState::Running, said);
    reading.tasks.push(Task { on, kind, state, percent, seconds_left: None });
}

fn disk(raw: &RawAdapter, disk: &RawDisk, controller: &Path, paths: &[Path], reading: &mut Reading) {
    let place = disk.arrays.iter().filter_map(|i| raw.arrays.get(*i).zip(paths.get(*i)));
    let at = if !disk.fields.is_empty() {
        lower_disk::disk(disk, controller, reading)
    } else if disk.closed {
        disk.arrays.first().and_then(|i| raw.arrays.get(*i)).map(|a| missing(disk, a, controller, reading))
    } else {
        None
    };
    let Some(at) = at else { return };
    for (array, path) in place {
        let group = group(array, disk);
        let in_sync = reading.disk(&at).state.as_ref().and_then(|s| in_sync(s.state));
        let member = Member { disk: at.clone(), group, in_sync };
        let members = &mut reading.array(path).members;
        if !members.iter().any(|m| m.disk == at) {
            members.push(member);
        }
        reading.disk(&at).array = Some(path.clone());
    }
}

/// A place of an array under which no disk is printed.
fn missing(raw: &RawDisk, array: &RawArray, controller: &Path, reading: &mut Reading) -> Path {
    let index = raw.index.as_deref().unwrap_or("");
    let at = controller.missing_member(format_args!("{}.{}.{index}", array.number, raw.span));
    let said = format!("no disk is listed for PD {index} of virtual drive {}", array.number);
    let disk: &mut Disk = reading.disk(&at);
    disk.state = Some(Observed::new(DiskState::Missing, said));
    at
}

/// Spans are groups; in a RAID 1 of one span and many disks neighbours mirror each other.
fn group(array: &RawArray, disk: &RawDisk) -> u32 {
    let spans = array.fields.count("Span Depth").unwrap_or(1);
    let said = array.fields.get("RAID Level").unwrap_or("");
    let pairs = spans <= 1 && vocabulary::level(said, spans, width(array)) == Some(Level::Raid10);
    let index: Option<u32> = disk.index.as_deref().and_then(|i| i.parse().ok());
    match index.filter(|_| pairs) {
        Some(index) => index / 2,
        None => disk.span,
    }
}

fn in_sync(state: DiskState) -> Option<bool> {
    match state {
        DiskState::Online => Some(true),
        DiskState::Failed | DiskState::Missing | DiskState::Offline | DiskState::Rebuilding => Some(false),
        _ => None,
    }
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
