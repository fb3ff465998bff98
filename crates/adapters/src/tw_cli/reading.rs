//! All answers of one conversation → one reading: what went wrong with an answer, which answers
//! belong to which controller, and what was listed completely.

use super::lower::{self, Heap, Units};
use super::parse::{Alarm, Row, Sheet, Table, controller_number, sheet};
use super::{
    ALARMS, ASIDE, ATTRIBUTES, BATTERY, CONTROLLER, MUTATION, SUMMARY, alarms, is_readable, lower_parts, lower_ports,
};
use raidmond_core::model::{ArrayState, Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Covers, Heard, Known, NoteKind, Reading, Scope};

/// An answer with its text read.
struct Page<'a> {
    kind: AnswerKind,
    answer: &'a Answer,
    sheet: Sheet,
    controller: String,
    /// Ended well, nothing in it was refused or not understood.
    whole: bool,
}

pub fn read(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("tw_cli", Space::ThreeWare);
    let mut pages: Vec<Page<'_>> =
        heard.all().filter(|(_, a)| !a.outcome.not_captured).map(|p| page(known, p)).collect();
    for index in 0..pages.len() {
        let superseded = pages.get(index).is_some_and(|p| is_superseded(p, &pages));
        if let Some(page) = pages.get_mut(index) {
            page.whole = judge(&mut reading, page, superseded);
        }
    }
    // The fast tables speak before the slow ones.
    pages.sort_by_key(|p| p.kind == ATTRIBUTES);
    summary(&mut reading, known, &pages);
    for number in controllers(&pages) {
        controller(&mut reading, known, &pages, &number);
    }
    events(&mut reading, known, &pages);
    only_alarms(&mut reading, known, &pages);
    reading
}

fn page<'a>(known: &Known, (kind, answer): (AnswerKind, &'a Answer)) -> Page<'a> {
    let sheet = sheet(&answer.text());
    let named = answer.asked.args_lower().iter().find_map(|word| controller_number(word));
    let scope = match &known.scope {
        Scope::Controller(number) => Some(number.clone()),
        _ => None,
    };
    // A capture without its command: cards are few, and the first is c0.
    let controller = named.or_else(|| sheet.controller.clone()).or(scope).unwrap_or_else(|| "0".to_owned());
    Page { kind, answer, sheet, controller, whole: false }
}

/// The same was asked in the other syntax, with success.
fn is_superseded(page: &Page<'_>, pages: &[Page<'_>]) -> bool {
    let useful = is_readable(page.answer, page.kind);
    let asked_twice = matches!(page.kind, SUMMARY | CONTROLLER | ATTRIBUTES);
    let other = |p: &&Page<'_>| {
        let same = p.kind == page.kind || (page.kind == ATTRIBUTES && p.kind == CONTROLLER);
        same && (page.kind == SUMMARY || p.controller == page.controller) && is_readable(p.answer, p.kind)
    };
    !useful && asked_twice && pages.iter().any(|p| other(&p))
}

/// Notes what is wrong with an answer; `true` when nothing is.
fn judge(reading: &mut Reading, page: &Page<'_>, superseded: bool) -> bool {
    let at = if page.kind == SUMMARY { Path::default() } else { Path::controller(&page.controller) };
    let asked = &page.answer.asked;
    if page.kind == MUTATION {
        reading.note(NoteKind::Mutation, at, format!("`{asked}` changes the controller; its answer is not judged"));
        return false;
    }
    if page.kind == ASIDE {
        return false;
    }
    let Some((kind, said)) = problem(page) else { return true };
    let kind = if superseded { NoteKind::Remark } else { kind };
    let quoted = format!("`{asked}`: {said}");
    let denied = said.to_ascii_lowercase().contains("root") || page.answer.outcome.denied;
    match denied {
        true => reading.note_with_remedy(kind, at, quoted, "tw_cli must run as root"),
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
    if let Some(line) = crash(page.answer) {
        return Some((NoteKind::ToolFailed, format!("\"{line}\"")));
    }
    if let Some(error) = sheet.errors.first() {
        let none = error.to_ascii_lowercase().contains("no controller");
        return Some((if none { NoteKind::ToolFailed } else { NoteKind::CommandRefused }, format!("\"{error}\"")));
    }
    if outcome.exit != 0 {
        let words = page.answer.stderr_text();
        let first = words.lines().next().unwrap_or("no message").trim().to_owned();
        return Some((NoteKind::ToolFailed, format!("{} ({first})", outcome.words())));
    }
    if outcome.truncated {
        return Some((NoteKind::Partial, "the output is longer than raidmond reads".to_owned()));
    }
    unreadable(page)
}

/// What the shell says of a tool that crashed, in captures that keep no exit code.
fn crash(answer: &Answer) -> Option<String> {
    let text = format!("{}\n{}", answer.stderr_text(), answer.text());
    let crashed = |l: &&str| ["segmentation fault", "core dumped"].iter().any(|w| l.to_ascii_lowercase().contains(w));
    text.lines().map(str::trim).find(crashed).map(|l| l.chars().take(120).collect())
}

fn unreadable(page: &Page<'_>) -> Option<(NoteKind, String)> {
    let sheet = &page.sheet;
    let units = sheet.of(Table::Units).count() as u64;
    if sheet.cut || lacks_ports(page) || sheet.units_announced.is_some_and(|n| n > units) {
        return Some((NoteKind::Unreadable, "the answer of tw_cli is cut off: it ends inside its tables".to_owned()));
    }
    if let Some(line) = sheet.unread.first() {
        return Some((NoteKind::UnknownWord, format!("a line of the table is not understood: \"{line}\"")));
    }
    if page.kind == ALARMS && sheet.has(Table::Alarms) || !sheet.says_nothing() && is_readable(page.answer, page.kind) {
        return None;
    }
    let text = page.answer.text();
    let first = text.lines().map(str::trim).find(|l| !l.is_empty());
    let said = match first {
        None => "printed nothing".to_owned(),
        Some(line) => format!("not understood, begins with \"{}\"", line.chars().take(80).collect::<String>()),
    };
    Some((NoteKind::Unreadable, said))
}

/// `/c0 show` lists units and then ports, however few there are.
fn lacks_ports(page: &Page<'_>) -> bool {
    let args = page.answer.asked.args_lower();
    let both = args.len() == 2 && args.last().is_some_and(|a| a == "show") && page.kind == CONTROLLER;
    both && page.sheet.has(Table::Units) && !page.sheet.has(Table::Ports)
}

/// A capture of alarms alone tells what was, not how anything is now.
fn only_alarms(reading: &mut Reading, known: &Known, pages: &[Page<'_>]) {
    let mut judged = pages.iter().filter(|p| p.kind != ASIDE).peekable();
    if known.scope == Scope::Everything && judged.peek().is_some() && judged.all(|p| p.kind == ALARMS) {
        let said = "a list of alarms holds no health: `tw_cli /c0 show` is needed, too";
        reading.note(NoteKind::Unreadable, Path::default(), said);
    }
}

fn summary(reading: &mut Reading, known: &Known, pages: &[Page<'_>]) {
    let rows = pages.iter().flat_map(|p| p.sheet.of(Table::Controllers));
    for row in rows {
        let Some(number) = controller_number(row.id()) else { continue };
        lower::controller_row(reading, &Path::controller(number), row);
    }
    // Names of controllers alone, given as a capture, say nothing of health.
    let judges = |p: &Page<'_>| p.sheet.of(Table::Controllers).any(|r| r.get(&["NotOpt"]).is_some());
    let judged = known.scope != Scope::Everything || pages.iter().any(|p| p.kind != SUMMARY || judges(p));
    if judged && pages.iter().any(|p| p.kind == SUMMARY && p.whole) {
        reading.coverage.add(&Path::default(), Covers::Controllers);
    }
}

/// Numbers of all controllers that any answer is about, in the order heard.
fn controllers(pages: &[Page<'_>]) -> Vec<String> {
    let mut numbers = Vec::new();
    for page in pages.iter().filter(|p| p.kind != MUTATION && p.kind != ASIDE) {
        let listed = page.sheet.of(Table::Controllers).filter_map(|r| controller_number(r.id()));
        let own = (page.kind != SUMMARY && page.kind != ALARMS && !page.sheet.says_nothing())
            .then(|| page.controller.clone());
        for number in listed.chain(own) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    numbers
}

fn controller(reading: &mut Reading, known: &Known, pages: &[Page<'_>], number: &str) {
    let at = Path::controller(number);
    let heap = heap(pages, number, &at);
    reading.controller(&at).makes_arrays = Some(true);
    lower::controller_pairs(reading, &heap);
    let units = lower::units(reading, &heap);
    lower_ports::ports(reading, &heap, &units);
    let row = summary_row(pages, number);
    let bbu = row.and_then(|r| r.get(&["BBU"]));
    if known.scope != Scope::Discover {
        lower_parts::battery(reading, &heap, bbu);
    }
    lower_parts::enclosures(reading, &heap);
    let complete = complete(pages, number, heap.older.is_some());
    let has = |table: Table| complete.contains(&table);
    let no_battery = row.is_some_and(|r| r.get(&["BBU"]).is_none() && r.get(&["NotOpt"]).is_some())
        || shows_all_parts(pages, number);
    coverage(reading, &at, has, no_battery);
    if has(Table::Units) {
        counts(reading, &at, &units);
    }
}

fn heap<'a>(pages: &'a [Page<'_>], number: &str, at: &Path) -> Heap<'a> {
    let own = |p: &&Page<'_>| p.controller == number && ![SUMMARY, ALARMS, ASIDE, MUTATION].contains(&p.kind);
    let fresh = pages.iter().filter(own).any(|p| p.kind == CONTROLLER && is_readable(p.answer, CONTROLLER));
    let (older, sheets): (Vec<&Page<'_>>, Vec<&Page<'_>>) =
        pages.iter().filter(own).partition(|p| fresh && p.kind == ATTRIBUTES);
    Heap {
        at: at.clone(),
        sheets: sheets.into_iter().map(|p| &p.sheet).collect(),
        older: older.first().map(|p| &p.sheet),
    }
}

/// Tables that list everything of their kind: those of the controller, not those of one unit.
fn complete(pages: &[Page<'_>], number: &str, fresh: bool) -> Vec<Table> {
    let listing = |p: &&Page<'_>| p.kind == CONTROLLER || p.kind == BATTERY || (p.kind == ATTRIBUTES && !fresh);
    let own = pages.iter().filter(|p| p.whole && p.controller == number).filter(listing);
    own.flat_map(|p| p.sheet.tables.iter().copied()).collect()
}

/// `/c0 show` prints a battery table wherever there is a battery; the old words ask for it apart.
fn shows_all_parts(pages: &[Page<'_>], number: &str) -> bool {
    let own = pages.iter().filter(|p| p.whole && p.kind == CONTROLLER && p.controller == number);
    own.into_iter().any(|p| p.sheet.has(Table::Units) && p.sheet.has(Table::Ports))
}

fn summary_row<'a>(pages: &'a [Page<'_>], number: &str) -> Option<&'a Row> {
    let mut rows = pages.iter().flat_map(|p| p.sheet.of(Table::Controllers));
    rows.find(|r| controller_number(r.id()).as_deref() == Some(number))
}

fn coverage(reading: &mut Reading, at: &Path, complete: impl Fn(Table) -> bool, no_battery: bool) {
    if complete(Table::Units) {
        reading.coverage.add(at, Covers::Arrays);
        reading.coverage.add(at, Covers::Tasks);
    }
    if complete(Table::Ports) {
        reading.coverage.add(at, Covers::Disks);
    }
    if complete(Table::Battery) || no_battery {
        reading.coverage.add(at, Covers::Cache);
    }
}

/// The card counts spares among its units, and as "not optimal" everything but OK and VERIFYING:
/// where the units themselves are listed they are the better witness.
fn counts(reading: &mut Reading, at: &Path, units: &Units) {
    let controller = reading.controller(at);
    let (counted, not_optimal) = (controller.arrays_counted, controller.arrays_degraded_counted);
    let listed = units.len() as u64;
    let hurt = units.iter().filter(|u| u.state != ArrayState::Optimal).count() as u64;
    controller.arrays_degraded_counted = None;
    if let Some(counted) = counted {
        controller.arrays_counted = Some(counted.saturating_sub(units.iter().filter(|u| u.spare).count() as u64));
        if counted > listed {
            let said = format!("the controller counts {counted} units and lists {listed}");
            reading.note(NoteKind::FewerThanCounted, at.clone(), said);
        }
    }
    if let Some(bad) = not_optimal.filter(|bad| *bad > hurt && counted.is_none_or(|c| c <= listed)) {
        let said = format!("the controller counts {bad} units that are not optimal, and {hurt} of the listed ones are");
        reading.note(NoteKind::FewerThanCounted, at.clone(), said);
    }
}

fn events(reading: &mut Reading, known: &Known, pages: &[Page<'_>]) {
    let list: Vec<&Alarm> = pages.iter().flat_map(|p| &p.sheet.alarms).collect();
    if list.is_empty() {
        reading.cursor = known.cursor.clone();
        return;
    }
    let baseline = known.scope != Scope::Everything;
    let (fresh, cursor) = alarms::news(&list, known.cursor.as_deref(), baseline);
    reading.events = fresh;
    reading.cursor = cursor;
}
