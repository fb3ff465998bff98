//! One method per thing that can happen, each in the four families' words.
//! MegaRAID codes and texts as in the vendor's event appendix; AEN codes as in the 3w-9xxx driver.

use super::{ADAPTER, BATTERY, Datum, ENCLOSURE, LD, PD, RebuildEnd, Voice};
use crate::world::{Array, ArrayState, Controller, Disk, DiskState, Family};

impl Voice {
    pub fn disk_state(&mut self, c: &mut Controller, disk: &Disk, from: DiskState) {
        let to = disk.state;
        match c.family {
            Family::Megaraid => {
                let text = format!("State change on {} from {} to {}", pd(disk), firmware(from), firmware(to));
                self.event(c, 0x72, 0, PD, text, pd_data(disk));
            }
            Family::ThreeWare if to == DiskState::Failed => {
                self.alarm(c, "ERROR", 0x000A, "Drive error detected", &port(disk));
            }
            Family::Aacraid if to == DiskState::Failed => {
                self.kernel(4, format!("aacraid:Drive {}:{}:0 failed", disk.enclosure.unwrap_or(0), disk.slot));
            }
            Family::MegaraidLegacy => {
                let (from, to) = (legacy(from), legacy(to));
                self.megaserv(c, &format!("{}: Physical drive state changed from {from} to {to}", target(disk)));
            }
            _ => {}
        }
    }

    pub fn array_state(&mut self, c: &mut Controller, array: &Array, to: ArrayState) {
        match c.family {
            Family::Megaraid => self.megaraid_array(c, array, to),
            Family::ThreeWare if to == ArrayState::Degraded => {
                self.alarm(c, "ERROR", 0x0002, "Degraded unit", &format!("unit={}", array.number));
            }
            Family::ThreeWare if to == ArrayState::Offline => {
                self.alarm(c, "ERROR", 0x001E, "Unit inoperable", &format!("unit={}", array.number));
            }
            Family::Aacraid => {
                let word = if to == ArrayState::Optimal { "optimal" } else { "degraded" };
                self.kernel(4, format!("aacraid:Container {} is {word}", array.number));
            }
            Family::MegaraidLegacy => {
                let (from, to) = (upper(array.state), upper(to));
                let n = array.number;
                self.megaserv(c, &format!("Logical drive {n} state changed from {from} to {to}"));
            }
            _ => {}
        }
    }

    fn megaraid_array(&mut self, c: &mut Controller, array: &Array, to: ArrayState) {
        let n = array.number;
        let data = vec![("Target Id", n), ("Previous state", ld_number(array.state)), ("New state", ld_number(to))];
        let (from, word) = (upper(array.state), upper(to));
        let text = format!(
            "State change on VD {n:02x}/{n} from {from}({:x}) to {word}({:x})",
            ld_number(array.state),
            ld_number(to)
        );
        self.event(c, 0x51, 0, LD, text, data);
        let (code, class) = match to {
            ArrayState::Optimal => (0xf9, 0),
            ArrayState::PartlyDegraded => (0xfa, 1),
            ArrayState::Degraded => (0xfb, 2),
            ArrayState::Offline => (0xfc, 3),
        };
        self.event(c, code, class, LD, format!("VD {n:02x}/{n} is now {word}"), vec![("Target Id", n)]);
    }

    pub fn predictive(&mut self, c: &mut Controller, disk: &Disk) {
        match c.family {
            Family::Megaraid => {
                let text = format!("Predictive failure: {}", pd(disk));
                self.event(c, 0x60, 1, PD, text, pd_data(disk));
            }
            Family::ThreeWare => self.alarm(c, "WARNING", 0x000F, "SMART threshold exceeded", &port(disk)),
            Family::Aacraid => {}
            Family::MegaraidLegacy => self.megaserv(c, &format!("{}: SMART predictive failure", target(disk))),
        }
    }

    pub fn media_error(&mut self, c: &mut Controller, disk: &Disk) {
        match c.family {
            Family::Megaraid => {
                let at = disk.media_errors * 0x1f3a7 + 0x20d803e;
                let text = format!(
                    "Unexpected sense: {} Path {:016x}, CDB: 28 00 {:02x} {:02x} {:02x} {:02x} 00 00 80 00, Sense: 3/11/00",
                    pd(disk),
                    disk.wwn | 1,
                    at >> 24 & 0xff,
                    at >> 16 & 0xff,
                    at >> 8 & 0xff,
                    at & 0xff
                );
                self.event(c, 0x71, 0, PD, text, pd_data(disk));
            }
            Family::ThreeWare => {
                let about = format!("{}, LBA=0x{:X}", port(disk), disk.media_errors * 0x1f3a7 + 0x1A2B3C);
                self.alarm(c, "WARNING", 0x0023, "Sector repair completed", &about);
            }
            Family::Aacraid => {
                let (channel, id) = (disk.enclosure.unwrap_or(0), disk.slot);
                self.kernel(4, format!("aacraid:ID({channel}:{id:02}:0); Error Event [command:0x28]"));
            }
            Family::MegaraidLegacy => self.megaserv(c, &format!("{}: Media error", target(disk))),
        }
    }

    pub fn disk_presence(&mut self, c: &mut Controller, disk: &Disk, inserted: bool) {
        self.rescan(c);
        match (c.family, inserted) {
            (Family::Megaraid, true) => self.event(c, 0x5b, 0, PD, format!("Inserted: {}", pd(disk)), pd_data(disk)),
            (Family::Megaraid, false) => self.event(c, 0x70, 0, PD, format!("Removed: {}", pd(disk)), pd_data(disk)),
            (Family::ThreeWare, true) => self.alarm(c, "INFO", 0x001A, "Drive inserted", &port(disk)),
            (Family::ThreeWare, false) => self.alarm(c, "WARNING", 0x0019, "Drive removed", &port(disk)),
            (Family::Aacraid, _) => {}
            (Family::MegaraidLegacy, true) => self.megaserv(c, &format!("{}: Drive inserted", target(disk))),
            (Family::MegaraidLegacy, false) => self.megaserv(c, &format!("{}: Drive removed", target(disk))),
        }
    }

    /// megaraid_sas looks for changes after such an event.
    fn rescan(&mut self, c: &Controller) {
        if c.family == Family::Megaraid {
            self.kernel(6, format!("megaraid_sas {}: scanning for scsi{}...", c.pci.address(), c.scsi_host));
        }
    }

    pub fn rebuild(&mut self, c: &mut Controller, disk: &Disk, array: u32, started: bool) {
        match (c.family, started) {
            (Family::Megaraid, true) => {
                self.event(c, 0x6a, 0, PD, format!("Rebuild automatically started on {}", pd(disk)), pd_data(disk));
            }
            (Family::Megaraid, false) => {
                let text = format!("Rebuild complete on VD {array:02x}/{array}");
                self.event(c, 0x63, 0, LD, text, vec![("Target Id", array)]);
                self.event(c, 0x64, 0, PD, format!("Rebuild complete on {}", pd(disk)), pd_data(disk));
            }
            (Family::ThreeWare, true) => self.alarm(c, "INFO", 0x000B, "Rebuild started", &format!("unit={array}")),
            (Family::ThreeWare, false) => self.alarm(c, "INFO", 0x0005, "Rebuild completed", &format!("unit={array}")),
            (Family::Aacraid, _) => {}
            (Family::MegaraidLegacy, true) => self.megaserv(c, &format!("{}: Rebuild started", target(disk))),
            (Family::MegaraidLegacy, false) => self.megaserv(c, &format!("{}: Rebuild completed", target(disk))),
        }
    }

    pub fn rebuild_failed(&mut self, c: &mut Controller, disk: &Disk, array: u32, end: RebuildEnd) {
        match c.family {
            Family::Megaraid => {
                let (code, culprit) = match end {
                    RebuildEnd::Source => (0x65, "source"),
                    RebuildEnd::Target => (0x66, "target"),
                };
                let text = format!("Rebuild failed on {} due to {culprit} drive error", pd(disk));
                self.event(c, code, 2, PD, text, pd_data(disk));
            }
            Family::ThreeWare => self.alarm(c, "ERROR", 0x0004, "Rebuild failed", &format!("unit={array}")),
            Family::Aacraid => {}
            Family::MegaraidLegacy => self.megaserv(c, &format!("{}: Rebuild failed", target(disk))),
        }
    }

    pub fn check_started(&mut self, c: &mut Controller, array: u32) {
        match c.family {
            Family::Megaraid => {
                let text = format!("Consistency Check started on VD {array:02x}/{array}");
                self.event(c, 0x42, 0, LD, text, vec![("Target Id", array)]);
            }
            Family::ThreeWare => self.alarm(c, "INFO", 0x0029, "Verify started", &format!("unit={array}")),
            Family::Aacraid => {}
            Family::MegaraidLegacy => {
                self.megaserv(c, &format!("Logical drive {array}: Check consistency started"));
            }
        }
    }

    pub fn check_stopped(&mut self, c: &mut Controller, array: u32) {
        if c.family == Family::Megaraid {
            let text = format!("Consistency Check aborted on VD {array:02x}/{array}");
            self.event(c, 0x38, 0, LD, text, vec![("Target Id", array)]);
        }
    }

    pub fn check_failed(&mut self, c: &mut Controller, array: u32) {
        match c.family {
            Family::Megaraid => {
                let text = format!("Consistency Check failed on VD {array:02x}/{array}");
                self.event(c, 0x3d, 2, LD, text, vec![("Target Id", array)]);
            }
            Family::ThreeWare => self.alarm(c, "ERROR", 0x002A, "Verify failed", &format!("unit={array}")),
            Family::Aacraid => {}
            Family::MegaraidLegacy => {
                self.megaserv(c, &format!("Logical drive {array}: Check consistency failed"));
            }
        }
    }

    pub fn check_done(&mut self, c: &mut Controller, array: u32, found: u64) {
        match c.family {
            Family::Megaraid => self.megaraid_check_done(c, array, found),
            Family::ThreeWare => {
                for _ in 0..found.min(5) {
                    let about = format!("unit={array}");
                    self.alarm(c, "WARNING", 0x0036, "Verify fixed data/parity mismatch", &about);
                }
                self.alarm(c, "INFO", 0x002B, "Verify completed", &format!("unit={array}"));
            }
            Family::Aacraid => {}
            Family::MegaraidLegacy => {
                let text = format!("Logical drive {array}: Check consistency completed, {found} inconsistencies");
                self.megaserv(c, &text);
            }
        }
    }

    fn megaraid_check_done(&mut self, c: &mut Controller, array: u32, found: u64) {
        for strip in 0..found.min(5) {
            let at = strip * 0x1d3 + 0x42;
            let text = format!("Consistency Check found inconsistent parity on VD {array:02x}/{array} at strip {at:x}");
            self.event(c, 0x3f, 0, LD, text, vec![("Target Id", array)]);
        }
        let (code, text) = match found {
            0 => (0x3a, format!("Consistency Check done on VD {array:02x}/{array}")),
            n => (0x3b, format!("Consistency Check done with corrections on VD {array:02x}/{array} (corrections={n})")),
        };
        self.event(c, code, 0, LD, text, vec![("Target Id", array)]);
    }

    pub fn battery(&mut self, c: &mut Controller, code: u32, class: i32, text: &str) {
        if c.family == Family::Megaraid {
            self.event(c, code, class, BATTERY, text.to_owned(), Vec::new());
        }
    }

    pub fn part(&mut self, c: &mut Controller, enclosure: u32, code: u32, class: i32, text: &str) {
        if c.family == Family::Megaraid {
            self.event(c, code, class, ENCLOSURE, text.to_owned(), vec![("Enclosure Device ID", enclosure)]);
        }
    }

    pub fn adapter(&mut self, c: &mut Controller, code: u32, class: i32, text: &str) {
        if c.family == Family::Megaraid {
            self.event(c, code, class, ADAPTER, text.to_owned(), Vec::new());
        }
    }
}

/// `PD 05(e0x20/s5)`
fn pd(disk: &Disk) -> String {
    format!("PD {:02x}(e0x{:02x}/s{})", disk.device_id, disk.enclosure.unwrap_or(0xff), disk.slot)
}

fn pd_data(disk: &Disk) -> Vec<Datum> {
    let enclosure = disk.enclosure.unwrap_or(0xffff);
    vec![("Device ID", disk.device_id), ("Enclosure Index", enclosure), ("Slot Number", disk.slot)]
}

fn port(disk: &Disk) -> String {
    format!("port={}", disk.slot)
}

fn target(disk: &Disk) -> String {
    format!("Channel {} Target {}", disk.enclosure.unwrap_or(0), disk.slot)
}

fn firmware(state: DiskState) -> &'static str {
    match state {
        DiskState::Online => "ONLINE(18)",
        DiskState::Failed => "FAILED(11)",
        DiskState::Offline => "OFFLINE(10)",
        DiskState::Rebuilding => "REBUILD(14)",
        DiskState::CopyingBack => "COPYBACK(20)",
        DiskState::HotSpare => "HOT SPARE(2)",
        DiskState::Good => "UNCONFIGURED_GOOD(0)",
        DiskState::Bad => "UNCONFIGURED_BAD(1)",
        DiskState::Jbod => "JBOD(40)",
    }
}

fn legacy(state: DiskState) -> &'static str {
    match state {
        DiskState::Online => "ONLINE",
        DiskState::Rebuilding | DiskState::CopyingBack => "REBUILD",
        DiskState::HotSpare => "HOTSPARE",
        DiskState::Good | DiskState::Jbod => "READY",
        DiskState::Failed | DiskState::Bad | DiskState::Offline => "FAILED",
    }
}

fn upper(state: ArrayState) -> &'static str {
    match state {
        ArrayState::Optimal => "OPTIMAL",
        ArrayState::PartlyDegraded => "PARTIALLY DEGRADED",
        ArrayState::Degraded => "DEGRADED",
        ArrayState::Offline => "OFFLINE",
    }
}

fn ld_number(state: ArrayState) -> u32 {
    match state {
        ArrayState::Offline => 0,
        ArrayState::PartlyDegraded => 1,
        ArrayState::Degraded => 2,
        ArrayState::Optimal => 3,
    }
}
