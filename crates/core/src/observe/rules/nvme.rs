//! NVMe. The controller is the disk here: a controller that must be reset is a disk in trouble.

use super::{Observation, Rule, Sign, hex, rule};

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("nvme.timeout", Sign::Timeout, &["nvme "], &[" timeout, "],
        r"^nvme (?P<ctrl>nvme\d+): I/O (?:tag )?(?P<tag>\d+)(?: \((?P<gentag>[0-9a-f]+)\))?(?: \((?P<opn0>[^)]*)\))?(?: opcode 0x(?P<opcode>[0-9a-f]+) \((?P<opn>[^)]*)\))? QID (?P<qid>\d+) timeout, (?P<act>aborting|completion polled|reset controller|disable controller)(?P<rest>.*)").refine(timeout),
    rule("nvme.down", Sign::HardwareError, &["nvme "], &["controller is down"],
        r"^nvme (?P<ctrl>nvme\d+): controller is down; will reset: CSTS=0x(?P<csts>[0-9a-f]+), PCI_STATUS(?:=0x(?P<pcistatus>[0-9a-f]+)| read failed \((?P<rc>-?\d+)\))").refine(down),
    rule("nvme.removing", Sign::DeviceOffline, &["nvme "], &["Removing after", "Disabling device", "Device not ready", "failed to mark", "shutdown incomplete"],
        r"^nvme (?P<ctrl>nvme\d+): (?:Removing after probe failure(?: status: (?P<rc>-?\d+))?|Disabling device after reset failure: (?P<rc2>-?\d+)|Device not ready; aborting (?P<w>\w+)(?:, CSTS=0x(?P<csts>[0-9a-f]+))?|failed to mark controller .*|(?P<late>Device shutdown incomplete); abort shutdown)").refine(removing),
    rule("nvme.ioerr", Sign::IoError, &["nvme"], &[" @ LBA "],
        r"^(?P<dev>nvme\d+(?:c\d+)?n\d+): (?P<op>[\w /]+?)\(0x(?P<opcode>[0-9a-f]+)\) @ LBA (?P<lba>\d+), (?P<n>\d+) blocks, (?P<st>.+?) \(sct 0x(?P<sct>[0-9a-f]+) / sc 0x(?P<sc>[0-9a-f]+)\)").refine(status),
    rule("nvme.admerr", Sign::Info, &["nvme"], &["(sct 0x"],
        r"^(?P<ctrl>nvme\d+): (?P<op>[\w /-]+)\(0x(?P<opcode>[0-9a-f]+)\), (?P<st>.+?) \(sct 0x(?P<sct>[0-9a-f]+) / sc 0x(?P<sc>[0-9a-f]+)\)").refine(admin),
    rule("nvme.no-path", Sign::IoError, &["block nvme"], &["failing I/O"], r"^block (?P<dev>nvme\d+n\d+): no (?:available|usable) path - failing I/O"),
    rule("nvme.reset", Sign::Info, &["nvme "], &["resetting controller", "frozen state", "slot reset", "failure state", "Shutdown timeout", "Abort status"],
        r"^nvme (?P<ctrl>nvme\d+): (?:resetting controller(?: due to (?P<why>\w+))?|(?P<frozen>frozen state) error detected, reset controller|restart after slot reset|(?P<failed>failure state) error detected, request disconnect|Shutdown timeout set.*|Abort status: 0x(?P<abort>[0-9a-f]+).*)").refine(reset),
];

fn timeout(seen: &mut Observation) {
    if seen.about.field("act").ends_with("controller") {
        seen.sign = Sign::HardwareError;
    }
}

/// All ones: nobody answers on the bus any more.
fn down(seen: &mut Observation) {
    if seen.about.field("csts") == "ffffffff" {
        seen.sign = Sign::DeviceOffline;
    }
}

fn removing(seen: &mut Observation) {
    if !seen.about.field("late").is_empty() {
        seen.sign = Sign::Timeout;
    }
}

/// Status code type 2 is media and data integrity, 3 is path related.
fn status(seen: &mut Observation) {
    let number = |name| hex(seen.about.field(name)).unwrap_or(u32::MAX);
    seen.sign = match (number("sct"), number("sc")) {
        (2, 0x80..=0x84 | 0x87) => Sign::MediumError,
        (3, _) => Sign::LinkError,
        (0, 0x01 | 0x02) => Sign::Benign,
        (0, 0x06) => Sign::HardwareError,
        (0, 0x04 | 0x07 | 0x08) => Sign::Timeout,
        (0, 0x82 | 0x83) => Sign::Info,
        _ => Sign::IoError,
    };
}

fn admin(seen: &mut Observation) {
    if seen.about.field("st").starts_with("Invalid") {
        seen.sign = Sign::Benign;
    }
}

fn reset(seen: &mut Observation) {
    let has = |field| !seen.about.field(field).is_empty();
    if seen.about.field("why") == "AER" {
        seen.sign = Sign::HardwareError;
    } else if has("failed") {
        seen.sign = Sign::DeviceOffline;
    } else if has("frozen") {
        seen.sign = Sign::LinkError;
    }
}
