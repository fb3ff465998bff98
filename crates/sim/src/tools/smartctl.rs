//! smartctl 7.4 for disks behind controllers: `-d megaraid,N`, `3ware,N`, `aacraid,H,L,I`, as JSON or text.
//!
//! A logical drive is refused with the hint smartctl gives; a disk that failed does not answer.

use super::Answer;
use crate::world::{Controller, Disk, Family, Interface, World};
use serde_json::{Map, Value, json};
use std::fmt::Write;

const BANNER: &str = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0-28-amd64] (local build)\n\
                      Copyright (C) 2002-23, Bruce Allen, Christian Franke, www.smartmontools.org\n\n";
/// Of exit statuses: the device could not be opened; the disk is failing.
const NOT_OPENED: i32 = 2;
const FAILING: i32 = 8;

pub fn answer(args: &[&str], world: &World) -> Answer {
    let has = |word: &str| args.contains(&word);
    if has("-V") || has("--version") {
        return Answer::ok(format!("{BANNER}smartctl comes with ABSOLUTELY NO WARRANTY.\n"));
    }
    let kind = args.iter().position(|a| *a == "-d").and_then(|at| args.get(at + 1)).copied().unwrap_or("");
    let device = args.iter().find(|a| a.starts_with("/dev/")).copied().unwrap_or("");
    let json = has("-j") || has("--json");
    match disk(world, kind, device) {
        Some(disk) if disk.is_usable() => speak(disk, json, has("scterc"), kind, device),
        Some(_) => refuse(json, &format!("Smartctl open device: {device} [{kind}] failed: No such device or address")),
        None => {
            let hint = "DELL or MegaRaid controller, please try adding '-d megaraid,N'";
            refuse(json, &format!("Smartctl open device: {device} failed: {hint}"))
        }
    }
}

/// The disk at this address, as smartctl counts controllers and disks.
fn disk<'a>(world: &'a World, kind: &str, device: &str) -> Option<&'a Disk> {
    let numbers: Vec<u32> = kind.split(',').skip(1).filter_map(|n| n.parse().ok()).collect();
    let there = |family: Family| world.of(family).filter(|c| c.present).collect::<Vec<&Controller>>();
    match (kind.split(',').next()?, numbers.as_slice()) {
        ("megaraid", [id]) => {
            let host: u32 = device.strip_prefix("/dev/bus/")?.parse().ok()?;
            there(Family::Megaraid).into_iter().find(|c| c.scsi_host == host)?.disk(*id)
        }
        ("3ware", [port]) => {
            let index: usize = device.strip_prefix("/dev/twa")?.parse().ok()?;
            there(Family::ThreeWare).get(index)?.disks.iter().find(|d| d.slot == *port)
        }
        ("aacraid", [host, _, id]) => there(Family::Aacraid).get(*host as usize)?.disks.iter().find(|d| d.slot == *id),
        _ => None,
    }
}

fn fails(disk: &Disk) -> bool {
    disk.smart_alert || disk.predictive_errors > 0
}

fn refuse(json: bool, said: &str) -> Answer {
    let stdout = match json {
        true => {
            let messages = json!([{ "string": said, "severity": "error" }]);
            pretty(
                &json!({ "json_format_version": [1, 0], "smartctl": { "messages": messages, "exit_status": NOT_OPENED } }),
            )
        }
        false => format!("{BANNER}{said}\n"),
    };
    Answer { stdout, exit: NOT_OPENED }
}

fn speak(disk: &Disk, json: bool, recovery: bool, kind: &str, device: &str) -> Answer {
    let exit = if fails(disk) && !recovery { FAILING } else { 0 };
    let stdout = match (json, recovery) {
        (true, _) => pretty(&document(disk, recovery, kind, device, exit)),
        (false, true) => format!(
            "{BANNER}SCT Error Recovery Control:\n           Read:     70 (7.0 seconds)\n          Write:     70 (7.0 seconds)\n"
        ),
        (false, false) => format!("{BANNER}{}", text(disk)),
    };
    Answer { stdout, exit }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn document(disk: &Disk, recovery: bool, kind: &str, device: &str, exit: i32) -> Value {
    let sata = disk.interface == Interface::Sata;
    let kind = if sata && kind.starts_with("megaraid") { format!("sat+{kind}") } else { kind.to_owned() };
    let protocol = if sata { "ATA" } else { "SCSI" };
    let mut doc = Map::new();
    doc.insert("json_format_version".into(), json!([1, 0]));
    doc.insert("smartctl".into(), json!({ "version": [7, 4], "exit_status": exit }));
    doc.insert("device".into(), json!({ "name": device, "type": kind, "protocol": protocol }));
    if recovery {
        let limit = json!({ "enabled": true, "deciseconds": 70 });
        if sata {
            doc.insert("ata_sct_erc".into(), json!({ "read": limit, "write": limit }));
        }
        return Value::Object(doc);
    }
    let own = if sata { ata(disk) } else { scsi(disk) };
    doc.extend(own.as_object().cloned().unwrap_or_default());
    doc.insert("serial_number".into(), json!(disk.serial));
    doc.insert("user_capacity".into(), json!({ "blocks": disk.sectors, "bytes": disk.bytes() }));
    doc.insert("rotation_rate".into(), json!(7200));
    doc.insert("smart_support".into(), json!({ "available": true, "enabled": true }));
    doc.insert("temperature".into(), json!({ "current": disk.temperature, "drive_trip": 68 }));
    doc.insert("power_on_time".into(), json!({ "hours": disk.hours }));
    doc.insert("smart_status".into(), json!({ "passed": !fails(disk) }));
    Value::Object(doc)
}

fn ata(disk: &Disk) -> Value {
    let (naa, oui, id) = (disk.wwn >> 60, disk.wwn >> 36 & 0xff_ffff, disk.wwn & 0xf_ffff_ffff);
    let rows: Vec<Value> = attributes(disk).iter().map(|(id, name, prefail, raw)| {
        json!({ "id": id, "name": name, "value": 100, "worst": 100, "thresh": if *prefail { 10 } else { 0 }, "when_failed": "",
            "flags": { "prefailure": prefail }, "raw": { "value": raw, "string": raw.to_string() } })
    }).collect();
    json!({
        "model_name": disk.model, "firmware_version": disk.firmware, "wwn": { "naa": naa, "oui": oui, "id": id },
        "ata_sct_capabilities": { "error_recovery_control_supported": true },
        "ata_smart_attributes": { "revision": 16, "table": rows },
        "ata_smart_self_test_log": { "standard": { "revision": 1, "count": 1, "table": [{
            "type": { "value": 2, "string": "Extended offline" },
            "status": { "value": 0, "string": "Completed without error", "passed": true },
            "lifetime_hours": disk.hours.saturating_sub(300) }] } },
    })
}

/// Number, name, whether it predicts a failure, raw value.
fn attributes(disk: &Disk) -> [(u32, &'static str, bool, u64); 7] {
    [
        (5, "Reallocated_Sector_Ct", true, disk.reallocated),
        (9, "Power_On_Hours", false, disk.hours),
        (187, "Reported_Uncorrect", false, disk.media_errors),
        (194, "Temperature_Celsius", false, disk.temperature.unsigned_abs()),
        (197, "Current_Pending_Sector", false, disk.unreadable),
        (198, "Offline_Uncorrectable", false, 0),
        (199, "UDMA_CRC_Error_Count", false, 0),
    ]
}

fn scsi(disk: &Disk) -> Value {
    let errors = json!({ "total_uncorrected_errors": 0 });
    let unread = json!({ "total_uncorrected_errors": disk.unreadable });
    json!({
        "scsi_vendor": disk.vendor, "scsi_model_name": format!("{} {}", disk.vendor, disk.model),
        "scsi_revision": disk.firmware, "logical_unit_id": format!("0x{:016x}", disk.wwn),
        "scsi_grown_defect_list": disk.reallocated,
        "scsi_error_counter_log": { "read": unread, "write": errors, "verify": errors },
        "scsi_self_test_0": { "code": { "value": 2, "string": "Background long" },
            "result": { "value": 0, "string": "Completed" }, "power_on_time": { "hours": disk.hours.saturating_sub(300) } },
    })
}

fn text(disk: &Disk) -> String {
    let mut out = String::from("=== START OF INFORMATION SECTION ===\n");
    let sata = disk.interface == Interface::Sata;
    if sata {
        let _ = writeln!(out, "Device Model:     {}\nSerial Number:    {}", disk.model, disk.serial);
        out += "\n=== START OF READ SMART DATA SECTION ===\n";
        let word = if fails(disk) { "FAILED!" } else { "PASSED" };
        let _ = writeln!(out, "SMART overall-health self-assessment test result: {word}\n");
        out += "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n";
        for (id, name, prefail, raw) in attributes(disk) {
            let (flag, limit, kind) = if prefail { ("0x0033", 10, "Pre-fail") } else { ("0x0032", 0, "Old_age") };
            let _ = writeln!(
                out,
                "{id:3} {name:<23} {flag}   100   100   {limit:03}    {kind:<9} Always       -       {raw}"
            );
        }
        return out;
    }
    let _ = writeln!(out, "Vendor:               {}\nProduct:              {}", disk.vendor, disk.model);
    let _ = writeln!(out, "Serial number:        {}\nTransport protocol:   SAS (SPL-3)", disk.serial);
    let word =
        if fails(disk) { "HARDWARE IMPENDING FAILURE GENERAL HARD DRIVE FAILURE [asc=5d, ascq=10]" } else { "OK" };
    let _ = writeln!(out, "\n=== START OF READ SMART DATA SECTION ===\nSMART Health Status: {word}\n");
    let _ =
        writeln!(out, "Current Drive Temperature:     {} C\nDrive Trip Temperature:        68 C\n", disk.temperature);
    let _ = writeln!(out, "Elements in grown defect list: {}", disk.reallocated);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;
    use crate::world::DiskState;

    fn ask(words: &str) -> Answer {
        let mut world = presets::demo();
        world.controllers[0].disks[5].smart_alert = true;
        world.controllers[0].disks[6].state = DiskState::Failed;
        answer(&words.split(' ').collect::<Vec<_>>(), &world)
    }

    #[test]
    fn disks_are_asked_by_their_number_behind_the_card() {
        let host = presets::demo().controllers[0].scsi_host;
        let well = ask(&format!("-j -a -d megaraid,1 /dev/bus/{host}"));
        assert!(well.exit == 0 && well.stdout.contains("Z1Z2ABKM") && well.stdout.contains("\"passed\": true"));
        let failing = ask(&format!("-a -d megaraid,5 /dev/bus/{host}"));
        assert!(failing.exit == FAILING && failing.stdout.contains("IMPENDING"));
        assert_eq!(ask(&format!("-j -a -d megaraid,6 /dev/bus/{host}")).exit, NOT_OPENED);
        assert!(ask("-H /dev/sda").stdout.contains("-d megaraid,N"));
        assert!(ask("-j -a -d 3ware,2 /dev/twa0").stdout.contains("WD-WMAY"));
        assert_eq!(ask("-j -l scterc -d aacraid,0,0,1 /dev/aac0").exit, 0);
    }
}
