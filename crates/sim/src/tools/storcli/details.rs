//! Answers about arrays, drives, enclosures and the battery of one controller.

use super::doc::{Props, Response, Value, props};
use super::{Choice, rows};
use crate::clock;
use crate::tools::size;
use crate::world::{Array, Controller, Disk, Part, Task, TaskKind, TaskOn};

fn arrays_of(c: &Controller, which: Choice) -> impl Iterator<Item = &Array> {
    c.arrays.iter().filter(move |a| which.takes(a.number))
}

pub fn drives_of(c: &Controller, enclosure: Option<Choice>, slot: Choice) -> impl Iterator<Item = &Disk> {
    let there = move |d: &&Disk| match (enclosure, d.enclosure) {
        (Some(choice), Some(id)) => choice.takes(id),
        (None, None) => true,
        _ => false,
    };
    c.disks.iter().filter(there).filter(move |d| slot.takes(d.slot))
}

fn no_array(c: &Controller, which: Choice) -> Response {
    let Choice::One(number) = which else { return Response::failure(Some(c.number), 255, "No VD found") };
    let object = props([("VD", Value::from(number)), ("Status", "Failed".into())]);
    Response::refused(c.number, 255, "None", object, &format!("VD {number} does not exist"))
}

fn no_drive(c: &Controller) -> Response {
    Response::failure(Some(c.number), 255, "No drive found!")
}

pub fn arrays_brief(c: &Controller, which: Choice) -> Response {
    let table: Vec<Props> = arrays_of(c, which).map(|a| rows::vd(c, a)).collect();
    if table.is_empty() {
        return no_array(c, which);
    }
    Response::ok(Some(c.number), "None", Value::Props(props([("Virtual Drives", Value::Table(table))])))
}

pub fn arrays(c: &Controller, which: Choice) -> Response {
    let mut data = Props::new();
    for a in arrays_of(c, which) {
        let n = a.number;
        let disks = a.members.iter().filter_map(|m| c.disk(m.disk?)).map(|d| rows::pd(c, d)).collect();
        data.push((format!("/c{}/v{n}", c.number), Value::Table(vec![rows::vd(c, a)])));
        data.push((format!("PDs for VD {n}"), Value::Table(disks)));
        data.push((format!("VD{n} Properties"), Value::Props(array_properties(c, a))));
    }
    if data.is_empty() {
        return no_array(c, which);
    }
    Response::ok(Some(c.number), "None", Value::Props(data))
}

fn array_properties(c: &Controller, a: &Array) -> Props {
    let check = c.task(TaskKind::Check, TaskOn::Array(a.number));
    let active = check.map_or_else(|| "None".to_owned(), |t| format!("Consistency Check ({}%)", t.percent as u64));
    let made = clock::Civil::of(a.created);
    let half = if made.hour < 12 { "AM" } else { "PM" };
    let time = format!("{:02}:{:02}:{:02} {half}", (made.hour + 11) % 12 + 1, made.minute, made.second);
    props([
        ("Strip Size", Value::from(format!("{} KB", a.strip_kb))),
        ("Number of Blocks", a.sectors.into()),
        ("VD has Emulated PD", "No".into()),
        ("Span Depth", a.spans().into()),
        ("Number of Drives Per Span", (a.width() / a.spans().max(1) as usize).into()),
        ("Write Cache(initial setting)", if a.write_back { "WriteBack" } else { "WriteThrough" }.into()),
        ("Disk Cache Policy", "Disk's Default".into()),
        ("Encryption", "None".into()),
        ("Data Protection", "Disabled".into()),
        ("Active Operations", active.into()),
        ("Exposed to OS", "Yes".into()),
        ("OS Drive Name", format!("/dev/{}", a.device).into()),
        ("Creation Date", format!("{:02}-{:02}-{}", made.day, made.month, made.year).into()),
        ("Creation Time", time.into()),
        ("Emulation type", "default".into()),
        ("Is LD Ready for OS Requests", "Yes".into()),
        ("SCSI NAA Id", a.uid.as_str().into()),
        ("Unmap Enabled", "N/A".into()),
    ])
}

fn left(task: &Task) -> String {
    if task.speed <= 0.0 {
        return "-".to_owned();
    }
    let minutes = ((100.0 - task.percent) / task.speed / 60.0).ceil() as u64;
    match (minutes / 60, minutes % 60) {
        (0, m) => format!("{m} Minutes"),
        (h, 0) => format!("{h} Hours"),
        (h, m) => format!("{h} Hours {m} Minutes"),
    }
}

fn progress(first: Props, task: Option<&Task>) -> Props {
    let mut row = first;
    let (percent, status, left) = match task {
        Some(t) if t.paused => (Value::Number(t.percent as u64), "Paused", "-".to_owned()),
        Some(t) => (Value::Number(t.percent as u64), "In progress", left(t)),
        None => ("-".into(), "Not in progress", "-".to_owned()),
    };
    row.extend(props([("Progress%", percent), ("Status", status.into()), ("Estimated Time Left", left.into())]));
    row
}

pub fn checks(c: &Controller, which: Choice) -> Response {
    operations(c, which, "CC", |a| c.task(TaskKind::Check, TaskOn::Array(a.number)))
}

pub fn idle_arrays(c: &Controller, which: Choice, operation: &str) -> Response {
    operations(c, which, operation, |_| None)
}

fn operations<'c>(
    c: &'c Controller,
    which: Choice,
    operation: &str,
    task: impl Fn(&Array) -> Option<&'c Task>,
) -> Response {
    let row = |a: &Array| progress(props([("VD", Value::from(a.number)), ("Operation", operation.into())]), task(a));
    let table = arrays_of(c, which).map(row).collect();
    Response::ok(Some(c.number), "None", Value::Props(props([("VD Operation Status", Value::Table(table))])))
}

pub fn drives_brief(c: &Controller, enclosure: Option<Choice>, slot: Choice) -> Response {
    let table: Vec<Props> = drives_of(c, enclosure, slot).map(|d| rows::pd(c, d)).collect();
    if table.is_empty() {
        return no_drive(c);
    }
    let data = Value::Props(props([("Drive Information", Value::Table(table))]));
    Response::ok(Some(c.number), "Show Drive Information Succeeded.", data)
}

pub fn drives(c: &Controller, enclosure: Option<Choice>, slot: Choice) -> Response {
    let mut data = Props::new();
    for d in drives_of(c, enclosure, slot) {
        let name = path_of(c, d);
        data.push((format!("Drive {name}"), Value::Table(vec![rows::pd(c, d)])));
        data.push((format!("Drive {name} - Detailed Information"), Value::Props(drive_details(c, d, &name))));
    }
    if data.is_empty() {
        return no_drive(c);
    }
    Response::ok(Some(c.number), "Show Drive Information Succeeded.", Value::Props(data))
}

/// `/c0/e32/s5`
pub fn path_of(c: &Controller, d: &Disk) -> String {
    let enclosure = d.enclosure.map(|e| format!("/e{e}")).unwrap_or_default();
    format!("/c{}{enclosure}/s{}", c.number, d.slot)
}

fn drive_details(c: &Controller, d: &Disk, name: &str) -> Props {
    props([
        (format!("Drive {name} State"), Value::Props(drive_state(d))),
        (format!("Drive {name} Device attributes"), Value::Props(drive_attributes(d))),
        (format!("Drive {name} Policies/Settings"), Value::Props(drive_policies(c, d))),
        ("Inquiry Data".to_owned(), inquiry(d).into()),
    ])
}

fn drive_state(d: &Disk) -> Props {
    let fahrenheit = d.temperature as f64 * 9.0 / 5.0 + 32.0;
    props([
        ("Shield Counter", Value::from(0u32)),
        ("Media Error Count", d.media_errors.into()),
        ("Other Error Count", d.other_errors.into()),
        ("BBM Error Count", 0u32.into()),
        ("Drive Temperature", format!(" {}C ({fahrenheit:.2} F)", d.temperature).into()),
        ("Predictive Failure Count", d.predictive_errors.into()),
        ("S.M.A.R.T alert flagged by drive", d.smart_alert.into()),
    ])
}

fn drive_attributes(d: &Disk) -> Props {
    props([
        ("SN", Value::from(format!("{:<20}", d.serial))),
        ("Manufacturer Id", format!("{:<8}", d.vendor).into()),
        ("Model Number", format!("{:<16}", d.model).into()),
        ("NAND Vendor", "NA".into()),
        ("WWN", format!("{:016X}", d.wwn).into()),
        ("Firmware Revision", format!("{:<8}", d.firmware).into()),
        ("Raw size", size::lsi_sectors(d.sectors).into()),
        ("Coerced size", size::lsi_sectors(size::coerced(d.sectors)).into()),
        ("Non Coerced size", size::lsi_sectors(d.sectors - 0x10_0000).into()),
        ("Device Speed", "6.0Gb/s".into()),
        ("Link Speed", "6.0Gb/s".into()),
        ("NCQ setting", "N/A".into()),
        ("Write Cache", "Disabled".into()),
        ("Logical Sector Size", "512B".into()),
        ("Physical Sector Size", "512B".into()),
        ("Connector Name", "00 ".into()),
    ])
}

fn drive_policies(c: &Controller, d: &Disk) -> Props {
    let member = c.array_of(d.device_id).and_then(|a| {
        let m = a.members.iter().find(|m| m.disk == Some(d.device_id))?;
        Some(format!("DriveGroup:{}, Span:{}, Row:{}", a.group, m.span, m.row))
    });
    let mut settings = Props::new();
    settings.extend(member.map(|m| ("Drive position".to_owned(), m.into())));
    settings.extend(props([
        ("Enclosure position", Value::from("1")),
        ("Connected Port Number", "0(path0) ".into()),
        ("Sequence Number", 2u32.into()),
        ("Commissioned Spare", d.spare.is_some().into()),
        ("Emergency Spare", "No".into()),
        ("Last Predictive Failure Event Sequence Number", d.predictive_sequence.into()),
        ("Successful diagnostics completion on", "N/A".into()),
        ("SED Capable", "No".into()),
        ("SED Enabled", "No".into()),
        ("Secured", "No".into()),
        ("Locked", "No".into()),
        ("Needs EKM Attention", "No".into()),
        ("PI Eligible", "No".into()),
        ("Certified", "Yes".into()),
        ("Wide Port Capable", "No".into()),
    ]));
    let port = props([
        ("Port", Value::from(0u32)),
        ("Status", "Active".into()),
        ("Linkspeed", "6.0Gb/s".into()),
        ("SAS address", format!("0x{:016x}", d.wwn + 1).into()),
    ]);
    settings.push(("Port Information".into(), Value::Table(vec![port])));
    settings
}

/// The drive's INQUIRY answer in hex, 16 bytes a line.
fn inquiry(d: &Disk) -> String {
    let mut bytes = vec![0u8, 0, 6, 0x12, 0x8b, 1, 0x10, 2];
    bytes.extend(format!("{:<8}{:<16}{:<4}", d.vendor, d.model, d.firmware).bytes());
    let hex: Vec<String> = bytes.chunks(16).map(|c| c.iter().map(|b| format!("{b:02x} ")).collect()).collect();
    hex.join("\n")
}

pub fn rebuilds(c: &Controller, enclosure: Option<Choice>, slot: Choice) -> Response {
    let task = |d: &Disk| c.task(TaskKind::Rebuild, TaskOn::Disk(d.device_id));
    drive_tasks(c, enclosure, slot, "Rebuild", task)
}

pub fn idle_drives(c: &Controller, enclosure: Option<Choice>, slot: Choice, operation: &str) -> Response {
    let word = if operation == "copyback" { "Copyback" } else { "Initialization" };
    drive_tasks(c, enclosure, slot, word, |_| None)
}

fn drive_tasks<'c>(
    c: &'c Controller,
    enclosure: Option<Choice>,
    slot: Choice,
    operation: &str,
    task: impl Fn(&Disk) -> Option<&'c Task>,
) -> Response {
    let row = |d: &Disk| progress(props([("Drive-ID", Value::from(path_of(c, d)))]), task(d));
    let table = drives_of(c, enclosure, slot).map(row).collect();
    Response::ok(Some(c.number), &format!("Show Drive {operation} Status Succeeded."), Value::Table(table))
}

pub fn enclosures_brief(c: &Controller, which: Choice) -> Response {
    let table: Vec<Props> = c.enclosures.iter().filter(|e| which.takes(e.id)).map(|e| rows::enclosure(c, e)).collect();
    if table.is_empty() {
        return Response::failure(Some(c.number), 255, "No Enclosure found.");
    }
    Response::ok(Some(c.number), "None", Value::Props(props([("Properties", Value::Table(table))])))
}

pub fn enclosures(c: &Controller, which: Choice) -> Response {
    let mut data = Props::new();
    for e in c.enclosures.iter().filter(|e| which.takes(e.id)) {
        let status = if e.ok() { "Normal" } else { "Critical" };
        let information = props([
            ("Device ID", Value::from(e.id)),
            ("Position", 1u32.into()),
            ("Connector Name", "00 & 01 ".into()),
            ("Enclosure Type", "SES".into()),
            ("Status", status.into()),
            ("FRU Part Number", "N/A".into()),
            ("Enclosure Serial Number", "N/A".into()),
            ("ESM Serial Number", "N/A".into()),
            ("Enclosure Zoning Mode", "N/A".into()),
            ("Partner Device Id", 65535u32.into()),
        ]);
        let inquiry = props([
            ("Vendor Identification", Value::from(format!("{:<8}", e.vendor))),
            ("Product Identification", format!("{:<16}", e.product).into()),
            ("Product Revision Level", "1.07".into()),
            ("Vendor Specific", " ".into()),
        ]);
        let sections = props([
            ("Information", Value::Props(information)),
            ("Inquiry Data", Value::Props(inquiry)),
            ("Properties", Value::Table(vec![rows::enclosure(c, e)])),
            ("Power Supply Information", Value::Table(parts(&e.supplies, "", ""))),
            ("Fan Information", Value::Table(parts(&e.fans, "Speed", " RPM"))),
            ("Temperature Sensor Information", Value::Table(parts(&e.sensors, "Temperature", "C"))),
        ]);
        data.push((format!("Enclosure /c{}/e{} ", c.number, e.id), Value::Props(sections)));
    }
    if data.is_empty() {
        return Response::failure(Some(c.number), 255, "No Enclosure found.");
    }
    Response::ok(Some(c.number), "None", Value::Props(data))
}

fn parts(parts: &[Part], reading: &str, unit: &str) -> Vec<Props> {
    let row = |(n, part): (usize, &Part)| {
        let status = if part.ok { "OK" } else { "Failed" };
        let mut row = props([("ID", Value::from(n)), ("Status", status.into())]);
        if !reading.is_empty() {
            row.push((reading.to_owned(), format!("{}{unit}", if part.ok { part.value } else { 0 }).into()));
        }
        row
    };
    parts.iter().enumerate().map(row).collect()
}

pub fn foreign(c: &Controller) -> Response {
    let foreign: Vec<&Disk> = c.disks.iter().filter(|d| d.foreign).collect();
    if foreign.is_empty() {
        let object = props([("Controller", Value::from(c.number)), ("Status", "Failure".into())]);
        let description = "No foreign configuration found.";
        return Response::refused(c.number, 50, description, object, "No foreign configuration");
    }
    let row = |(n, d): (usize, &&Disk)| {
        props([
            ("DG", Value::from(n)),
            ("EID:Slot", rows::slot(d).into()),
            ("Type", "RAID0".into()),
            ("State", "Frgn".into()),
            ("Size", size::lsi(size::coerced(d.sectors) * 512).into()),
            ("NoVDs", 1u32.into()),
        ])
    };
    let table = Value::Table(foreign.iter().enumerate().map(row).collect());
    let data = props([("FOREIGN CONFIGURATION", table), ("Total foreign Drive Groups", foreign.len().into())]);
    Response::ok(Some(c.number), "Operation on foreign configuration Succeeded", Value::Props(data))
}
