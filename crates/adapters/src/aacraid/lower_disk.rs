//! Physical devices: drives and enclosures.

use super::lower_array::device;
use super::lower_controller::{add_alias, celsius};
use super::parse::{Block, Kind};
use super::place::Spot;
use super::vocabulary::{self, DISK, PART};
use crate::{Said, scan};
use raidmond_core::model::{Alias, Disk, DiskState, Enclosure, FindingKind, Interface, Medium, Observed};
use raidmond_core::model::{Part, PartKind, PartState, Path, SpareScope};
use raidmond_core::survey::{NoteKind, Reading};

/// A block is a drive when it says so, or when it has a state and does not say what it is.
pub fn is_disk(block: &Block) -> bool {
    block.kind == Kind::Disk || (block.kind == Kind::Device && block.get(&["State"]).is_some())
}

pub fn disk(reading: &mut Reading, block: &Block, path: &Path, spot: &Spot) -> DiskState {
    let state = state(reading, block, path);
    let known = state.state;
    let disk = reading.disk(path);
    describe(disk, block);
    place(disk, block, spot);
    counters(disk, block);
    disk.predictive = predictive(block, disk.predictive_errors);
    disk.state = Some(state);
    spare(reading, block, path, known);
    known
}

fn state(reading: &mut Reading, block: &Block, path: &Path) -> Observed<DiskState> {
    let word = block.get(&["State"]).unwrap_or("");
    match vocabulary::meaning(DISK, word) {
        Some(Said::Disk(state)) => Observed::new(state, word),
        _ if word.to_ascii_lowercase().contains("predictive") => Observed::new(DiskState::Online, word),
        _ => {
            let cut = "no state is printed: the output is cut off or of a new layout";
            match word {
                "" => reading.note(NoteKind::Partial, path.clone(), cut),
                word => reading.unknown_word(path.clone(), DISK, word),
            }
            Observed::new(DiskState::Unknown, word)
        }
    }
}

/// A failed disk prints no serial, a blank model and "*MISSING*" for its vendor.
fn describe(disk: &mut Disk, block: &Block) {
    let text = |keys: &[&str]| block.get(keys).filter(|v| !v.starts_with('*')).map(str::to_owned);
    disk.vendor = text(&["Vendor"]);
    disk.model = text(&["Model"]);
    disk.serial = text(&["Serial number"]);
    disk.firmware = text(&["Firmware"]);
    let size = block.get(&["Total Size", "Size"]).and_then(|s| scan::size_bytes(s, true));
    disk.size_bytes = size.filter(|s| *s > 0);
    disk.interface = block.get(&["Transfer Speed"]).and_then(interface);
    let solid = block.get(&["SSD"]);
    disk.medium = solid.map(|s| if scan::same_word(s, "Yes") { Medium::Ssd } else { Medium::Hdd });
    disk.link_gbps = block.get(&["Transfer Speed"]).and_then(|s| s.split_whitespace().nth(1)?.parse().ok());
    disk.certified = block.get(&["Supported"]).map(|s| scan::same_word(s, "Yes"));
    disk.temperature_celsius = block.get(&["Temperature", "Current Temperature"]).and_then(celsius);
    disk.temperature_critical_celsius = block.get(&["Threshold Temperature"]).and_then(celsius);
    disk.power_on_hours = block.get(&["Service Hours"]).and_then(scan::count);
    disk.device = block.get(&["Disk Name"]).and_then(device);
}

fn interface(said: &str) -> Option<Interface> {
    let kinds = [("SATA", Interface::Sata), ("SAS", Interface::Sas), ("NVMe", Interface::Nvme)];
    let found = kinds.into_iter().find(|(word, _)| scan::starts_with_word(said, word)).map(|(_, kind)| kind);
    found.or_else(|| scan::starts_with_word(said, "Ultra").then_some(Interface::Scsi))
}

/// One place names the disk, the others stay as aliases.
fn place(disk: &mut Disk, block: &Block, spot: &Spot) {
    disk.enclosure = spot.enclosure.clone().or_else(|| spot.backplane.as_ref().map(|b| format!("backplane {b}")));
    let connector = || Some(format!("connector {}, device {}", spot.connector.first()?, spot.device.as_ref()?));
    disk.slot = spot.slot.clone().or_else(connector);
    disk.device_id = spot.channel.as_ref().map(|(channel, device)| format!("{channel},{device}"));
    let kernel = disk.device.as_deref().and_then(|d| d.strip_prefix("/dev/")).map(|d| Alias::Kernel(d.to_owned()));
    let serial = disk.serial.as_deref().and_then(identity);
    let wwn = block.get(&["World-wide name"]).and_then(Alias::wwn);
    let channel = disk.device_id.clone().map(Alias::DeviceId);
    for alias in [serial, wwn, channel, kernel].into_iter().flatten() {
        add_alias(&mut disk.aliases, alias);
    }
}

/// Captures made public mask serials ("WD-*****"), several disks alike.
pub fn identity(serial: &str) -> Option<Alias> {
    Alias::serial(serial).filter(|_| !serial.contains("**"))
}

/// "Runtime Error Counters" of series 7 and 8, "Device Error Counters" of SmartRAID.
fn counters(disk: &mut Disk, block: &Block) {
    let sum = |keys: &[&str]| {
        let counts = keys.iter().filter_map(|k| block.get(&[k]).and_then(scan::count));
        counts.reduce(u64::saturating_add)
    };
    disk.media_errors = sum(&["Medium Error Count", "Media Failures", "Hard Read Errors", "Hard Write Errors"]);
    disk.other_errors = sum(&["Hardware Error Count", "Hardware Errors"]);
    disk.link_errors = sum(&["Link Failure Count", "Parity Error Count", "Scsi Bus Faults"]);
    disk.timeouts = sum(&["Aborted Command Count", "Aborted Commands", "Other Time Out Errors"]);
    let warnings = ["S.M.A.R.T. warnings", "SMART Warning Count", "Predictive Failures"];
    disk.predictive_errors = warnings.iter().filter_map(|k| block.get(&[k]).and_then(scan::count)).max();
}

/// A trip stated in words, or warnings counted: some firmware counts them and leaves the word at "No".
fn predictive(block: &Block, warnings: Option<u64>) -> Option<Observed<bool>> {
    const SIGNS: [&str; 4] = ["S.M.A.R.T.", "PFA", "SSD Smart Trip Wearout", "56 Day Warning Present"];
    let yes = |v: &str| scan::same_word(v, "Yes") || scan::same_word(v, "True");
    let stated: Vec<(&str, &str)> = SIGNS.iter().filter_map(|key| Some((*key, block.get(&[key])?))).collect();
    if let Some((key, value)) = stated.iter().find(|(_, value)| yes(value)) {
        return Some(Observed::new(true, format!("{key}: {value}")));
    }
    if let Some(word) = block.get(&["State"]).filter(|w| w.to_ascii_lowercase().contains("predictive")) {
        return Some(Observed::new(true, word));
    }
    match (warnings, stated.first()) {
        (Some(count), _) if count > 0 => Some(Observed::new(true, format!("S.M.A.R.T. warnings: {count}"))),
        (_, Some((key, value))) => Some(Observed::new(false, format!("{key}: {value}"))),
        (_, None) => None,
    }
}

fn spare(reading: &mut Reading, block: &Block, path: &Path, state: DiskState) {
    let word = block.get(&["State"]).unwrap_or("").to_ascii_lowercase().replace('-', " ");
    if !word.contains("hot spare") {
        return;
    }
    let array = block.get(&["Dedicated Spare for"]).and_then(scan::number).map(|n| path.root().array(n));
    let dedicated = word.contains("dedicated");
    let disk = reading.disk(path);
    disk.spare = Some(if dedicated { SpareScope::Dedicated } else { SpareScope::Global });
    disk.array = array.filter(|_| dedicated);
    if state == DiskState::Failed {
        let said = format!("hot spare: {word}");
        super::lower_controller::fault(reading, path, FindingKind::SpareFailed, said);
    }
}

pub fn enclosures(reading: &mut Reading, at: &Path, blocks: &[&Block]) {
    for block in blocks.iter().filter(|b| b.kind == Kind::Enclosure) {
        let id = block.get(&["Enclosure ID"]).unwrap_or(&block.id);
        let path = at.child(format_args!("e{id}"));
        let parts = block.fields.iter().filter_map(|f| part(reading, &path, &f.key, &f.value)).collect();
        let text = |keys: &[&str]| block.get(keys).map(str::to_owned);
        reading.enclosures.retain(|e| e.at != path);
        reading.enclosures.push(Enclosure {
            at: path,
            controller: Some(at.clone()),
            model: text(&["Model"]),
            serial: text(&["Enclosure Logical Identifier"]),
            slots: None,
            parts,
        });
    }
}

/// "Fan 1 status : 6540 rpm (Optimal)". A part whose state the enclosure calls unknown has no sensor
/// or does not report: remarked, not judged. The speaker's word says whether it is enabled.
fn part(reading: &mut Reading, at: &Path, key: &str, value: &str) -> Option<Part> {
    let lower = key.to_ascii_lowercase();
    let kind = match lower.split_whitespace().next()? {
        "fan" => PartKind::Fan,
        "power" if lower.starts_with("power supply") => PartKind::PowerSupply,
        "temperature" => PartKind::TemperatureSensor,
        _ => return None,
    };
    let word = value.split_once('(').map_or(value, |(_, word)| word.trim_end_matches(')')).trim();
    let name = lower.replace(" status", "").replace(" sensor", "");
    if scan::same_word(word, "Unknown") {
        reading.note(NoteKind::Remark, at.clone(), format!("the enclosure does not report {name} ({value})"));
        return None;
    }
    let state = match vocabulary::meaning(PART, word) {
        Some(Said::Part(state)) => state,
        _ => {
            reading.unknown_word(at.clone(), key, value);
            PartState::Unknown
        }
    };
    let measured = scan::number(value).filter(|n| !(kind == PartKind::Fan && *n == 0));
    Some(Part { kind, name, state: Observed::new(state, value), value: measured })
}
