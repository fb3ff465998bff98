//! tw_cli's tables.

use crate::clock;
use crate::world::{
    Array, ArrayState, BatteryState, Controller, Disk, DiskState, Level, Member, Task, TaskKind, TaskOn,
};
use std::fmt::Write;

const GIB: f64 = 1_073_741_824.0;

pub fn controllers(cards: &[&Controller]) -> String {
    let mut out = String::from("\nCtl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU\n");
    out.push_str("------------------------------------------------------------------------\n");
    for c in cards {
        let bad = c.count_arrays(|s| s != ArrayState::Optimal);
        let name = format!("c{}", c.number);
        let units = c.arrays.len() + spares(c).count();
        let bbu = if c.battery.is_some() { battery_status(c) } else { "-" };
        let _ = writeln!(
            out,
            "{name:<6}{:<13}{:<10}{:<9}{units:<8}{bad:<8}{:<8}{:<7}{bbu:<9}",
            c.model,
            8,
            c.disks.len(),
            1,
            1
        );
    }
    out + "\n"
}

/// A spare is a unit of its own, numbered after the arrays.
fn spares(c: &Controller) -> impl Iterator<Item = (u32, &Disk)> {
    let first = c.arrays.iter().map(|a| a.number + 1).max().unwrap_or(0);
    c.disks.iter().filter(|d| d.state == DiskState::HotSpare).enumerate().map(move |(n, d)| (first + n as u32, d))
}

pub fn has_unit(c: &Controller, n: u32) -> bool {
    c.array(n).is_some() || spares(c).any(|(unit, _)| unit == n)
}

pub fn units(c: &Controller) -> String {
    let mut out = String::from("\nUnit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy\n");
    out.push_str("------------------------------------------------------------------------------\n");
    for a in &c.arrays {
        let cache = match (c.writes_back(a), a.read_ahead) {
            (true, true) => "RiW",
            (true, false) => "W",
            (false, true) => "Ri",
            (false, false) => "OFF",
        };
        let strip = if a.level == Level::Raid1 { "-".to_owned() } else { format!("{}K", a.strip_kb) };
        let size = a.bytes() as f64 / GIB;
        let (rebuilt, checked) = percents(c, a);
        let unit = format!("u{}", a.number);
        let _ = writeln!(
            out,
            "{unit:<6}{:<10}{:<15}{rebuilt:<8}{checked:<8}{strip:<8}{:<10}{cache:<7}{:<7}",
            kind(a.level),
            array_status(c, a),
            significant(size),
            if c.schedule.is_some() { "ON" } else { "OFF" }
        );
    }
    for (n, d) in spares(c) {
        let (unit, size) = (format!("u{n}"), significant(d.bytes() as f64 / GIB));
        let _ = writeln!(out, "{unit:<6}SPARE     OK             -       -       -       {size:<10}-      ON     ");
    }
    out + "\n"
}

/// Six significant digits, as printf's %g.
fn significant(size: f64) -> String {
    let digits = if size >= 1000.0 { 2 } else { 3 };
    let text = format!("{size:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn kind(level: Level) -> String {
    format!("RAID-{}", level.number())
}

fn percents(c: &Controller, a: &Array) -> (String, String) {
    let shown = |task: Option<&Task>| task.map_or_else(|| "-".to_owned(), |t| format!("{}%", t.percent as u64));
    (shown(c.rebuild_in(a)), shown(c.task(TaskKind::Check, TaskOn::Array(a.number))))
}

pub fn unit_status(c: &Controller, n: u32) -> &'static str {
    c.array(n).map_or("OK", |a| array_status(c, a))
}

fn array_status(c: &Controller, a: &Array) -> &'static str {
    let checking = c.task(TaskKind::Check, TaskOn::Array(a.number)).is_some();
    match a.state {
        ArrayState::Offline => "INOPERABLE",
        _ if c.rebuild_in(a).is_some() => "REBUILDING",
        ArrayState::Degraded | ArrayState::PartlyDegraded => "DEGRADED",
        ArrayState::Optimal if checking => "VERIFYING",
        ArrayState::Optimal => "OK",
    }
}

pub fn ports(c: &Controller) -> String {
    let mut out = port_header();
    for port in 0..8 {
        out.push_str(&port_row(c, port));
    }
    out + "\n"
}

pub fn port_line(c: &Controller, port: u32) -> String {
    port_header() + &port_row(c, port) + "\n"
}

fn port_header() -> String {
    "\nVPort Status         Unit Size      Type  Phy Encl-Slot    Model\n\
     ------------------------------------------------------------------------------\n"
        .to_owned()
}

fn port_row(c: &Controller, port: u32) -> String {
    let Some(d) = c.disks.iter().find(|d| d.slot == port) else {
        return format!("{:<6}NOT-PRESENT    -    -         -     {port:<4}-            -\n", format!("p{port}"));
    };
    let unit = unit_of(c, d).map_or_else(|| "-".to_owned(), |n| format!("u{n}"));
    let (name, size) = (format!("p{port}"), disk_size(d));
    format!("{name:<6}{:<15}{unit:<5}{size:<10}SATA  {port:<4}{:<13}{:<19}\n", port_status(c, d), "-", d.model)
}

fn unit_of(c: &Controller, d: &Disk) -> Option<u32> {
    let spare = || spares(c).find(|(_, s)| s.device_id == d.device_id).map(|(n, _)| n);
    c.array_of(d.device_id).map(|a| a.number).or_else(spare)
}

pub fn disk_size(d: &Disk) -> String {
    let gib = d.bytes() as f64 / GIB;
    if gib >= 1024.0 { format!("{:.2} TB", gib / 1024.0) } else { format!("{gib:.2} GB") }
}

pub fn port_status(c: &Controller, d: &Disk) -> &'static str {
    let checking = c.array_of(d.device_id).is_some_and(|a| c.task(TaskKind::Check, TaskOn::Array(a.number)).is_some());
    match d.state {
        DiskState::Failed | DiskState::Offline if c.array_of(d.device_id).is_some() => "DEGRADED",
        DiskState::Failed | DiskState::Offline | DiskState::Bad => "DEVICE-ERROR",
        DiskState::Rebuilding => "DEGRADED",
        _ if d.smart_alert => "SMART-FAILURE",
        _ if checking => "VERIFYING",
        _ => "OK",
    }
}

fn battery_status(c: &Controller) -> &'static str {
    match c.battery.as_ref().map(|b| b.state) {
        None | Some(BatteryState::Missing) => "-",
        Some(BatteryState::Optimal) => "OK",
        Some(BatteryState::Learning) => "Testing",
        Some(BatteryState::Failed) => "Failed",
    }
}

pub fn battery(c: &Controller) -> String {
    let Some(b) = c.battery.as_ref().filter(|b| b.state != BatteryState::Missing) else { return String::new() };
    let ready = if b.protects() { "Yes" } else { "No" };
    let status = battery_status(c);
    format!(
        "\nName  OnlineState  BBUReady  Status    Volt     Temp     Hours  LastCapTest\n\
         ---------------------------------------------------------------------------\n\
         bbu   On           {ready:<10}{status:<10}OK       OK       255    09-Jul-2026  \n\n"
    )
}

/// Unit, then its disks: `u0` and `u0-0`, `u0-1`, …
pub fn unit(c: &Controller, n: u32) -> String {
    let mut out = String::from("\nUnit     UnitType  Status         %RCmpl  %V/I/M  VPort Stripe  Size(GB)\n");
    out.push_str("------------------------------------------------------------------------\n");
    let Some(a) = c.array(n) else {
        let size = spares(c).find(|(unit, _)| *unit == n).map_or(0.0, |(_, d)| d.bytes() as f64 / GIB);
        let port = spares(c).find(|(unit, _)| *unit == n).map_or(0, |(_, d)| d.slot);
        return out
            + &format!("u{n:<8}SPARE     OK             -       -       p{port:<5}-       {}\n\n", significant(size));
    };
    let (rebuilt, checked) = percents(c, a);
    let size = significant(a.bytes() as f64 / GIB);
    let strip = if a.level == Level::Raid1 { "-".to_owned() } else { format!("{}K", a.strip_kb) };
    let name = format!("u{n}");
    let (kind, status) = (kind(a.level), array_status(c, a));
    let _ = writeln!(out, "{name:<9}{kind:<10}{status:<15}{rebuilt:<8}{checked:<8}{:<6}{strip:<8}{size:<10}", "-");
    for m in &a.members {
        out.push_str(&subunit(c, a, n, m));
    }
    out + "\n"
}

fn subunit(c: &Controller, a: &Array, n: u32, m: &Member) -> String {
    let disk = m.disk.and_then(|id| c.disk(id));
    let (status, port) = match disk {
        None => ("DEGRADED", "-".to_owned()),
        Some(d) if d.in_sync() => ("OK", format!("p{}", d.slot)),
        Some(d) => ("DEGRADED", format!("p{}", d.slot)),
    };
    let index = m.span * (a.width() as u32 / a.spans().max(1)) + m.row;
    let name = format!("u{n}-{index}");
    let size = significant(a.bytes() as f64 / GIB / (a.width() - a.level.tolerance()).max(1) as f64);
    format!("{name:<9}DISK      {status:<15}-       -       {port:<6}-       {size:<10}\n")
}

pub fn alarms(cards: &[&Controller]) -> String {
    let mut out = String::from("\nCtl  Date                        Severity  Alarm Message\n");
    out.push_str("------------------------------------------------------------------------------\n");
    for c in cards {
        for event in &c.events {
            let severity = ["INFO", "WARNING", "ERROR"].get(event.class.max(0) as usize).copied().unwrap_or("ERROR");
            let (name, time) = (format!("c{}", c.number), clock::ctime(event.time));
            let _ = writeln!(out, "{name:<5}[{time}]  {severity:<10}{}", event.text);
        }
    }
    out + "\n"
}
