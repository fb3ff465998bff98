//! Rows of omreport to facts. `State` says what an object is; `Status` what OpenManage thinks of it: a status
//! that is not Ok and that nothing else explains is told as it stands.

use super::parse::{Page, Row, one_blank, page};
use super::vocabulary as words;
use super::{ASIDE, BATTERY, CONTROLLERS, ENCLOSURES, MEMBERS, PDISKS, VDISKS};
use crate::scan;
use raidmond_core::model::{
    Alias, ArrayState, CacheKind, CacheProtection, CacheState, ControllerState, Disk, DiskState, Enclosure, Finding,
    FindingKind, Interface, Level, Medium, Member, Observed, Part, PartKind, PartState, Path, Space, SpareScope, Task,
    TaskState, WriteCache,
};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Covers, Heard, Known, NoteKind, Reading, Scope};

pub fn lower(known: &Known, heard: &Heard) -> Reading {
    let mut r = Reading::new("omreport", Space::Openmanage);
    let mut names = Names::default();
    let mut answers: Vec<(AnswerKind, &Answer)> = heard.all().filter(|(_, a)| !a.outcome.not_captured).collect();
    answers.sort_by_key(|(kind, _)| match *kind {
        CONTROLLERS => 0,
        MEMBERS => 2,
        _ => 1,
    });
    for (kind, answer) in answers {
        read(&mut r, &mut names, known, kind, answer);
    }
    r
}

/// Ids of controllers by the headings of other answers, which only name them.
#[derive(Default)]
struct Names(Vec<(String, Path)>);

impl Names {
    /// `PERC H730 Mini (Slot Embedded)`, `PERC H730 Mini (Embedded)` and name and slot apart are the same.
    fn key(text: &str) -> String {
        let plain = text.replace(['(', ')'], " ").replace("PCI Slot", " ").replace("Slot", " ");
        one_blank(&plain).to_ascii_lowercase()
    }

    fn add(&mut self, name: &str, slot: &str, at: &Path) {
        self.0.push((Self::key(&format!("{name} {slot}")), at.clone()));
    }

    /// A name not listed is the next controller.
    fn find(&mut self, under: &str) -> Path {
        let key = Self::key(under);
        if let Some((_, at)) = self.0.iter().find(|(name, _)| *name == key) {
            return at.clone();
        }
        let at = Path::controller(self.0.len());
        self.0.push((key, at.clone()));
        at
    }
}

/// By the conversation, by the command, else by the heading above the row.
fn place(names: &mut Names, known: &Known, asked: &Asked, row: &Row) -> Path {
    let named = asked.args_lower().into_iter().find_map(|w| w.strip_prefix("controller=").map(str::to_owned));
    match (&known.scope, named) {
        (_, Some(number)) if number.parse::<u32>().is_ok() => Path::controller(number),
        (Scope::Controller(number), _) if row.under.is_empty() => Path::controller(number),
        _ => names.find(&row.under),
    }
}

fn read(r: &mut Reading, names: &mut Names, known: &Known, kind: AnswerKind, answer: &Answer) {
    if kind == ASIDE {
        return;
    }
    let about = match &known.scope {
        Scope::Controller(number) => Path::controller(number),
        _ => Path::default(),
    };
    if !answer.outcome.ended() {
        return r.note(NoteKind::ToolFailed, about, format!("`{}`: {}", answer.asked, answer.outcome.words()));
    }
    let page = page(&answer.text());
    if !page.headed {
        return unreadable(r, about, &page, kind, answer);
    }
    for row in &page.rows {
        let at = place(names, known, &answer.asked, row);
        if row.cut {
            r.note(NoteKind::Unreadable, at.clone(), format!("a row of the answer to `{}` is cut off", answer.asked));
        }
        match kind {
            CONTROLLERS => card(r, names, known, row),
            VDISKS => vdisk(r, &at, row),
            PDISKS => pdisk(r, &at, row),
            MEMBERS => member(r, &at, &answer.asked, row),
            BATTERY => battery(r, &at, row),
            ENCLOSURES => enclosure(r, &at, row),
            _ => {}
        }
    }
    if page.cut {
        r.note(NoteKind::Unreadable, about.clone(), format!("the answer to `{}` is cut off", answer.asked));
    }
    if kind == CONTROLLERS && page.rows.is_empty() {
        r.note(NoteKind::FewerThanCounted, about, "OpenManage lists no controller");
    }
    covered(r, &page, known, kind, answer);
}

fn unreadable(r: &mut Reading, at: Path, page: &Page, kind: AnswerKind, answer: &Answer) {
    let text = answer.text();
    let first: String =
        text.lines().find(|l| !l.trim().is_empty()).unwrap_or("nothing").trim().chars().take(80).collect();
    let aside = matches!(kind, BATTERY | ENCLOSURES | MEMBERS);
    match &page.complaint {
        Some(said) if aside || said.starts_with("No ") => {
            r.note(NoteKind::Remark, at, format!("`{}`: {said}", answer.asked))
        }
        Some(said) => {
            let remedy = "see that the services of OpenManage run: srvadmin-services.sh status";
            r.note_with_remedy(NoteKind::CommandRefused, at, format!("`{}`: {said}", answer.asked), remedy);
        }
        None => r.note(
            NoteKind::Unreadable,
            at,
            format!("the answer to `{}` was not understood: \"{first}\"", answer.asked),
        ),
    }
}

fn covered(r: &mut Reading, page: &Page, known: &Known, kind: AnswerKind, answer: &Answer) {
    if page.cut || page.rows.iter().any(|row| row.cut) || answer.outcome.truncated {
        return;
    }
    let what = match kind {
        CONTROLLERS => return r.coverage.add(&Path::default(), Covers::Controllers),
        VDISKS => Covers::Arrays,
        PDISKS => Covers::Disks,
        _ => return,
    };
    // The list of one controller says so in the command.
    if let Scope::Controller(number) = &known.scope {
        r.coverage.add(&Path::controller(number), what);
    }
}

/// `Status` where nothing better explains it.
fn unexplained(r: &mut Reading, at: &Path, row: &Row, explained: bool) {
    let Some(word) = row.get("Status") else { return };
    match words::status_of(word) {
        Some(PartState::Ok) => {}
        None => r.unknown_word(at.clone(), "status", word),
        Some(_) if explained => {}
        Some(_) => {
            let state = row.get("State").unwrap_or("-");
            let said = format!("Status {word} with State {state}");
            r.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsFault, said));
        }
    }
}

fn card(r: &mut Reading, names: &mut Names, known: &Known, row: &Row) {
    let at = Path::controller(row.get("ID").unwrap_or("0"));
    let name = row.get("Name").unwrap_or("");
    names.add(name, row.get("Slot ID").unwrap_or(""), &at);
    let pci = address(known, name);
    let card = r.controller(&at);
    card.model = Some(name.to_owned());
    card.firmware = row.get("Firmware Version").map(str::to_owned);
    card.driver = None;
    card.aliases.extend(pci.filter(|a| !card.aliases.contains(a)).into_iter().collect::<Vec<_>>());
    card.patrol_read = row.get("Patrol Read State").map(str::to_owned);
    if let Some("Yes" | "Present" | "Detected") = row.get("Preserved Cache") {
        r.findings.push(Finding::new(at.clone(), FindingKind::CachePreserved, "Preserved Cache"));
    }
    let old = ["Minimum Required Firmware Version", "Minimum Required Driver Version"];
    let old: Vec<String> = old.iter().filter_map(|n| Some(format!("{n} {}", row.get(n)?))).collect();
    for said in &old {
        r.findings.push(Finding::new(at.clone(), FindingKind::ToolReportsNotice, said.clone()));
    }
    card_status(r, &at, row, !old.is_empty());
}

/// OpenManage degrades a card whose firmware or driver is older than it likes.
fn card_status(r: &mut Reading, at: &Path, row: &Row, outdated: bool) {
    let Some(word) = row.get("Status") else { return };
    let state = match words::status_of(word) {
        Some(PartState::Ok) => ControllerState::Optimal,
        Some(PartState::Warning) if outdated => return,
        Some(PartState::Warning) => ControllerState::NeedsAttention,
        Some(_) => ControllerState::Failed,
        None => {
            r.unknown_word(at.clone(), "status", word);
            ControllerState::Unknown
        }
    };
    r.controller(at).state = Some(Observed::new(state, word));
}

/// No address is stated: with one PERC listed and one on the bus there is no doubt.
fn address(known: &Known, name: &str) -> Option<Alias> {
    let perc = name.starts_with("PERC");
    let is_one = |driver: &str| matches!(driver, "megaraid_sas" | "mpi3mr");
    let mut devices = known.pci.iter().filter(|d| d.driver.as_deref().is_some_and(is_one));
    match (devices.next(), devices.next()) {
        (Some(device), None) if perc => Alias::pci(&device.address),
        _ => None,
    }
}

fn vdisk(r: &mut Reading, controller: &Path, row: &Row) {
    let at = controller.array(row.get("ID").unwrap_or(""));
    let word = row.get("State").unwrap_or("");
    let state = words::array_state(word);
    if word.is_empty() {
        r.note(NoteKind::Unreadable, at.clone(), "a virtual disk is listed without its state");
    } else if state.is_none() {
        r.unknown_word(at.clone(), "virtual disk state", word);
    }
    let state = state.unwrap_or(ArrayState::Unknown);
    describe_array(r, &at, row);
    let bad_blocks = row.get("Virtual Disk Bad Blocks").map(|w| w.eq_ignore_ascii_case("yes"));
    let array = r.array(&at);
    array.state = Some(Observed::new(state, word));
    array.bad_blocks = bad_blocks;
    if let Some(kind) = words::task_kind(word) {
        let percent = row.get("Progress").and_then(scan::percent);
        let state = Observed::new(TaskState::Running, word);
        r.tasks.push(Task { on: at.clone(), kind, state, percent, seconds_left: None });
    }
    unexplained(r, &at, row, state != ArrayState::Optimal || bad_blocks == Some(true));
}

fn describe_array(r: &mut Reading, at: &Path, row: &Row) {
    let said = row.get("Layout").unwrap_or("").to_owned();
    let level = Level::parse(&said);
    if level.is_none() {
        r.unknown_word(at.clone(), "layout", &said);
    }
    let array = r.array(at);
    (array.level, array.level_said) = (level, Some(said));
    array.name = row.get("Name").map(str::to_owned);
    array.device = row.get("Device Name").map(str::to_owned);
    array.size_bytes = row.get("Size").and_then(bytes);
    array.cache.said_current = row.get("Write Policy").map(str::to_owned);
    match row.get("Write Policy").unwrap_or("") {
        "Write Back" => array.cache.current_write = Some(WriteCache::WriteBack),
        "Write Through" => array.cache.current_write = Some(WriteCache::WriteThrough),
        "Force Write Back" => {
            array.cache.current_write = Some(WriteCache::WriteBack);
            array.cache.write_back_without_battery = Some(true);
        }
        _ => {}
    }
}

/// `743.00 GB (797790175232 bytes)`
fn bytes(text: &str) -> Option<u64> {
    let exact = text.split_once('(').and_then(|(_, b)| b.split_whitespace().next()).and_then(|n| n.parse().ok());
    exact.or_else(|| scan::size_bytes(text, true))
}

/// `0:1:5`: connector, enclosure, slot.
fn pdisk_path(controller: &Path, row: &Row) -> Path {
    controller.child(row.get("ID").unwrap_or("?"))
}

fn pdisk(r: &mut Reading, controller: &Path, row: &Row) {
    let at = pdisk_path(controller, row);
    let word = row.get("State").unwrap_or("");
    let state = words::disk_state(word);
    if word.is_empty() {
        r.note(NoteKind::Unreadable, at.clone(), "a physical disk is listed without its state");
    } else if state.is_none() {
        r.unknown_word(at.clone(), "physical disk state", word);
    }
    let state = state.unwrap_or(DiskState::Unknown);
    let predicted = row.get("Failure Predicted").map(|w| !w.eq_ignore_ascii_case("no"));
    let uncertified = row.get("Certified").is_some_and(|w| w.eq_ignore_ascii_case("no"));
    let disk = r.disk(&at);
    disk.state = Some(Observed::new(state, word));
    disk.predictive = predicted.map(|p| Observed::new(p, "Failure Predicted"));
    disk.certified = row.get("Certified").map(|_| !uncertified);
    hot_spare(disk, row);
    describe_disk(disk, row);
    let well = matches!(state, DiskState::Online | DiskState::UnconfiguredGood | DiskState::Jbod);
    // A disk that is not Dell's own is "Non-Critical" for that alone.
    let minor = uncertified && row.get("Status").is_some_and(|s| words::status_of(s) == Some(PartState::Warning));
    unexplained(r, &at, row, !well || predicted == Some(true) || minor);
}

fn hot_spare(disk: &mut Disk, row: &Row) {
    let scope = match row.get("Hot Spare").unwrap_or("No") {
        "Global" => SpareScope::Global,
        "Dedicated" => SpareScope::Dedicated,
        _ => return,
    };
    disk.spare = Some(scope);
    if let Some(state) = disk.state.as_mut().filter(|s| s.state == DiskState::UnconfiguredGood) {
        state.state = DiskState::HotSpare;
    }
}

fn describe_disk(disk: &mut Disk, row: &Row) {
    let text = |name: &str| row.get(name).map(str::to_owned);
    disk.slot = row.get("ID").and_then(|id| id.rsplit(':').next()).map(str::to_owned);
    disk.vendor = text("Vendor ID");
    disk.model = text("Product ID");
    disk.serial = text("Serial No.");
    disk.firmware = text("Revision");
    disk.aliases.extend(disk.serial.as_deref().and_then(Alias::serial));
    disk.size_bytes = row.get("Capacity").and_then(bytes);
    disk.spun_down = row.get("Power Status").map(|w| w.eq_ignore_ascii_case("Spun Down"));
    disk.interface = match row.get("Bus Protocol").unwrap_or("") {
        "SATA" => Some(Interface::Sata),
        "SAS" => Some(Interface::Sas),
        "SCSI" => Some(Interface::Scsi),
        "PCIe" | "NVMe" => Some(Interface::Nvme),
        _ => None,
    };
    disk.medium = match row.get("Media").unwrap_or("") {
        "SSD" => Some(Medium::Ssd),
        "HDD" => Some(Medium::Hdd),
        _ => None,
    };
}

fn member(r: &mut Reading, controller: &Path, asked: &Asked, row: &Row) {
    let number = asked.args_lower().into_iter().find_map(|w| w.strip_prefix("vdisk=").map(str::to_owned));
    let Some(array) = number.map(|n| controller.array(n)) else { return };
    let disk = pdisk_path(controller, row);
    if !r.disks.iter().any(|d| d.at == disk) {
        pdisk(r, controller, row);
    }
    r.disk(&disk).array = Some(array.clone());
    r.array(&array).members.push(Member { disk, ..Member::default() });
}

fn battery(r: &mut Reading, controller: &Path, row: &Row) {
    let number = row.get("ID").filter(|id| *id != "0").unwrap_or("");
    let at = controller.child(format_args!("battery{number}"));
    let word = row.get("State").unwrap_or("");
    let state = words::battery_state(word);
    if state.is_none() {
        r.unknown_word(at.clone(), "battery state", word);
    }
    let state = state.unwrap_or(CacheState::Unknown);
    let mut pack = CacheProtection::new(at.clone(), CacheKind::Battery);
    pack.state = Some(Observed::new(state, word));
    pack.learning = Some(state == CacheState::Learning);
    r.caches.push(pack);
    unexplained(r, &at, row, state != CacheState::Optimal);
}

fn enclosure(r: &mut Reading, controller: &Path, row: &Row) {
    let at = controller.child(format_args!("e{}", row.get("ID").unwrap_or("?")));
    let word = row.get("Status").unwrap_or("");
    let state = words::status_of(word);
    if state.is_none() {
        r.unknown_word(at.clone(), "status", word);
    }
    let said = format!("{word}, {}", row.get("State").unwrap_or("-"));
    let state = Observed::new(state.unwrap_or(PartState::Unknown), said);
    let part = Part { kind: PartKind::Whole, name: "enclosure".to_owned(), state, value: None };
    let model = row.get("Name").map(str::to_owned);
    r.enclosures.push(Enclosure {
        at,
        controller: Some(controller.clone()),
        model,
        parts: vec![part],
        ..Enclosure::default()
    });
}
