//! LSI Fusion: `mpt2sas`, `mpt3sas`, and the first generation (`mptbase`) with its integrated RAID. The
//! kernel's name of the adapter (`mpt2sas_cm0`, `ioc0`) is the object where no disk is named.

use super::{Observation, Rule, Sign, hex, rule, sense};
use crate::model::{Alias, Space};

macro_rules! mpt {
    ($rest:literal) => {
        concat!(r"^(?P<ioc>mpt[23]sas(?:_cm)?\d+): ", $rest)
    };
}

macro_rules! mptbase {
    ($rest:literal) => {
        concat!(r"^mptbase: (?P<ioc>ioc\d+): +", $rest)
    };
}

const MPT: &[&str] = &["mpt2sas", "mpt3sas"];
const BASE: &[&str] = &["mptbase: "];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("mpt.loginfo", Sign::Info, MPT, &["log_info("],
        mpt!(r"log_info\(0x(?P<word>[0-9a-f]{8})\): originator\((?P<orig>\w+)\), code\(0x(?P<code>[0-9a-f]{2})\), sub_code\(0x(?P<sub>[0-9a-f]{4})\)")).space(Space::LsiIr).refine(log_word),
    rule("mpt.fault", Sign::ControllerFault, MPT, &["fault_state(", "coredump_state(", "non-operational", "diag reset", "host reset"],
        mpt!(r"(?P<text>fault_state\(0x(?P<fc>[0-9a-f]+)\)!|coredump_state\(0x[0-9a-f]+\)!|SAS host is non-operational !!!!|sending diag reset !!|diag reset: (?P<r>SUCCESS|FAILED)|(?:.*: |attempting )host reset:?.*|host reset: .*)")).space(Space::LsiIr).refine(fault),
    rule("mpt.temp", Sign::Info, MPT, &["Temperature Threshold", "Current Temp"],
        mpt!(r"(?:Temperature Threshold flags (?P<flags>[\d ]*) exceeded for Sensor: (?P<sensor>\d+) !!!|Current Temp In Celsius: (?P<t>\d+))")).space(Space::LsiIr).refine(temperature),
    rule("mpt.remove", Sign::DiskRemoved, MPT, &["removing", "enclosure status change", "device is not present"],
        mpt!(r"(?:removing handle\(0x(?P<handle>[0-9a-f]+)\), (?:sas_addr|wwid)\(0x(?P<sas>[0-9a-f]+)\)|removing ?: ?enclosure logical id ?\(0x(?P<encl>[0-9a-f]+)\), slot\((?P<slot>\d+)\)|enclosure status change: \((?P<change>[^)]+)\).*|.*device is not present handle.*)")).space(Space::LsiIr).refine(removed),
    rule("mpt.smp", Sign::LinkError, MPT, &["SMP command sent to the expander"], mpt!(r"SMP command sent to the expander .*(?:has failed|timed out)")).space(Space::LsiIr),
    rule("mptb.raid", Sign::Info, BASE, &["RAID STATUS CHANGE"],
        mptbase!(r"RAID STATUS CHANGE for (?:VolumeID (?P<vol>\d+)|PhysDisk (?P<pd>\d+)(?: id=(?P<id>\d+))?)")).space(Space::LsiIr),
    rule("mptb.vol", Sign::Info, BASE, &["volume is now"],
        mptbase!(r"volume is now (?P<st>optimal|degraded|failed|state unknown)(?P<fl>(?:, [\w ]+)*)")).space(Space::LsiIr).refine(volume),
    rule("mptb.pd", Sign::Info, BASE, &["PhysDisk is now"],
        mptbase!(r"PhysDisk is now (?P<st>online|missing|not compatible|failed|initializing|offline requested|failed requested|offline|state unknown)(?P<fl>(?:, [\w ]+)*)")).space(Space::LsiIr).refine(disk),
    rule("mptb.smart", Sign::Info, BASE, &["SMART data received"],
        mptbase!(r"SMART data received, ASC/ASCQ = (?P<asc>[0-9a-f]{2})h/(?P<ascq>[0-9a-f]{2})h")).space(Space::LsiIr).refine(smart),
    rule("mptb.misc", Sign::Info, BASE, &["has been", "has started", "has changed", "LogInfo", "FAULT", "WARNING", "recovery"],
        mptbase!(r"(?P<text>volume has been (?:created|deleted)|PhysDisk has been (?:created|deleted)|replacement of PhysDisk \d+ has started|volume membership of PhysDisk \d+ has changed|LogInfo\(0x[0-9a-f]+\): .*|IOC is in FAULT state.*|WARNING - .*|Initiating recovery)")).space(Space::LsiIr).refine(misc),
    rule("mpt.scsih", Sign::Timeout, &["mptscsih: "], &[],
        r"^mptscsih: (?P<ioc>ioc\d+): (?P<text>(?:attempting|task abort|target reset|bus reset|host reset).*)").space(Space::LsiIr).refine(handler),
];

/// 31120303 and 31080000 are aborts after a lost link, 31110d00 resets of a disk or cable; the rest is
/// discovery chatter.
fn log_word(seen: &mut Observation) {
    seen.sign = match seen.about.field("word") {
        "30030109" => Sign::Benign,
        "31120303" | "31080000" | "31110d00" => Sign::LinkError,
        _ => Sign::Info,
    };
}

fn fault(seen: &mut Observation) {
    let text = seen.about.field("text");
    let failed = text.contains("FAILED");
    seen.sign = match text {
        t if t.contains("SUCCESS") => Sign::Info,
        t if t.contains("reset") && failed => Sign::ControllerFailed,
        t if t.contains("reset") => Sign::ControllerReset,
        t if t.contains("non-operational") => Sign::ControllerFailed,
        _ => Sign::ControllerFault,
    };
}

fn temperature(seen: &mut Observation) {
    if !seen.about.field("sensor").is_empty() {
        seen.sign = Sign::TemperatureHigh;
    }
}

fn removed(seen: &mut Observation) {
    if !seen.about.field("change").is_empty() {
        seen.sign = Sign::Info;
        return;
    }
    if let Some(address) = Alias::sas_address(seen.about.field("sas")) {
        seen.about.aliases.push(address);
    }
}

fn volume(seen: &mut Observation) {
    seen.sign = match seen.about.field("st") {
        "optimal" => Sign::ArrayOptimal,
        "degraded" => Sign::ArrayDegraded,
        "failed" => Sign::ArrayFailed,
        _ => Sign::UnspecifiedFault,
    };
}

fn disk(seen: &mut Observation) {
    seen.sign = match seen.about.field("st") {
        "failed" | "failed requested" => Sign::DiskFailed,
        "missing" => Sign::DiskMissing,
        "offline" | "offline requested" => Sign::DeviceOffline,
        "online" | "initializing" => Sign::Info,
        _ => Sign::UnspecifiedFault,
    };
}

fn smart(seen: &mut Observation) {
    let code = hex(seen.about.field("asc")).zip(hex(seen.about.field("ascq")));
    seen.sign = code.and_then(|(asc, qualifier)| sense::sign_of_code(asc, qualifier)).unwrap_or(Sign::Info);
}

fn misc(seen: &mut Observation) {
    let text = seen.about.field("text");
    if text.starts_with("IOC is in FAULT") {
        seen.sign = Sign::ControllerFault;
    } else if text.starts_with("Initiating recovery") {
        seen.sign = Sign::ControllerReset;
    }
}

fn handler(seen: &mut Observation) {
    let text = seen.about.field("text");
    if text.contains("host reset") {
        seen.sign = Sign::ControllerReset;
    } else if text.contains("bus reset") {
        seen.sign = Sign::LinkError;
    }
}
