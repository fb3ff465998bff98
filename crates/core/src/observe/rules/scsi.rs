//! SCSI mid layer and the disk driver, 2.4 to today. One failed command prints a result line, a sense
//! key, an additional sense and the command; what each says is in `sense`.

use super::{Observation, Rule, Sign, hex, rule, sense};

macro_rules! sd {
    ($rest:literal) => {
        concat!(r"^(?:sd|scsi) (?P<hctl>\d+:\d+:\d+:\d+): (?:\[(?P<dev>sd[a-z]+)\] )?(?:tag#(?P<tag>\d+) )?", $rest)
    };
}

const SD: &[&str] = &["sd ", "scsi "];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("scsi.24.rc", Sign::Info, &["SCSI disk error"], &[],
        r"^SCSI disk error : host (?P<h>\d+) channel (?P<c>\d+) id (?P<t>\d+) lun (?P<l>\d+) return code = (?P<rc>[0-9a-f]+)").refine(return_code),
    rule("scsi.24.sense", Sign::Info, &["Info fld=", "Current "], &["sense key "],
        r"^(?:Info fld=0x(?P<info>[0-9a-f]+), )?Current (?P<dev>\S+): sense key (?P<key>[A-Z][\w ]+)").refine(key),
    rule("scsi.26.rc", Sign::Info, &["SCSI error"], &["return code"],
        r"^SCSI error ?: <(?P<h>\d+) (?P<c>\d+) (?P<t>\d+) (?P<l>\d+)> return code = 0x(?P<rc>[0-9a-f]+)").refine(return_code),
    rule("scsi.26.rc2", Sign::Info, SD, &["return code = "], sd!(r"SCSI error: return code = 0x(?P<rc>[0-9a-f]+)")).refine(return_code),
    rule("sd.result", Sign::Info, SD, &["Result: hostbyte="],
        sd!(r"(?:(?P<disp>FAILED|SUCCESS|NEEDS_RETRY|TIMEOUT_ERROR|SOFT_ERROR|ADD_TO_MLQUEUE|UNKNOWN\S*) )?Result: hostbyte=(?P<hostbyte>\w+) driverbyte=(?P<driver>[\w,]+)(?: cmd_age=(?P<age>\d+)s)?")).refine(host_byte),
    rule("sd.unhandled", Sign::Info, SD, &["Unhandled "], sd!(r"Unhandled (?P<what>sense|error) code")),
    rule("sd.sense", Sign::Info, SD, &["Sense Key : "],
        sd!(r"Sense Key : (?P<key>[A-Z][\w ]*?)(?: \[(?P<def>current|deferred)\])?(?: \[descriptor\])?\s*$")).refine(key),
    rule("sd.addsense", Sign::Info, SD, &["Add. Sense: "], sd!(r"Add\. Sense: (?P<asc>.+?)\s*$")).refine(sense_text),
    rule("sd.asc_num", Sign::Info, SD, &["ASC=0x"],
        sd!(r"(?:<<vendor>>)?ASC=0x(?P<asc>[0-9a-f]+) (?:<<vendor>>)?ASCQ=0x(?P<ascq>[0-9a-f]+)")).refine(sense_code),
    rule("sd.cdb", Sign::Info, SD, &["CDB: "], sd!(r"CDB: (?P<op>[A-Z][\w /()-]*?)(?::)? (?P<cdb>[0-9a-f]{2}(?: [0-9a-f]{2})*)")),
    rule("sd.offlined", Sign::DeviceOffline, SD, &["Device offlined", "device offline"],
        sd!(r"(?:scsi: )?(?:Device offlined - (?P<why>.+)|device offline(?:d)? (?P<why2>or changed|.*))")),
    rule("sd.rejecting", Sign::DeviceOffline, SD, &["rejecting I/O"],
        sd!(r"rejecting I/O to (?P<state>offline device|dead device|device being removed)")),
    rule("sd.timeoutwait", Sign::IoError, SD, &["timing out command"], sd!(r"timing out command, waited (?P<secs>\d+)s")),
    rule("sd.medium_access", Sign::DeviceOffline, SD, &["Offlining disk"], sd!(r"Medium access timeout failure\. Offlining disk!")),
    rule("sd.notready", Sign::IoError, SD,
        &["Unit Not Ready", "Read Capacity(", "READ CAPACITY failed", "Device not ready", "Spinning up disk", "Asking for cache data",
          "No Caching mode page", "Synchronize Cache(", "Start/Stop Unit failed"],
        sd!(r"(?P<what>Unit Not Ready|Read Capacity\(\d+\) failed|READ CAPACITY failed|Device not ready|Spinning up disk\.\.\.|Asking for cache data failed|No Caching mode page (?:found|present)|Synchronize Cache\(\d+\) failed|Start/Stop Unit failed)")).refine(not_ready),
    rule("sd.detach", Sign::Info, SD, &["Stopping disk", "Synchronizing SCSI cache", "Attached SCSI"],
        sd!(r"(?P<what>Stopping disk|Synchronizing SCSI cache|Attached SCSI (?:removable )?disk)")),
    rule("sd.capacity_change", Sign::DiskChanged, &["sd"], &["capacity change"],
        r"^(?P<dev>sd[a-z]+): detected capacity change from (?P<old>\d+) to (?P<new>\d+)").refine(capacity),
    rule("scsi.ua", Sign::Info, &["sd ", "scsi ", "ses ", "enclosure "],
        &["Power-on or device reset", "Mode parameters changed", "data has changed", "Asymmetric access state", "Parameters changed", "Received an indication"],
        r"^(?:sd|scsi|ses|enclosure) (?P<hctl>[\d:]+): (?:\[(?P<dev>\w+)\] )?(?:tag#\d+ )?(?P<what>Power-on or device reset occurred|Mode parameters changed|Inquiry data has changed|Capacity data has changed|Asymmetric access state changed|Parameters changed|Warning! Received an indication that the .*)").refine(unit_attention),
    rule("scsi.abort", Sign::Timeout, SD, &["task abort", "abort scheduled", "ABORT operation", "device reset"],
        sd!(r"(?:attempting task abort ?!?|task abort:? (?P<res>SUCCESS|FAILED)|abort scheduled|ABORT operation|device reset|task abort on host)")),
];

fn return_code(seen: &mut Observation) {
    seen.sign = hex(seen.about.field("rc")).map_or(Sign::Info, sense::sign_of_return_code);
}

fn host_byte(seen: &mut Observation) {
    seen.sign = sense::sign_of_host_byte(seen.about.field("hostbyte"));
}

fn key(seen: &mut Observation) {
    seen.sign = sense::sign_of_key(seen.about.field("key"));
}

fn sense_text(seen: &mut Observation) {
    seen.sign = sense::sign_of_text(seen.about.field("asc"));
}

fn sense_code(seen: &mut Observation) {
    let code = hex(seen.about.field("asc")).zip(hex(seen.about.field("ascq")));
    seen.sign = code.and_then(|(asc, qualifier)| sense::sign_of_code(asc, qualifier)).unwrap_or(Sign::Info);
}

fn not_ready(seen: &mut Observation) {
    let what = seen.about.field("what");
    if ["Spinning", "Asking for cache", "No Caching"].iter().any(|harmless| what.starts_with(harmless)) {
        seen.sign = Sign::Benign;
    }
}

fn capacity(seen: &mut Observation) {
    if seen.about.field("new") == "0" {
        seen.sign = Sign::DeviceOffline;
    }
}

/// Once after boot is normal; again and again is power or backplane, hence a sign with a rate.
fn unit_attention(seen: &mut Observation) {
    seen.sign = match seen.about.field("what") {
        what if what.starts_with("Power-on") => Sign::LinkError,
        what if what.contains("data has changed") || what.contains("LUN assignments") => Sign::DiskChanged,
        _ => Sign::Info,
    };
}
