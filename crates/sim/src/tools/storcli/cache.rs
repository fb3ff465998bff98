//! `/cN/bbu` and `/cN/cv`: whichever is not fitted refuses and names the other.

use super::doc::{Props, Response, Value, props};
use super::{controller_row, rows};
use crate::clock;
use crate::world::{Battery, BatteryKind, BatteryState, Controller};

pub fn battery(c: &Controller, cachevault: bool, now: u64) -> Response {
    let (word, other) = if cachevault { ("Cachevault", "use /cx/bbu") } else { ("Battery", "use /cx/cv") };
    let Some(battery) = c.battery.as_ref().filter(|b| b.state != BatteryState::Missing) else {
        return Response::refused(c.number, 255, "None", controller_row(c), &format!("{word} is absent!"));
    };
    if cachevault != (battery.kind == BatteryKind::CacheVault) {
        return Response::refused(c.number, 255, "None", controller_row(c), other);
    }
    let data = if cachevault { cv_sections(battery, now) } else { bbu_sections(battery, now) };
    Response::ok(Some(c.number), "None", Value::Props(data))
}

fn table<const N: usize>(rows: [(&str, Value); N]) -> Value {
    let row = |(key, value): (&str, Value)| props([("Property", Value::from(key)), ("Value", value)]);
    Value::Table(rows.into_iter().map(row).collect())
}

fn cv_sections(b: &Battery, now: u64) -> Props {
    let failed = b.state == BatteryState::Failed;
    let learn = now + 28 * 86_400;
    props([
        (
            "Cachevault_Info",
            table([
                ("Type", b.model.as_str().into()),
                ("Temperature", format!("{} C", b.temperature).into()),
                ("State", rows::battery_word(b).into()),
            ]),
        ),
        (
            "Firmware_Status",
            table([
                ("NVCache State", if failed { "Failed" } else { "OK" }.into()),
                ("Replacement required", failed.into()),
                ("No space to cache offload", "No".into()),
                ("Module microcode update required", "No".into()),
            ]),
        ),
        (
            "GasGaugeStatus",
            table([
                ("Pack Energy", "261 J".into()),
                ("Capacitance", format!("{} %", b.charge).into()),
                ("Remaining Reserve Space", 0u32.into()),
            ]),
        ),
        (
            "Design_Info",
            table([
                ("Date of Manufacture", "17/03/2015".into()),
                ("Serial Number", b.serial.into()),
                ("Manufacture Name", "LSI".into()),
                ("Design Capacity", "288 J".into()),
                ("Device Name", b.model.as_str().into()),
            ]),
        ),
        (
            "Properties",
            table([
                ("Auto Learn Period", "28d (2419200 seconds)".into()),
                ("Next Learn time", format!("{} ({} seconds)", clock::learn(learn), learn - clock::Y2K).into()),
                ("Learn Delay Interval", "0 hour(s)".into()),
                ("Auto-Learn Mode", "Transparent".into()),
            ]),
        ),
    ])
}

fn bbu_sections(b: &Battery, now: u64) -> Props {
    let (failed, learning) = (b.state == BatteryState::Failed, b.state == BatteryState::Learning);
    let learn = now + 28 * 86_400;
    props([
        (
            "BBU_Info",
            table([
                ("Type", b.model.as_str().into()),
                ("Voltage", format!("{} mV", b.millivolts).into()),
                ("Current", "0 mA".into()),
                ("Temperature", format!("{} C", b.temperature).into()),
                ("Battery State", rows::battery_word(b).into()),
            ]),
        ),
        (
            "BBU_Firmware_Status",
            table([
                ("Charging Status", if learning { "Discharging" } else { "None" }.into()),
                ("Voltage", "OK".into()),
                ("Temperature", "OK".into()),
                ("Learn Cycle Requested", "No".into()),
                ("Learn Cycle Active", learning.into()),
                ("Learn Cycle Status", "OK".into()),
                ("Learn Cycle Timeout", "No".into()),
                ("I2C Errors Detected", "No".into()),
                ("Battery Pack Missing", "No".into()),
                ("Replacement required", failed.into()),
                ("Remaining Capacity Low", failed.into()),
                ("Periodic Learn Required", "No".into()),
                ("Transparent Learn", "No".into()),
                ("No space to cache offload", "No".into()),
                ("Pack is about to fail & should be replaced", failed.into()),
            ]),
        ),
        (
            "Properties",
            table([
                ("Auto Learn Period", "28d (2419200 seconds)".into()),
                ("Next Learn time", format!("{} ({} seconds)", clock::learn(learn), learn - clock::Y2K).into()),
                ("Auto-Learn Mode", "Enabled".into()),
            ]),
        ),
    ])
}
