//! What can go wrong, or right again. Each fault changes the world and says what a host would hear.

pub use crate::checks::CheckFault;

use crate::checks;
use crate::kernel::{Line, RebuildEnd, Voice};
use crate::motion::{new_task, settle, start_rebuild};
use crate::world::{
    ArrayState, BatteryState, Controller, Disk, DiskState, Family, Schedule, Spare, TaskKind, TaskOn, ToolFault, World,
};

#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    Disk {
        controller: String,
        disk: String,
        what: DiskFault,
    },
    Battery {
        controller: String,
        what: BatteryFault,
    },
    RebuildSpeed {
        controller: String,
        percent_per_second: f64,
    },
    Check {
        controller: String,
        array: u32,
        what: CheckFault,
    },
    Controller {
        controller: String,
        what: ControllerFault,
    },
    Part {
        controller: String,
        enclosure: u32,
        part: PartName,
        ok: bool,
    },
    BadBlocks {
        controller: String,
        array: u32,
    },
    Tool {
        tool: String,
        what: Option<ToolFault>,
    },
    /// The firmware checks every so many hours from now on; `None`: never.
    Schedule {
        controller: String,
        hours: Option<u64>,
    },
    /// The host goes down and comes up again.
    Reboots,
    LogRotates,
    IoErrors {
        device: String,
        count: u32,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum DiskFault {
    Fails,
    Offline,
    Predictive,
    MediaErrors(u64),
    OtherErrors(u64),
    Unreadable(u64),
    Temperature(i64),
    Foreign,
    Pulled,
    /// A new disk with this serial; none: one is made up.
    Replaced(Option<String>),
    Spare,
    RebuildFails,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatteryFault {
    Fails,
    Removed,
    Replaced,
    Learns,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControllerFault {
    Vanishes,
    Returns,
    Temperature(i64),
    MemoryErrors(u64),
    Resets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartName {
    Fan(usize),
    Supply(usize),
}

/// Applies one fault. The error says what in the fault does not fit this world.
pub fn apply(world: &mut World, fault: &Fault) -> Result<Vec<Line>, String> {
    let now = world.now;
    let mut voice = Voice::new(now);
    match fault {
        Fault::Tool { tool, what } => set_tool(world, tool, *what),
        Fault::LogRotates => {}
        Fault::Reboots => reboot(world, &mut voice),
        Fault::Schedule { controller, hours } => {
            let next = |hours: u64| world_next(now, hours);
            find(world, controller)?.schedule = hours.map(|hours| Schedule { hours, next: next(hours) });
        }
        Fault::IoErrors { device, count } => io_errors(world, device, *count, &mut voice)?,
        Fault::Disk { controller, disk, what } => {
            let c = find(world, controller)?;
            let index = c.disk_named(disk).or_else(|| empty_slot(c, disk, what)).ok_or_else(|| no_disk(c, disk))?;
            fits(c, index, what)?;
            disk_fault(c, index, what, &mut voice);
            settle(c, &mut voice);
        }
        Fault::Battery { controller, what } => battery_fault(find(world, controller)?, *what, &mut voice)?,
        Fault::RebuildSpeed { controller, percent_per_second } => {
            let c = find(world, controller)?;
            c.rebuild_speed = *percent_per_second;
            let rebuilds = c.tasks.iter_mut().filter(|t| t.kind == TaskKind::Rebuild);
            rebuilds.for_each(|t| t.speed = *percent_per_second);
        }
        Fault::Check { controller, array, what } => checks::fault(find(world, controller)?, *array, *what, &mut voice)?,
        Fault::Controller { controller, what } => controller_fault(find(world, controller)?, *what, &mut voice),
        Fault::Part { controller, enclosure, part, ok } => {
            part_fault(find(world, controller)?, *enclosure, *part, *ok, &mut voice)?;
        }
        Fault::BadBlocks { controller, array } => bad_blocks(find(world, controller)?, *array, &mut voice)?,
    }
    Ok(voice.lines)
}

fn world_next(now: u64, hours: u64) -> u64 {
    now + hours * 3600
}

/// Rebuilds go on where they were; what only memory knew is gone.
fn reboot(world: &mut World, voice: &mut Voice) {
    (world.booted, world.kernel_sequence) = (world.now, 0);
    world.controllers.iter_mut().for_each(checks::interrupted);
    voice.kernel(5, format!("Linux version {} (simulated host)", world.kernel));
}

fn find<'w>(world: &'w mut World, id: &str) -> Result<&'w mut Controller, String> {
    let known: Vec<String> = world.controllers.iter().map(|c| c.id.clone()).collect();
    world.controller_mut(id).ok_or_else(|| format!("no controller `{id}`; this world has {}", known.join(", ")))
}

fn no_disk(c: &Controller, name: &str) -> String {
    let known: Vec<String> = c.disks.iter().map(|d| c.name_of(d)).collect();
    format!("no disk `{name}` on {}; it has {}", c.id, known.join(" "))
}

/// A member cannot belong to another controller's configuration; only a running rebuild can fail.
fn fits(c: &Controller, index: usize, what: &DiskFault) -> Result<(), String> {
    let member = c.disks.get(index).and_then(|d| c.array_of(d.device_id));
    match (what, member) {
        (DiskFault::Foreign | DiskFault::Spare, Some(array)) => {
            Err(format!("the disk is a member of array v{}; take one that is in no array", array.number))
        }
        (DiskFault::RebuildFails, _) if c.disks.get(index).is_none_or(|d| d.state != DiskState::Rebuilding) => {
            Err("the disk is not being rebuilt; let time pass after `disk … fails` with a spare, or replace it".into())
        }
        _ => Ok(()),
    }
}

fn set_tool(world: &mut World, tool: &str, what: Option<ToolFault>) {
    match what {
        Some(fault) => world.tools.insert(tool.to_owned(), fault),
        None => world.tools.remove(tool),
    };
}

/// A disk put into an empty slot: modelled on a neighbour, with nothing in it yet.
fn empty_slot(c: &mut Controller, name: &str, what: &DiskFault) -> Option<usize> {
    if !matches!(what, DiskFault::Replaced(_)) {
        return None;
    }
    let (outer, slot) = match name.split_once([':', ',']) {
        Some((outer, slot)) => (outer.parse().ok(), slot.parse().ok()?),
        None => (None, name.trim_start_matches('p').parse().ok()?),
    };
    let enclosure_exists = outer.is_none_or(|e| c.disks.iter().any(|d| d.enclosure == Some(e)));
    let device_id = c.disks.iter().map(|d| d.device_id).max()? + 1;
    let neighbour = c.disks.first().filter(|_| enclosure_exists)?.clone();
    c.disks.push(Disk { enclosure: outer, slot, device_id, state: DiskState::Good, ..neighbour });
    c.disks.sort_by_key(|d| (d.enclosure, d.slot));
    c.disk_named(name)
}

fn disk_fault(c: &mut Controller, index: usize, what: &DiskFault, voice: &mut Voice) {
    let device_id = c.disks[index].device_id;
    match what {
        DiskFault::Fails => set_state(c, index, DiskState::Failed, voice),
        DiskFault::Offline => set_state(c, index, DiskState::Offline, voice),
        DiskFault::Predictive => predictive(c, index, voice),
        DiskFault::MediaErrors(more) => {
            c.disks[index].media_errors += more;
            let disk = c.disks[index].clone();
            (0..(*more).min(3)).for_each(|_| voice.media_error(c, &disk));
        }
        DiskFault::OtherErrors(more) => c.disks[index].other_errors += more,
        DiskFault::Unreadable(more) => c.disks[index].unreadable += more,
        DiskFault::Temperature(celsius) => c.disks[index].temperature = *celsius,
        DiskFault::Foreign => {
            set_state(c, index, DiskState::Good, voice);
            c.disks[index].foreign = true;
            c.disks[index].spare = None;
            voice.adapter(c, 0xda, 0, "Foreign Configuration Detected");
        }
        DiskFault::Pulled => pull(c, index, voice),
        DiskFault::Replaced(serial) => replace(c, index, serial.as_deref(), voice),
        DiskFault::Spare => {
            c.disks[index].spare = Some(Spare::Global);
            set_state(c, index, DiskState::HotSpare, voice);
        }
        DiskFault::RebuildFails => {
            c.tasks.retain(|t| t.on != TaskOn::Disk(device_id));
            let (disk, array) = (c.disks[index].clone(), c.array_of(device_id).map_or(0, |a| a.number));
            voice.rebuild_failed(c, &disk, array, RebuildEnd::Target);
            set_state(c, index, DiskState::Failed, voice);
        }
    }
}

fn set_state(c: &mut Controller, index: usize, state: DiskState, voice: &mut Voice) {
    let from = c.disks[index].state;
    let device_id = c.disks[index].device_id;
    // A failed disk that belongs to nothing is "unconfigured bad", not "failed".
    let orphan = state == DiskState::Failed && c.array_of(device_id).is_none();
    let state = if orphan && c.family == Family::Megaraid { DiskState::Bad } else { state };
    c.disks[index].state = state;
    if !c.disks[index].is_usable() {
        c.disks[index].spare = None;
        c.tasks.retain(|t| t.on != TaskOn::Disk(device_id));
    }
    let disk = c.disks[index].clone();
    if from != state {
        voice.disk_state(c, &disk, from);
    }
}

fn predictive(c: &mut Controller, index: usize, voice: &mut Voice) {
    let sequence = c.next_sequence;
    let disk = &mut c.disks[index];
    disk.predictive_errors += 1;
    disk.predictive_sequence = sequence;
    disk.smart_alert = true;
    let disk = disk.clone();
    voice.predictive(c, &disk);
}

fn pull(c: &mut Controller, index: usize, voice: &mut Voice) {
    let disk = c.disks.remove(index);
    c.tasks.retain(|t| t.on != TaskOn::Disk(disk.device_id));
    let members = c.arrays.iter_mut().flat_map(|a| &mut a.members);
    members.filter(|m| m.disk == Some(disk.device_id)).for_each(|m| m.disk = None);
    voice.disk_presence(c, &disk, false);
}

fn replace(c: &mut Controller, index: usize, serial: Option<&str>, voice: &mut Voice) {
    let old = c.disks[index].clone();
    let was_member = c.array_of(old.device_id).is_some();
    c.tasks.retain(|t| t.on != TaskOn::Disk(old.device_id));
    voice.disk_presence(c, &old, false);
    let disk = new_disk(&old, serial);
    voice.disk_presence(c, &disk, true);
    c.disks[index] = disk;
    let vacant = vacant_place(c);
    match vacant {
        Some((array, member)) if !was_member => c.arrays[array].members[member].disk = Some(old.device_id),
        None if !was_member => return,
        _ => {}
    }
    let offline = c.array_of(old.device_id).is_some_and(|a| a.state == ArrayState::Offline);
    if c.auto_rebuild && !offline {
        start_rebuild(c, old.device_id, voice);
    }
}

/// The first missing place of an array that can still be rebuilt.
fn vacant_place(c: &Controller) -> Option<(usize, usize)> {
    let arrays = c.arrays.iter().enumerate().filter(|(_, a)| a.state != ArrayState::Offline);
    arrays.into_iter().find_map(|(a, array)| Some((a, array.members.iter().position(|m| m.disk.is_none())?)))
}

fn new_disk(old: &Disk, serial: Option<&str>) -> Disk {
    Disk {
        serial: serial.map_or_else(|| next_serial(&old.serial), str::to_owned),
        wwn: old.wwn + 0x1000,
        state: DiskState::Good,
        spare: None,
        media_errors: 0,
        other_errors: 0,
        predictive_errors: 0,
        predictive_sequence: 0,
        smart_alert: false,
        reallocated: 0,
        unreadable: 0,
        foreign: false,
        hours: 2,
        locating: false,
        ..old.clone()
    }
}

/// Another serial of the same look: the last letter or digit moves on.
fn next_serial(old: &str) -> String {
    let mut serial: Vec<char> = old.chars().collect();
    if let Some(last) = serial.iter_mut().rev().find(|c| c.is_ascii_alphanumeric()) {
        *last = match *last {
            'Z' | 'z' | '9' => 'A',
            other => char::from_u32(other as u32 + 1).unwrap_or('A'),
        };
    }
    serial.into_iter().collect()
}

fn battery_fault(c: &mut Controller, what: BatteryFault, voice: &mut Voice) -> Result<(), String> {
    let (id, speed) = (c.id.clone(), c.check_speed);
    let battery = c.battery.as_mut().ok_or_else(|| format!("{id} has no battery"))?;
    c.tasks.retain(|t| t.kind != TaskKind::Learn);
    let (state, code, class, text) = match what {
        BatteryFault::Fails => (BatteryState::Failed, 0x96, 3, "Battery needs replacement - SOH Bad"),
        BatteryFault::Removed => (BatteryState::Missing, 0xa1, 1, "Battery removed"),
        BatteryFault::Replaced => (BatteryState::Optimal, 0x8f, 0, "New battery Detected"),
        BatteryFault::Learns => (BatteryState::Learning, 0x97, 0, "Battery relearn started"),
    };
    battery.state = state;
    battery.charge = if state == BatteryState::Optimal { 98 } else { battery.charge };
    if what == BatteryFault::Learns {
        c.tasks.push(new_task(TaskKind::Learn, TaskOn::Battery, speed, voice.now));
    }
    voice.battery(c, code, class, text);
    if c.family == Family::ThreeWare && what == BatteryFault::Fails {
        voice.alarm(c, "ERROR", 0x005D, "Battery health check failed", "");
    }
    write_policy_event(c, what, voice);
    Ok(())
}

fn write_policy_event(c: &mut Controller, what: BatteryFault, voice: &mut Voice) {
    match what {
        BatteryFault::Replaced => voice.battery(c, 0xc2, 0, "BBU enabled; changing WT virtual disks to WB"),
        _ => {
            let text = "BBU disabled; changing WB virtual disks to WT, Forced WB VDs are not affected";
            voice.battery(c, 0xc3, 1, text);
        }
    }
}

fn controller_fault(c: &mut Controller, what: ControllerFault, voice: &mut Voice) {
    let (pci, host) = (c.pci.address(), c.scsi_host);
    match what {
        ControllerFault::Vanishes => {
            c.present = false;
            voice.kernel(3, "pcieport 0000:00:02.0: pciehp: Slot(0-2): Link Down");
            match c.family {
                Family::Megaraid => {
                    voice.kernel(3, format!("megaraid_sas {pci}: Adapter already dead, skipping kill HBA"))
                }
                Family::Aacraid => voice.kernel(3, "aacraid: Host adapter is dead (or got a PCI error) -3"),
                _ => {}
            }
        }
        ControllerFault::Returns => c.present = true,
        ControllerFault::Temperature(celsius) => c.temperature = celsius,
        ControllerFault::MemoryErrors(more) => {
            c.memory_correctable += more;
            voice.adapter(c, 0x21, 1, "Single-bit ECC error");
        }
        ControllerFault::Resets if c.family == Family::Megaraid => {
            voice.kernel(4, format!("megaraid_sas {pci}: resetting fusion adapter scsi{host}."));
            voice.kernel(4, format!("megaraid_sas {pci}: Reset successful for scsi{host}."));
        }
        ControllerFault::Resets if c.family == Family::Aacraid => {
            voice.kernel(3, "aacraid: Host adapter reset request. SCSI hang ?");
        }
        ControllerFault::Resets => voice.alarm(c, "INFO", 0x0001, "Controller reset occurred", "resets=1"),
    }
}

fn part_fault(c: &mut Controller, id: u32, part: PartName, ok: bool, voice: &mut Voice) -> Result<(), String> {
    let unknown = format!("no such part of enclosure {id} on {}", c.id);
    let enclosure = c.enclosures.iter_mut().find(|e| e.id == id).ok_or_else(|| unknown.clone())?;
    let (parts, n, word, codes) = match part {
        PartName::Fan(n) => (&mut enclosure.fans, n, "Fan", (0xa8, 0xd0)),
        PartName::Supply(n) => (&mut enclosure.supplies, n, "Power supply", (0xab, 0xac)),
    };
    parts.get_mut(n).ok_or(unknown)?.ok = ok;
    let (code, class, verb) = if ok { (codes.1, 0, "OK") } else { (codes.0, 2, "failed") };
    voice.part(c, id, code, class, &format!("{word} {verb} on enclosure {id:02x}(c Port 0 - 3/p1) {word} {n}"));
    Ok(())
}

fn bad_blocks(c: &mut Controller, number: u32, voice: &mut Voice) -> Result<(), String> {
    let id = c.id.clone();
    let array = c.array_mut(number).ok_or_else(|| format!("no array v{number} on {id}"))?;
    array.bad_blocks = true;
    let member = array.members.iter().find_map(|m| m.disk);
    if let (Some(disk), Family::Megaraid) = (member.and_then(|id| c.disk(id)).cloned(), c.family) {
        let (did, e, s) = (disk.device_id, disk.enclosure.unwrap_or(0xff), disk.slot);
        let text = format!("Puncturing bad block on PD {did:02x}(e0x{e:02x}/s{s}) at 20d803e");
        voice.event(c, 0x61, 3, crate::kernel::PD, text, vec![("Device ID", did)]);
    }
    Ok(())
}

fn io_errors(world: &World, device: &str, count: u32, voice: &mut Voice) -> Result<(), String> {
    let address = world.controllers.iter().find_map(|c| {
        let array = c.arrays.iter().find(|a| a.device == device)?;
        Some(crate::world::hctl(c, array))
    });
    let address = address.ok_or_else(|| format!("no block device `{device}`; use the device of an array, like sda"))?;
    (0..u64::from(count)).for_each(|n| voice.io_error(&address, device, n));
    Ok(())
}
