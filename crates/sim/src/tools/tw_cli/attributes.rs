//! `/cX Attribute = value` lines.

use super::tables;
use crate::world::{ArrayState, Battery, BatteryState, Controller, Disk, TaskKind, TaskOn};
use std::fmt::Write;

pub fn controller(c: &Controller) -> String {
    let bad = c.count_arrays(|s| s != ArrayState::Optimal);
    let (units, drives) = (c.arrays.len(), c.disks.len());
    lines(
        &format!("/c{}", c.number),
        &[
            ("Driver Version", "2.26.02.014".into()),
            ("Model", c.model.clone()),
            ("Available Memory", format!("{}MB", c.memory_mb)),
            ("Firmware Version", c.firmware.clone()),
            ("Bios Version", "BE9X 4.08.00.004".into()),
            ("Boot Loader Version", "BL9X 3.08.00.001".into()),
            ("Serial Number", c.serial.clone()),
            ("PCB Version", "Rev 032".into()),
            ("PCHIP Version", "2.00".into()),
            ("ACHIP Version", "1.90".into()),
            ("Number of Ports", "8".into()),
            ("Number of Drives", drives.to_string()),
            ("Number of Units", units.to_string()),
            ("Total Optimal Units", (units - bad).to_string()),
            ("Not Optimal Units", bad.to_string()),
            ("JBOD Export Policy", "off".into()),
            ("Disk Spinup Policy", "1".into()),
            ("Spinup Stagger Time Policy (sec)", "1".into()),
            ("Auto-Carving Policy", "off".into()),
            ("Auto-Carving Size", "2048 GB".into()),
            ("Auto-Rebuild Policy", if c.auto_rebuild { "on" } else { "off" }.into()),
            ("Controller Bus Type", "PCIe".into()),
            ("Controller Bus Width", "8 lanes".into()),
            ("Controller Bus Speed", "2.5 Gbps/lane".into()),
        ],
    )
}

pub fn unit_counts(c: &Controller) -> String {
    let bad = c.count_arrays(|s| s != ArrayState::Optimal);
    let counts = [("Total Optimal Units", (c.arrays.len() - bad).to_string()), ("Not Optimal Units", bad.to_string())];
    lines(&format!("/c{}", c.number), &counts) + "\n"
}

pub fn unit(c: &Controller, n: u32) -> String {
    let Some(a) = c.array(n) else {
        return lines(&format!("/c{}/u{n}", c.number), &[("status", "OK".into())]);
    };
    let rebuild = c.rebuild_in(a);
    let check = c.task(TaskKind::Check, TaskOn::Array(n));
    let done = |percent: Option<f64>| percent.map_or_else(|| "100%".to_owned(), |p| format!("{}%", p as u64));
    let cache = if c.writes_back(a) { "on" } else { "off" };
    lines(
        &format!("/c{}/u{n}", c.number),
        &[
            ("status", tables::unit_status(c, n).into()),
            (
                "is rebuilding with percent completion",
                rebuild.map_or("not rebuilding".into(), |t| done(Some(t.percent))),
            ),
            ("is verifying with percent completion", check.map_or("not verifying".into(), |t| done(Some(t.percent)))),
            ("is initialized", "yes".into()),
            ("Write Cache", cache.into()),
            ("volume(s)", "1".into()),
            ("name", a.name.clone()),
            ("serial number", format!("{:.20}", a.uid.to_uppercase())),
            ("Ignore ECC policy", "off".into()),
            ("Auto Verify Policy", if c.schedule.is_some() { "on" } else { "off" }.into()),
            ("Storsave Policy", "balance".into()),
            ("Command Queuing Policy", "on".into()),
        ],
    )
}

pub fn port(c: &Controller, d: &Disk) -> String {
    lines(
        &format!("/c{}/p{}", c.number, d.slot),
        &[
            ("Status", tables::port_status(c, d).into()),
            ("Model", d.model.clone()),
            ("Firmware Version", d.firmware.clone()),
            ("Serial", d.serial.clone()),
            ("Capacity", format!("{} ({} Blocks)", tables::disk_size(d), d.sectors)),
            ("Reallocated Sectors", d.reallocated.to_string()),
            ("Power On Hours", d.hours.to_string()),
            ("Temperature", format!("{} deg C", d.temperature)),
            ("Spindle Speed", "7200 RPM".into()),
            ("Link Speed Supported", "1.5 Gbps and 3.0 Gbps".into()),
            ("Link Speed", "3.0 Gbps".into()),
            ("NCQ Supported", "Yes".into()),
            ("NCQ Enabled", "Yes".into()),
            ("Identify Status", if d.locating { "On" } else { "N/A" }.into()),
        ],
    ) + "\n"
}

pub fn battery(c: &Controller, b: &Battery) -> String {
    let status = match b.state {
        BatteryState::Optimal => "OK",
        BatteryState::Learning => "Testing",
        BatteryState::Failed => "Failed",
        BatteryState::Missing => "Not Present",
    };
    lines(
        &format!("/c{}/bbu", c.number),
        &[
            ("Firmware Version", "BBU: 1.04.00.007".into()),
            ("Serial Number", format!("N0{:06}", b.serial)),
            ("Online State", "On".into()),
            ("BBU Ready", if b.protects() { "Yes" } else { "No" }.into()),
            ("BBU Status", status.into()),
            ("Battery Voltage", "OK".into()),
            ("Battery Temperature", "OK".into()),
            ("Estimated Backup Capacity", if b.protects() { "255 Hours" } else { "0 Hours" }.into()),
            ("Last Capacity Test", "09-Jul-2026".into()),
            ("Battery Installation Date", "12-Mar-2024".into()),
            ("Bootloader Version", "BBU 0.02.00.002".into()),
            ("PCB Revision", "65".into()),
            ("Battery Temperature Value", format!("{} deg C", b.temperature)),
        ],
    ) + "\n"
}

fn lines(prefix: &str, entries: &[(&str, String)]) -> String {
    let mut out = String::new();
    for (key, value) in entries {
        let _ = writeln!(out, "{prefix} {key} = {value}");
    }
    out
}

/// `show autorebuild`, `show serial`: the line whose attribute, without blanks and dashes, starts so.
pub fn one(all: &str, attribute: &str) -> Option<String> {
    let plain = |text: &str| text.to_ascii_lowercase().replace([' ', '-'], "");
    let wanted = plain(attribute);
    let line = all.lines().find(|l| {
        let attribute = l.split_once(" = ").and_then(|(key, _)| key.split_once(' '));
        attribute.is_some_and(|(_, key)| plain(key).starts_with(&wanted))
    })?;
    Some(format!("{line}\n\n"))
}
