//! Which controller is watched through what, which needs no watching, and which is a blind spot.

use super::sysfs::{names, under};
use super::tools::{self, FamilyTool};
use super::{Found, Inventory, pci};
use jiff::Timestamp;
use raidmond_adapters::{Adapter, Conversation, Step, registry};
use raidmond_core::diagnose::{ConditionKind, MonitorFact};
use raidmond_core::host::{Block, blocks::space_of_driver};
use raidmond_core::survey::{Asked, Known, NoteKind, PciDevice, Scope};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A way a controller is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Via {
    pub family: &'static str,
    /// Name of the tool; `None`: through files of the driver.
    pub tool: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "state")]
pub enum Watch {
    Watched {
        by: Vec<Via>,
    },
    /// Makes no arrays: nothing of it can be hidden from the kernel.
    Plain {
        why: String,
    },
    /// A RAID controller that nothing here reads.
    Blind {
        why: String,
        remedy: String,
    },
    /// The only tool there is must not be run against this card.
    Refused {
        why: String,
        remedy: String,
    },
}

impl Watch {
    pub fn is_blind(&self) -> bool {
        matches!(self, Watch::Blind { .. } | Watch::Refused { .. })
    }
}

/// Families that stand back where another one reads the same cards; megacli not for cards too old for storcli.
const STANDS_BACK: [(&str, &str); 4] =
    [("megacli", "storcli"), ("omreport", "storcli"), ("omreport", "storcli2"), ("omreport", "megacli")];

/// SAS1078 and before: storcli does not know them, MegaCli does.
const BEFORE_STORCLI: [(u16, u16); 5] =
    [(0x1000, 0x0060), (0x1000, 0x0411), (0x1000, 0x0413), (0x1000, 0x007c), (0x1028, 0x0015)];

const DELL: u16 = 0x1028;

/// HPE's smartpqi cards do not answer arcconf, and Microchip's own not ssacli.
const HPE: [u16; 2] = [0x103c, 0x1590];

pub struct Seen<'a> {
    pub root: &'a Path,
    pub pci: &'a [PciDevice],
    pub blocks: &'a [Block],
    pub tools: &'a [FamilyTool],
}

enum Reads {
    Yes(Via),
    Refused { why: String, remedy: String },
    No { why: String, remedy: String },
}

impl Seen<'_> {
    pub fn watch(&self, device: &PciDevice) -> Watch {
        let raid = pci::subclass(device.class) == pci::RAID;
        match device.driver.as_deref() {
            None if raid => {
                blind("no driver holds it, so nothing can read it", "load its driver, or take the card out")
            }
            None => plain("no driver holds it: nothing on it is in use"),
            Some(driver) if is_marvell_raid(device) && self.has_volume(device) => self.raid(device, driver),
            Some(driver) if INTEGRATED.contains(&driver) => self.integrated(device, driver),
            Some(driver) if BOTH_KINDS.contains(&driver) && !raid => self.plain(device),
            Some(driver) if space_of_driver(driver).is_some() => self.raid(device, driver),
            Some(driver) if PLAIN_RAID_MODE.contains(&driver) || !raid => self.plain(device),
            Some(driver) => unread(driver),
        }
    }

    fn raid(&self, device: &PciDevice, driver: &str) -> Watch {
        let adapters: Vec<&dyn Adapter> = adapters_for(device, driver);
        if adapters.is_empty() {
            return unread(driver);
        }
        let reads: Vec<Reads> = adapters.iter().map(|a| self.reads(*a, device)).collect();
        let mut by: Vec<Via> = Vec::new();
        let (mut refused, mut missing) = (None, None);
        for read in reads {
            match read {
                Reads::Yes(via) => by.push(via),
                Reads::Refused { why, remedy } => refused = refused.or(Some(Watch::Refused { why, remedy })),
                Reads::No { why, remedy } => missing = missing.or(Some(Watch::Blind { why, remedy })),
            }
        }
        if !by.is_empty() {
            let standing: Vec<Via> = by.iter().filter(|v| !self.stands_back(v, &by)).cloned().collect();
            return Watch::Watched { by: standing };
        }
        refused.or(missing).unwrap_or_else(|| unread(driver))
    }

    fn stands_back(&self, via: &Via, all: &[Via]) -> bool {
        let too_old = self.pci.iter().any(|d| BEFORE_STORCLI.contains(&(d.vendor, d.device)));
        let mut others = STANDS_BACK.iter().filter(|(back, _)| *back == via.family).map(|(_, other)| *other);
        let needed = too_old && via.family == "megacli";
        !needed && others.any(|other| all.iter().any(|v| v.family == other))
    }

    fn reads(&self, adapter: &dyn Adapter, device: &PciDevice) -> Reads {
        let family = adapter.family();
        if self.files_suffice(adapter) {
            return Reads::Yes(Via { family, tool: None });
        }
        if let Some(found) = tools::best(self.tools, family, self.pci) {
            let known = Known { scope: Scope::Discover, tool: Some(found.tool.clone()), ..self.known() };
            return match refusal(adapter, known) {
                Some((why, remedy)) => Reads::Refused { why, remedy },
                None => Reads::Yes(Via { family, tool: Some(found.tool.name.clone()) }),
            };
        }
        let page = format!("docs/adapters/{family}.md");
        if let Some(there) = self.tools.iter().find(|t| t.family == family) {
            let why = format!("{} is there and must not be executed", there.tool.path);
            return Reads::No { why, remedy: format!("as root: chmod 755 {}", there.tool.path) };
        }
        let tool = tools::wanted(adapter.tools(), device);
        let name = tool.and_then(|t| t.names.first()).unwrap_or(&family);
        let how = tool.map_or(String::new(), |t| format!("{}; ", t.how_to_get));
        Reads::No { why: format!("arrays not readable, {name} is missing"), remedy: format!("{how}see {page}") }
    }

    fn known(&self) -> Known {
        Known { pci: self.pci.to_vec(), ..Known::default() }
    }

    /// The family begins with files only, and there is something in them.
    fn files_suffice(&self, adapter: &dyn Adapter) -> bool {
        let known = Known { scope: Scope::Discover, ..self.known() };
        let Step::Ask { queries, .. } = Conversation::new(adapter, known).advance() else { return false };
        let there = |asked: &Asked| match asked {
            Asked::Dir(path) => !names(&under(self.root, path)).is_empty(),
            Asked::File(path) => under(self.root, path).is_file(),
            _ => false,
        };
        !queries.is_empty() && queries.iter().all(|q| there(&q.asked))
    }

    /// Most of these cards are plain adapters: without volumes and without the tool there is nothing to read.
    fn integrated(&self, device: &PciDevice, driver: &str) -> Watch {
        let volumes = disks_of(self.blocks, device).iter().any(|d| d.is_integrated_volume());
        match self.raid(device, driver) {
            watched @ Watch::Watched { .. } => watched,
            other if volumes => other,
            _ => self.plain(device),
        }
    }

    /// Dell sells the chip for its mirrors only; on other boards it may be a plain adapter.
    fn has_volume(&self, device: &PciDevice) -> bool {
        let is_volume = |b: &&Block| {
            let model = b.model.as_deref().unwrap_or("").trim();
            model.contains("BOSS") || model.ends_with(" VD") || model.contains("_VD") || model.contains("VD_")
        };
        device.subsystem_vendor == DELL || disks_of(self.blocks, device).iter().any(is_volume)
    }

    fn plain(&self, device: &PciDevice) -> Watch {
        let disks = disks_of(self.blocks, device);
        let count = match disks.len() {
            0 => "no disk on it".to_owned(),
            1 => "its disk shows itself to the kernel".to_owned(),
            n => format!("its {n} disks show themselves to the kernel"),
        };
        plain(&format!("makes no arrays, {count}{}", members(&disks)))
    }
}

/// Drivers that show every disk also where the card calls itself RAID.
const PLAIN_RAID_MODE: [&str; 4] = ["ahci", "vmd", "ata_piix", "isci"];

/// Fusion-MPT: plain adapters and integrated RAID behind one driver, whatever the class.
const INTEGRATED: [&str; 4] = ["mpt3sas", "mpt2sas", "mptsas", "mptspi"];

/// Drivers of RAID cards and of plain adapters: the class tells which.
const BOTH_KINDS: [&str; 1] = ["mpi3mr"];

/// 88SE9230: BOSS-S1, BOSS-S2 and other M.2 mirrors, which show the kernel one AHCI disk.
fn is_marvell_raid(device: &PciDevice) -> bool {
    (device.vendor, device.device) == (0x1b4b, 0x9230)
}

fn disks_of<'a>(blocks: &'a [Block], device: &PciDevice) -> Vec<&'a Block> {
    blocks.iter().filter(|b| b.pci.as_deref() == Some(&device.address)).collect()
}

/// ", members of md0, md1"
fn members(disks: &[&Block]) -> String {
    let mut arrays: Vec<&str> =
        disks.iter().flat_map(|d| &d.holders).map(String::as_str).filter(|h| h.starts_with("md")).collect();
    arrays.sort_unstable();
    arrays.dedup();
    if arrays.is_empty() { String::new() } else { format!(", members of {}", arrays.join(", ")) }
}

/// Newer families first, so that what is missing is named by the better tool.
fn adapters_for(device: &PciDevice, driver: &str) -> Vec<&'static dyn Adapter> {
    let hpe = HPE.contains(&device.subsystem_vendor);
    let theirs = |a: &&dyn Adapter| driver != "smartpqi" || (a.family() == "hp") == hpe;
    let dell = device.subsystem_vendor == DELL || device.vendor == DELL;
    let fits = |a: &&dyn Adapter| match a.family() {
        "omreport" => dell,
        "boss" => is_marvell_raid(device),
        _ => true,
    };
    let mut adapters: Vec<&'static dyn Adapter> = registry::ADAPTERS
        .iter()
        .copied()
        .filter(|a| a.drivers().contains(&driver))
        .filter(theirs)
        .filter(fits)
        .collect();
    adapters.sort_by_key(|a| STANDS_BACK.iter().any(|(back, _)| *back == a.family()));
    adapters
}

/// Why the adapter asks nothing at all.
fn refusal(adapter: &dyn Adapter, known: Known) -> Option<(String, String)> {
    let Step::Done(reading) = Conversation::new(adapter, known).advance() else { return None };
    let note = reading.notes.into_iter().find(|n| n.kind == NoteKind::Remark || n.remedy.is_some())?;
    Some((note.said, note.remedy.unwrap_or_default()))
}

fn unread(driver: &str) -> Watch {
    blind(
        &format!("raidmond cannot read controllers of the driver {driver} yet"),
        "watch it with the vendor's tool meanwhile; its messages in the kernel log are read",
    )
}

fn blind(why: &str, remedy: &str) -> Watch {
    Watch::Blind { why: why.to_owned(), remedy: remedy.to_owned() }
}

fn plain(why: &str) -> Watch {
    Watch::Plain { why: why.to_owned() }
}

/// Controllers on the bus that no reading holds. `read`: PCI address, where the tool states one, and
/// family of each controller a tool listed in the last discovery; call it after one. A key stays the same
/// while its blind spot lasts; the engine keeps the time.
pub fn blind_spots(inventory: &Inventory, read: &[(Option<String>, String)]) -> Vec<(String, MonitorFact)> {
    let is_read = |found: &Found| read.iter().any(|(pci, _)| pci.as_deref() == Some(&found.pci.address));
    let mut facts: Vec<(String, MonitorFact)> =
        inventory.blind().filter(|f| !is_read(f)).map(|f| unwatched(f, reason(&f.watch))).collect();
    let mut groups: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for found in &inventory.controllers {
        if matches!(found.watch, Watch::Watched { .. }) {
            // A tool may leave out an adapter that makes no arrays; then nothing of it is hidden.
            let disks = disks_of(&inventory.blocks, &found.pci);
            if !INTEGRATED.contains(&found.driver()) || disks.iter().any(|d| d.is_integrated_volume()) {
                groups.entry(found.driver()).or_default().push(found);
            }
        }
    }
    for (driver, group) in groups {
        facts.extend(fewer(driver, &group, read));
    }
    facts
}

fn reason(watch: &Watch) -> (String, String) {
    match watch {
        Watch::Blind { why, remedy } | Watch::Refused { why, remedy } => (why.clone(), remedy.clone()),
        _ => (String::new(), String::new()),
    }
}

fn unwatched(found: &Found, (why, remedy): (String, String)) -> (String, MonitorFact) {
    let place = match found.pci.address.as_str() {
        "" => format!("{} {:?}", found.driver(), found.pci.scsi_hosts),
        address => format!("PCI {address}"),
    };
    fact(place, format!("{}: {why}", found.title()), remedy)
}

fn fact(name: String, said: String, remedy: String) -> (String, MonitorFact) {
    let fact = MonitorFact {
        kind: ConditionKind::ControllerUnwatched,
        name: name.clone(),
        said,
        remedy: Some(remedy),
        since: Timestamp::UNIX_EPOCH,
    };
    (format!("controller-unwatched/{name}"), fact)
}

/// The bus shows more controllers of a driver than the tools that read it.
fn fewer(driver: &str, group: &[&Found], read: &[(Option<String>, String)]) -> Vec<(String, MonitorFact)> {
    let Some(Watch::Watched { by }) = group.first().map(|f| &f.watch) else { return Vec::new() };
    let of = |via: &Via| read.iter().filter(|(_, family)| family == via.family).collect::<Vec<_>>();
    let Some((via, listed)) = by.iter().map(|v| (v, of(v))).max_by_key(|(_, listed)| listed.len()) else {
        return Vec::new();
    };
    if listed.len() >= group.len() {
        return Vec::new();
    }
    let tool = via.tool.as_deref().unwrap_or("the driver");
    let said = format!("{tool} lists {} of the {} {driver} controllers on the bus", listed.len(), group.len());
    let remedy = "look into the kernel log for this card; raidmond probe --explain shows what the tool answers";
    let all_placed = listed.iter().all(|(pci, _)| pci.is_some());
    if !all_placed {
        return vec![fact(format!("driver {driver}"), said, remedy.to_owned())];
    }
    let is_listed = |f: &Found| listed.iter().any(|(pci, _)| pci.as_deref() == Some(&f.pci.address));
    let missing = group.iter().filter(|f| !is_listed(f));
    missing.map(|f| unwatched(f, (said.clone(), remedy.to_owned()))).collect()
}
