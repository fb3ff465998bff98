//! libata and the old IDE driver. The object is the port (`ata3`): which disk hangs there is looked
//! up elsewhere. "SATA link down" is information: every empty port prints it at boot.

use super::{Observation, Rule, Sign, rule};
use crate::model::Alias;

macro_rules! ata {
    ($rest:literal) => {
        concat!(r"^ata(?P<port>\d+)(?:\.(?P<link>\d{2}))?: ", $rest)
    };
}

const ATA: &[&str] = &["ata"];

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("ata.exception", Sign::IoError, ATA, &["exception Emask"],
        ata!(r"(?:limiting speed |)exception Emask 0x(?P<emask>[0-9a-f]+) SAct 0x(?P<sact>[0-9a-f]+) SErr 0x(?P<serr>[0-9a-f]+) action 0x(?P<action>[0-9a-f]+)(?P<frozen> frozen)?(?: t(?P<try>\d+))?")).refine(exception),
    rule("ata.failed_cmd", Sign::Info, ATA, &["failed command: "], ata!(r"failed command: (?P<cmd>[A-Z][A-Z0-9 /]+)")).refine(port),
    rule("ata.res", Sign::IoError, &[" ", "res "], &["res "],
        r"^\s*res (?P<st>[0-9a-f]{2})/(?P<er>[0-9a-f]{2}):\S+ Emask 0x(?P<emask>[0-9a-f]+) \((?P<what>[^)]+)\)(?P<F> <F>)?").inherits().refine(result),
    rule("ata.errbits", Sign::IoError, ATA, &["error: { "], ata!(r"error: \{ (?P<bits>[A-Z ]+)\}")).refine(error_bits),
    rule("ata.status", Sign::Info, ATA, &["status: { "], ata!(r"status: \{ (?P<bits>[A-Za-z ]+)\}")).refine(status_bits),
    rule("ata.serror", Sign::LinkError, ATA, &["SError: { "], ata!(r"SError: \{ (?P<bits>[\w ]+)\}")).refine(port),
    rule("ata.reset", Sign::LinkError, ATA, &["resetting link"], ata!(r"(?P<kind>soft|hard) resetting link")).refine(port),
    rule("ata.slow", Sign::LinkError, ATA, &["link is slow"], ata!(r"link is slow to respond, please be patient \(ready=(?P<ready>-?\d+)\)")).refine(port),
    rule("ata.resetfail", Sign::LinkError, ATA, &["failed"],
        ata!(r"(?:(?:COMRESET|softreset|hardreset|reset|prereset|SRST) failed(?P<gave_up>, giving up)?.*|EH complete.*failed)")).refine(reset_failed),
    rule("ata.disabled", Sign::DeviceOffline, ATA, &["disable", "detaching (SCSI"],
        ata!(r"(?:disabled|disable device|detaching \(SCSI (?P<hctl>[\d:]+)\))")).refine(port),
    rule("ata.link", Sign::Info, ATA, &["SATA link "],
        ata!(r"SATA link (?P<state>up (?P<speed>[\d.]+ Gbps)|down) \(SStatus (?P<ss>[0-9A-F]+) SControl (?P<sc>[0-9A-F]+)\)")).refine(port),
    rule("ata.limit", Sign::LinkError, ATA, &["limiting "], ata!(r"limiting (?:SATA link )?speed to (?P<speed>[\w./: ]+)")).refine(port),
    rule("ata.ncq_off", Sign::LinkError, ATA, &["NCQ disabled"], ata!(r"NCQ disabled due to excessive errors")).refine(port),
    rule("ata.qc", Sign::Timeout, ATA, &["qc timeout"], ata!(r"qc timeout (?:after (?P<ms>\d+) msecs )?\(cmd 0x(?P<cmd>[0-9a-f]+)\)")).refine(port),
    rule("ata.ident", Sign::HardwareError, ATA, &["failed", "mismatch"],
        ata!(r"(?:failed to IDENTIFY \((?P<why>[^)]*)\)|revalidation failed \(errno=(?P<errno>-?\d+)\)|FLUSH failed Emask 0x(?P<em>[0-9a-f]+)|(?P<changed>model number|class|n_sectors) mismatch.*)")).refine(identity),
    rule("ide.dma_intr", Sign::Info, &["hd"], &["=0x"],
        r"^(?P<dev>hd[a-z]): (?P<fn>\w+): (?P<reg>status|error)=0x(?P<val>[0-9a-f]+) \{ (?P<bits>[\w ]+) ?\}(?:, LBAsect=(?P<lba>\d+).*)?").refine(ide_bits),
    rule("ide.lost", Sign::Timeout, &["hd"], &["lost interrupt", "timeout"],
        r"^(?P<dev>hd[a-z]): (?:lost interrupt|DMA timeout.*|irq timeout: .*|timeout waiting for DMA)"),
];

fn port(seen: &mut Observation) {
    let port = seen.about.field("port");
    if !port.is_empty() && seen.about.aliases.is_empty() {
        let name = Alias::Kernel(format!("ata{port}"));
        seen.about.aliases.push(name);
    }
}

fn exception(seen: &mut Observation) {
    port(seen);
    let link_trouble = seen.about.field("serr").bytes().any(|b| b != b'0');
    let frozen = seen.about.fields.iter().any(|(name, _)| name == "frozen");
    seen.sign = match (link_trouble, frozen) {
        (true, _) => Sign::LinkError,
        (false, true) => Sign::Timeout,
        (false, false) => Sign::IoError,
    };
}

fn result(seen: &mut Observation) {
    seen.sign = match seen.about.field("what") {
        "media error" => Sign::MediumError,
        "timeout" => Sign::Timeout,
        "ATA bus error" | "host bus error" | "HSM violation" => Sign::LinkError,
        "invalid argument" | "NODEV" => Sign::Info,
        _ => Sign::IoError,
    };
}

fn error_bits(seen: &mut Observation) {
    port(seen);
    let has = |bit| seen.about.field("bits").split(' ').any(|b| b == bit);
    seen.sign = match () {
        () if has("UNC") => Sign::MediumError,
        () if has("ICRC") => Sign::LinkError,
        () => Sign::IoError,
    };
}

fn status_bits(seen: &mut Observation) {
    port(seen);
    if seen.about.field("bits").split(' ').any(|b| b == "DF") {
        seen.sign = Sign::HardwareError;
    }
}

fn reset_failed(seen: &mut Observation) {
    port(seen);
    if !seen.about.field("gave_up").is_empty() {
        seen.sign = Sign::DeviceOffline;
    }
}

fn identity(seen: &mut Observation) {
    port(seen);
    if !seen.about.field("changed").is_empty() {
        seen.sign = Sign::DiskChanged;
    } else if !seen.about.field("em").is_empty() {
        seen.sign = Sign::IoError;
    }
}

fn ide_bits(seen: &mut Observation) {
    let has = |bit: &str| seen.about.field("bits").contains(bit);
    seen.sign = match seen.about.field("reg") {
        _ if has("DeviceFault") => Sign::HardwareError,
        "error" if has("UncorrectableError") => Sign::MediumError,
        "error" if has("BadCRC") => Sign::LinkError,
        "error" => Sign::IoError,
        _ => Sign::Info,
    };
}
