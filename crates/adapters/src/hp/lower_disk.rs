//! Drives → facts: state by word, role and place.

use super::lower::{Drives, Heap};
use super::parse::{Drive, Home, is_interface};
use super::vocabulary as words;
use crate::scan::{number, size_bytes};
use raidmond_core::model::{Alias, Disk, DiskState, Interface, Medium, Observed, Path, SpareScope};
use raidmond_core::survey::{NoteKind, Reading};

/// What a row or the pairs say of a drive's state, cut into words.
struct Words {
    said: String,
    word: String,
    spare: bool,
    /// The failed drive whose place this one holds.
    stands_for: Option<String>,
    rest: Vec<String>,
}

pub fn drives(reading: &mut Reading, heap: &Heap, first_volume: impl Fn(&str) -> Option<Path>) -> Drives {
    let mut known = Drives::default();
    for drive in &heap.drives {
        let at = heap.at.child(&drive.id);
        let words = words_of(drive);
        let role = role(reading, &at, drive);
        let spare = words.spare || role == Some(DiskState::HotSpare);
        let state = state(reading, &at, drive, &words, role);
        let data = !spare || words.stands_for.is_some();
        if let Home::Array(letter) = &drive.home {
            known.note(letter, &at, &state, data, words.stands_for.as_deref().map(|id| heap.at.child(id)));
        }
        let disk = reading.disk(&at);
        describe(disk, drive);
        predictive(disk, drive, &words);
        disk.state = Some(state);
        disk.spare = (spare && words.stands_for.is_none()).then_some(SpareScope::Dedicated);
        disk.array = if let Home::Array(letter) = &drive.home { first_volume(letter) } else { None };
    }
    // A drive whose place a spare holds is in no array any more.
    for (failed, by) in &known.replaced {
        let held = reading.disks.iter().any(|d| d.at == *by && d.state.as_ref().is_some_and(|s| serves(s.state)));
        if held && let Some(disk) = reading.disks.iter_mut().find(|d| d.at == *failed) {
            disk.array = None;
        }
    }
    known
}

fn role(reading: &mut Reading, at: &Path, drive: &Drive) -> Option<DiskState> {
    let word = drive.pairs.get("drive type")?;
    let role = words::disk_state(words::ROLE, word);
    if role.is_none() {
        reading.unknown_word(at.clone(), words::ROLE, word);
    }
    role
}

fn serves(state: DiskState) -> bool {
    matches!(state, DiskState::Online | DiskState::Rebuilding)
}

fn words_of(drive: &Drive) -> Words {
    let mut cells = status_cells(&drive.row);
    // Two answers may say different things of one drive: the worse one is believed.
    let own = drive.pairs.get("status").unwrap_or("");
    if cells.is_empty() || (cells.first().is_some_and(|c| is_well(c)) && !own.is_empty() && !is_well(own)) {
        let role = cells.into_iter().skip(1);
        cells = own.split(", ").map(str::to_owned).chain(role).collect();
    }
    let said = cells.join(", ");
    let word = if cells.is_empty() { String::new() } else { cells.remove(0) };
    let stands_for = cells.iter().find_map(|c| c.strip_prefix("active spare for ")).map(|id| id.trim().to_owned());
    let spare = cells.iter().any(|c| c.eq_ignore_ascii_case("spare") || c.starts_with("active spare"));
    let known = |c: &String| c.eq_ignore_ascii_case("spare") || c.starts_with("active spare") || c.contains("complete");
    let rest = cells.into_iter().filter(|c| !known(c)).collect();
    Words { said, word, spare, stands_for, rest }
}

/// `OK`, whatever follows it.
pub fn is_well(status: &str) -> bool {
    status.split([',', ';']).next().is_some_and(|word| word.trim().eq_ignore_ascii_case("OK"))
}

/// What follows the size; an old tool prints `--- GB` for a drive it cannot read.
pub fn status_cells(row: &[String]) -> Vec<String> {
    let size = row.iter().position(|c| is_size(c));
    let after = size.map_or_else(|| row.iter().rposition(|c| is_interface(c)), Some);
    row.iter().skip(after.map_or(1, |i| i + 1)).cloned().collect()
}

fn is_size(cell: &str) -> bool {
    let mut words = cell.split_whitespace();
    let amount = words.next().is_some_and(|w| w.parse::<f64>().is_ok() || w.chars().all(|c| "?-".contains(c)));
    amount && words.next().is_some_and(|w| ["MB", "GB", "TB", "PB"].contains(&w))
}

fn state(
    reading: &mut Reading,
    at: &Path,
    drive: &Drive,
    words: &Words,
    role: Option<DiskState>,
) -> Observed<DiskState> {
    if words.word.is_empty() {
        reading.note(NoteKind::Partial, at.clone(), "the drive's status is not stated");
        return Observed::new(DiskState::Unknown, "");
    }
    for word in &words.rest {
        reading.unknown_word(at.clone(), words::DRIVE, word);
    }
    let Some(state) = words::disk_state(words::DRIVE, &words.word) else {
        reading.unknown_word(at.clone(), words::DRIVE, &words.word);
        return Observed::new(DiskState::Unknown, &words.said);
    };
    Observed::new(in_service(state, drive, words, role), &words.said)
}

/// "OK" is said of members, spares and idle drives alike.
fn in_service(state: DiskState, drive: &Drive, words: &Words, role: Option<DiskState>) -> DiskState {
    match (state, role, &drive.home) {
        (DiskState::Online, _, _) if words.stands_for.is_some() => DiskState::Online,
        (DiskState::Online, _, _) if words.spare => DiskState::HotSpare,
        (DiskState::Online, Some(role), _) => role,
        (DiskState::Online, None, Home::Unassigned) => DiskState::UnconfiguredGood,
        (DiskState::Online, None, Home::Host) => DiskState::Jbod,
        (other, _, _) => other,
    }
}

fn predictive(disk: &mut Disk, drive: &Drive, words: &Words) {
    let predicted = words::PREDICTIVE.iter().any(|p| p.eq_ignore_ascii_case(words::core_of(&words.word)));
    let worn = drive.pairs.get("ssd smart trip wearout").is_some_and(|w| w.eq_ignore_ascii_case("true"));
    let said = match (predicted, worn) {
        (true, _) => words.word.clone(),
        (false, true) => "SSD Smart Trip Wearout: True".to_owned(),
        (false, false) => return,
    };
    disk.predictive = Some(Observed::new(true, said));
}

fn describe(disk: &mut Disk, drive: &Drive) {
    let pair = |key: &str| drive.pairs.get(key).map(str::to_owned);
    let mut place = drive.id.rsplitn(2, ':');
    disk.slot = place.next().map(str::to_owned);
    disk.enclosure = place.next().map(str::to_owned);
    let size = drive.pairs.get("size").or_else(|| drive.row.iter().map(String::as_str).find(|c| is_size(c)));
    disk.size_bytes = size.and_then(|s| size_bytes(s, false));
    let kind =
        drive.pairs.get("interface type").or_else(|| drive.row.iter().map(String::as_str).find(|c| is_interface(c)));
    (disk.interface, disk.medium) = kind.map_or((None, None), interface);
    disk.serial = pair("serial number");
    disk.aliases.extend(disk.serial.as_deref().and_then(Alias::serial));
    // A SATA drive's WWID here is one its port gave it.
    if disk.interface == Some(Interface::Sas) {
        disk.aliases.extend(drive.pairs.get("wwid").filter(|w| w.starts_with('5')).and_then(Alias::wwn));
    }
    disk.firmware = pair("firmware revision");
    disk.temperature_celsius = drive.pairs.get("current temperature (c)").and_then(number);
    disk.power_on_hours = drive.pairs.get("power on hours").and_then(crate::scan::count);
    disk.device = pair("disk name").filter(|d| d.starts_with('/'));
    model(disk, drive.pairs.get("model"));
}

/// `HP      EF0600FARNA`
fn model(disk: &mut Disk, model: Option<&str>) {
    let Some(model) = model else { return };
    match model.split_once(char::is_whitespace) {
        Some((vendor, model)) => {
            disk.vendor = Some(vendor.to_owned()).filter(|v| v != "ATA");
            disk.model = Some(model.trim().to_owned());
        }
        None => disk.model = Some(model.to_owned()),
    }
}

fn interface(cell: &str) -> (Option<Interface>, Option<Medium>) {
    let lower = cell.to_ascii_lowercase();
    let interface = [
        ("nvme", Interface::Nvme),
        ("pcie", Interface::Nvme),
        ("sata", Interface::Sata),
        ("sas", Interface::Sas),
        ("scsi", Interface::Scsi),
    ];
    let medium = match () {
        () if lower.contains("solid state") || lower.contains("ssd") => Some(Medium::Ssd),
        () if lower.contains("hdd") => Some(Medium::Hdd),
        () => None,
    };
    (interface.iter().find(|(word, _)| lower.contains(word)).map(|(_, i)| *i), medium)
}
