//! `/proc/megaraid/hbaN/*` of the legacy MegaRAID driver (forms as in that driver's proc code).

use super::{put, remove_tree};
use crate::world::{Array, ArrayState, BatteryState, Controller, Disk, DiskState, Family, TaskKind, TaskOn, World};
use std::io;
use std::path::Path;

pub fn write(root: &Path, world: &World) -> io::Result<()> {
    for c in world.controllers.iter().filter(|c| c.family == Family::MegaraidLegacy) {
        let folder = root.join(format!("proc/megaraid/hba{}", c.number));
        if c.present { controller(&folder, c)? } else { remove_tree(&folder)? }
    }
    Ok(())
}

fn controller(folder: &Path, c: &Controller) -> io::Result<()> {
    put(&folder.join("config"), &config(c))?;
    put(&folder.join("stat"), STAT)?;
    put(&folder.join("rebuild-rate"), "Rebuild Rate: [30%]\n")?;
    put(&folder.join("battery-status"), &battery(c))?;
    for channel in 0..4 {
        put(&folder.join(format!("diskdrives-ch{channel}")), &disks(c, channel))?;
    }
    for (range, from) in [("0-9", 0), ("10-19", 10), ("20-29", 20), ("30-39", 30)] {
        let arrays = c.arrays.iter().filter(|a| (from..from + 10).contains(&a.number));
        let text: String = arrays.map(|a| array(c, a)).collect();
        put(&folder.join(format!("raiddrives-{range}")), &text)?;
    }
    Ok(())
}

fn config(c: &Controller) -> String {
    format!(
        "v2.10.10.1 (Release Date: Wed Dec  3 15:34:42 EST 2003)\n{}\nController Type: 438/466/467/471/493/518/520/531/532\n\
         Controller Supports 40 Logical Drives\nController capable of 64-bit memory addressing\n\
         Base = {:x}, Irq = 24, Initial Logical Drives = {}, Channels = 2\nVersion ={}, DRAM = {}Mb\n\
         Controller Queue Depth = 254, Driver Queue Depth = 126\n",
        c.model,
        0xf8a0_0000u32,
        c.arrays.len(),
        c.firmware,
        c.memory_mb
    )
}

const STAT: &str = "\
Statistical Information for this controller
pend_cmds = 0
IO and error counters not compiled in driver.
";

/// The driver prints the number and a word for each of its bits.
fn battery(c: &Controller) -> String {
    let (value, words) = match c.battery.as_ref().map(|b| b.state) {
        None | Some(BatteryState::Missing) => (1, "Module Missing"),
        Some(BatteryState::Optimal) => (0, "Charge Done"),
        Some(BatteryState::Learning) => (16, "Charge In-progress"),
        Some(BatteryState::Failed) => (34, "Low Voltage Charge Fail"),
    };
    format!("Battery Status:[{value}] {words}\n")
}

fn disks(c: &Controller, channel: u32) -> String {
    let here = c.disks.iter().filter(|d| d.enclosure == Some(channel));
    here.map(disk).collect()
}

fn disk(d: &Disk) -> String {
    let state = match d.state {
        DiskState::Online => "Online",
        DiskState::Failed | DiskState::Bad | DiskState::Offline => "Failed",
        DiskState::Rebuilding | DiskState::CopyingBack => "Rebuild",
        DiskState::HotSpare => "Hot spare",
        DiskState::Good | DiskState::Jbod => "Un-configured",
    };
    format!(
        "Channel: {} Id: {} State: {state}.\n  Vendor: {:<8}  Model: {:<16}  Rev: {:<4}\n  Type:   Direct-Access                 ANSI SCSI revision: 03\n",
        d.enclosure.unwrap_or(0),
        d.slot,
        d.vendor,
        d.model,
        d.firmware
    )
}

fn array(c: &Controller, a: &Array) -> String {
    let state = match a.state {
        ArrayState::Optimal => "optimal",
        ArrayState::Degraded | ArrayState::PartlyDegraded => "degraded",
        ArrayState::Offline => "offline",
    };
    let checking = c.task(TaskKind::Check, TaskOn::Array(a.number)).is_some();
    let task = if checking { ", check-consistency in progress" } else { "" };
    let read = if a.read_ahead { "Adaptive" } else { "No read ahead" };
    let write = if c.writes_back(a) { "Write back" } else { "Write thru" };
    format!(
        "Logical drive:{:2}:, state: {state}{task}\nSpan depth:{:3}, RAID level:{:3}, Stripe size:{:3}, Row size:{:3}\n\
         Read Policy: {read}, Write Policy: {write}, Cache Policy: Direct IO\n\n",
        a.number,
        a.spans(),
        a.level.number(),
        a.strip_kb,
        a.width()
    )
}
