//! Pages of Areca's CLI to facts: raid sets, volume sets, disks, the card.

use super::parse::{self, Disk as Row, Page, RaidSet, Volume, page};
use super::vocabulary as words;
use super::{ASIDE, DISK, DISKS, EVENTS, HARDWARE, MAIN, MUTATION, RAID_SETS, SYSTEM, VOLUMES, controller, events};
use crate::scan;
use raidmond_core::model::{
    Alias, ArrayState, CacheKind, CacheProtection, CacheState, DiskState, Enclosure, Finding, FindingKind, Level,
    Member, Observed, Part, PartKind, PartState, Path, Space, SpareScope, Task, TaskState,
};
use raidmond_core::survey::{Answer, AnswerKind, Covers, Heard, Known, NoteKind, Reading, Scope};

/// What joins disks and arrays: the names of raid sets.
#[derive(Default)]
struct Gathered {
    sets: Vec<(Path, RaidSet)>,
    volumes: Vec<(Path, Volume)>,
    disks: Vec<(Path, Row)>,
}

pub fn lower(known: &Known, heard: &Heard) -> Reading {
    let mut reading = Reading::new("areca", Space::Areca);
    let mut all = Gathered::default();
    for (kind, answer) in heard.all().filter(|(_, a)| !a.outcome.not_captured) {
        let at = controller(known, &answer.asked);
        read(&mut reading, &mut all, known, kind, answer, &at);
    }
    sets(&mut reading, &all);
    disks(&mut reading, &all);
    members(&mut reading, &all);
    reading.cursor = reading.cursor.take().or_else(|| known.cursor.clone());
    reading
}

fn read(r: &mut Reading, all: &mut Gathered, known: &Known, kind: AnswerKind, answer: &Answer, at: &Path) {
    if kind == MUTATION {
        let said = format!("`{}` changes something; its answer is not judged", answer.asked);
        return r.note(NoteKind::Mutation, at.clone(), said);
    }
    let page = page(&answer.text());
    if !answer.outcome.ended() {
        r.note(NoteKind::ToolFailed, at.clone(), format!("`{}`: {}", answer.asked, answer.outcome.words()));
    }
    if kind == ASIDE || refused(r, &page, kind, answer, at) {
        return;
    }
    let understood = match kind {
        MAIN => overview(r, &page, known),
        SYSTEM => system(r, &page, at),
        RAID_SETS => raid_sets(r, all, &page, at),
        VOLUMES => volumes(r, all, &page, at),
        DISKS => disk_rows(r, all, &page, at),
        DISK => one_disk(r, &page, answer, at),
        HARDWARE => hardware(r, &page, at),
        EVENTS => event_log(r, known, &page, at),
        _ => true,
    };
    if answer.outcome.ended() && !understood {
        unreadable(r, &page, answer, at);
    } else if answer.outcome.ended() && !page.is_whole() && kind != MAIN {
        r.note(NoteKind::Partial, at.clone(), format!("the answer to `{}` has no end", answer.asked));
    }
}

/// `GuiErrMsg<0x08>: Password Required.`
fn refused(r: &mut Reading, page: &Page, kind: AnswerKind, answer: &Answer, at: &Path) -> bool {
    let Some((number, said)) = page.result.as_ref().filter(|(n, _)| *n != 0) else { return false };
    let said = format!("`{}` was refused: {said} ({number:#04x})", answer.asked);
    let aside = matches!(kind, MAIN | EVENTS | HARDWARE);
    r.note(if aside { NoteKind::Remark } else { NoteKind::CommandRefused }, at.clone(), said);
    true
}

fn unreadable(r: &mut Reading, page: &Page, answer: &Answer, at: &Path) {
    let first: String = page.lines.first().map_or("nothing", |l| l.trim()).chars().take(80).collect();
    let said = format!("the answer to `{}` was not understood: \"{first}\"", answer.asked);
    r.note(NoteKind::Unreadable, at.clone(), said);
}

/// `[*] 1   ARC-1882   Raid Controller  PCI`. Versions without this list are for one card.
fn overview(r: &mut Reading, page: &Page, known: &Known) -> bool {
    let mut numbers = Vec::new();
    for line in page.header.iter().flat_map(|_| &page.lines) {
        let row = line.trim_start().trim_start_matches("[*]").trim_start_matches("[ ]");
        let words: Vec<&str> = row.split_whitespace().collect();
        if let [number, name, ..] = words.as_slice()
            && number.parse::<u32>().is_ok()
            && row.contains("Controller")
        {
            let at = Path::controller(number);
            r.controller(&at).model = Some((*name).to_owned());
            numbers.push(at);
        }
    }
    let on_bus = known.pci.iter().filter(|d| d.driver.as_deref() == Some("arcmsr")).count();
    if !numbers.is_empty() {
        r.coverage.add(&Path::default(), Covers::Controllers);
        if numbers.len() < on_bus {
            let said = format!("{} of {on_bus} Areca controllers on the bus are seen by the tool", numbers.len());
            r.note(NoteKind::FewerThanCounted, Path::default(), said);
        }
    }
    !page.lines.is_empty()
}

fn system(r: &mut Reading, page: &Page, at: &Path) -> bool {
    let text = |name: &str| page.value(name).filter(|v| !v.is_empty()).map(str::to_owned);
    let (model, serial, firmware) = (text("Controller Name"), text("Serial Number"), text("Firmware Version"));
    if model.is_none() && firmware.is_none() {
        return false;
    }
    let card = r.controller(at);
    card.aliases.extend(serial.as_deref().and_then(Alias::serial));
    card.model = model.or(card.model.take());
    card.serial = serial;
    card.firmware = firmware;
    true
}

fn raid_sets(r: &mut Reading, all: &mut Gathered, page: &Page, at: &Path) -> bool {
    r.controller(at);
    for line in &page.lines {
        match parse::raid_set(line) {
            Some(set) => all.sets.push((at.clone(), set)),
            None => strange_row(r, at, "raid set", line),
        }
    }
    page.header.is_some()
}

fn volumes(r: &mut Reading, all: &mut Gathered, page: &Page, at: &Path) -> bool {
    let Some(header) = &page.header else { return false };
    r.controller(at);
    for line in &page.lines {
        match parse::volume(line, header) {
            Some(volume) => {
                volume_facts(r, at, &volume);
                all.volumes.push((at.clone(), volume));
            }
            None => strange_row(r, at, "volume set", line),
        }
    }
    if page.is_whole() {
        r.coverage.add(at, Covers::Arrays);
        r.coverage.add(at, Covers::Tasks);
    }
    true
}

fn strange_row(r: &mut Reading, at: &Path, what: &str, line: &str) {
    r.note(NoteKind::Unreadable, at.clone(), format!("a row of a {what} was not understood: \"{}\"", line.trim()));
}

fn volume_facts(r: &mut Reading, controller: &Path, volume: &Volume) {
    let at = controller.array(&volume.number);
    let level = Level::parse(&volume.level);
    let raid_30 = scan::same_word(&volume.level, "Raid30");
    let array = r.array(&at);
    array.name = Some(volume.name.clone()).filter(|n| !n.is_empty());
    // RAID 30 loses what RAID 50 loses.
    array.level = if raid_30 { Some(Level::Raid50) } else { level };
    array.level_said = Some(volume.level.clone());
    array.size_bytes = scan::size_bytes(&volume.size, false);
    if level.is_none() && !raid_30 {
        r.unknown_word(at.clone(), "RAID level", &volume.level);
    }
    state(r, &at, &volume.state);
}

/// `Rebuilding(35.3%)`
fn state(r: &mut Reading, at: &Path, said: &str) {
    let (word, percent) = said.split_once('(').map_or((said, None), |(w, p)| (w.trim(), scan::percent(p)));
    let state = words::array_state(word);
    if said.is_empty() {
        r.note(NoteKind::Unreadable, at.clone(), "a set is listed without its state");
    } else if state.is_none() {
        r.unknown_word(at.clone(), "state", said);
    }
    let state = state.unwrap_or(ArrayState::Unknown);
    let array = r.array(at);
    array.state = Some(Observed::new(state, said));
    if state == ArrayState::Initialising && array.level.is_none_or(Level::is_parity) {
        array.redundancy_left = array.level.map(|_| 0);
        if array.level.is_none() {
            r.findings.push(Finding::new(at.clone(), FindingKind::NoRedundancyYet, said));
        }
    }
    if let Some(kind) = words::task_kind(word) {
        let state = Observed::new(TaskState::Running, said);
        r.tasks.push(Task { on: at.clone(), kind, state, percent, seconds_left: None });
    }
}

/// Raid sets stand in for volume sets nobody told of; else they only speak where no volume does.
fn sets(r: &mut Reading, all: &Gathered) {
    for (controller, set) in &all.sets {
        let volumes = all.volumes_of(controller, set);
        if volumes.is_empty() {
            let at = set_path(controller, set);
            r.array(&at).name = Some(set.name.clone());
            state(r, &at, &set.state);
            continue;
        }
        let fallen = words::array_state(&set.state).filter(|s| *s != ArrayState::Initialising);
        let said = format!("raid set {} is {}", set.name, set.state);
        let well = |r: &Reading, v: &Path| {
            r.arrays.iter().any(|a| a.at == *v && a.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal))
        };
        let all_well = volumes.iter().all(|v| well(r, v));
        match fallen {
            None if words::array_state(&set.state).is_none() => {
                r.unknown_word(controller.clone(), "raid set state", &set.state);
            }
            Some(state) if state != ArrayState::Optimal && all_well => {
                for volume in &volumes {
                    r.array(volume).state = Some(Observed::new(state, said.clone()));
                }
            }
            _ => {}
        }
    }
}

fn set_path(controller: &Path, set: &RaidSet) -> Path {
    controller.child(format_args!("r{}", set.number))
}

impl Gathered {
    fn volumes_of(&self, controller: &Path, set: &RaidSet) -> Vec<Path> {
        let of_set = |v: &Volume| v.raid_set == set.name || v.raid_set == set.number;
        let mine = self.volumes.iter().filter(|(at, v)| at == controller && of_set(v));
        mine.map(|(at, v)| at.array(&v.number)).collect()
    }

    /// The raid set a disk's usage names: by name, by `RaidSet Member(1)`; names are cut at 16 characters.
    fn set_of(&self, controller: &Path, usage: &str) -> Option<&RaidSet> {
        let number = usage.strip_prefix("RaidSet Member(").and_then(|n| n.strip_suffix(')'));
        let fits = |set: &RaidSet| match number {
            Some(number) => set.number == number,
            None => set.name == usage,
        };
        self.sets.iter().find(|(at, set)| at == controller && fits(set)).map(|(_, set)| set)
    }

    /// Without the list of raid sets a word that several disks share, or the usual form, is taken for a name.
    fn looks_like_a_name(&self, controller: &Path, usage: &str) -> bool {
        let told = self.sets.iter().any(|(at, _)| at == controller);
        let shared = self.disks.iter().filter(|(at, d)| at == controller && d.usage == usage).count() > 1;
        let by_volume = self.volumes.iter().any(|(at, v)| at == controller && v.raid_set == usage);
        by_volume || !told && (shared || usage.starts_with("Raid Set #"))
    }
}

fn disk_rows(r: &mut Reading, all: &mut Gathered, page: &Page, at: &Path) -> bool {
    let Some(header) = &page.header else { return false };
    r.controller(at);
    for line in &page.lines {
        match parse::disk(line, header) {
            Some(disk) => all.disks.push((at.clone(), disk)),
            None => strange_row(r, at, "disk", line),
        }
    }
    if page.is_whole() {
        r.coverage.add(at, Covers::Disks);
    }
    true
}

fn disk_path(controller: &Path, disk: &Row) -> Path {
    controller.slot(disk.enclosure.as_deref(), disk.slot.as_ref().unwrap_or(&disk.number))
}

pub fn is_empty(state: DiskState) -> bool {
    state == DiskState::Empty
}

fn disks(r: &mut Reading, all: &Gathered) {
    for (controller, row) in &all.disks {
        let at = disk_path(controller, row);
        let (state, known) = usage(all, controller, row);
        if !known {
            r.unknown_word(at.clone(), "disk usage", &row.usage);
        }
        let disk = r.disk(&at);
        disk.enclosure.clone_from(&row.enclosure);
        disk.slot = row.slot.clone().or_else(|| Some(row.number.clone()));
        disk.device_id = Some(row.number.clone());
        disk.size_bytes = scan::size_bytes(&row.size, false).filter(|b| *b > 0);
        if row.model != "N.A." {
            disk.model = disk.model.take().or_else(|| Some(row.model.clone()));
        }
        // What the disk's own page says of a failure is not mended by the list.
        let failed = disk.state.as_ref().is_some_and(|s| s.state == DiskState::Failed);
        if !failed || state != DiskState::Online {
            disk.state = Some(Observed::new(state, row.usage.clone()));
        }
        if state == DiskState::HotSpare {
            let dedicated = row.usage.contains("Dedicated");
            disk.spare = Some(if dedicated { SpareScope::Dedicated } else { SpareScope::Global });
        }
    }
}

/// A missing disk has no model; "N.A." with a model is a word nobody knows.
fn usage(all: &Gathered, controller: &Path, row: &Row) -> (DiskState, bool) {
    if row.usage == "N.A." && row.model != "N.A." {
        return (DiskState::Unknown, false);
    }
    let member = row.usage.strip_prefix("RaidSet Member").is_some_and(|rest| rest.starts_with('('));
    if all.set_of(controller, &row.usage).is_some() || (member && !row.usage.is_empty()) {
        return (DiskState::Online, true);
    }
    match words::usage(&row.usage) {
        Some(state) => (state, true),
        None if !row.usage.is_empty() && all.looks_like_a_name(controller, &row.usage) => (DiskState::Online, true),
        None => (DiskState::Unknown, false),
    }
}

/// All volume sets of a raid set lie on all of its disks.
fn members(r: &mut Reading, all: &Gathered) {
    for (controller, set) in &all.sets {
        let mine = |row: &&(Path, Row)| {
            row.0 == *controller && all.set_of(controller, &row.1.usage).is_some_and(|s| s.number == set.number)
        };
        let disks: Vec<Path> = all.disks.iter().filter(mine).map(|(at, row)| disk_path(at, row)).collect();
        let mut arrays = all.volumes_of(controller, set);
        if arrays.is_empty() {
            arrays.push(set_path(controller, set));
        }
        for disk in &disks {
            r.disk(disk).array = arrays.first().cloned();
        }
        for at in &arrays {
            let array = r.array(at);
            array.width = set.disks;
            array.members = disks.iter().map(|d| Member { disk: d.clone(), ..Member::default() }).collect();
        }
    }
}

/// `disk info drv=3`: which drive, only the command or its channel says.
fn one_disk(r: &mut Reading, page: &Page, answer: &Answer, controller: &Path) -> bool {
    let Some(word) = page.value("Device State") else { return false };
    let at = match disk_place(page, answer, controller) {
        Some(at) => at,
        None => return false,
    };
    let state = words::drive_state(word);
    let count = |name: &str| page.value(name).and_then(scan::count);
    if state.is_none() {
        r.unknown_word(at.clone(), "device state", word);
    }
    let text = |name: &str| page.value(name).filter(|v| !v.is_empty()).map(str::to_owned);
    let disk = r.disk(&at);
    disk.model = text("Model Name");
    disk.serial = text("Serial Number");
    disk.firmware = text("Firmware Rev.");
    disk.size_bytes = text("Disk Capacity").and_then(|s| scan::size_bytes(&s, false));
    disk.aliases.extend(disk.serial.as_deref().and_then(Alias::serial));
    disk.media_errors = count("Media Error Count");
    disk.timeouts = count("Timeout Count");
    disk.temperature_celsius = text("Device Temperature").and_then(|t| scan::number(&t)).filter(|c| *c > 0);
    disk.state = Some(Observed::new(state.unwrap_or(DiskState::Unknown), word));
    true
}

fn disk_place(page: &Page, answer: &Answer, controller: &Path) -> Option<Path> {
    let location = page.value("Device Location").unwrap_or("");
    let numbers: Vec<&str> = location.split(|c: char| !c.is_ascii_digit()).filter(|d| !d.is_empty()).collect();
    if let [shelf, slot] = numbers.as_slice() {
        let plain = |n: &str| n.trim_start_matches('0').to_owned();
        return Some(controller.slot(Some(&plain(shelf)), plain(slot)));
    }
    let channel =
        ["IDE Channel", "SATA Channel", "Channel"].iter().find_map(|name| page.value(name)).map(str::to_owned);
    let named = answer.asked.args_lower().into_iter().find_map(|w| w.strip_prefix("drv=").map(str::to_owned));
    channel.or(named).map(|slot| controller.slot(None, slot))
}

fn hardware(r: &mut Reading, page: &Page, at: &Path) -> bool {
    let mut shelf: Option<Path> = None;
    let mut understood = false;
    for line in &page.lines {
        let line = line.trim();
        if let Some(title) = line.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            shelf = title.strip_prefix("Enclosure#").map(|rest| new_shelf(r, at, rest));
            understood = true;
        } else if let Some((key, value)) = scan::key_value(line, ':') {
            understood |= key.contains("Temp") || key.contains("Fan") || key.contains("Battery");
            match &shelf {
                Some(shelf) => shelf_line(r, shelf, key, value),
                None => card_line(r, at, key, value),
            }
        }
    }
    if understood && page.is_whole() {
        r.coverage.add(at, Covers::Cache);
        r.coverage.add(at, Covers::Enclosures);
    }
    understood
}

/// `1 : ARECA   SAS RAID AdapterV1.0`
fn new_shelf(r: &mut Reading, at: &Path, title: &str) -> Path {
    let (number, model) = title.split_once(':').unwrap_or((title, ""));
    let path = at.child(format_args!("e{}", number.trim()));
    let model = Some(model.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|m| !m.is_empty());
    r.enclosures.push(Enclosure { at: path.clone(), controller: Some(at.clone()), model, ..Enclosure::default() });
    path
}

fn card_line(r: &mut Reading, at: &Path, key: &str, value: &str) {
    if scan::starts_with_word(key, "Battery Status") {
        return battery(r, at, value);
    }
    // The processor runs hotter than what limits are known for.
    if scan::starts_with_word(key, "Controller Temp") {
        r.controller(at).temperature_celsius = scan::number(value);
    }
}

/// `100%`, `Not Installed`, `Charging(45%)`. A level far below full has lost its charge.
fn battery(r: &mut Reading, at: &Path, said: &str) {
    let path = at.child("battery");
    let (word, inside) = said.split_once('(').unwrap_or((said, ""));
    let percent = scan::percent(if inside.is_empty() { word } else { inside });
    let state = match words::battery_state(word) {
        Some(state) => Some(state),
        None => percent.filter(|_| word.trim().ends_with('%')).map(by_charge),
    };
    if state.is_none() {
        r.unknown_word(path.clone(), "battery status", said);
    }
    let mut pack = CacheProtection::new(path, CacheKind::Battery);
    pack.state = Some(Observed::new(state.unwrap_or(CacheState::Unknown), said));
    pack.charge_percent = percent.map(|p| p as u64);
    r.controller(at).cache_protection_fitted = state.map(|s| s != CacheState::NotFitted);
    r.caches.push(pack);
}

fn by_charge(percent: f64) -> CacheState {
    match percent {
        p if p >= 90.0 => CacheState::Optimal,
        p if p >= 70.0 => CacheState::Charging,
        _ => CacheState::Weak,
    }
}

/// Lines with a word state something; numbers are values. A fan at 0 rpm is a connector without one: the tool
/// lists every connector there is.
fn shelf_line(r: &mut Reading, shelf: &Path, key: &str, value: &str) {
    let lower = key.to_ascii_lowercase();
    let kind = match () {
        () if lower.contains("fan") => PartKind::Fan,
        () if lower.contains("power") => PartKind::PowerSupply,
        () if lower.contains("temp") || lower.contains("die") || lower.contains("plan") => PartKind::TemperatureSensor,
        () => PartKind::VoltageSensor,
    };
    let number = scan::number(value);
    let state = match (words::part_state(value), number) {
        (Some(state), _) => state,
        (None, Some(0)) if kind == PartKind::Fan => PartState::NotInstalled,
        (None, Some(_)) => PartState::Ok,
        (None, None) => {
            r.unknown_word(shelf.clone(), key, value);
            PartState::Unknown
        }
    };
    let part = Part { kind, name: key.to_owned(), state: Observed::new(state, value), value: number };
    if let Some(shelf) = r.enclosures.iter_mut().find(|e| e.at == *shelf) {
        shelf.parts.push(part);
    }
}

fn event_log(r: &mut Reading, known: &Known, page: &Page, at: &Path) -> bool {
    let live = !matches!(known.scope, Scope::Everything);
    let (news, next) = events::news(&page.lines, at, known.cursor.as_deref(), live);
    r.events.extend(news);
    r.cursor = next;
    if page.is_whole() {
        r.coverage.add(at, Covers::Events);
    }
    page.header.is_some() || page.result.is_some()
}
