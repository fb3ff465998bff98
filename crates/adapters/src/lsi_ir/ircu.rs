//! sas2ircu and sas3ircu: LIST, STATUS and DISPLAY to facts.
//!
//! A volume is its id, `c0/v286`; where an answer lacks it, the number in the heading. A member that is gone
//! has the placeholder `0:0`; its block has no size and stands at `0:0`, too.

use super::vocabulary as words;
use crate::scan;
use raidmond_core::model::{
    Alias, ArrayState, Disk, DiskState, Interface, Level, Medium, Member, Observed, Path, Task, TaskKind, TaskState,
};
use raidmond_core::survey::{Covers, NoteKind, Reading};

/// Said when the command ran to its end.
const COMPLETED: &str = "Completed Successfully";
const NO_VOLUMES: &str = "there are no IR volumes";

/// ` 0  SAS2008  1000h  72h  00h:03h:00h:00h  1028h  1f1eh`
pub fn list(r: &mut Reading, text: &str) -> bool {
    let none = text.contains("MPTLib2 Error 1");
    let mut rows = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [index, model, _, _, pci, ..] = words.as_slice() else { continue };
        if index.parse::<u32>().is_err() || !pci.contains("h:") {
            continue;
        }
        let controller = r.controller(&Path::controller(index));
        controller.model = Some((*model).to_owned());
        controller.aliases.extend(Alias::pci(&pci.replace('h', "")));
        rows += 1;
    }
    let ended = text.contains(COMPLETED);
    if none {
        r.note(NoteKind::Remark, Path::default(), "the tool sees no controller it knows");
    } else if rows > 0 && !ended {
        r.note(NoteKind::Partial, Path::default(), "the list of controllers has no end");
    }
    if ended {
        r.coverage.add(&Path::default(), Covers::Controllers);
    }
    rows > 0 || none
}

/// Key and value of each line of a block that began at a heading.
type Pairs = Vec<(String, String)>;

struct Block {
    heading: String,
    pairs: Pairs,
}

impl Block {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(key, _)| scan::same_word(key, name)).map(|(_, v)| v.as_str());
        found.filter(|v| !v.is_empty() && *v != "N/A")
    }
}

/// Headings are lines without a colon.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines().map(str::trim) {
        match scan::key_value(line, ':') {
            Some((key, value)) if !key.contains("IRCU") => {
                if let Some(block) = blocks.last_mut() {
                    block.pairs.push((key.to_owned(), value.to_owned()));
                }
            }
            _ if line.is_empty() || scan::is_rule(line) => {}
            _ => blocks.push(Block { heading: line.to_owned(), pairs: Vec::new() }),
        }
    }
    blocks
}

fn is_volume(block: &Block) -> bool {
    let mut words = block.heading.split_whitespace();
    let name = words.next().is_some_and(|w| w.eq_ignore_ascii_case("IR"));
    name && words.next().is_some_and(|w| w.eq_ignore_ascii_case("volume")) && words.all(|w| w.parse::<u32>().is_ok())
}

fn volume_path(at: &Path, block: &Block) -> Path {
    let heading = block.heading.rsplit(' ').next().unwrap_or("1");
    at.array(block.get("Volume ID").unwrap_or(heading))
}

pub fn status(r: &mut Reading, at: &Path, text: &str) -> bool {
    let none = text.contains(NO_VOLUMES);
    let ended = text.contains(COMPLETED) || none;
    let volumes: Vec<Block> = blocks(text).into_iter().filter(is_volume).collect();
    r.controller(at).arrays_counted = none.then_some(0).or(r.controller(at).arrays_counted);
    for block in &volumes {
        volume_status(r, &volume_path(at, block), block);
    }
    if ended {
        r.coverage.add(at, Covers::Arrays);
        r.coverage.add(at, Covers::Tasks);
    } else if !volumes.is_empty() {
        r.note(NoteKind::Unreadable, at.clone(), "the answer of STATUS is cut off");
    }
    none || !volumes.is_empty()
}

fn volume_status(r: &mut Reading, at: &Path, block: &Block) {
    state(r, at, block.get("Volume state"));
    wwid(r, at, block);
    if let Some(word) = block.get("Volume status").filter(|w| !w.eq_ignore_ascii_case("Enabled")) {
        let inactive = ["Disabled", "Inactive"].iter().any(|w| w.eq_ignore_ascii_case(word));
        if inactive {
            r.array(at).state = Some(Observed::new(ArrayState::Inactive, format!("Volume status {word}")));
        } else {
            r.unknown_word(at.clone(), "volume status", word);
        }
    }
    let Some(word) = block.get("Current operation").filter(|w| !w.eq_ignore_ascii_case("None")) else { return };
    let kind = words::work_kind(word);
    if kind.is_none() {
        r.unknown_word(at.clone(), "current operation", word);
    }
    let percent = block.pairs.iter().find(|(key, _)| key.starts_with("Percent")).and_then(|(_, v)| scan::percent(v));
    work(r, at, kind.unwrap_or(TaskKind::Unknown), word, percent);
}

/// A degraded volume that is being synchronised is being restored.
fn work(r: &mut Reading, at: &Path, kind: TaskKind, said: &str, percent: Option<f64>) {
    let array = r.array(at);
    let degraded = array.state.as_ref().is_some_and(|s| s.state == ArrayState::Degraded);
    if degraded && kind == TaskKind::Rebuild {
        array.state = Some(Observed::new(ArrayState::Rebuilding, said));
    }
    let state = Observed::new(TaskState::Running, said);
    r.tasks.push(Task { on: at.clone(), kind, state, percent, seconds_left: None });
}

fn state(r: &mut Reading, at: &Path, said: Option<&str>) {
    let said = said.unwrap_or("");
    let state = words::volume_state(said);
    if said.is_empty() {
        r.note(NoteKind::Unreadable, at.clone(), "a volume is listed without its state");
    } else if state.is_none() {
        r.unknown_word(at.clone(), "volume state", said);
    }
    r.array(at).state = Some(Observed::new(state.unwrap_or(ArrayState::Unknown), said));
}

fn wwid(r: &mut Reading, at: &Path, block: &Block) {
    let alias = block.get("Volume wwid").and_then(Alias::array_uid);
    let array = r.array(at);
    array.aliases.extend(alias.filter(|a| !array.aliases.contains(a)).into_iter().collect::<Vec<_>>());
}

pub fn display(r: &mut Reading, at: &Path, text: &str) -> bool {
    let blocks = blocks(text);
    let of = |heading: &'static str| blocks.iter().filter(move |b| b.heading.eq_ignore_ascii_case(heading));
    for block in of("Controller information") {
        card(r, at, block);
    }
    let disks: Vec<&Block> = of("Device is a Hard disk").collect();
    for block in &disks {
        disk(r, at, block);
    }
    let volumes: Vec<&Block> = blocks.iter().filter(|b| is_volume(b)).collect();
    for block in &volumes {
        volume(r, at, block);
    }
    let listed = of("IR Volume information").next().is_some();
    let ended = text.contains(COMPLETED);
    if ended && listed {
        r.coverage.add(at, Covers::Arrays);
        r.coverage.add(at, Covers::Disks);
        r.controller(at).arrays_counted = Some(volumes.len() as u64);
    } else if !ended {
        r.note(NoteKind::Unreadable, at.clone(), "the answer of DISPLAY is cut off");
    }
    listed || !disks.is_empty()
}

fn card(r: &mut Reading, at: &Path, block: &Block) {
    let number = |name: &str| block.get(name).and_then(scan::count);
    let place = (number("Segment"), number("Bus"), number("Device"), number("Function"));
    let card = r.controller(at);
    card.model = block.get("Controller type").map(str::to_owned).or(card.model.take());
    card.firmware = block.get("Firmware version").map(str::to_owned);
    if let (segment, Some(bus), Some(device), Some(function)) = place {
        let address = format!("{:x}:{bus:x}:{device:x}.{function:x}", segment.unwrap_or(0));
        card.aliases.extend(Alias::pci(&address).filter(|a| !card.aliases.contains(a)));
    }
}

fn disk(r: &mut Reading, controller: &Path, block: &Block) {
    let said = block.get("State").unwrap_or("");
    let state = words::disk_state(said);
    let (enclosure, slot) = (block.get("Enclosure #"), block.get("Slot #"));
    let gone = state == Some(DiskState::Missing) && enclosure == Some("0") && slot == Some("0");
    let index = r.disks.iter().filter(|d| d.at.is_missing_member()).count();
    let at = match (gone, slot) {
        (false, Some(slot)) => controller.slot(enclosure, slot),
        _ => controller.missing_member(index),
    };
    if said.is_empty() {
        r.note(NoteKind::Unreadable, at.clone(), "a disk is listed without its state");
    } else if state.is_none() {
        r.unknown_word(at.clone(), "disk state", said);
    }
    let disk = r.disk(&at);
    disk.state = Some(Observed::new(state.unwrap_or(DiskState::Unknown), said));
    if !gone {
        disk.enclosure = enclosure.map(str::to_owned);
        disk.slot = slot.map(str::to_owned);
        describe(disk, block);
    }
}

fn describe(disk: &mut Disk, block: &Block) {
    let text = |name: &str| block.get(name).map(str::to_owned);
    disk.vendor = text("Manufacturer");
    disk.model = text("Model Number");
    disk.firmware = text("Firmware Revision");
    disk.serial = text("Unit Serial No(VPD)").or_else(|| text("Serial No"));
    disk.aliases.extend(disk.serial.as_deref().and_then(Alias::serial));
    disk.aliases.extend(block.get("GUID").and_then(Alias::wwn));
    let size = block.get("Size (in MB)/(in sectors)").and_then(|s| s.split('/').next());
    disk.size_bytes = size.and_then(scan::count).and_then(|mb| mb.checked_mul(1 << 20));
    disk.interface = match block.get("Protocol") {
        Some("SATA") => Some(Interface::Sata),
        Some("SAS") => Some(Interface::Sas),
        _ => None,
    };
    disk.medium = match block.get("Drive Type").unwrap_or("") {
        kind if kind.ends_with("_SSD") => Some(Medium::Ssd),
        kind if kind.ends_with("_HDD") => Some(Medium::Hdd),
        _ => None,
    };
}

fn volume(r: &mut Reading, controller: &Path, block: &Block) {
    let at = volume_path(controller, block);
    state(r, &at, block.get("Status of volume"));
    wwid(r, &at, block);
    let said = block.get("RAID level").unwrap_or("").to_owned();
    let level = Level::parse(&said);
    if level.is_none() {
        r.unknown_word(at.clone(), "RAID level", &said);
    }
    let places = block.pairs.iter().filter(|(key, _)| key.starts_with("PHY["));
    let places: Vec<&str> = places.map(|(_, place)| place.rsplit(' ').next().unwrap_or("")).collect();
    let array = r.array(&at);
    (array.level, array.level_said) = (level, Some(said));
    array.size_bytes = block.get("Size (in MB)").and_then(scan::count).and_then(|mb| mb.checked_mul(1 << 20));
    array.width = u32::try_from(places.len()).ok().filter(|n| *n > 0);
    array.members.clear();
    for (index, place) in places.iter().enumerate() {
        let member = member(r, controller, index, place);
        if let Some(disk) = r.disks.iter_mut().find(|d| d.at == member.disk) {
            disk.array = Some(at.clone());
        }
        r.array(&at).members.push(member);
    }
}

/// A place of nobody goes to the next disk that is missing and belongs to no volume yet.
fn member(r: &Reading, controller: &Path, index: usize, place: &str) -> Member {
    let (enclosure, slot) = place.split_once(':').unwrap_or(("", place));
    let seat = controller.slot(Some(enclosure), slot);
    let gone = matches!(place, "0:0" | "") && !r.disks.iter().any(|d| d.at == seat);
    if !gone {
        return Member { disk: seat, ..Member::default() };
    }
    let missing = |d: &&Disk| d.at.root() == *controller && d.at.is_missing_member() && d.array.is_none();
    let disk = r.disks.iter().find(missing).map(|d| d.at.clone());
    let disk = disk.unwrap_or_else(|| controller.missing_member(format_args!("p{index}")));
    Member { disk, in_sync: Some(false), ..Member::default() }
}
