//! What the aacraid driver itself tells: card, firmware and a heartbeat; nothing of arrays or disks.
//!
//! Reading `reset_host` returns the firmware's health (0x0 well, else its fault code; linux
//! drivers/scsi/aacraid/linit.c). *Writing it resets the card*: nothing in raidmond writes it.

use super::lower_controller::{add_alias, fault};
use raidmond_core::model::{Alias, ControllerState, FindingKind, Observed, Path};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Known, NoteKind, Query, Reading, Scope};
use std::collections::BTreeMap;

pub const HOST: AnswerKind = AnswerKind("host-attribute");
pub const PROC: AnswerKind = AnswerKind("proc-scsi");

const ROOT: &str = "/sys/class/scsi_host/host";
/// -EBUSY: the driver is resetting the card at this moment.
const RESETTING: &str = "0xfffffff0";

/// Attributes no other driver's hosts have.
const OURS: [&str; 4] = ["reset_host", "hba_kernel_version", "hba_monitor_version", "hba_bios_version"];
/// Others have these, too; they count only beside one of ours or on a host known to be ours.
const COMMON: [&str; 4] = ["state", "serial_number", "model", "vendor"];

/// Files of SCSI hosts, as far as they are asked for here.
pub fn recognise(path: &str, head: &[u8]) -> Option<AnswerKind> {
    if path.contains("/proc/scsi/aacraid") {
        return Some(PROC);
    }
    let (_, attribute) = host_attribute(path)?;
    let asked_for = OURS.contains(&attribute) || COMMON.contains(&attribute);
    (asked_for || (attribute == "proc_name" && head.starts_with(b"aacraid"))).then_some(HOST)
}

fn host_attribute(path: &str) -> Option<(u32, &str)> {
    let rest = path.split_once(ROOT)?.1;
    let (number, attribute) = rest.split_once('/')?;
    Some((number.parse().ok()?, attribute))
}

pub fn queries(known: &Known) -> Vec<Query> {
    const FAST: [&str; 2] = ["reset_host", "state"];
    const DAILY: [&str; 5] = ["serial_number", "model", "vendor", "hba_kernel_version", "hba_bios_version"];
    let mut queries = Vec::new();
    for number in hosts(known) {
        let file = |attribute: &str| Query::file(HOST, format!("{ROOT}{number}/{attribute}"));
        queries.extend(FAST.iter().map(|a| file(a)));
        queries.extend(DAILY.iter().map(|a| file(a).daily()));
    }
    queries
}

pub fn hosts(known: &Known) -> Vec<u32> {
    known.scsi_hosts.iter().filter(|(_, driver)| driver == "aacraid").map(|(number, _)| *number).collect()
}

type Attributes = BTreeMap<String, String>;

pub fn lower<'a>(reading: &mut Reading, known: &Known, answers: impl Iterator<Item = &'a Answer>) {
    let mut found: BTreeMap<u32, Attributes> = BTreeMap::new();
    for answer in answers.filter(|a| a.outcome.ended()) {
        if let (Asked::File(path), text) = (&answer.asked, answer.text())
            && let Some((number, attribute)) = host_attribute(path)
        {
            found.entry(number).or_default().insert(attribute.to_owned(), text.trim().to_owned());
        }
    }
    let known_hosts = hosts(known);
    found.retain(|number, attributes| {
        let names_us = attributes.get("proc_name").is_some_and(|n| n == "aacraid");
        known_hosts.contains(number) || names_us || OURS.iter().any(|o| attributes.contains_key(*o))
    });
    let alone = found.len() == 1;
    for (number, attributes) in &found {
        match controller_of(reading, attributes, alone) {
            Some(at) => host(reading, &at, *number, attributes),
            None if matches!(known.scope, Scope::Controller(_)) => {}
            None => host_without_tool(reading, *number, attributes),
        }
    }
}

/// The controller that arcconf told of, by serial number, or because there is one of each.
fn controller_of(reading: &Reading, attributes: &Attributes, alone: bool) -> Option<Path> {
    let plain = |s: &str| s.trim().trim_start_matches('0').to_ascii_uppercase();
    let serial = attributes.get("serial_number").map(|s| plain(s)).filter(|s| s.len() >= 4);
    let told = || reading.controllers.iter();
    let same = told().find(|c| serial.is_some() && c.serial.as_deref().map(plain) == serial);
    let only = told().next().filter(|_| alone && told().count() == 1);
    same.or_else(|| only.filter(|c| c.serial.is_none() || serial.is_none())).map(|c| c.at.clone())
}

fn host_without_tool(reading: &mut Reading, number: u32, attributes: &Attributes) {
    let at = Path::new(format!("host{number}"));
    let said = "the driver shows the card; its arrays and disks are seen by arcconf only";
    reading.note_with_remedy(NoteKind::Partial, at.clone(), said, super::HOW_TO_GET);
    host(reading, &at, number, attributes);
}

fn host(reading: &mut Reading, at: &Path, number: u32, attributes: &Attributes) {
    let controller = reading.controller(at);
    let text = |key: &str| attributes.get(key).filter(|v| !v.is_empty()).cloned();
    controller.model = controller.model.take().or(text("model"));
    controller.serial = controller.serial.take().or(text("serial_number"));
    controller.firmware = controller.firmware.take().or(text("hba_kernel_version"));
    controller.driver = Some("aacraid".to_owned());
    add_alias(&mut controller.aliases, Alias::ScsiHost(number.to_string()));
    if let Some(serial) = text("serial_number").as_deref().and_then(Alias::serial) {
        add_alias(&mut controller.aliases, serial);
    }
    heartbeat(reading, at, attributes);
    host_state(reading, at, attributes);
}

fn heartbeat(reading: &mut Reading, at: &Path, attributes: &Attributes) {
    let Some(code) = attributes.get("reset_host") else { return };
    let said = format!("reset_host {code}");
    match code.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
        Some(0) => {
            let controller = reading.controller(at);
            controller.state.get_or_insert(Observed::new(ControllerState::Optimal, said));
        }
        Some(_) if code == RESETTING => {
            fault(reading, at, FindingKind::ToolReportsNotice, format!("{said}: the driver is resetting the card"));
        }
        Some(_) => {
            reading.controller(at).state = Some(Observed::new(ControllerState::Failed, said.clone()));
            fault(reading, at, FindingKind::FirmwareFault, said);
        }
        None => reading.unknown_word(at.clone(), "reset_host", code),
    }
}

fn host_state(reading: &mut Reading, at: &Path, attributes: &Attributes) {
    match attributes.get("state").map(String::as_str) {
        None | Some("running") => {}
        Some("recovery" | "cancel/recovery" | "deleted/recovery") => {
            fault(reading, at, FindingKind::ToolReportsNotice, "SCSI host state: recovery");
        }
        Some("offline" | "deleted" | "cancel") => {
            let said = format!("SCSI host state: {}", attributes.get("state").map_or("", String::as_str));
            fault(reading, at, FindingKind::DeviceOffline, said);
        }
        Some(word) => reading.unknown_word(at.clone(), "SCSI host state", word),
    }
}
