//! Names of the cards raidmond reads, by PCI ids: a small table, not pci.ids.
//!
//! Ids as in the drivers' own tables and in the public list of PCI ids. A card that is not here keeps its
//! numbers as its name; nothing but the name depends on this table.

use super::pci::subclass;
use raidmond_core::survey::PciDevice;

/// `stated`: what the driver prints, which is better.
pub fn name(device: &PciDevice, stated: Option<String>) -> String {
    if let Some(stated) = stated {
        return stated;
    }
    let ids = (device.vendor, device.device);
    let board = BOARDS.iter().find(|b| b.0 == ids.1 && b.1 == (device.subsystem_vendor, device.subsystem_device));
    if let Some((.., name)) = board {
        return (*name).to_owned();
    }
    if let Some((_, name)) = CHIPS.iter().find(|c| c.0 == ids) {
        return (*name).to_owned();
    }
    match device.vendor {
        0 => format!("{} controller", kind(device)),
        0x17d3 => format!("Areca ARC-{:04x}", device.device),
        _ => format!("{} controller {:04x}:{:04x}", kind(device), device.vendor, device.device),
    }
}

fn kind(device: &PciDevice) -> &'static str {
    match subclass(device.class) {
        0x0101 => "IDE",
        0x0104 => "RAID",
        0x0106 => "SATA",
        0x0107 => "SAS",
        0x0108 => "NVMe",
        _ => "SCSI",
    }
}

const DELL: u16 = 0x1028;
const HP: u16 = 0x103c;

/// (device, (subsystem vendor, subsystem device), name)
#[rustfmt::skip]
static BOARDS: &[(u16, (u16, u16), &str)] = &[
    (0x0060, (DELL, 0x1f0a), "PERC 6/E"),
    (0x0060, (DELL, 0x1f0b), "PERC 6/i Adapter"),
    (0x0060, (DELL, 0x1f0c), "PERC 6/i Integrated"),
    (0x0079, (DELL, 0x1f15), "PERC H800"),
    (0x0079, (DELL, 0x1f16), "PERC H700 Adapter"),
    (0x0079, (DELL, 0x1f17), "PERC H700 Integrated"),
    (0x0073, (DELL, 0x1f4e), "PERC H310 Adapter"),
    (0x0073, (DELL, 0x1f51), "PERC H310 Mini"),
    (0x005b, (DELL, 0x1f2d), "PERC H810"),
    (0x005b, (DELL, 0x1f31), "PERC H710P Adapter"),
    (0x005b, (DELL, 0x1f34), "PERC H710P Mini"),
    (0x005b, (DELL, 0x1f35), "PERC H710 Adapter"),
    (0x005b, (DELL, 0x1f38), "PERC H710 Mini"),
    (0x005d, (DELL, 0x1f41), "PERC H830"),
    (0x005d, (DELL, 0x1f42), "PERC H730P Adapter"),
    (0x005d, (DELL, 0x1f43), "PERC H730 Adapter"),
    (0x005d, (DELL, 0x1f47), "PERC H730P Mini"),
    (0x005d, (DELL, 0x1f49), "PERC H730 Mini"),
    (0x005f, (DELL, 0x1f44), "PERC H330 Adapter"),
    (0x005f, (DELL, 0x1f4b), "PERC H330 Mini"),
    (0x0016, (DELL, 0x1fc9), "PERC H840"),
    (0x0016, (DELL, 0x1fcb), "PERC H740P Adapter"),
    (0x0016, (DELL, 0x1fcd), "PERC H740P Mini"),
    (0x323a, (HP, 0x3241), "Smart Array P212"),
    (0x323a, (HP, 0x3243), "Smart Array P410"),
    (0x323a, (HP, 0x3245), "Smart Array P410i"),
    (0x323a, (HP, 0x3247), "Smart Array P411"),
    (0x323b, (HP, 0x3350), "Smart Array P222"),
    (0x323b, (HP, 0x3351), "Smart Array P420"),
    (0x323b, (HP, 0x3352), "Smart Array P421"),
    (0x323b, (HP, 0x3354), "Smart Array P420i"),
];

/// ((vendor, device), name)
#[rustfmt::skip]
static CHIPS: &[((u16, u16), &str)] = &[
    ((DELL, 0x0015), "PERC 5"),
    ((0x1000, 0x0060), "MegaRAID SAS 1078"),
    ((0x1000, 0x0073), "MegaRAID SAS 2008"),
    ((0x1000, 0x0079), "MegaRAID SAS 2108"),
    ((0x1000, 0x005b), "MegaRAID SAS 2208"),
    ((0x1000, 0x005d), "MegaRAID SAS 3108"),
    ((0x1000, 0x005f), "MegaRAID SAS 3008"),
    ((0x1000, 0x0014), "MegaRAID SAS 3516"),
    ((0x1000, 0x0015), "MegaRAID SAS 3416"),
    ((0x1000, 0x0016), "MegaRAID SAS 3508"),
    ((0x1000, 0x0017), "MegaRAID SAS 3408"),
    ((0x1000, 0x10e2), "MegaRAID SAS 39xx"),
    ((0x1000, 0x10e6), "MegaRAID SAS 38xx"),
    ((0x1000, 0x00a5), "MegaRAID or HBA 96xx"),
    ((0x1b4b, 0x9230), "Marvell 88SE9230 (BOSS)"),
    ((0x1000, 0x1960), "MegaRAID SCSI"),
    ((0x1000, 0x0407), "MegaRAID SCSI 320-2X"),
    ((0x1000, 0x0408), "MegaRAID SCSI 320-2E"),
    ((0x1000, 0x0409), "MegaRAID SATA 300-8X"),
    ((0x101e, 0x1960), "MegaRAID SCSI"),
    ((0x101e, 0x9010), "MegaRAID SCSI 428"),
    ((0x8086, 0x1960), "MegaRAID SCSI"),
    ((DELL, 0x000e), "PERC 3"),
    ((DELL, 0x000f), "PERC 4"),
    ((DELL, 0x0013), "PERC 4e"),
    ((0x1014, 0x002e), "IBM ServeRAID"),
    ((0x1014, 0x01bd), "IBM ServeRAID 4"),
    ((0x1044, 0xa501), "DPT SmartRAID V"),
    ((0x1044, 0xa511), "Adaptec I2O RAID"),
    ((0x8086, 0x0600), "Intel SRCU (ICP Vortex)"),
    ((0x13c1, 0x1000), "3ware 5000/6000"),
    ((0x13c1, 0x1001), "3ware 7000/8000"),
    ((0x13c1, 0x1002), "3ware 9500S"),
    ((0x13c1, 0x1003), "3ware 9550SX"),
    ((0x13c1, 0x1004), "3ware 9650SE"),
    ((0x13c1, 0x1005), "3ware 9690SA"),
    ((0x13c1, 0x1010), "3ware 9750"),
    ((0x9005, 0x0285), "Adaptec RAID"),
    ((0x9005, 0x0286), "Adaptec RAID"),
    ((0x9005, 0x028b), "Adaptec Series 6"),
    ((0x9005, 0x028c), "Adaptec Series 7"),
    ((0x9005, 0x028d), "Adaptec Series 8"),
    ((0x9005, 0x028f), "Smart Storage (PQI)"),
    ((HP, 0x3230), "Smart Array P400"),
    ((HP, 0x323a), "Smart Array"),
    ((HP, 0x323b), "Smart Array"),
    ((HP, 0x3239), "Smart Array"),
    ((0x1000, 0x0030), "LSI 53C1030"),
    ((0x1000, 0x0054), "LSI SAS1068"),
    ((0x1000, 0x0058), "LSI SAS1068E"),
    ((0x1000, 0x0064), "LSI SAS2116"),
    ((0x1000, 0x0072), "LSI SAS2008"),
    ((0x1000, 0x0087), "LSI SAS2308"),
    ((0x1000, 0x0097), "LSI SAS3008"),
    ((0x1000, 0x00ac), "LSI SAS3416"),
    ((0x1000, 0x00af), "LSI SAS3408"),
    ((0x8086, 0x2822), "Intel SATA (RAID mode)"),
    ((0x8086, 0x2826), "Intel SATA (RAID mode)"),
    ((0x8086, 0x201d), "Intel VMD"),
    ((0x8086, 0x28c0), "Intel VMD"),
    ((0x8086, 0x9a0b), "Intel VMD"),
];
