//! `GETCONFIG`: controller, logical devices, physical devices.

use super::RULE;
use crate::world::{
    Array, ArrayState, BatteryState, Controller, Disk, DiskState, Interface, Level, Member, TaskKind, TaskOn,
};
use std::fmt::Write;

const SUBRULE: &str = "   --------------------------------------------------------\n";

pub fn all(c: &Controller) -> String {
    format!("{}\n{}\n\n{}", adapter(c), arrays(c), disks(c))
}

/// A `Key : Value` line at three blanks.
fn line(key: &str, value: impl std::fmt::Display) -> String {
    format!("   {key:<41}: {value}\n")
}

pub fn adapter(c: &Controller) -> String {
    let failed = c.count_arrays(|s| s == ArrayState::Offline);
    let degraded = c.count_arrays(|s| matches!(s, ArrayState::Degraded | ArrayState::PartlyDegraded));
    let defunct = c.disks.iter().filter(|d| !d.is_usable()).count() + missing(c);
    let fahrenheit = c.temperature * 9 / 5 + 32;
    let word = if c.temperature > 80 { "Abnormal" } else { "Normal" };
    let mut out = format!("{RULE}Controller information\n{RULE}");
    for (key, value) in [
        ("Controller Status", "Optimal".to_owned()),
        ("Channel description", "SAS/SATA".to_owned()),
        ("Controller Model", c.model.clone()),
        ("Controller Serial Number", c.serial.clone()),
        ("Physical Slot", "6".to_owned()),
        ("Temperature", format!("{} C/ {fahrenheit} F ({word})", c.temperature)),
        ("Installed memory", format!("{} MB", c.memory_mb)),
        ("Copyback", "Disabled".to_owned()),
        ("Background consistency check", if c.schedule.is_some() { "Enabled" } else { "Disabled" }.to_owned()),
        ("Automatic Failover", if c.auto_rebuild { "Enabled" } else { "Disabled" }.to_owned()),
        ("Global task priority", "High".to_owned()),
        ("Performance Mode", "Default/Dynamic".to_owned()),
        ("Stayawake period", "Disabled".to_owned()),
        ("Spinup limit internal drives", "0".to_owned()),
        ("Spinup limit external drives", "0".to_owned()),
        ("Defunct disk drive count", defunct.to_string()),
        ("Logical devices/Failed/Degraded", format!("{}/{failed}/{degraded}", c.arrays.len())),
        ("NCQ status", "Enabled".to_owned()),
        ("Statistics data collection mode", "Enabled".to_owned()),
    ] {
        out.push_str(&line(key, value));
    }
    out + &versions(c) + &backup(c)
}

fn missing(c: &Controller) -> usize {
    c.arrays.iter().flat_map(|a| &a.members).filter(|m| m.disk.is_none()).count()
}

fn versions(c: &Controller) -> String {
    let firmware = &c.firmware;
    let mut out = format!("{SUBRULE}   Controller Version Information\n{SUBRULE}");
    for (key, value) in
        [("BIOS", firmware.as_str()), ("Firmware", firmware), ("Driver", "1.2-1 (50877)"), ("Boot Flash", firmware)]
    {
        out.push_str(&line(key, value));
    }
    out
}

/// The zero-maintenance module (flash and capacitor) of this series.
fn backup(c: &Controller) -> String {
    let status = match c.battery.as_ref().map(|b| b.state) {
        None | Some(BatteryState::Missing) => "ZMM not installed",
        Some(BatteryState::Optimal | BatteryState::Learning) => "ZMM Optimal",
        Some(BatteryState::Failed) => "ZMM Failed",
    };
    format!("{SUBRULE}   Controller ZMM Information\n{SUBRULE}{}", line("Status", status))
}

pub fn arrays(c: &Controller) -> String {
    let mut out = format!("{RULE}Logical device information\n{RULE}");
    if c.arrays.is_empty() {
        out.push_str("   No logical devices configured\n");
    }
    let arrays: Vec<String> = c.arrays.iter().map(|a| array(c, a)).collect();
    out + &arrays.join("\n")
}

fn array(c: &Controller, a: &Array) -> String {
    let status = match a.state {
        ArrayState::Optimal => "Optimal",
        ArrayState::Degraded | ArrayState::PartlyDegraded if c.rebuild_in(a).is_some() => "Degraded, Rebuilding",
        ArrayState::Degraded | ArrayState::PartlyDegraded => "Degraded",
        ArrayState::Offline => "Failed",
    };
    let mb = |bytes: u64| format!("{} MB", bytes >> 20);
    let spares = c.disks.iter().any(|d| d.state == DiskState::HotSpare);
    let write = if c.writes_back(a) { "On" } else { "Off" };
    let mut out = format!("Logical device number {}\n", a.number);
    let mut push = |key: &str, value: String| out.push_str(&line(key, value));
    push("Logical device name", a.name.clone());
    push("RAID level", a.level.number().to_string());
    push("Status of logical device", status.into());
    push("Size", mb(a.bytes()));
    if a.level != Level::Raid1 {
        push("Stripe-unit size", format!("{} KB", a.strip_kb));
    }
    push("Read-cache setting", if a.read_ahead { "Enabled" } else { "Disabled" }.into());
    push("Read-cache status", if a.read_ahead { "On" } else { "Off" }.into());
    push("Write-cache setting", if a.write_back { "Enabled" } else { "Disabled" }.into());
    push("Write-cache status", write.into());
    push("Partitioned", "Yes".into());
    push("Protected by Hot-Spare", if spares { "Yes" } else { "No" }.into());
    push("Bootable", "No".into());
    push("Failed stripes", if a.bad_blocks { "Yes" } else { "No" }.into());
    push("Power settings", "Disabled".into());
    if let Some((operation, percent)) = operation(c, a) {
        push("Current operation", operation.into());
        push("Percentage complete", (percent as u64).to_string());
    }
    let _ = write!(out, "{SUBRULE}   Logical device segment information\n{SUBRULE}");
    for m in &a.members {
        out.push_str(&segment(c, a, m));
    }
    out
}

fn operation(c: &Controller, a: &Array) -> Option<(&'static str, f64)> {
    let rebuild = c.rebuild_in(a).map(|t| ("Rebuild", t.percent));
    rebuild.or_else(|| c.task(TaskKind::Check, TaskOn::Array(a.number)).map(|t| ("Verify with fix", t.percent)))
}

fn segment(c: &Controller, a: &Array, m: &Member) -> String {
    let name =
        if a.spans() > 1 { format!("Group {}, Segment {}", m.span, m.row) } else { format!("Segment {}", m.row) };
    let value = match m.disk.and_then(|id| c.disk(id)) {
        None => "Missing".to_owned(),
        Some(d) => {
            let word = match d.state {
                DiskState::Rebuilding => "Rebuilding",
                DiskState::Failed | DiskState::Offline | DiskState::Bad => "Inconsistent",
                _ => "Present",
            };
            format!("{word} (Controller:{},Connector:0,Device:{}) {:>20}", c.number, d.slot, d.serial)
        }
    };
    line(&name, value)
}

pub fn disks(c: &Controller) -> String {
    let mut out = format!("{RULE}Physical Device information\n{RULE}");
    for (index, d) in c.disks.iter().enumerate() {
        out.push_str(&disk(index, d));
    }
    if c.disks.is_empty() {
        out.push_str("      No physical drives attached\n");
    }
    out
}

fn disk(index: usize, d: &Disk) -> String {
    let state = match d.state {
        DiskState::Online => "Online",
        DiskState::Failed | DiskState::Bad | DiskState::Offline => "Failed",
        DiskState::Rebuilding | DiskState::CopyingBack => "Rebuilding",
        DiskState::HotSpare => "Global Hot-Spare",
        DiskState::Good | DiskState::Jbod => "Ready",
    };
    let bus = if d.interface == Interface::Sas { "SAS 6.0 Gb/s" } else { "SATA 3.0 Gb/s" };
    let total = d.bytes() >> 20;
    let mut out = format!("      Device #{index}\n         Device is a Hard drive\n");
    let mut push = |key: &str, value: String| {
        let _ = writeln!(out, "         {key:<35}: {value}");
    };
    push("State", state.into());
    push("Supported", "Yes".into());
    push("Transfer Speed", bus.into());
    push("Reported Channel,Device(T:L)", format!("{},{}({}:0)", d.enclosure.unwrap_or(0), d.slot, d.slot));
    push("Reported Location", format!("Connector 0, Device {}", d.slot));
    push("Vendor", d.vendor.clone());
    push("Model", d.model.clone());
    push("Firmware", d.firmware.clone());
    push("Serial number", d.serial.clone());
    push("Reserved Size", "937168 KB".into());
    push("Used Size", format!("{} MB", if d.state == DiskState::Good { 0 } else { total.saturating_sub(1168) }));
    push("Unused Size", "64 KB".into());
    push("Total Size", format!("{total} MB"));
    push("Write Cache", "Enabled (write-back)".into());
    push("FRU", "None".into());
    push("S.M.A.R.T.", if d.smart_alert { "Yes" } else { "No" }.into());
    push("S.M.A.R.T. warnings", d.predictive_errors.to_string());
    push("Power State", "Full rpm".into());
    push("Supported Power States", "Full rpm,Powered off,Reduced rpm".into());
    push("SSD", "No".into());
    push("NCQ status", "Enabled".into());
    out
}
