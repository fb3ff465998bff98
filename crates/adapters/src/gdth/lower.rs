//! Blocks of the file to facts.

use super::parse::{ARRAYS, Block, CARD, LOGICAL, PHYSICAL, Sheet, sheet};
use super::vocabulary as words;
use super::{FOLDER, HOSTS, INFO};
use crate::scan;
use raidmond_core::model::{
    Alias, ArrayState, DiskState, Level, Member, Observed, Path, Space, Task, TaskKind, TaskState,
};
use raidmond_core::survey::{Answer, Asked, Covers, Heard, Known, NoteKind, Reading};

pub fn lower(known: &Known, heard: &Heard) -> Reading {
    let mut r = Reading::new("gdth", Space::OldScsi);
    for answer in heard.of(HOSTS).filter(|a| a.outcome.ended()) {
        for host in answer.text().lines().map(str::trim).filter(|h| h.parse::<u32>().is_ok()) {
            card(&mut r, known, &at(host), host);
        }
        r.coverage.add(&Path::default(), Covers::Controllers);
    }
    for answer in heard.of(INFO) {
        info(&mut r, known, answer);
    }
    r
}

fn at(host: &str) -> Path {
    Path::controller(format_args!("gdth{host}"))
}

fn card(r: &mut Reading, known: &Known, at: &Path, host: &str) {
    let number = host.parse::<u32>().ok();
    let device = known.pci.iter().find(|d| number.is_some_and(|n| d.scsi_hosts.contains(&n)));
    let alias = device.and_then(|d| Alias::pci(&d.address));
    let card = r.controller(at);
    card.aliases.extend(alias.filter(|a| !card.aliases.contains(a)).into_iter().collect::<Vec<_>>());
}

/// By the path asked for, else by the number in the file.
fn info(r: &mut Reading, known: &Known, answer: &Answer) {
    let sheet = sheet(&answer.text());
    let asked = match &answer.asked {
        Asked::File(path) => path.strip_prefix(FOLDER).map(|p| p.trim_start_matches('/').to_owned()),
        _ => None,
    };
    let stated = sheet.blocks.iter().find(|b| b.section == CARD).and_then(|b| b.get("Number")).map(str::to_owned);
    let host = asked.or(stated).unwrap_or_else(|| "0".to_owned());
    let at = at(&host);
    if !answer.outcome.ended() {
        let said = format!("`{}`: {}", answer.asked, answer.outcome.words());
        return r.note(NoteKind::ToolFailed, at, said);
    }
    if !sheet.begun {
        return r.note(NoteKind::Unreadable, at, format!("`{}` was not understood", answer.asked));
    }
    card(r, known, &at, &host);
    facts(r, &at, &sheet);
}

fn facts(r: &mut Reading, at: &Path, sheet: &Sheet) {
    let of = |section: &'static str| sheet.blocks.iter().filter(move |b| b.section == section);
    for block in of(CARD) {
        let card = r.controller(at);
        card.model = block.get("Name").map(str::to_owned).or(card.model.take());
        card.serial = block.get("Serial No.").map(str::to_owned);
        card.aliases.extend(card.serial.as_deref().and_then(Alias::serial));
        card.firmware = block.get("Firmware Ver.").map(str::to_owned);
    }
    of(ARRAYS).for_each(|block| array_drive(r, at, block));
    of(LOGICAL).for_each(|block| logical_drive(r, at, block));
    of(PHYSICAL).for_each(|block| physical(r, at, block, sheet));
    if sheet.ended {
        r.coverage.add(at, Covers::Arrays);
        r.coverage.add(at, Covers::Disks);
        r.coverage.add(at, Covers::Tasks);
    } else {
        r.note(NoteKind::Unreadable, at.clone(), "the driver's file is cut off");
    }
}

fn array_path(at: &Path, number: &str) -> Path {
    at.child(format_args!("a{number}"))
}

/// `rebuild/expand`
fn array_drive(r: &mut Reading, at: &Path, block: &Block) {
    let Some(number) = block.get("Number") else { return };
    let at = array_path(at, number);
    let said = block.get("Status").unwrap_or("");
    let (word, extra) = said.split_once('/').unwrap_or((said, ""));
    let state = words::array_state(word);
    if state.is_none() {
        r.unknown_word(at.clone(), "array drive status", said);
    }
    describe(r, &at, block, state.unwrap_or(ArrayState::Unknown), said);
    let kinds = [("build", TaskKind::Initialise), ("rebuild", TaskKind::Rebuild)];
    let work = kinds.iter().find(|(w, _)| *w == word).map(|(_, kind)| *kind);
    let more = [("expand", TaskKind::Expand), ("patch", TaskKind::Check)];
    let more = more.iter().find(|(w, _)| *w == extra).map(|(_, kind)| *kind);
    for kind in work.into_iter().chain(more) {
        let state = Observed::new(TaskState::Running, said);
        r.tasks.push(Task { on: at.clone(), kind, state, percent: None, seconds_left: None });
    }
}

fn describe(r: &mut Reading, at: &Path, block: &Block, state: ArrayState, said: &str) {
    let level_said = block.get("Type").unwrap_or("").to_owned();
    let level =
        if matches!(level_said.as_str(), "Disk" | "Chain") { Some(Level::Single) } else { Level::parse(&level_said) };
    if level.is_none() {
        r.unknown_word(at.clone(), "type", &level_said);
    }
    let array = r.array(at);
    (array.level, array.level_said) = (level, Some(level_said));
    let megabytes = block.get("Capacity [MB]").and_then(scan::count).filter(|n| *n > 0);
    array.size_bytes = megabytes.and_then(|n| n.checked_mul(1 << 20));
    array.state = Some(Observed::new(state, said));
    if state == ArrayState::Initialising && level.is_some_and(Level::is_parity) {
        array.redundancy_left = Some(0);
    }
}

/// Part of an array drive, or an array of its own: a disk, a chain, a stripe, a mirror.
fn logical_drive(r: &mut Reading, at: &Path, block: &Block) {
    let Some(number) = block.get("Number") else { return };
    if block.get("To Array Drv.").is_some() {
        return;
    }
    let at = at.array(number);
    let said: Vec<&str> = block.all("Status").collect();
    for word in said.iter().filter(|w| words::logical_state(w).is_none()) {
        r.unknown_word(at.clone(), "logical drive status", word);
    }
    let count = |name: &str| block.get(name).and_then(scan::count).unwrap_or(0);
    let hurt = count("Missing Drv.") + count("Invalid Drv.");
    let well = said.iter().filter(|w| words::logical_state(w) == Some(DiskState::Online)).count();
    let known = said.iter().all(|w| words::logical_state(w).is_some()) && !said.is_empty();
    let state = match (known, well) {
        (false, _) => ArrayState::Unknown,
        (true, 0) => ArrayState::Failed,
        (true, n) if n == said.len() && hurt == 0 => ArrayState::Optimal,
        (true, _) => ArrayState::Degraded,
    };
    describe(r, &at, block, state, &said.join(", "));
}

/// `B/01/0`: channel, id, LUN. What has no capacity is an enclosure's processor.
fn physical(r: &mut Reading, controller: &Path, block: &Block, sheet: &Sheet) {
    let Some(place) = block.get("Chn/ID/LUN") else { return };
    let parts: Vec<&str> = place.split('/').collect();
    let megabytes = block.get("Capacity [MB]").and_then(scan::count).filter(|n| *n > 0);
    let ([channel, id, ..], Some(megabytes)) = (parts.as_slice(), megabytes) else { return };
    let trimmed = id.trim_start_matches('0');
    let at = controller.slot(Some(channel), if trimmed.is_empty() { "0" } else { trimmed });
    let logical = block
        .get("To Log. Drive")
        .and_then(|number| sheet.blocks.iter().find(|b| b.section == LOGICAL && b.get("Number") == Some(number)));
    let array = logical.and_then(|l| match l.get("To Array Drv.") {
        Some(array) => Some(array_path(controller, array)),
        None => l.get("Number").map(|n| controller.array(n)),
    });
    let disk = r.disk(&at);
    disk.model = block.get("Name").map(|n| n.split_whitespace().collect::<Vec<_>>().join(" "));
    disk.size_bytes = megabytes.checked_mul(1 << 20);
    disk.reallocated_sectors = block.get("Grown Defects").and_then(scan::count);
    // A mirror's own status is that of its master: the halves cannot be told apart.
    let alone = logical.filter(|l| l.get("Type") == Some("Disk")).and_then(|l| l.get("Status"));
    disk.state = alone.map(|word| Observed::new(words::logical_state(word).unwrap_or(DiskState::Unknown), word));
    disk.array.clone_from(&array);
    if let (Some(word), Some(DiskState::Unknown)) = (alone, disk.state.as_ref().map(|s| s.state)) {
        r.unknown_word(at.clone(), "logical drive status", word);
    }
    if let Some(array) = array.filter(|a| r.arrays.iter().any(|known| known.at == *a)) {
        r.array(&array).members.push(Member { disk: at, ..Member::default() });
    }
}
