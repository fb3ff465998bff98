//! All answers of one conversation → one reading: what went wrong with an answer, which answers belong
//! to which controller, and what was listed completely.

use super::lower::Heap;
use super::parse::{Saying, Sheet, frightens, sheet};
use super::vol_status::{Board, Report, cciss_number, report};
use super::{
    ASIDE, CONFIG, CONTROLLERS, LOGICAL, MUTATION, PHYSICAL, SG_BLOCK, SG_HOST, SG_LEVEL, SG_LIST, SG_TYPE, STATUS,
    VOLUME_PAGE, VOLUMES, ask_vol_status, lower_array, lower_controller, lower_disk, lower_vol_status, volume_page,
};
use raidmond_core::model::{Alias, Finding, FindingKind, Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Covers, Heard, Known, NoteKind, Reading, Scope};

/// An answer of ssacli with its text read.
struct Page<'a> {
    kind: AnswerKind,
    answer: &'a Answer,
    sheet: Sheet,
    /// Of the controller asked about; `None`: all.
    slot: Option<String>,
    whole: bool,
}

pub fn read(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("hp", Space::Hp);
    let asked = heard.all().filter(|(_, a)| !a.outcome.not_captured);
    let (reports, pages): (Vec<_>, Vec<_>) = asked.partition(|(kind, a)| is_vol_status(*kind, a));
    ssacli(&mut reading, known, pages);
    vol_status(&mut reading, known, heard, reports);
    volume_page::read(&mut reading, known, heard);
    reading
}

fn is_vol_status(kind: AnswerKind, answer: &Answer) -> bool {
    [VOLUMES, SG_LIST, SG_TYPE, SG_HOST, SG_LEVEL, SG_BLOCK, VOLUME_PAGE].contains(&kind)
        || answer.asked.tool() == super::VOL_STATUS
}

fn ssacli(reading: &mut Reading, known: &Known, heard: Vec<(AnswerKind, &Answer)>) {
    let mut pages: Vec<Page<'_>> = heard.into_iter().map(|(kind, answer)| page(known, kind, answer)).collect();
    let superseded = pages.iter().any(|p| p.kind == LOGICAL && !p.sheet.says_nothing());
    for page in &mut pages {
        page.whole = judge(reading, page, superseded);
    }
    if pages.iter().any(|p| p.whole && p.slot.is_none() && [CONTROLLERS, STATUS, CONFIG].contains(&p.kind)) {
        reading.coverage.add(&Path::default(), Covers::Controllers);
    }
    for slot in slots(&pages) {
        controller(reading, known, &pages, &slot);
    }
}

fn page<'a>(known: &Known, kind: AnswerKind, answer: &'a Answer) -> Page<'a> {
    let mut sheet = sheet(&answer.text());
    if sheet.errors.is_empty() {
        sheet.errors = super::parse::sheet(&answer.stderr_text()).errors;
    }
    let named = answer.asked.args_lower().iter().find_map(|a| a.strip_prefix("slot=").map(str::to_owned));
    let scope = match &known.scope {
        Scope::Controller(slot) => Some(slot.clone()),
        _ => None,
    };
    let headed = sheet.cards.iter().find_map(|c| c.slot.clone());
    // Answers about one controller may leave its heading out; captures leave out the number.
    let one = matches!(kind, LOGICAL | PHYSICAL) || !answer.asked.args_lower().iter().any(|a| a == "all");
    let slot = named.filter(|n| super::is_slot(n)).or(scope).or(headed.filter(|_| one));
    Page { kind, answer, sheet, slot, whole: false }
}

/// Notes what is wrong with an answer; `true` when nothing is.
fn judge(reading: &mut Reading, page: &Page<'_>, superseded: bool) -> bool {
    let at = page.slot.as_ref().map(Path::controller).unwrap_or_default();
    let asked = &page.answer.asked;
    if page.kind == MUTATION {
        reading.note(NoteKind::Mutation, at, format!("`{asked}` changes the controller; its answer is not judged"));
        return false;
    }
    if page.kind == ASIDE {
        return false;
    }
    let Some((kind, said)) = problem(page) else { return true };
    let kind = if superseded && page.kind == CONFIG { NoteKind::Remark } else { kind };
    let quoted = format!("`{asked}`: {said}");
    match remedy(&said) {
        Some(remedy) => reading.note_with_remedy(kind, at, quoted, remedy),
        None => reading.note(kind, at, quoted),
    }
    false
}

fn remedy(said: &str) -> Option<&'static str> {
    let lower = said.to_ascii_lowercase();
    match () {
        () if lower.contains("already running") => {
            Some("another program uses the tool; stop the one that polls it all the time")
        }
        () if lower.contains("administrator") || lower.contains("root") => Some("the tool must run as root"),
        () if lower.contains("no controllers") => {
            Some("controllers before P4xx need hpacucli; look whether the module sg is loaded")
        }
        () => None,
    }
}

fn problem(page: &Page<'_>) -> Option<(NoteKind, String)> {
    let outcome = &page.answer.outcome;
    if !outcome.ended() {
        return Some((NoteKind::ToolFailed, outcome.words()));
    }
    if let Some(error) = page.sheet.errors.iter().find(|e| !says_none(e)) {
        let lower = error.to_ascii_lowercase();
        let failed = lower.contains("no controllers") || lower.contains("already running");
        return Some((if failed { NoteKind::ToolFailed } else { NoteKind::CommandRefused }, error.clone()));
    }
    let none = page.sheet.errors.iter().any(|e| says_none(e));
    if outcome.exit != 0 && !none {
        let words = page.answer.stderr_text();
        let first = words.lines().find(|l| !l.trim().is_empty()).unwrap_or("no message").trim().to_owned();
        return Some((NoteKind::ToolFailed, format!("{} ({first})", outcome.words())));
    }
    if outcome.truncated {
        return Some((NoteKind::Partial, "the output is longer than raidmond reads".to_owned()));
    }
    if let Some(line) = page.sheet.unread.first() {
        return Some((NoteKind::UnknownWord, format!("a line is not understood: \"{line}\"")));
    }
    let readable = none || !page.sheet.says_nothing();
    (!readable).then(|| (NoteKind::Unreadable, unreadable(&page.answer.text())))
}

/// "Error: The specified device does not have any logical drives." is no error.
fn says_none(error: &str) -> bool {
    let lower = error.to_ascii_lowercase();
    lower.contains("does not have any logical drive") || lower.contains("does not have any physical drive")
}

fn unreadable(text: &str) -> String {
    match text.lines().map(str::trim).find(|l| !l.is_empty()) {
        None => "printed nothing".to_owned(),
        Some(line) => format!("not understood, begins with \"{}\"", line.chars().take(80).collect::<String>()),
    }
}

/// Slots of all controllers that any answer is about, in the order heard.
fn slots(pages: &[Page<'_>]) -> Vec<String> {
    let mut slots: Vec<String> = Vec::new();
    for page in pages.iter().filter(|p| p.kind != MUTATION && p.kind != ASIDE) {
        let own = page.slot.clone().filter(|_| page.whole || !page.sheet.says_nothing());
        for slot in page.sheet.cards.iter().filter_map(|c| c.slot.clone()).chain(own) {
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
    }
    // Rows without a heading and without a number: cards are few, and the first is in slot 0.
    let nameless = |p: &Page<'_>| p.slot.is_none() && p.sheet.cards.iter().any(|c| c.slot.is_none());
    if slots.is_empty() && pages.iter().any(|p| nameless(p) && !p.sheet.says_nothing()) {
        slots.push("0".to_owned());
    }
    slots
}

fn controller(reading: &mut Reading, known: &Known, pages: &[Page<'_>], slot: &str) {
    let mut heap = Heap::new(Path::controller(slot));
    let only = |p: &Page<'_>| p.slot.as_deref().unwrap_or(slot) == slot;
    for page in pages.iter().filter(|p| p.kind != MUTATION && p.kind != ASIDE) {
        let mine = page.sheet.cards.iter().filter(|c| c.slot.as_deref().map_or(only(page), |s| s == slot));
        mine.for_each(|card| heap.add(card));
    }
    lower_controller::controller(reading, &heap);
    lower_controller::cache(reading, &heap);
    let first = |letter: &str| {
        let of = heap.volumes.iter().find(|v| v.letter.as_deref() == Some(letter));
        of.map(|v| heap.at.array(&v.number))
    };
    let drives = lower_disk::drives(reading, &heap, first);
    lower_array::volumes(reading, &heap, &drives);
    lower_controller::shelves(reading, &heap);
    for page in pages.iter().filter(|p| p.kind != MUTATION) {
        let mine = |s: &&Saying| {
            page.sheet.cards.get(s.card).map_or(only(page), |c| c.slot.as_deref().map_or(only(page), |s| s == slot))
        };
        page.sheet.sayings.iter().filter(mine).for_each(|s| saying(reading, &heap.at, s));
    }
    if !super::is_slot(slot) {
        nameless(reading, known, &heap);
    }
    coverage(reading, pages, slot, &heap.at);
}

/// An external array with a chassis name, or a card whose slot the tool does not know. A capture may hold
/// its other answers or not; a discovery will ask no more about it.
fn nameless(reading: &mut Reading, known: &Known, heap: &Heap) {
    let model = heap.model.as_deref().unwrap_or("a controller");
    let said = format!("the tool gives no slot number for {model}: its arrays are not asked about");
    let kind = if known.scope == Scope::Everything { NoteKind::Remark } else { NoteKind::Partial };
    reading.note(kind, heap.at.clone(), said);
}

fn coverage(reading: &mut Reading, pages: &[Page<'_>], slot: &str, at: &Path) {
    let lists = |p: &Page<'_>| {
        let args = p.answer.asked.args_lower();
        let about = p.sheet.cards.iter().any(|c| c.slot.as_deref() == Some(slot)) || p.slot.as_deref() == Some(slot);
        // `ld 1 show` lists one; a capture without its command may be that.
        about
            && p.whole
            && (p.kind == CONFIG
                || args
                    .windows(2)
                    .any(|w| ["ld", "pd", "logicaldrive", "physicaldrive"].contains(&w[0].as_str()) && w[1] == "all"))
    };
    for page in pages.iter().filter(|p| lists(p)) {
        if page.kind == CONFIG || page.kind == LOGICAL {
            reading.coverage.add(at, Covers::Arrays);
            reading.coverage.add(at, Covers::Tasks);
        }
        if page.kind == CONFIG || page.kind == PHYSICAL {
            reading.coverage.add(at, Covers::Disks);
        }
        if page.kind == CONFIG {
            reading.coverage.add(at, Covers::Enclosures);
        }
    }
    let of_cache = |p: &&Page<'_>| {
        p.whole
            && p.sheet
                .cards
                .iter()
                .any(|c| c.slot.as_deref() == Some(slot) && c.pairs.get("controller status").is_some())
    };
    if pages.iter().any(|p| of_cache(&p)) {
        reading.coverage.add(at, Covers::Cache);
    }
}

/// A sentence of the tool: advice, a warning, or noise.
fn saying(reading: &mut Reading, controller: &Path, saying: &Saying) {
    let text: String = saying.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = text.to_ascii_lowercase();
    let before: Vec<Path> = saying.before.iter().map(|n| controller.array(n)).collect();
    let (kind, at) = if lower.contains("unrecoverable media errors") {
        let named = affected(&lower).iter().map(|n| controller.array(n)).collect();
        (FindingKind::SectorsLost, if before.is_empty() { named } else { before })
    } else if lower.starts_with("firmware") || lower.contains("firmware update is recommended") {
        (FindingKind::ToolReportsNotice, Vec::new())
    } else if lower.starts_with("warning") || lower.starts_with("critical") || frightens(&lower) {
        (FindingKind::ToolReportsFault, before)
    } else {
        return;
    };
    let at = if at.is_empty() { vec![controller.clone()] } else { at };
    for at in at {
        let said = reading.findings.iter().any(|f| f.at == at && f.what.state == kind);
        if !said || kind == FindingKind::ToolReportsFault {
            let finding = Finding::new(at, kind, text.clone());
            if !reading.findings.contains(&finding) {
                reading.findings.push(finding);
            }
        }
    }
}

/// "following logical drives are affected: 4, 5"
fn affected(lower: &str) -> Vec<String> {
    let Some((_, list)) = lower.split_once("drives are affected:") else { return Vec::new() };
    let numbers = list.split(',').map(|n| n.trim().trim_end_matches('.'));
    numbers.filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())).map(str::to_owned).collect()
}

fn vol_status(reading: &mut Reading, known: &Known, heard: &Heard, answers: Vec<(AnswerKind, &Answer)>) {
    for (at, pci) in ask_vol_status::found(known, heard).iter().filter(|_| known.scope == Scope::Discover) {
        reading.controller(at).aliases.extend(pci.as_deref().and_then(Alias::pci));
    }
    let listed = |(kind, a): &&(AnswerKind, &Answer)| *kind == SG_LIST && a.outcome.ended();
    if known.scope == Scope::Discover && answers.iter().any(|a| listed(&a)) {
        reading.coverage.add(&Path::default(), Covers::Controllers);
    }
    for (_, answer) in answers.into_iter().filter(|(kind, _)| *kind == VOLUMES) {
        let report = report(&answer.text());
        let whole = judge_report(reading, answer, &report);
        for board in &report.boards {
            let at = Path::controller(name(answer, &report, board));
            lower_vol_status::board(reading, &at, board);
            let about = known.scope == Scope::Controller(at.as_str().trim_start_matches('c').to_owned());
            if whole && about && !board.volumes.is_empty() {
                reading.coverage.add(&at, Covers::Arrays);
                reading.coverage.add(&at, Covers::Tasks);
            }
        }
    }
}

/// By the node asked for where one was, else by the nodes of its lines.
fn name(answer: &Answer, report: &Report, board: &Board) -> String {
    let Asked::Cmd(argv) = &answer.asked else { return "0".to_owned() };
    let asked: Vec<&str> = argv.iter().filter_map(|a| a.strip_prefix("/dev/")).collect();
    let one = asked.first().filter(|_| asked.len() == 1 && report.boards.len() == 1);
    let generic = board.nodes.iter().find(|n| n.starts_with("sg"));
    let node = one.copied().or(generic.or(board.nodes.first()).map(String::as_str)).unwrap_or("0");
    cciss_number(node).unwrap_or(node).replace('/', "-")
}

fn judge_report(reading: &mut Reading, answer: &Answer, report: &Report) -> bool {
    let outcome = &answer.outcome;
    let stderr = answer.stderr_text();
    let told = report.boards.iter().any(|b| !b.volumes.is_empty() || !b.drives.is_empty() || !b.cache.is_empty());
    let (kind, said) = if !outcome.ended() {
        (NoteKind::ToolFailed, outcome.words())
    } else if !told {
        let words = if stderr.trim().is_empty() { unreadable(&answer.text()) } else { unreadable(&stderr) };
        (NoteKind::Unreadable, words)
    } else if let Some(line) = report.unread.first() {
        (NoteKind::UnknownWord, format!("a line is not understood: \"{line}\""))
    } else if let Some(line) = stderr.lines().find(|l| frightens(l)) {
        (NoteKind::Partial, line.trim().to_owned())
    } else {
        return true;
    };
    let at = report.boards.first().map(|b| Path::controller(name(answer, report, b))).unwrap_or_default();
    reading.note(kind, at, format!("`{}`: {said}", answer.asked));
    false
}
