//! Adapter, battery, enclosures.

use super::super::Answer;
use crate::clock;
use crate::world::{ArrayState, BatteryKind, BatteryState, Controller, DiskState, Enclosure, Family, TaskKind, World};
use std::fmt::Write;

pub fn count(world: &World) -> Answer {
    let n = world.of(Family::Megaraid).count();
    Answer { stdout: format!("\nController Count: {n}.\n\nExit Code: 0x{n:02x}\n"), exit: n as i32 }
}

fn yes(yes: bool) -> &'static str {
    if yes { "Yes" } else { "No" }
}

pub fn all_info(c: &Controller, now: u64) -> String {
    let present = c.battery.as_ref().is_some_and(|b| b.state != BatteryState::Missing);
    let degraded = c.count_arrays(|s| matches!(s, ArrayState::Degraded | ArrayState::PartlyDegraded));
    let offline = c.count_arrays(|s| s == ArrayState::Offline);
    let critical = c.disks.iter().filter(|d| d.predictive_errors > 0).count();
    let failed = c.disks.iter().filter(|d| matches!(d.state, DiskState::Failed | DiskState::Bad)).count();
    format!(
        "\nAdapter #{n}\n\n==============================================================================\n\
                             Versions\n                ================\n\
         Product Name    : {model}\nSerial No       : {serial}\nFW Package Build: {firmware}\n\n\
                             Mfg. Data\n                ================\n\
         Mfg. Date       : 03/14/15\nRework Date     : 00/00/00\nRevision No     : A04\nBattery FRU     : N/A\n\n\
                         Image Versions in Flash:\n                ================\n\
         BIOS Version       : 6.33.01.0_4.16.07.00_0x06120304\nFW Version         : 4.300.00-8352\n\n\
                         Pending Images in Flash\n                ================\nNone\n\n\
                         PCI Info\n                ================\nController Id\t: {id:04}\n\
         Vendor Id       : {vendor:04x}\nDevice Id       : {device:04x}\nSubVendorId     : {subvendor:04x}\nSubDeviceId     : {subdevice:04x}\n\n\
         Host Interface  : PCIE\n\nDevice Interface: PCIE\n\n\
                         HW Configuration\n                ================\n\
         SAS Address      : {sas:016x}\nBBU              : {bbu}\nAlarm            : Absent\nNVRAM            : Present\n\
         Serial Debugger  : Present\nMemory           : Present\nFlash            : Present\nMemory Size      : {memory}MB\n\
         TPM              : Absent\nOn board Expander: Absent\nUpgrade Key      : Absent\n\
         Temperature sensor for ROC    : Present\nTemperature sensor for controller    : Absent\n\n\
         ROC temperature : {roc}  degree Celsius\n\n\
                         Settings\n                ================\n\
         Current Time                     : {time}\nPredictive Fail Poll Interval    : 300sec\nRebuild Rate                     : 30%\n\
         PR Rate                          : 30%\nBGI Rate                         : 30%\nCheck Consistency Rate           : 30%\n\
         Auto Rebuild                     : {auto}\nBattery Warning                  : Enabled\nEcc Bucket Size                  : 15\n\
         Any Offline VD Cache Preserved   : No\nDisable Online Controller Reset  : No\n\n\
                         Status\n                ================\nECC Bucket Count                 : 0\n\n\
                         Device Present\n                ================\n\
         Virtual Drives    : {vds} \n  Degraded        : {degraded} \n  Offline         : {offline} \n\
         Physical Devices  : {devices} \n  Disks           : {disks} \n  Critical Disks  : {critical} \n  Failed Disks    : {failed} \n\n\
                         Error Counters\n                ================\n\
         Memory Correctable Errors   : {correctable} \nMemory Uncorrectable Errors : {uncorrectable} \n",
        n = c.number,
        model = c.model,
        serial = c.serial,
        firmware = c.firmware,
        id = c.number,
        vendor = c.pci.vendor,
        device = c.pci.id,
        subvendor = c.pci.subvendor,
        subdevice = c.pci.subdevice,
        sas = c.sas_address,
        bbu = if present { "Present" } else { "Absent" },
        memory = c.memory_mb,
        roc = c.temperature,
        time = clock::megacli(now),
        auto = if c.auto_rebuild { "Enabled" } else { "Disabled" },
        vds = c.arrays.len(),
        devices = c.disks.len() + c.enclosures.len(),
        disks = c.disks.len(),
        correctable = c.memory_correctable,
        uncorrectable = c.memory_uncorrectable,
    )
}

pub fn pci_info(c: &Controller) -> String {
    format!(
        "\nPCI information for Controller {}\n--------------------------------\nBus Number      : {:x}\nDevice Number   : {:x}\nFunction Number : 0\n\n",
        c.number, c.pci.bus, c.pci.device
    )
}

pub fn time(c: &Controller, now: u64) -> String {
    let t = clock::Civil::of(now);
    let (day, month, year) = (t.day, t.month, t.year);
    let time = format!("{:02}:{:02}:{:02}", t.hour, t.minute, t.second);
    format!("\nAdapter {}: \n    Date: {month:02}/{day:02}/{year}\n    Time: {time}\n", c.number)
}

/// `-GetBbuStatus`, `-GetBbuCapacityInfo`, `-GetBbuDesignInfo`, `-GetBbuProperties`; without one, all.
pub fn battery(c: &Controller, words: &[&str], now: u64) -> Result<String, String> {
    let Some(battery) = c.battery.as_ref().filter(|b| b.state != BatteryState::Missing) else {
        return Err(format!(
            "\nAdapter {}: Get BBU Status Failed.\nFW error description: \n  The required hardware is not present.  \n",
            c.number
        ));
    };
    let wants = |part: &str| words.len() < 2 || words.contains(&part) || !words.iter().any(|w| w.starts_with("getbbu"));
    let mut out = String::new();
    if wants("getbbustatus") {
        out.push_str(&battery_status(c, battery));
    }
    if wants("getbbucapacityinfo") {
        out.push_str(&format!(
            "\nBBU Capacity Info for Adapter: {}\n\n  Relative State of Charge: {} %\n  Absolute State of charge: 0 %\n  Remaining Capacity: 0 mAh\n  Full Charge Capacity: 0 mAh\n  Max Error = 0 %\n  Cycle Count: 14\n",
            c.number, battery.charge
        ));
    }
    if wants("getbbudesigninfo") {
        out.push_str(&format!(
            "\nBBU Design Info for Adapter: {}\n\n  Date of Manufacture: 03/17, 2015\n  Design Capacity: 288 mAh\n  Design Voltage: 0 mV\n  Serial Number: {}\n  Manufacture Name: LSI\n  Device Name: {}\n  Battery FRU: N/A\n",
            c.number, battery.serial, battery.model
        ));
    }
    if wants("getbbuproperties") {
        let learn = clock::ctime(now + 28 * 86_400);
        out.push_str(&format!(
            "\nBBU Properties for Adapter: {}\n\n  Auto Learn Period: 28 Days\n  Next Learn time: {learn}\n  Learn Delay Interval:0 Hours\n  Auto-Learn Mode: Transparent\n",
            c.number
        ));
    }
    Ok(out)
}

fn battery_status(c: &Controller, b: &crate::world::Battery) -> String {
    let (failed, learning) = (b.state == BatteryState::Failed, b.state == BatteryState::Learning);
    let state = match b.state {
        BatteryState::Optimal => "Optimal",
        BatteryState::Learning => "Learning",
        BatteryState::Failed => "Failed",
        BatteryState::Missing => "Missing",
    };
    let mut out = format!(
        "BBU status for Adapter: {}\n\nBatteryType: {}\nVoltage: {} mV\nCurrent: 0 mA\nTemperature: {} C\nBattery State: {state}\n",
        c.number, b.model, b.millivolts, b.temperature
    );
    let charging = if learning { "Discharging" } else { "None" };
    let _ = write!(
        out,
        "BBU Firmware Status:\n\n  Charging Status              : {charging}\n  Voltage                                 : OK\n  Temperature                             : OK\n\
           \x20 Learn Cycle Requested                   : No\n  Learn Cycle Active                      : {}\n  Learn Cycle Status                      : OK\n\
           \x20 Learn Cycle Timeout                     : No\n  I2c Errors Detected                     : No\n  Battery Pack Missing                    : No\n\
           \x20 Battery Replacement required            : {}\n  Remaining Capacity Low                  : {}\n  Periodic Learn Required                 : No\n\
           \x20 Transparent Learn                       : {}\n  No space to cache offload               : No\n  Pack is about to fail & should be replaced : {}\n\
           \x20 Cache Offload premium feature required  : No\n  Module microcode update required        : No\n\n",
        yes(learning),
        yes(failed),
        yes(failed),
        yes(b.kind == BatteryKind::CacheVault),
        yes(failed)
    );
    let _ = write!(
        out,
        "BBU GasGauge Status: 0x0100 \n  Relative State of Charge: {} %\n  Charger System State: 0\n  Charger System Ctrl: 0\n  Charging current: 0 mA\n  Absolute state of charge: 0 %\n  Max Error: 0 %\n",
        b.charge
    );
    out
}

pub fn enclosures(c: &Controller) -> String {
    let mut out = format!("\n    Number of enclosures on adapter {} -- {}\n", c.number, c.enclosures.len());
    for (index, e) in c.enclosures.iter().enumerate() {
        out.push_str(&enclosure(c, index, e));
    }
    out
}

fn enclosure(c: &Controller, index: usize, e: &Enclosure) -> String {
    let disks = c.disks.iter().filter(|d| d.enclosure == Some(e.id)).count();
    let status = if e.ok() { "Normal" } else { "Critical" };
    let word = |ok: bool| if ok { "OK" } else { "Failed" };
    let mut out = format!(
        "\n    Enclosure {index}:\n    Device ID                     : {}\n    Number of Slots               : {}\n    Number of Power Supplies      : {}\n\
         \x20   Number of Fans                : {}\n    Number of Temperature Sensors : {}\n    Number of Alarms              : 0\n    Number of SIM Modules         : 1\n\
         \x20   Number of Physical Drives     : {disks}\n    Status                        : {status}\n    Position                      : 1\n    Connector Name                : 00 & 01\n\
         \x20   Enclosure type                : SES\n    FRU Part Number               : N/A\n    Enclosure Serial Number       : N/A \n    ESM Serial Number             : N/A \n\
         \x20   Enclosure Zoning Mode         : N/A \n    Partner Device Id             : 65535\n\n    Inquiry data                  :\n\
         \x20       Vendor Identification     : {:<8}\n        Product Identification    : {:<16}\n        Product Revision Level    : 1.07\n        Vendor Specific           :                     \n\n",
        e.id,
        e.slots,
        e.supplies.len(),
        e.fans.len(),
        e.sensors.len(),
        e.vendor,
        e.product
    );
    let _ =
        writeln!(out, "Number of Voltage Sensors         :0\n\nNumber of Power Supplies     : {} \n", e.supplies.len());
    for (n, supply) in e.supplies.iter().enumerate() {
        let _ =
            writeln!(out, "Power Supply                 : {n} \nPower Supply Status          : {}\n", word(supply.ok));
    }
    let _ = writeln!(out, "Number of Fans               : {} \n", e.fans.len());
    for (n, fan) in e.fans.iter().enumerate() {
        let speed = if fan.ok { "Medium Speed" } else { "Not available" };
        let _ = writeln!(
            out,
            "Fan                          : {n} \nFan Speed              :{speed}\nFan Status                   : {}\n",
            word(fan.ok)
        );
    }
    let _ = writeln!(out, "Number of Temperature Sensors : {} \n", e.sensors.len());
    for (n, sensor) in e.sensors.iter().enumerate() {
        let _ = writeln!(
            out,
            "Temp Sensor                  : {n} \nTemperature                  : {} \nTemperature Sensor Status    : {}\n",
            sensor.value,
            word(sensor.ok)
        );
    }
    out
}

pub fn foreign(c: &Controller) -> String {
    match c.disks.iter().filter(|d| d.foreign).count() {
        0 => format!("\nThere is no foreign configuration on controller {}.\n", c.number),
        n => format!("\nThere are {n} foreign configuration(s) on controller {}.\n", c.number),
    }
}

/// A schedule that is switched off still shows the date it had.
pub fn check_schedule(c: &Controller) -> String {
    let active = c.tasks.iter().any(|t| t.kind == TaskKind::Check);
    let state = if active { "Active" } else { "Stopped" };
    let mode = if c.schedule.is_some() { "Concurrent" } else { "Disabled" };
    let (hours, next) = c.schedule.map_or((168, 1_577_934_000), |s| (s.hours, s.next));
    format!(
        "\nAdapter #{}\n\nOperation Mode: {mode}\nExecution Delay: {hours}\nNext start time: {}\nCurrent State: {state}\nNumber of iterations: 58\nNumber of VD completed: 1\nExcluded VDs          : None\n",
        c.number,
        clock::storcli(next)
    )
}

pub fn patrol(c: &Controller, now: u64) -> String {
    format!(
        "\nAdapter {}: Patrol Read Information:\n\nPatrol Read Mode: Auto\nPatrol Read Execution Delay: 168 hours\nNumber of iterations completed: 112 \nNext start time: {}\nCurrent State: Stopped\nPatrol Read on SSD Devices: Disabled\n",
        c.number,
        clock::storcli(now + 5 * 86_400)
    )
}
