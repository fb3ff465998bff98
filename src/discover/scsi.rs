//! SCSI hosts: the kernel's number, its driver, the card.

use super::sysfs::{link_name, names, pci_above, text, under};
use raidmond_core::host::ScsiHost;
use raidmond_core::survey::PciDevice;
use std::path::Path;

pub fn hosts(root: &Path) -> Vec<ScsiHost> {
    let folder = under(root, "/sys/class/scsi_host");
    let host = |name: String| {
        let number = name.strip_prefix("host")?.parse().ok()?;
        let at = folder.join(&name);
        let pci = pci_above(&at.join("device"));
        let driver = text(&at.join("proc_name")).filter(|n| n != "<NULL>" && n != "(null)");
        let of_card = || link_name(&under(root, "/sys/bus/pci/devices").join(pci.as_deref()?).join("driver"));
        Some(ScsiHost { number, driver: driver.or_else(of_card).unwrap_or_default(), pci: pci.clone() })
    };
    let mut hosts: Vec<ScsiHost> = names(&folder).into_iter().filter_map(host).collect();
    hosts.sort_by_key(|h| h.number);
    hosts
}

/// Some drivers print the card's name (aacraid: `vendor` and `model`).
pub fn stated_model(root: &Path, device: &PciDevice) -> Option<String> {
    let at = under(root, "/sys/class/scsi_host").join(format!("host{}", device.scsi_hosts.first()?));
    let model = text(&at.join("model"))?;
    match text(&at.join("vendor")) {
        Some(vendor) if !model.starts_with(&vendor) => Some(format!("{vendor} {model}")),
        _ => Some(model),
    }
}
