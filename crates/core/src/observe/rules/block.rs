//! Block layer, buffer cache and swap. The error line changed its beginning four times between 2.4
//! and 5.17; the words in front of "error" are those of `blk_status_to_str`.

use super::{Observation, Rule, Sign, device, rule};

macro_rules! words {
    () => {
        concat!(
            r"(?P<err>I/O|critical medium|critical target|critical nexus|recoverable transport|critical space allocation|timeout",
            r"|protection|device offline|nonblocking retry|kernel resource|device resource|operation not supported",
            r"|dm internal retry|open zones exceeded|active zones exceeded|reservation conflict|invalid|__.*?) error"
        )
    };
}

macro_rules! request {
    ($begin:literal, $end:literal) => {
        concat!("^", $begin, words!(), r", dev (?P<dev>[a-z?][a-zA-Z0-9!_/.-]*), sector (?P<sector>\d+)", $end)
    };
}

macro_rules! operation {
    () => {
        r" op 0x(?P<opcode>[0-9a-f]+):\((?P<op>\w+)\) flags 0x(?P<flags>[0-9a-f]+) phys_seg (?P<segs>\d+) prio class (?P<prio>\d+)"
    };
}

/// What 5.17 and later begin with: the error word itself.
const PLAIN: &[&str] = &[
    "I/O error, dev ",
    "critical ",
    "recoverable transport",
    "timeout error",
    "protection error",
    "device offline",
    "nonblocking retry",
    "kernel resource",
    "device resource",
    "operation not supported",
    "dm internal",
    "open zones",
    "active zones",
    "reservation conflict",
    "invalid error",
    "__",
];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("blk.24", Sign::IoError, &["end_request: "], &["error, dev "],
        r"^end_request: I/O error, dev (?P<maj>[0-9a-f]{2}):(?P<min>[0-9a-f]{2}) \((?P<drv>[^)]*)\), sector (?P<sector>\d+)"),
    rule("blk.24b", Sign::IoError, &[" ", "I/O error: "], &["I/O error: dev "],
        r"^ ?I/O error: dev (?P<maj>[0-9a-f]{2}):(?P<min>[0-9a-f]{2}), sector (?P<sector>\d+)"),
    rule("blk.end_request", Sign::IoError, &["end_request: "], &["error, dev "], request!("end_request: ", "")).refine(request),
    rule("blk.update_request_new", Sign::IoError, &["blk_update_request: "], &["error, dev "],
        concat!(request!("blk_update_request: ", ""), operation!())).refine(request),
    rule("blk.update_request_old", Sign::IoError, &["blk_update_request: "], &["error, dev "],
        request!("blk_update_request: ", r"(?: flags (?P<flags>[0-9a-f]+))?")).refine(request),
    rule("blk.print_req_error", Sign::IoError, &["print_req_error: "], &["error, dev "],
        request!("print_req_error: ", r"(?: flags (?P<flags>[0-9a-f]+))?")).refine(request),
    rule("blk.plain", Sign::IoError, PLAIN, &["error, dev "], concat!(request!("", ""), operation!())).refine(request),
    rule("blk.attempt_beyond", Sign::UnspecifiedFault, &[], &["attempt to access beyond end of device"],
        r"^(?:(?P<comm>\S+): )?attempt to access beyond end of device\s*$"),
    rule("blk.attempt_detail", Sign::UnspecifiedFault, &[], &[": rw="],
        r"(?P<dev>[a-z][a-zA-Z0-9!_/-]*): rw=(?P<rw>\d+), (?:want=(?P<want>\d+)|sector=(?P<sector>\d+), nr_sectors = (?P<nr>\d+)) limit=(?P<limit>\d+)"),
    rule("blk.suppressed", Sign::Info, &[], &[" callbacks suppressed"], r"^(?P<fn>\w+): (?P<n>\d+) callbacks suppressed").refine(suppressed),
    rule("blk.ro", Sign::Info, &["sd", "hd", "vd", "xvd", "md", "dm-", "nvme", "mmcblk"], &["read-only"],
        r"^(?P<dev>[a-z][a-z0-9!_/-]*): (?:Can.t|cannot) .*read-only|^(?P<dev2>\w+): writing to read-only"),

    rule("buf.old", Sign::IoError, &["Buffer I/O error on device "], &[],
        r"^Buffer I/O error on device (?P<dev>[^,]+), logical block (?P<block>\d+)"),
    rule("buf.lost_old", Sign::DataLoss, &["lost "], &["page write due to I/O error"],
        r"^lost (?P<what>(?:async |sync )?page write) due to I/O error on (?P<dev>\S+)"),
    rule("buf.new", Sign::IoError, &["Buffer I/O error on dev "], &[],
        r"^Buffer I/O error on dev (?P<dev>[^,]+), logical block (?P<block>\d+)(?:, (?P<what>lost async page write|lost sync page write|async page read))?").refine(buffer),
    rule("swap.write", Sign::IoError, &["Write-error on swap-device"], &[],
        r"^Write-error on swap-device \((?P<number>\d+:\d+):(?P<sector>\d+)\)").refine(numbered),
    rule("swap.read", Sign::IoError, &["Read-error on swap-device"], &[],
        r"^Read-error on swap-device \((?P<number>\d+:\d+):(?P<sector>\d+)\)").refine(numbered),
    rule("iomap.writeback", Sign::DataLoss, &[], &[": writeback error on inode"],
        r"^(?P<dev>\S+): writeback error on inode (?P<inode>\d+), offset (?P<off>-?\d+), sector (?P<sector>\d+)"),
];

fn request(seen: &mut Observation) {
    let unsupported = matches!(seen.about.field("op"), "DISCARD" | "SECURE_ERASE" | "WRITE_ZEROES" | "WRITE_SAME");
    seen.sign = match seen.about.field("err") {
        "operation not supported" => Sign::Benign,
        "critical target" | "I/O" if unsupported => Sign::Benign,
        "critical medium" => Sign::MediumError,
        "timeout" => Sign::Timeout,
        "recoverable transport" => Sign::LinkError,
        "device offline" => Sign::DeviceOffline,
        "I/O" | "critical target" | "critical space allocation" | "protection" => Sign::IoError,
        _ => Sign::Info,
    };
}

fn buffer(seen: &mut Observation) {
    if seen.about.field("what").starts_with("lost") {
        seen.sign = Sign::DataLoss;
    }
}

fn suppressed(seen: &mut Observation) {
    seen.count = seen.about.field("n").parse().unwrap_or(1);
}

/// `8:2`, decimal.
pub(super) fn numbered(seen: &mut Observation) {
    if let Some(name) = device::disk_of_pair(seen.about.field("number")) {
        seen.about.set("dev", name);
        device::name_objects(&mut seen.about);
    }
}
