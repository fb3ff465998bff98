//! Storage controllers on the PCI bus, from sysfs.

use super::sysfs::{hex, link_name, names, under};
use raidmond_core::host::ScsiHost;
use raidmond_core::survey::PciDevice;
use std::path::Path;

/// Base class and subclass: SCSI, IDE, RAID, SATA, SAS, NVMe (PCI code and ID assignment).
const STORAGE: [u32; 6] = [0x0100, 0x0101, 0x0104, 0x0106, 0x0107, 0x0108];

pub const RAID: u32 = 0x0104;

pub fn devices(root: &Path, hosts: &[ScsiHost]) -> Vec<PciDevice> {
    let folder = under(root, "/sys/bus/pci/devices");
    let device = |address: String| {
        let at = folder.join(&address);
        let class = hex(&at.join("class"))?;
        let id = |name: &str| hex(&at.join(name)).and_then(|n| u16::try_from(n).ok()).unwrap_or(0);
        let below = hosts.iter().filter(|h| h.pci.as_deref() == Some(&address)).map(|h| h.number).collect();
        STORAGE.contains(&subclass(class)).then(|| PciDevice {
            vendor: id("vendor"),
            device: id("device"),
            subsystem_vendor: id("subsystem_vendor"),
            subsystem_device: id("subsystem_device"),
            class,
            driver: link_name(&at.join("driver")),
            scsi_hosts: below,
            address,
        })
    };
    names(&folder).into_iter().filter_map(device).collect()
}

/// 0x0104 of 0x010400.
pub fn subclass(class: u32) -> u32 {
    class >> 8
}
