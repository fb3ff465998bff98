//! `GETLOGS n DEVICE|DEAD|EVENT TABULAR`.

use crate::world::{Controller, Disk, Interface};
use std::fmt::Write;

fn field(out: &mut String, depth: usize, key: &str, value: impl std::fmt::Display) {
    let indent = "   ".repeat(depth);
    let dots = ".".repeat(40usize.saturating_sub(key.len()));
    let _ = writeln!(out, "{indent}{key} {dots} {value}");
}

fn head(c: &Controller, kind: &str) -> String {
    let mut out = String::from("\nControllerLog\n");
    field(&mut out, 1, "controllerID", c.number - 1);
    field(&mut out, 1, "type", kind);
    field(&mut out, 1, "time", 0);
    field(&mut out, 1, "version", 3);
    field(&mut out, 1, "tableFull", "false");
    out
}

/// A drive has an entry once it had an error.
pub fn device(c: &Controller) -> String {
    let mut out = head(c, "0");
    let bad = |d: &&Disk| d.media_errors + d.other_errors + d.predictive_errors > 0 || !d.is_usable();
    for d in c.disks.iter().filter(bad) {
        out.push_str(&entry(d));
    }
    out
}

fn entry(d: &Disk) -> String {
    let mut out = String::from("\n   driveErrorEntry\n");
    let vendor = if d.interface == Interface::Sata { "" } else { d.vendor.as_str() };
    field(&mut out, 2, "smartError", d.smart_alert);
    field(&mut out, 2, "vendorID", vendor);
    field(&mut out, 2, "serialNumber", &d.serial);
    field(&mut out, 2, "wwn", "0000000000000000");
    field(&mut out, 2, "deviceID", d.slot);
    field(&mut out, 2, "productID", &d.model);
    field(&mut out, 2, "numParityErrors", 0);
    field(&mut out, 2, "linkFailures", 0);
    field(&mut out, 2, "hwErrors", d.other_errors);
    field(&mut out, 2, "abortedCmds", 0);
    field(&mut out, 2, "mediumErrors", d.media_errors);
    field(&mut out, 2, "smartWarning", d.predictive_errors);
    out
}

pub fn dead(c: &Controller) -> String {
    head(c, "1")
}

pub fn event(c: &Controller) -> String {
    head(c, "2")
}
