//! The kernel's own names for what controllers and disks show: `sda`, `0:2:0:0`, SCSI host 0.
//!
//! They tie a log line to an array or a disk, and an array to its mounts. The shell reads them from
//! sysfs; this module only says whose they are. It judges nothing.

use super::{Host, View};
use crate::identity::ObjectId;
use crate::model::{Alias, ObjectKind, Space, WriteCache};
use serde::{Deserialize, Serialize};

/// A whole block device, never a partition.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Block {
    /// `sda`, `md0`, `dm-0`.
    pub name: String,
    /// `0:2:0:0`
    pub hctl: Option<String>,
    pub scsi_host: Option<u32>,
    /// Driver of the SCSI host, or of the PCI device where there is none (`nvme`).
    pub driver: Option<String>,
    /// `0000:03:00.0`
    pub pci: Option<String>,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub wwid: Option<String>,
    pub size_bytes: Option<u64>,
    pub read_ahead_kib: Option<u64>,
    /// The I/O scheduler in use: `mq-deadline`.
    pub scheduler: Option<String>,
    /// How long the kernel waits for a command.
    pub timeout_seconds: Option<u64>,
    /// What the kernel takes its cache for.
    pub write_cache: Option<WriteCache>,
    /// Devices built on it, directly.
    pub holders: Vec<String>,
    /// Devices it is built on, directly.
    pub slaves: Vec<String>,
    /// Mount points on it, its partitions, or what is built on it.
    pub mounts: Vec<String>,
}

/// A SCSI host with the card it belongs to; a controller without arrays has one, too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ScsiHost {
    pub number: u32,
    pub driver: String,
    pub pci: Option<String>,
}

/// Whose numbers the addresses of this driver are; `None`: no RAID driver.
pub fn space_of_driver(driver: &str) -> Option<Space> {
    Some(match driver {
        "megaraid_sas" => Space::Megaraid,
        "mpi3mr" => Space::Mpi3mr,
        "megaraid" | "megaraid2" | "megaraid_legacy" | "megaraid_mbox" => Space::MegaraidLegacy,
        "3w-xxxx" | "3w-9xxx" | "3w-sas" => Space::ThreeWare,
        "aacraid" | "smartpqi" => Space::Aacraid,
        "hpsa" | "cciss" => Space::Hp,
        "arcmsr" => Space::Areca,
        "ips" | "dpt_i2o" | "gdth" | "DAC960" | "myrb" | "myrs" => Space::OldScsi,
        _ => return None,
    })
}

/// What a SCSI address behind a RAID driver names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    LogicalDrive(u32),
    /// Device id on its controller.
    Disk(u32),
}

impl Block {
    pub fn is_md(&self) -> bool {
        self.name.starts_with("md") && self.hctl.is_none()
    }

    fn is_mapped(&self) -> bool {
        self.name.starts_with("dm-")
    }

    /// A volume of an mpt card's integrated RAID; the driver shows plain disks, too.
    pub fn is_integrated_volume(&self) -> bool {
        let (vendor, model) = (self.vendor.as_deref().unwrap_or(""), self.model.as_deref().unwrap_or(""));
        let mpt = self.driver.as_deref().is_some_and(|d| d.starts_with("mpt"));
        mpt && ((vendor.starts_with("LSI") && model.contains("Logical Volume"))
            || (vendor.starts_with("Dell") && model.to_ascii_lowercase().contains("virtual disk")))
    }

    /// Shown by a RAID driver as something other than a bare disk, or an md array.
    pub fn is_array_device(&self) -> bool {
        let raid = self.driver.as_deref().and_then(space_of_driver).is_some();
        self.is_md() || self.is_integrated_volume() || (raid && !matches!(self.place(), Some(Place::Disk(_))))
    }

    fn hctl_numbers(&self) -> Option<[u32; 4]> {
        let numbers: Vec<u32> = self.hctl.as_deref()?.split(':').map_while(|p| p.parse().ok()).collect();
        numbers.try_into().ok()
    }

    /// megaraid_sas shows disks on channels 0 and 1 and logical drives from channel 2, 128 targets to a
    /// channel (drivers/scsi/megaraid); 3w-* shows units by target; aacraid shows containers on channel 0.
    fn place(&self) -> Option<Place> {
        let [_, channel, target, _] = self.hctl_numbers()?;
        match (self.driver.as_deref()?, channel) {
            ("megaraid_sas", 2..) => (channel - 2).checked_mul(128)?.checked_add(target).map(Place::LogicalDrive),
            ("megaraid_sas", _) => (channel * 128).checked_add(target).map(Place::Disk),
            ("3w-xxxx" | "3w-9xxx" | "3w-sas", _) => Some(Place::LogicalDrive(target)),
            ("aacraid", 0) => Some(Place::LogicalDrive(target)),
            ("aacraid", _) => Some(Place::Disk(target)),
            _ => None,
        }
    }
}

impl Host {
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|b| b.name == name)
    }

    /// The device a log line names, by kernel name or SCSI address; below device mapper as far as that
    /// leads to one device.
    pub fn block_named(&self, alias: &Alias) -> Option<&Block> {
        let mut block = match alias {
            Alias::Kernel(name) => self.block(name)?,
            Alias::Hctl(hctl) => self.blocks.iter().find(|b| b.hctl.as_deref() == Some(hctl.as_str()))?,
            _ => return None,
        };
        // Bounded: sysfs is data, and data may have a loop.
        for _ in 0..16 {
            match block.slaves.as_slice() {
                [below] if block.is_mapped() => match self.block(below) {
                    Some(below) => block = below,
                    None => break,
                },
                _ => break,
            }
        }
        Some(block)
    }

    /// The controller that PCI address or SCSI host number names.
    pub fn controller_named(&self, view: &View, alias: &Alias) -> Option<ObjectId> {
        match alias {
            Alias::Pci(pci) => self.controller_at(view, pci, self.driver_at(pci)),
            Alias::ScsiHost(number) => {
                let host = self.scsi_hosts.iter().find(|h| h.number.to_string() == *number)?;
                let by_pci = host.pci.as_deref().and_then(|pci| self.controller_at(view, pci, Some(&host.driver)));
                by_pci.or_else(|| self.with_alias(view, alias))
            }
            _ => None,
        }
    }

    fn driver_at(&self, pci: &str) -> Option<&str> {
        self.scsi_hosts.iter().find(|h| h.pci.as_deref() == Some(pci)).map(|h| h.driver.as_str())
    }

    /// By its address where a tool states it, else because there is one card and one controller of this kind.
    fn controller_at(&self, view: &View, pci: &str, driver: Option<&str>) -> Option<ObjectId> {
        self.with_alias(view, &Alias::Pci(pci.to_owned())).or_else(|| self.only_one(view, driver?))
    }

    fn with_alias(&self, view: &View, alias: &Alias) -> Option<ObjectId> {
        let has = |id: &ObjectId| self.registry.get(*id).is_some_and(|e| e.aliases.contains(alias));
        view.controllers.iter().map(|c| c.id).find(has)
    }

    fn only_one(&self, view: &View, driver: &str) -> Option<ObjectId> {
        let space = space_of_driver(driver)?;
        let alike = |d: &str| space_of_driver(d) == Some(space);
        let cards = self.scsi_hosts.iter().filter(|h| alike(&h.driver)).count();
        let in_space = |id: &ObjectId| self.registry.get(*id).is_some_and(|e| e.paths.contains_key(&space));
        let found: Vec<ObjectId> = view.controllers.iter().map(|c| c.id).filter(in_space).collect();
        match found.as_slice() {
            [only] if cards == 1 => Some(*only),
            _ => None,
        }
    }

    /// The array or disk that shows itself as this device.
    pub fn shown_by(&self, view: &View, block: &Block) -> Option<ObjectId> {
        let stated = stated(view, &block.name);
        stated.or_else(|| self.by_identity(view, block)).or_else(|| self.by_place(view, block))
    }

    fn by_place(&self, view: &View, block: &Block) -> Option<ObjectId> {
        let controller = self.controller_at(view, block.pci.as_deref()?, block.driver.as_deref())?;
        match block.place()? {
            Place::LogicalDrive(number) => self.array_behind(controller, number),
            Place::Disk(id) => disk_with_device_id(view, controller, &id.to_string()),
        }
    }

    /// The object of this kind whose last path component is `leaf`, on that controller.
    pub fn child(&self, controller: ObjectId, kind: ObjectKind, leaf: &str) -> Option<ObjectId> {
        let is = |e: &crate::identity::Entry| {
            e.kind == kind && e.parent == Some(controller) && e.paths.values().any(|p| p.leaf() == leaf)
        };
        self.registry.iter().find(|(_, e)| is(e)).map(|(id, _)| id)
    }

    /// `c0/v1`, or a 3ware unit: `c0/u1`.
    pub fn array_behind(&self, controller: ObjectId, number: u32) -> Option<ObjectId> {
        ["v", "u"].iter().find_map(|letter| self.child(controller, ObjectKind::Array, &format!("{letter}{number}")))
    }

    /// By what the device says of itself: a volume's unique id, a bare disk's serial or WWN.
    fn by_identity(&self, view: &View, block: &Block) -> Option<ObjectId> {
        let wwid = block.wwid.as_deref().map(|w| w.trim_start_matches("naa."));
        let aliases = [wwid.and_then(Alias::array_uid), block.serial.as_deref().and_then(Alias::serial)];
        let aliases: Vec<Alias> = aliases.into_iter().flatten().chain(wwid.and_then(Alias::wwn)).collect();
        let is = |id: &ObjectId| self.registry.get(*id).is_some_and(|e| aliases.iter().any(|a| e.aliases.contains(a)));
        let arrays = view.arrays.iter().map(|a| a.id);
        arrays.chain(view.disks.iter().map(|d| d.id)).find(is)
    }
}

pub fn disk_with_device_id(view: &View, controller: ObjectId, id: &str) -> Option<ObjectId> {
    let is =
        |d: &&super::Seen<crate::model::Disk>| d.parent == Some(controller) && d.facts.device_id.as_deref() == Some(id);
    view.disks.iter().find(is).map(|d| d.id)
}

/// The array, else the disk, whose source states this kernel name.
fn stated(view: &View, name: &str) -> Option<ObjectId> {
    let is = |device: &Option<String>| device.as_deref().map(|d| d.trim_start_matches("/dev/")) == Some(name);
    let array = view.arrays.iter().find(|a| is(&a.facts.device)).map(|a| a.id);
    array.or_else(|| view.disks.iter().find(|d| is(&d.facts.device)).map(|d| d.id))
}

/// Gives arrays and disks the kernel name and the mounts their sources did not state, and disks the serial
/// number and model on their label: a member of an md array is just a kernel name, and that moves.
pub(super) fn fill_devices(host: &Host, view: &mut View) {
    let owners: Vec<(ObjectId, &Block)> =
        host.blocks.iter().filter_map(|b| Some((host.shown_by(view, b)?, b))).collect();
    for (id, block) in owners {
        let device = || Some(format!("/dev/{}", block.name));
        if let Some(array) = view.arrays.iter_mut().find(|a| a.id == id) {
            array.facts.device = array.facts.device.take().or_else(device);
            if array.facts.mounts.is_empty() {
                array.facts.mounts = block.mounts.clone();
            }
        }
        if let Some(disk) = view.disks.iter_mut().find(|d| d.id == id) {
            disk.facts.device = disk.facts.device.take().or_else(device);
            if !block.is_array_device() {
                disk.facts.serial = disk.facts.serial.take().or_else(|| block.serial.clone());
                disk.facts.model = disk.facts.model.take().or_else(|| block.model.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests;
