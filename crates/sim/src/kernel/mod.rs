//! What the host hears when something changes: kernel lines, megaserv.log, controller events.
//!
//! Line forms are those of the drivers (megaraid_sas, 3w-9xxx, aacraid, sd and the block layer of
//! Linux 6.1). The legacy MegaRAID driver says nothing of disks, its MegaServ daemon does; no sample
//! of that log is public, so its wording here is ours.

mod says;

use crate::clock;
use crate::world::{Controller, Event, Family};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Kernel { level: u8, text: String },
    Megaserv(String),
}

/// MegaRAID event locales.
pub const LD: u32 = 0x01;
pub const PD: u32 = 0x02;
pub const ENCLOSURE: u32 = 0x04;
pub const BATTERY: u32 = 0x08;
pub const ADAPTER: u32 = 0x20;

/// Whose error ended a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RebuildEnd {
    Source,
    Target,
}

pub struct Voice {
    pub now: u64,
    pub lines: Vec<Line>,
}

impl Voice {
    pub fn new(now: u64) -> Self {
        Self { now, lines: Vec::new() }
    }

    pub fn kernel(&mut self, level: u8, text: impl Into<String>) {
        self.lines.push(Line::Kernel { level, text: text.into() });
    }

    /// The `n`th failed read of an array, as sd and the block layer of Linux 6.1 print it.
    pub fn io_error(&mut self, address: &str, device: &str, n: u64) {
        let (tag, sector) = (700 + n % 32, 41_943_040 + n * 256);
        let sd = format!("sd {address}: [{device}] tag#{tag}");
        self.kernel(6, format!("{sd} FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=3s"));
        self.kernel(6, format!("{sd} Sense Key : Medium Error [current] "));
        self.kernel(6, format!("{sd} Add. Sense: Unrecovered read error"));
        let b = (sector as u32).to_be_bytes();
        let cdb = format!("28 00 {:02x} {:02x} {:02x} {:02x} 00 01 00 00", b[0], b[1], b[2], b[3]);
        self.kernel(6, format!("{sd} CDB: Read(10) {cdb}"));
        let tail = "op 0x0:(READ) flags 0x80700 phys_seg 32 prio class 2";
        self.kernel(3, format!("critical medium error, dev {device}, sector {sector} {tail}"));
    }

    /// An entry of the controller's log; the driver prints it from class 2 up.
    pub fn event(&mut self, c: &mut Controller, code: u32, class: i32, locale: u32, text: String, data: Vec<Datum>) {
        let sequence = c.next_sequence;
        c.next_sequence += 1;
        if let Some(word) = printed_class(class) {
            let seconds = self.now.saturating_sub(clock::Y2K);
            let pci = c.pci.address();
            self.kernel(6, format!("megaraid_sas {pci}: {sequence} ({seconds}s/0x{locale:04x}/{word}) - {text}"));
        }
        let data = data.into_iter().map(|(k, v)| (k.to_owned(), v.to_string())).collect();
        c.events.push(Event { sequence, time: self.now, code, class, locale, text, data });
    }

    /// A 3ware asynchronous event, as the 3w-9xxx driver prints it.
    fn aen(&mut self, c: &Controller, severity: &str, code: u32, text: &str, about: &str) {
        let host = c.scsi_host;
        self.kernel(4, format!("3w-9xxx: scsi{host}: AEN: {severity} (0x04:0x{code:04X}): {text}:{about}."));
    }

    /// 3ware events also stand in `tw_cli show alarms`, so they are kept with the card.
    pub fn alarm(&mut self, c: &mut Controller, severity: &str, code: u32, text: &str, about: &str) {
        self.aen(c, severity, code, text, about);
        let class = match severity {
            "ERROR" => 2,
            "WARNING" => 1,
            _ => 0,
        };
        let sequence = c.next_sequence;
        c.next_sequence += 1;
        let text = format!("{text}: {about}");
        c.events.push(Event { sequence, time: self.now, code, class, locale: 0, text, data: Vec::new() });
    }

    fn megaserv(&mut self, c: &Controller, text: &str) {
        if c.family == Family::MegaraidLegacy {
            let line = format!("{} MegaServ: Adapter {}: {text}", clock::ctime(self.now), c.number);
            self.lines.push(Line::Megaserv(line));
        }
    }
}

pub type Datum = (&'static str, u32);

fn printed_class(class: i32) -> Option<&'static str> {
    match class {
        2 => Some("CRIT"),
        3 => Some("FATAL"),
        4 => Some("DEAD"),
        _ => None,
    }
}
