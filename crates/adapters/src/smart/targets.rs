//! Which disks smartctl is asked about, and by which of its addresses.
//!
//! A disk the kernel shows is asked by its name. One behind a RAID controller is asked by the number its
//! controller gives it, which the controller's own family listed: never by guessing through all numbers,
//! because a passthrough to a number that is not there disturbs some firmwares. Logical drives, volumes of
//! hypervisors and LUNs of a network have no SMART of their own and are not asked.

use super::NODE;
use raidmond_core::host::{Block, blocks::space_of_driver};
use raidmond_core::model::{Path, Space};
use raidmond_core::survey::{Heard, Known, KnownDisk, Scope};

/// A disk and smartctl's address of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// `None`: to be found by its serial number among `known`.
    pub at: Option<Path>,
    pub controller: Option<Path>,
    /// `["-d", "megaraid,21", "/dev/bus/0"]`
    pub words: Vec<String>,
    /// What its controller says of it; of a target to be found, all it may be.
    pub known: Vec<KnownDisk>,
    /// The kernel's name of a plain disk.
    pub block: Option<String>,
    /// Member of a software array, which a slow disk is thrown out of.
    pub in_array: bool,
}

/// Where the kernel names the generic device of an Areca controller: the driver shows the controller itself as
/// target 16 (drivers/scsi/arcmsr).
pub fn node_of(known: &Known) -> Option<String> {
    let Scope::Controller(number) = &known.scope else { return None };
    let areca = known.space.filter(|s| *s == Space::Areca)?;
    let card = Card::of(known, areca, &Path::controller(number), pci_of(known, areca, number))?;
    Some(format!("/sys/bus/scsi/devices/{}:0:16:0/scsi_generic", card.host))
}

pub fn is_node(path: &str) -> bool {
    path.starts_with("/sys/bus/scsi/devices/") && path.ends_with(":0:16:0/scsi_generic")
}

fn pci_of<'k>(known: &'k Known, space: Space, number: &str) -> Option<&'k str> {
    let at = Path::controller(number);
    known.disks.iter().find(|d| d.space == space && d.controller.as_ref() == Some(&at))?.pci.as_deref()
}

pub fn targets(known: &Known, heard: &Heard) -> Vec<Target> {
    match (&known.scope, known.space) {
        (Scope::Discover, _) => known.blocks.iter().filter(|b| is_plain(b)).map(|b| plain(known, b)).collect(),
        (Scope::Controller(number), Some(space)) => behind(known, heard, space, &Path::controller(number)),
        _ => Vec::new(),
    }
}

/// Drivers whose devices are no disks of this machine, or are asked through a bridge that many disks do
/// not survive (USB).
const NOT_OURS: [&str; 14] = [
    "virtio_blk",
    "virtio_scsi",
    "xen",
    "xenblk",
    "hv_storvsc",
    "storvsc",
    "vmw_pvscsi",
    "iscsi_tcp",
    "qla2xxx",
    "lpfc",
    "usb-storage",
    "uas",
    "fnic",
    "scsi_debug",
];

/// Vendors and models of what is no disk.
const VIRTUAL: [&str; 19] = [
    "qemu",
    "vmware",
    "vbox",
    "virtual",
    "msft",
    "google",
    "amazon elastic",
    "logical volume",
    "logicaldrv",
    "logical disk",
    "megaraid",
    "perc ",
    "mr9",
    "-mraid",
    "serveraid",
    "servera",
    "raid5",
    "raid controller",
    "netapp",
];

pub fn is_virtual(vendor: Option<&str>, model: Option<&str>) -> bool {
    let name = format!("{} {} ", vendor.unwrap_or(""), model.unwrap_or("")).to_ascii_lowercase();
    VIRTUAL.iter().any(|v| name.contains(v))
}

fn is_plain(block: &Block) -> bool {
    let disk = block.name.starts_with("sd") || block.name.starts_with("hd") || block.name.starts_with("nvme");
    // `nvme0c0n1` is a path to `nvme0n1`.
    let path = block.name.starts_with("nvme") && block.name.contains('c');
    let driver = block.driver.as_deref().unwrap_or("");
    let raid = space_of_driver(driver).is_some();
    disk && !path
        && !raid
        && !NOT_OURS.contains(&driver)
        && !is_virtual(block.vendor.as_deref(), block.model.as_deref())
}

fn plain(known: &Known, block: &Block) -> Target {
    Target {
        at: Some(Path::new(block.name.replace('/', "!"))),
        controller: None,
        words: vec![format!("/dev/{}", block.name)],
        known: Vec::new(),
        block: Some(block.name.clone()),
        in_array: in_array(known, block),
    }
}

/// Held by md, or listed by a family that reads pools or volumes.
fn in_array(known: &Known, block: &Block) -> bool {
    let is_part = |device: &str| {
        let rest = device.trim_start_matches("/dev/").strip_prefix(&block.name);
        rest.is_some_and(|rest| rest.trim_start_matches('p').bytes().all(|b| b.is_ascii_digit()))
    };
    let listed = known.disks.iter().filter(|d| d.controller.is_none()).filter_map(|d| d.device.as_deref()).any(is_part);
    listed || block.holders.iter().any(|h| h.starts_with("md"))
}

fn behind(known: &Known, heard: &Heard, space: Space, controller: &Path) -> Vec<Target> {
    let is_here = |d: &&KnownDisk| d.space == space && d.controller.as_ref() == Some(controller);
    let mut disks: Vec<&KnownDisk> = known.disks.iter().filter(is_here).collect();
    if space == Space::Hp {
        disks.dedup_by(|a, b| a.at == b.at);
    }
    let Some(card) = Card::of(known, space, controller, disks.first().and_then(|d| d.pci.as_deref())) else {
        return Vec::new();
    };
    let card = Card { node: node(heard), ..card };
    match space {
        Space::Hp => by_index(&card, &disks),
        _ => one_each(disks.into_iter().filter_map(|disk| Some(member(disk, card.address(space, disk)?)))),
    }
}

/// `sg2`
fn node(heard: &Heard) -> Option<String> {
    let listed = heard.of(NODE).find(|a| a.outcome.ended())?.text();
    let name = listed.lines().map(str::trim).find(|l| l.starts_with("sg"))?;
    name.bytes().all(|b| b.is_ascii_alphanumeric()).then(|| format!("/dev/{name}"))
}

/// Two tools list the same disk.
fn one_each(members: impl Iterator<Item = Target>) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for member in members {
        match targets.iter_mut().find(|t| t.words == member.words) {
            Some(same) => same.known.extend(member.known),
            None => targets.push(member),
        }
    }
    targets
}

fn member(disk: &KnownDisk, words: Vec<String>) -> Target {
    Target {
        at: Some(disk.at.clone()),
        controller: disk.controller.clone(),
        words,
        known: vec![disk.clone()],
        block: None,
        in_array: true,
    }
}

/// `cciss,N` counts the physical disks of a controller in an order of its own: who answers is known by its
/// serial number.
fn by_index(card: &Card, disks: &[&KnownDisk]) -> Vec<Target> {
    let Some(device) = &card.device else { return Vec::new() };
    let known: Vec<KnownDisk> = disks.iter().map(|d| (*d).clone()).collect();
    let target = |n: usize| Target {
        at: None,
        controller: disks.first().and_then(|d| d.controller.clone()),
        words: vec!["-d".to_owned(), format!("cciss,{n}"), device.clone()],
        known: known.clone(),
        block: None,
        in_array: true,
    };
    (0..disks.len()).map(target).collect()
}

/// Where the kernel has a controller.
struct Card {
    host: u32,
    driver: String,
    /// Among the controllers of its driver, in the order of their hosts.
    index: usize,
    /// A device it shows.
    device: Option<String>,
    /// The generic device of the controller itself, where that was asked for.
    node: Option<String>,
}

impl Card {
    /// By its PCI address, else as the only one, else by its number where it can be one.
    fn of(known: &Known, space: Space, controller: &Path, pci: Option<&str>) -> Option<Self> {
        let mut hosts: Vec<(u32, &str)> = known
            .scsi_hosts
            .iter()
            .filter(|(_, driver)| space_of_driver(driver) == Some(space))
            .map(|(number, driver)| (*number, driver.as_str()))
            .collect();
        hosts.sort_unstable();
        let by_pci =
            known.pci.iter().find(|d| pci == Some(d.address.as_str())).and_then(|d| d.scsi_hosts.first().copied());
        let number = controller.as_str().trim_start_matches('c').parse::<usize>().ok();
        let by_number = || number.and_then(|n| hosts.get(n)).map(|(host, _)| *host);
        let host = match (by_pci, hosts.as_slice()) {
            (Some(host), _) => host,
            (None, [(only, _)]) => *only,
            (None, _) => by_number()?,
        };
        let (_, driver) = hosts.iter().find(|(h, _)| *h == host)?;
        let index = hosts.iter().filter(|(_, d)| d == driver).position(|(h, _)| *h == host)?;
        let shown = known.blocks.iter().find(|b| b.scsi_host == Some(host)).map(|b| format!("/dev/{}", b.name));
        let device = shown.or_else(|| (*driver == "cciss").then(|| format!("/dev/cciss/c{index}d0")));
        Some(Card { host, driver: (*driver).to_owned(), index, device, node: None })
    }

    /// Addresses as in smartctl(8), "-d".
    fn address(&self, space: Space, disk: &KnownDisk) -> Option<Vec<String>> {
        let (kind, device) = match space {
            Space::Megaraid => {
                let id = disk.device_id.as_deref().filter(|id| id.bytes().all(|b| b.is_ascii_digit()))?;
                (format!("megaraid,{id}"), format!("/dev/bus/{}", self.host))
            }
            Space::ThreeWare => {
                let port: u32 = disk.at.leaf().strip_prefix('p')?.parse().ok()?;
                let node = match self.driver.as_str() {
                    "3w-xxxx" => "twe",
                    "3w-sas" => "twl",
                    _ => "twa",
                };
                (format!("3ware,{port}"), format!("/dev/{node}{}", self.index))
            }
            Space::Aacraid => {
                let (_, id) = disk.device_id.as_deref()?.split_once(',')?;
                let device = self.device.clone().unwrap_or_else(|| format!("/dev/aac{}", self.index));
                (format!("aacraid,{},0,{}", self.index, id.parse::<u32>().ok()?), device)
            }
            Space::Areca => (areca(disk.at.leaf())?, self.node.clone()?),
            _ => return None,
        };
        Some(vec!["-d".to_owned(), kind, device])
    }
}

/// `2:5` is slot 5 of enclosure 2; older cards have no enclosures.
fn areca(place: &str) -> Option<String> {
    let (enclosure, slot) = place.split_once(':')?;
    let slot: u32 = slot.parse().ok()?;
    match enclosure {
        "" => Some(format!("areca,{slot}")),
        _ => enclosure.parse::<u32>().ok().map(|e| format!("areca,{slot}/{e}")),
    }
}

impl Target {
    /// Who answered is who was asked for. Tools cut serial numbers differently and pad them; a WWN may differ
    /// in its last digit (the port's or the disk's).
    pub fn place(&self, serial: Option<&str>, wwn: Option<&str>) -> Option<Path> {
        let fits = |d: &&KnownDisk| same(d.serial.as_deref(), serial) || same_wwn(d.wwn.as_deref(), wwn);
        let silent = |d: &KnownDisk| serial.is_none() || d.serial.is_none();
        match &self.at {
            Some(at) => {
                let nobody_contradicts = self.known.iter().all(silent);
                (nobody_contradicts || self.known.iter().any(|d| fits(&d))).then(|| at.clone())
            }
            None => self.known.iter().find(fits).map(|d| d.at.clone()),
        }
    }
}

fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase()
}

fn same(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (a.map(bare), b.map(bare)) else { return false };
    a.len().min(b.len()) >= 4 && (a.contains(&b) || b.contains(&a))
}

fn same_wwn(a: Option<&str>, b: Option<&str>) -> bool {
    let digits = |w: &str| bare(w.trim_start_matches("0x")).get(..15).map(str::to_owned);
    matches!((a.and_then(digits), b.and_then(digits)), (Some(a), Some(b)) if a == b)
}
