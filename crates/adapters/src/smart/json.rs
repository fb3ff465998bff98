//! smartctl 7.0 and later with `-j`.

use super::report::{Attribute, Nvme, Protocol, Recovery, Report, SelfTest, Support, WhenFailed, leading_number};
use serde_json::Value;

/// `None`: no JSON of smartctl.
pub fn report(value: &Value) -> Option<Report> {
    const KEYS: [&str; 8] = [
        "smartctl",
        "smart_status",
        "device",
        "ata_smart_attributes",
        "nvme_smart_health_information_log",
        "scsi_grown_defect_list",
        "ata_sct_erc",
        "scsi_error_counter_log",
    ];
    KEYS.iter().any(|key| value.get(key).is_some()).then(|| read(value))
}

fn read(v: &Value) -> Report {
    let mut report = Report {
        device: text(v, "/device/name"),
        protocol: text(v, "/device/protocol").as_deref().and_then(protocol),
        vendor: text(v, "/scsi_vendor").or_else(|| text(v, "/vendor")),
        model: ["/model_name", "/scsi_model_name", "/product"].iter().find_map(|key| text(v, key)),
        serial: text(v, "/serial_number"),
        wwn: wwn(v),
        firmware: text(v, "/firmware_version").or_else(|| text(v, "/scsi_revision")),
        size_bytes: count(v, "/user_capacity/bytes").or_else(|| count(v, "/nvme_total_capacity")),
        solid: count(v, "/rotation_rate").map(|rate| rate == 0),
        health: health(v),
        support: support(v),
        attributes: attributes(v),
        temperature: v.pointer("/temperature/current").and_then(Value::as_i64),
        temperature_warning: v.pointer("/nvme_composite_temperature_threshold/warning").and_then(Value::as_i64),
        temperature_critical: ["/nvme_composite_temperature_threshold/critical", "/temperature/drive_trip"]
            .iter()
            .find_map(|key| v.pointer(key)?.as_i64()),
        hours: count(v, "/power_on_time/hours"),
        grown_defects: count(v, "/scsi_grown_defect_list"),
        pending_defects: count(v, "/scsi_pending_defects/count"),
        uncorrected: uncorrected(v),
        nvme: nvme(v),
        percent_used: [
            "/nvme_smart_health_information_log/percentage_used",
            "/scsi_percentage_used_endurance_indicator",
        ]
        .iter()
        .find_map(|key| count(v, key)),
        self_tests: self_tests(v),
        recovery: recovery(v),
        exit: v.pointer("/smartctl/exit_status").and_then(Value::as_i64).and_then(|n| n.try_into().ok()).unwrap_or(0),
        whole: true,
        ..Report::default()
    };
    messages(v, &mut report);
    strange_words(v, &mut report);
    report
}

fn text(v: &Value, pointer: &str) -> Option<String> {
    let text = v.pointer(pointer)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn count(v: &Value, pointer: &str) -> Option<u64> {
    v.pointer(pointer)?.as_u64()
}

fn protocol(word: &str) -> Option<Protocol> {
    match word {
        "ATA" => Some(Protocol::Ata),
        "SCSI" => Some(Protocol::Scsi),
        "NVMe" => Some(Protocol::Nvme),
        _ => None,
    }
}

/// `5 000c50 07817bb36` as other tools print it: one hexadecimal number.
fn wwn(v: &Value) -> Option<String> {
    let part = |key: &str| count(v, &format!("/wwn/{key}"));
    match (part("naa"), part("oui"), part("id")) {
        (Some(naa), Some(oui), Some(id)) => Some(format!("{naa:x}{oui:06x}{id:09x}")),
        _ => text(v, "/logical_unit_id"),
    }
}

/// SCSI disks say in words why they do not pass.
fn health(v: &Value) -> Option<String> {
    let passed = v.pointer("/smart_status/passed")?;
    let why = text(v, "/smart_status/scsi/ie_string").filter(|_| *passed != Value::Bool(true));
    Some(why.unwrap_or_else(|| passed.to_string()))
}

fn support(v: &Value) -> Support {
    let said = |key: &str| v.pointer(key).and_then(Value::as_bool);
    match (said("/smart_support/available"), said("/smart_support/enabled")) {
        (Some(false), _) => Support::Lacking,
        (Some(true), Some(false)) => Support::SwitchedOff,
        (Some(true), _) => Support::Yes,
        (None, _) => Support::NotSaid,
    }
}

fn list<'a>(v: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    v.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn attributes(v: &Value) -> Vec<Attribute> {
    list(v, "/ata_smart_attributes/table").filter_map(attribute).collect()
}

fn attribute(row: &Value) -> Option<Attribute> {
    let raw_said = text(row, "/raw/string").as_deref().and_then(leading_number);
    let when_failed = match row.pointer("/when_failed").and_then(Value::as_str).unwrap_or("") {
        "now" => WhenFailed::Now,
        "past" => WhenFailed::Past,
        _ => WhenFailed::Never,
    };
    Some(Attribute {
        id: count(row, "/id")?.try_into().ok()?,
        name: text(row, "/name").unwrap_or_default(),
        value: count(row, "/value").unwrap_or(0),
        threshold: count(row, "/thresh").unwrap_or(0),
        prefail: row.pointer("/flags/prefailure").and_then(Value::as_bool).unwrap_or(false),
        when_failed,
        raw: raw_said.or_else(|| count(row, "/raw/value")),
    })
}

fn uncorrected(v: &Value) -> Vec<(String, u64)> {
    let of = |kind: &str| {
        let errors = count(v, &format!("/scsi_error_counter_log/{kind}/total_uncorrected_errors"))?;
        Some((kind.to_owned(), errors))
    };
    ["read", "write", "verify"].into_iter().filter_map(of).collect()
}

fn nvme(v: &Value) -> Option<Nvme> {
    let log = v.get("nvme_smart_health_information_log")?;
    Some(Nvme {
        critical_warning: count(log, "/critical_warning"),
        spare: count(log, "/available_spare"),
        spare_threshold: count(log, "/available_spare_threshold"),
        media_errors: count(log, "/media_errors"),
    })
}

fn self_tests(v: &Value) -> Vec<SelfTest> {
    let test = |row: &Value, title: &str, result: &str| {
        Some(SelfTest { title: text(row, title).unwrap_or_default(), result: text(row, result)? })
    };
    let ata = ["standard", "extended"].into_iter().find_map(|log| {
        let rows: Vec<&Value> = list(v, &format!("/ata_smart_self_test_log/{log}/table")).collect();
        (!rows.is_empty()).then_some(rows)
    });
    let of_ata = ata.unwrap_or_default().into_iter().filter_map(|row| test(row, "/type/string", "/status/string"));
    let scsi = (0..20).map_while(|n| v.get(format!("scsi_self_test_{n}")));
    let of_scsi = scsi.filter_map(|row| test(row, "/code/string", "/result/string"));
    let of_nvme = list(v, "/nvme_self_test_log/table")
        .filter_map(|row| test(row, "/self_test_code/string", "/self_test_result/string"));
    of_ata.chain(of_scsi).chain(of_nvme).collect()
}

fn recovery(v: &Value) -> Option<Recovery> {
    if let Some(erc) = v.get("ata_sct_erc") {
        let limit = |way: &str| {
            let enabled = erc.pointer(&format!("/{way}/enabled")).and_then(Value::as_bool) != Some(false);
            count(erc, &format!("/{way}/deciseconds")).filter(|_| enabled)
        };
        return Some(Recovery::Limits { read: limit("read"), write: limit("write") });
    }
    match v.pointer("/ata_sct_capabilities/error_recovery_control_supported")?.as_bool()? {
        true => Some(Recovery::Supported),
        false => Some(Recovery::NotSupported),
    }
}

fn messages(v: &Value, report: &mut Report) {
    for message in list(v, "/smartctl/messages") {
        let Some(said) = text(message, "/string") else { continue };
        report.asleep |= super::text::says_asleep(&said);
        if super::text::says_not_supported_recovery(&said) && report.recovery.is_none() {
            report.recovery = Some(Recovery::NotSupported);
        }
        if message.pointer("/severity").and_then(Value::as_str) == Some("error") {
            report.failure.get_or_insert(said);
        }
    }
}

/// What should be a word of a small set and is none of it.
fn strange_words(v: &Value, report: &mut Report) {
    for row in list(v, "/ata_smart_attributes/table") {
        let word = row.pointer("/when_failed").and_then(Value::as_str).unwrap_or("");
        if !["", "-", "now", "past"].contains(&word) {
            report.unknown.push(("when_failed".to_owned(), word.to_owned()));
        }
    }
    if let Some(word) = text(v, "/device/protocol").filter(|word| protocol(word).is_none()) {
        report.unknown.push(("protocol".to_owned(), word));
    }
}
