//! Pages of mvcli to facts. Objects are blocks of `key: value` that begin with their number.

use super::vocabulary as words;
use super::{ARRAYS, ASIDE, CARD, DISKS, MUTATION, SMART, controller};
use crate::scan;
use raidmond_core::model::{
    Alias, ArrayState, Controller, DiskState, Finding, FindingKind, Interface, Level, Medium, Member, Observed, Path,
    Space, Task, TaskKind, TaskState,
};
use raidmond_core::survey::{Answer, AnswerKind, Covers, Heard, Known, NoteKind, Reading};

pub fn lower(known: &Known, heard: &Heard) -> Reading {
    let mut r = Reading::new("boss", Space::Boss);
    let at = controller(known);
    let mut answers: Vec<(AnswerKind, &Answer)> = heard.all().filter(|(_, a)| !a.outcome.not_captured).collect();
    // Members before the arrays that seat them.
    answers.sort_by_key(|(kind, _)| u8::from(*kind == ARRAYS));
    for (kind, answer) in answers {
        read(&mut r, known, &at, kind, answer);
    }
    r
}

fn read(r: &mut Reading, known: &Known, at: &Path, kind: AnswerKind, answer: &Answer) {
    if kind == MUTATION {
        let said = format!("`{}` changes something; its answer is not judged", answer.asked);
        return r.note(NoteKind::Mutation, at.clone(), said);
    }
    if kind == ASIDE {
        return;
    }
    if !answer.outcome.ended() {
        return r.note(NoteKind::ToolFailed, at.clone(), format!("`{}`: {}", answer.asked, answer.outcome.words()));
    }
    let text = scan::clean(&answer.text());
    let understood = match kind {
        CARD => cards(r, known, &text),
        ARRAYS => arrays(r, at, &text),
        DISKS => disks(r, at, &text),
        SMART => smart(r, at, answer, &text),
        _ => true,
    };
    if !understood {
        let first: String =
            text.lines().find(|l| !l.trim().is_empty()).unwrap_or("nothing").trim().chars().take(80).collect();
        let said = format!("the answer to `{}` was not understood: \"{first}\"", answer.asked);
        r.note(NoteKind::Unreadable, at.clone(), said);
    }
}

type Pairs = Vec<(String, String)>;

/// Blocks that begin at one of these keys; what stands before the first is noise of the driver.
fn blocks(text: &str, begin: &[&str]) -> Vec<Pairs> {
    let mut blocks: Vec<Pairs> = Vec::new();
    for (key, value) in text.lines().filter_map(|l| scan::key_value(l, ':')) {
        if begin.iter().any(|b| scan::same_word(b, key)) {
            blocks.push(Vec::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.push((key.to_owned(), value.to_owned()));
        }
    }
    blocks
}

fn get<'a>(block: &'a Pairs, name: &str) -> Option<&'a str> {
    let found = block.iter().find(|(key, _)| scan::same_word(key, name)).map(|(_, v)| v.as_str());
    found.filter(|v| !v.is_empty())
}

/// `Total # of VD:       1`
fn total(text: &str, of: &str) -> Option<u64> {
    let name = format!("Total # of {of}");
    text.lines()
        .filter_map(|l| scan::key_value(l, ':'))
        .find(|(k, _)| scan::same_word(k, &name))
        .and_then(|(_, v)| scan::count(v))
}

fn cards(r: &mut Reading, known: &Known, text: &str) -> bool {
    let blocks = blocks(text, &["controller ID", "Adapter ID"]);
    for block in &blocks {
        let number = get(block, "controller ID").or_else(|| get(block, "Adapter ID")).unwrap_or("0");
        card(r, known, &Path::controller(number), block, blocks.len());
    }
    if !blocks.is_empty() {
        r.coverage.add(&Path::default(), Covers::Controllers);
    }
    !blocks.is_empty()
}

fn card(r: &mut Reading, known: &Known, at: &Path, block: &Pairs, cards: usize) {
    let text = |name: &str| get(block, name).map(str::to_owned);
    let card = r.controller(at);
    card.model = text("ModelNumber").or_else(|| text("Product"));
    card.firmware = text("Firmware version");
    card.serial = text("SerialNo");
    card.aliases.extend(card.serial.as_deref().and_then(Alias::serial));
    only_card(card, known, cards);
    let sick = block
        .iter()
        .filter(|(key, v)| key.to_ascii_lowercase().ends_with("image health") && !words::is_healthy_image(v));
    let sick: Vec<String> = sick.map(|(key, v)| format!("{key}: {v}")).collect();
    r.findings.extend(sick.into_iter().map(|said| Finding::new(at.clone(), FindingKind::ToolReportsFault, said)));
}

/// The tool states no address: with one card on the bus there is no doubt.
fn only_card(card: &mut Controller, known: &Known, cards: usize) {
    let mut devices = known.pci.iter().filter(|d| (d.vendor, d.device) == (0x1b4b, 0x9230));
    if let (Some(device), None, 1) = (devices.next(), devices.next(), cards) {
        card.aliases.extend(Alias::pci(&device.address));
    }
}

fn arrays(r: &mut Reading, at: &Path, text: &str) -> bool {
    let blocks = blocks(text, &["id"]);
    let count = total(text, "VD");
    r.controller(at).arrays_counted = count;
    for block in &blocks {
        array(r, &at.array(get(block, "id").unwrap_or("")), block);
    }
    complete(r, at, "virtual disks", count, blocks.len(), Covers::Arrays);
    count.is_some() || !blocks.is_empty()
}

/// The count at the end proves the list whole.
fn complete(r: &mut Reading, at: &Path, what: &str, count: Option<u64>, listed: usize, covers: Covers) {
    match count {
        Some(count) if count <= listed as u64 => r.coverage.add(at, covers),
        Some(count) => {
            r.note(NoteKind::FewerThanCounted, at.clone(), format!("{count} {what} are counted, {listed} are listed"));
        }
        None if listed > 0 => r.note(NoteKind::Unreadable, at.clone(), format!("the list of {what} has no end")),
        None => {}
    }
}

fn array(r: &mut Reading, at: &Path, block: &Pairs) {
    let said = get(block, "RAID mode").unwrap_or("").to_owned();
    let level = Level::parse(&said);
    if level.is_none() {
        r.unknown_word(at.clone(), "RAID mode", &said);
    }
    let kilo = get(block, "size").and_then(|s| scan::size_bytes(s, true));
    let array = r.array(at);
    array.name = get(block, "name").map(str::to_owned);
    (array.level, array.level_said, array.size_bytes) = (level, Some(said), kilo);
    array.width = get(block, "# of PDs").and_then(scan::count).and_then(|n| u32::try_from(n).ok());
    state(r, at, block);
    members(r, at, get(block, "PD RAID setup").unwrap_or(""));
    work(r, at, block);
}

/// `status` and, in newer versions, `VD status`: the worse of them.
fn state(r: &mut Reading, at: &Path, block: &Pairs) {
    let said: Vec<String> = ["status", "VD status"].iter().filter_map(|n| get(block, n)).map(str::to_owned).collect();
    if said.is_empty() {
        r.note(NoteKind::Unreadable, at.clone(), "a virtual disk is listed without its status");
        r.array(at).state = Some(Observed::new(ArrayState::Unknown, ""));
    }
    for word in said {
        let state = words::array_state(&word);
        if state.is_none() {
            r.unknown_word(at.clone(), "virtual disk status", &word);
        }
        let array = r.array(at);
        let state = state.unwrap_or(ArrayState::Unknown);
        if array.state.as_ref().is_none_or(|s| s.state == ArrayState::Optimal) {
            array.state = Some(Observed::new(state, word));
        }
    }
}

fn members(r: &mut Reading, at: &Path, seats: &str) {
    let controller = at.root();
    for (index, id) in seats.split_whitespace().enumerate() {
        let disk = match id.parse::<u32>() {
            Ok(id) => controller.port(id),
            Err(_) => controller.missing_member(index),
        };
        if let Some(disk) = r.disks.iter_mut().find(|d| d.at == disk) {
            disk.array = Some(at.clone());
        }
        r.array(at).members.push(Member { disk, ..Member::default() });
    }
}

fn work(r: &mut Reading, at: &Path, block: &Pairs) {
    let Some(said) = get(block, "BGA status").filter(|w| !w.eq_ignore_ascii_case("not running")) else { return };
    let named = ["BGA type", "BGA name", "BGA"].iter().find_map(|n| get(block, n));
    let degraded = r.array(at).state.as_ref().is_some_and(|s| s.state == ArrayState::Degraded);
    // What is done to a degraded mirror in the background is its rebuild.
    let kind =
        named.and_then(words::work_kind).or_else(|| words::work_kind(said)).or(degraded.then_some(TaskKind::Rebuild));
    let state = match said.to_ascii_lowercase().as_str() {
        word if word.starts_with("running") => TaskState::Running,
        word if word.contains("pause") => TaskState::Paused,
        _ => {
            r.unknown_word(at.clone(), "BGA status", said);
            TaskState::Running
        }
    };
    if degraded && kind == Some(TaskKind::Rebuild) && state == TaskState::Running {
        r.array(at).state = Some(Observed::new(ArrayState::Rebuilding, said));
    }
    let percent = block.iter().find(|(key, _)| key.starts_with("BGA p")).and_then(|(_, v)| scan::percent(v));
    let kind = kind.unwrap_or(TaskKind::Unknown);
    r.tasks.push(Task { on: at.clone(), kind, state: Observed::new(state, said), percent, seconds_left: None });
}

fn disks(r: &mut Reading, at: &Path, text: &str) -> bool {
    let blocks = blocks(text, &["PD ID"]);
    let count = total(text, "PD");
    for block in &blocks {
        disk(r, at, block);
    }
    complete(r, at, "physical disks", count, blocks.len(), Covers::Disks);
    count.is_some() || !blocks.is_empty()
}

fn disk(r: &mut Reading, controller: &Path, block: &Pairs) {
    let id = get(block, "PD ID").unwrap_or("").to_owned();
    let at = controller.port(&id);
    let text = |name: &str| get(block, name).map(str::to_owned);
    let disk = r.disk(&at);
    disk.device_id = Some(id);
    disk.model = text("model");
    disk.serial = text("Serial");
    disk.firmware = text("Firmware version");
    disk.aliases.extend(disk.serial.as_deref().and_then(Alias::serial));
    disk.aliases.extend(get(block, "WWN").and_then(Alias::wwn));
    disk.size_bytes = get(block, "Size").and_then(|s| scan::size_bytes(s, true));
    disk.slot = get(block, "Linked at").map(str::to_owned);
    disk.interface = get(block, "Type").filter(|t| t.starts_with("SATA")).map(|_| Interface::Sata);
    disk.medium = get(block, "SSD Type").filter(|t| t.contains("SSD")).map(|_| Medium::Ssd);
    if let Some(word) = get(block, "PD status") {
        let state = words::disk_state(word);
        if state.is_none() {
            r.unknown_word(at.clone(), "PD status", word);
        }
        r.disk(&at).state = Some(Observed::new(state.unwrap_or(DiskState::Unknown), word));
    }
}

/// `SMART STATUS RETURN: OK.` is the disk's own verdict; the attributes are smartctl's business.
fn smart(r: &mut Reading, controller: &Path, answer: &Answer, text: &str) -> bool {
    let words = answer.asked.args_lower();
    let shown = text.lines().find_map(|l| l.trim().strip_prefix("> smart -p ")).map(str::to_owned);
    let id = words.iter().skip_while(|w| *w != "-p").nth(1).cloned().filter(|w| w.parse::<u32>().is_ok()).or(shown);
    let listed = text.contains("Smart Info");
    let said =
        text.lines().filter_map(|l| scan::key_value(l, ':')).find(|(k, _)| scan::same_word(k, "SMART STATUS RETURN"));
    let at = id.map_or_else(|| controller.clone(), |id| controller.port(id.trim()));
    match said {
        Some((_, said)) => {
            let well = said.trim_end_matches('.').eq_ignore_ascii_case("ok");
            r.disk(&at).predictive = Some(Observed::new(!well, format!("SMART STATUS RETURN: {said}")));
        }
        None => r.note(NoteKind::Remark, at, "attributes without the disk's own SMART status"),
    }
    said.is_some() || listed
}
