//! The part of /sys and /proc that says which cards and disks the host has.

use super::{put, remove_tree};
use crate::world::{Array, Controller, Family, World, hctl};
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

pub fn write(root: &Path, world: &World) -> io::Result<()> {
    for c in &world.controllers {
        if c.present { controller(root, c)? } else { remove(root, c)? }
    }
    put(&root.join("proc/modules"), &modules(world))?;
    put(&root.join("proc/devices"), &devices(world))?;
    put(&root.join("proc/sys/kernel/osrelease"), &format!("{}\n", world.kernel))?;
    put(&root.join("proc/sys/kernel/hostname"), &format!("{}\n", world.host))?;
    put(&root.join("proc/uptime"), &format!("{}.00 {}.00\n", world.uptime(), world.uptime()))?;
    put(&root.join("proc/sys/kernel/random/boot_id"), &boot_id(world))?;
    put(&root.join("proc/scsi/scsi"), &scsi_list(world))
}

/// Another one after each boot.
fn boot_id(world: &World) -> String {
    format!("5eed0000-0000-4000-8000-{:012x}\n", world.booted)
}

fn controller(root: &Path, c: &Controller) -> io::Result<()> {
    pci(root, c)?;
    host(root, c)?;
    for array in &c.arrays {
        block(root, c, array)?;
    }
    if c.family == Family::Aacraid {
        put(&root.join(format!("proc/scsi/aacraid/{}", c.scsi_host)), "aacraid\n")?;
    }
    Ok(())
}

fn pci(root: &Path, c: &Controller) -> io::Result<()> {
    let folder = root.join("sys/bus/pci/devices").join(c.pci.address());
    let hex = |value: u32| format!("0x{value:04x}\n");
    put(&folder.join("vendor"), &hex(c.pci.vendor))?;
    put(&folder.join("device"), &hex(c.pci.id))?;
    put(&folder.join("subsystem_vendor"), &hex(c.pci.subvendor))?;
    put(&folder.join("subsystem_device"), &hex(c.pci.subdevice))?;
    put(&folder.join("class"), "0x010400\n")?;
    let driver = root.join("sys/bus/pci/drivers").join(c.family.driver());
    std::fs::create_dir_all(driver)?;
    link(&format!("../../drivers/{}", c.family.driver()), &folder.join("driver"))
}

fn host(root: &Path, c: &Controller) -> io::Result<()> {
    let n = c.scsi_host;
    let folder = root.join(format!("sys/class/scsi_host/host{n}"));
    let driver = c.family.driver();
    let proc_name = if c.family == Family::MegaraidLegacy { "megaraid" } else { driver };
    put(&folder.join("proc_name"), &format!("{proc_name}\n"))?;
    put(&folder.join("unique_id"), &format!("{n}\n"))?;
    put(&folder.join("state"), "running\n")?;
    if c.family == Family::Aacraid {
        aacraid_host(&folder, c)?;
    }
    link(&format!("../../../bus/pci/devices/{}", c.pci.address()), &folder.join("device"))
}

/// Attributes of the aacraid driver's hosts.
fn aacraid_host(folder: &Path, c: &Controller) -> io::Result<()> {
    let model = c.model.trim_start_matches("Adaptec ");
    put(&folder.join("model"), &format!("{model}\n"))?;
    put(&folder.join("vendor"), "Adaptec\n")?;
    put(&folder.join("serial_number"), &format!("{}\n", c.serial))?;
    for name in ["hba_kernel_version", "hba_monitor_version", "hba_bios_version"] {
        put(&folder.join(name), "5.2-0[19147]\n")?;
    }
    put(&folder.join("flags"), "SAI_READ_CAPACITY_16\nSUPPORTED_POWER_MANAGEMENT\n")?;
    put(&folder.join("max_channel"), "3\n")?;
    put(&folder.join("max_id"), "65\n")?;
    put(&folder.join("reset_host"), "0x0\n")
}

fn block(root: &Path, c: &Controller, array: &Array) -> io::Result<()> {
    let address = hctl(c, array);
    let device = root.join("sys/bus/scsi/devices").join(&address);
    put(&device.join("vendor"), &format!("{:<8}\n", scsi_vendor(c)))?;
    put(&device.join("model"), &format!("{:<16}\n", scsi_model(c, array)))?;
    put(&device.join("state"), "running\n")?;
    put(&device.join("timeout"), "30\n")?;
    if c.family == Family::Aacraid {
        let level = if array.level.number() == 1 { "Mirror" } else { "RAID5" };
        put(&device.join("level"), &format!("{level}\n"))?;
        put(&device.join("unique_id"), &format!("{}\n", array.uid.to_uppercase()))?;
    }
    let block = root.join("sys/block").join(&array.device);
    put(&block.join("size"), &format!("{}\n", array.sectors))?;
    put(&block.join("removable"), "0\n")?;
    put(&block.join("queue/rotational"), "1\n")?;
    link(&format!("../../bus/scsi/devices/{address}"), &block.join("device"))
}

fn remove(root: &Path, c: &Controller) -> io::Result<()> {
    remove_tree(&root.join("sys/bus/pci/devices").join(c.pci.address()))?;
    remove_tree(&root.join(format!("sys/class/scsi_host/host{}", c.scsi_host)))?;
    for array in &c.arrays {
        remove_tree(&root.join("sys/block").join(&array.device))?;
        remove_tree(&root.join("sys/bus/scsi/devices").join(hctl(c, array)))?;
    }
    if c.family == Family::Aacraid {
        let _ = std::fs::remove_file(root.join(format!("proc/scsi/aacraid/{}", c.scsi_host)));
    }
    Ok(())
}

fn link(target: &str, path: &Path) -> io::Result<()> {
    match symlink(target, path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

fn modules(world: &World) -> String {
    let mut drivers: Vec<&str> = world.controllers.iter().map(|c| c.family.driver()).collect();
    drivers.sort_unstable();
    drivers.dedup();
    let name = |d: &str| if d == "megaraid_legacy" { "megaraid".to_owned() } else { d.replace('-', "_") };
    let line = |d: &&str| format!("{} 184320 4 - Live 0x0000000000000000\n", name(d));
    drivers.iter().map(line).collect()
}

fn devices(world: &World) -> String {
    let mut text = String::from("Character devices:\n  1 mem\n 10 misc\n 21 sg\n");
    let has = |family| world.of(family).next().is_some();
    for (family, entry) in [
        (Family::Aacraid, "238 aac\n"),
        (Family::ThreeWare, "239 twa\n"),
        (Family::Megaraid, "240 megaraid_sas_ioctl\n"),
        (Family::MegaraidLegacy, "241 megadev_legacy\n"),
    ] {
        if has(family) {
            text.push_str(entry);
        }
    }
    text + "\nBlock devices:\n  8 sd\n"
}

fn scsi_list(world: &World) -> String {
    let mut text = String::from("Attached devices:\n");
    for c in world.controllers.iter().filter(|c| c.present) {
        for array in &c.arrays {
            let address = hctl(c, array);
            let n: Vec<u32> = address.split(':').filter_map(|p| p.parse().ok()).collect();
            let [host, channel, id, lun] = n[..] else { continue };
            text.push_str(&format!("Host: scsi{host} Channel: {channel:02} Id: {id:02} Lun: {lun:02}\n"));
            let (vendor, model) = (scsi_vendor(c), scsi_model(c, array));
            text.push_str(&format!("  Vendor: {vendor:<8} Model: {model:<16} Rev: 1.0 \n"));
            text.push_str("  Type:   Direct-Access                    ANSI  SCSI revision: 05\n");
        }
    }
    text
}

fn scsi_vendor(c: &Controller) -> &'static str {
    match c.family {
        Family::Megaraid if c.dell => "DELL",
        Family::Megaraid => "AVAGO",
        Family::ThreeWare => "AMCC",
        Family::Aacraid => "Adaptec",
        Family::MegaraidLegacy => "MegaRAID",
    }
}

fn scsi_model(c: &Controller, array: &Array) -> String {
    match c.family {
        Family::ThreeWare => format!("{} DISK", c.model.split('-').next().unwrap_or("9650SE")),
        Family::Aacraid => array.name.chars().take(16).collect(),
        Family::MegaraidLegacy => {
            format!("LD {} RAID{} {:4}G", array.number, array.level.number(), array.bytes() >> 30)
        }
        Family::Megaraid => c.model.chars().take(16).collect(),
    }
}
