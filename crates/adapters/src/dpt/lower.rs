//! Rows of raidutil to facts: `d0b0t1d0   RAID 1 (Mirrored) ADAPTEC  RAID-1   35003MB   Optimal`.

use super::vocabulary as words;
use super::{ASIDE, FILE, MUTATION, PHYSICAL};
use crate::scan;
use raidmond_core::model::{ArrayState, DiskState, Level, Member, Observed, Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Covers, Heard, Known, NoteKind, Reading, Scope};

pub fn lower(known: &Known, heard: &Heard) -> Reading {
    let mut r = Reading::new("dpt", Space::OldScsi);
    for (kind, answer) in heard.all().filter(|(_, a)| !a.outcome.not_captured) {
        read(&mut r, known, kind, answer);
    }
    r
}

fn about(known: &Known) -> Path {
    match &known.scope {
        Scope::Controller(number) => Path::controller(number),
        _ => Path::default(),
    }
}

fn read(r: &mut Reading, known: &Known, kind: AnswerKind, answer: &Answer) {
    let at = about(known);
    if kind == MUTATION {
        let said = format!("`{}` changes something; its answer is not judged", answer.asked);
        return r.note(NoteKind::Mutation, at, said);
    }
    if kind == ASIDE {
        return;
    }
    if !answer.outcome.ended() {
        return r.note(NoteKind::ToolFailed, at, format!("`{}`: {}", answer.asked, answer.outcome.words()));
    }
    let text = scan::clean(&answer.text());
    if kind == FILE {
        return file(r, &text, answer);
    }
    table(r, known, kind, &text, answer);
}

struct Row<'a> {
    controller: Path,
    /// `0:1:0`: bus, target, LUN.
    place: String,
    kind: &'a str,
    megabytes: Option<u64>,
    status: &'a str,
    /// Part of the array above it.
    inner: bool,
}

/// The capacity parts type and model from the status.
fn row(line: &str) -> Option<Row<'_>> {
    let inner = line.starts_with(' ') || line.starts_with('\t');
    let (address, rest) = line.trim().split_once(char::is_whitespace)?;
    let parts = address_parts(address)?;
    let capacity = rest.split_whitespace().find(|w| is_capacity(w))?;
    let at = rest.find(capacity)?;
    Some(Row {
        controller: Path::controller(format_args!("dpt{}", parts[0])),
        place: format!("{}:{}", parts[1], parts[2]),
        kind: rest.get(..at)?.trim(),
        megabytes: scan::count(capacity),
        status: rest.get(at + capacity.len()..)?.trim(),
        inner,
    })
}

fn is_capacity(word: &str) -> bool {
    word.strip_suffix("MB").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// `d0b1t2d0`
fn address_parts(address: &str) -> Option<[u32; 4]> {
    let mut rest = address;
    let mut numbers = [0; 4];
    for (letter, number) in ['d', 'b', 't', 'd'].into_iter().zip(&mut numbers) {
        rest = rest.strip_prefix(letter)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        *number = digits.parse().ok()?;
        rest = rest.get(digits.len()..)?;
    }
    rest.is_empty().then_some(numbers)
}

fn table(r: &mut Reading, known: &Known, kind: AnswerKind, text: &str, answer: &Answer) {
    let headed = text.contains("Address") && text.contains("Status");
    let mine = about(known);
    let mut array: Option<Path> = None;
    let mut rows = 0;
    for row in text.lines().filter_map(row) {
        rows += 1;
        r.controller(&row.controller);
        if mine != Path::default() && row.controller != mine {
            continue;
        }
        if row.kind.starts_with("RAID") {
            array = Some(array_row(r, &row));
        } else {
            disk_row(r, &row, array.as_ref().filter(|_| row.inner));
        }
    }
    if !headed && rows == 0 {
        let first: String =
            text.lines().find(|l| !l.trim().is_empty()).unwrap_or("nothing").trim().chars().take(80).collect();
        let said = format!("the answer to `{}` was not understood: \"{first}\"", answer.asked);
        return r.note(NoteKind::Unreadable, mine, said);
    }
    // The table has no end of its own: only a list that holds something is taken for one.
    let covers = if kind == PHYSICAL { Covers::Disks } else { Covers::Arrays };
    if rows > 0 && mine != Path::default() {
        r.coverage.add(&mine, covers);
    }
    if rows == 0 {
        r.note(NoteKind::Partial, mine, format!("the answer to `{}` lists nothing", answer.asked));
    }
}

fn array_row(r: &mut Reading, row: &Row<'_>) -> Path {
    let at = row.controller.array(&row.place);
    let state = words::array_state(row.status);
    if state.is_none() {
        r.unknown_word(at.clone(), "array status", row.status);
    }
    let said: String = row.kind.chars().take_while(|c| *c != '(').collect::<String>().trim().to_owned();
    let number = said.split_whitespace().nth(1).unwrap_or("");
    let level = Level::parse(number);
    if level.is_none() {
        r.unknown_word(at.clone(), "RAID level", &said);
    }
    let array = r.array(&at);
    (array.level, array.level_said) = (level, Some(said));
    array.size_bytes = row.megabytes.and_then(|n| n.checked_mul(1 << 20));
    array.state = Some(Observed::new(state.unwrap_or(ArrayState::Unknown), row.status));
    at
}

fn disk_row(r: &mut Reading, row: &Row<'_>, array: Option<&Path>) {
    let at = row.controller.child(&row.place);
    let spare = row.kind.to_ascii_lowercase().contains("hot spare");
    let state = words::disk_state(row.status);
    if state.is_none() {
        r.unknown_word(at.clone(), "drive status", row.status);
    }
    let state = match state.unwrap_or(DiskState::Unknown) {
        DiskState::Online if spare => DiskState::HotSpare,
        other => other,
    };
    let disk = r.disk(&at);
    disk.model = Some(row.kind.split(')').next_back().unwrap_or("").trim().to_owned()).filter(|m| !m.is_empty());
    disk.size_bytes = row.megabytes.and_then(|n| n.checked_mul(1 << 20));
    disk.state = Some(Observed::new(state, row.status));
    if let Some(array) = array {
        disk.array = Some(array.clone());
        r.array(array).members.push(Member { disk: at, ..Member::default() });
    }
}

/// `TID=529, (Channel=0, Target=0, Lun=0)  (online)` below the name of a device.
fn file(r: &mut Reading, text: &str, answer: &Answer) {
    let number: String =
        answer.asked.path().rsplit('/').next().unwrap_or("").chars().filter(char::is_ascii_digit).collect();
    let at = Path::controller(format_args!("dpt{}", if number.is_empty() { "0" } else { &number }));
    if !text.contains("I2O RAID Driver Version") {
        return r.note(NoteKind::Unreadable, at, format!("`{}` was not understood", answer.asked));
    }
    let mut name = "";
    for line in text.lines().map(str::trim) {
        if let Some(model) = line.strip_prefix("Vendor: ").and_then(|l| l.split_once("Model: ")) {
            let (model, firmware) = model.1.split_once("FW:").unwrap_or((model.1, ""));
            let card = r.controller(&at);
            card.model = Some(model.trim().to_owned());
            card.firmware = Some(firmware.trim().to_owned()).filter(|f| !f.is_empty());
        } else if line.contains(" Rev: ") {
            name = line.split(" Rev: ").next().unwrap_or("").trim();
        } else if line.starts_with("TID=") {
            device(r, &at, name, line);
        }
    }
    let said = "the driver only tells which devices are there, not whether an array is degraded";
    let remedy = "install raidutil (package raidutils), which reads the arrays";
    r.note_with_remedy(NoteKind::Partial, at, said, remedy);
}

fn device(r: &mut Reading, controller: &Path, name: &str, line: &str) {
    let Some(kind) = name.split_whitespace().find(|w| w.starts_with("RAID-")) else { return };
    let numbers: Vec<&str> = line.split(|c: char| !c.is_ascii_digit()).filter(|d| !d.is_empty()).collect();
    let [_, channel, target, ..] = numbers.as_slice() else { return };
    let at = controller.array(format_args!("{channel}:{target}"));
    let word = line.rsplit('(').next().unwrap_or("").trim_end_matches(')');
    let array = r.array(&at);
    (array.level, array.level_said) = (Level::parse(kind), Some(kind.to_owned()));
    // "online" says nothing of redundancy.
    if word.eq_ignore_ascii_case("offline") {
        array.state = Some(Observed::new(ArrayState::Failed, word));
    } else if !word.eq_ignore_ascii_case("online") {
        r.unknown_word(at, "device state", word);
    }
}
