//! 3ware asynchronous event notifications: code and text → sign.
//!
//! The same events come three ways: as alarm lines of tw_cli (text only), as kernel lines (code and
//! text) and in the driver's ring (code). The code decides where it is known; the severity word of
//! the line never does (0x005E is good news, 0x005F is lost data, and both may say INFO).
//! Sources: the 9000-series list of the Linux driver, the AEN tables of the 3ware user guides
//! (0x001E, 0x0044 to 0x005D), published lists for 0x005E and 0x005F.

use raidmond_core::observe::Sign;

pub struct Event {
    pub code: u16,
    pub sign: Sign,
    /// How the message may begin, lower case; drivers, firmwares and tw_cli word it differently.
    pub texts: &'static [&'static str],
}

const fn event(code: u16, sign: Sign, texts: &'static [&'static str]) -> Event {
    Event { code, sign, texts }
}

pub static EVENTS: &[Event] = &[
    event(0x0000, Sign::Benign, &["aen queue empty"]),
    event(0x0001, Sign::ControllerReset, &["controller reset"]),
    event(0x0002, Sign::ArrayDegraded, &["degraded unit", "unit degraded", "degraded array"]),
    event(0x0003, Sign::ControllerFault, &["controller error"]),
    event(0x0004, Sign::RebuildFailed, &["rebuild failed", "background rebuild failed"]),
    event(0x0005, Sign::RebuildCompleted, &["rebuild completed", "background rebuild done", "rebuild done"]),
    event(0x0006, Sign::ArrayFailed, &["incomplete unit", "incomplete array"]),
    event(0x0007, Sign::OtherTask, &["initialize completed", "background initialize done", "initialization completed"]),
    event(0x0008, Sign::Info, &["unclean shutdown"]),
    event(0x0009, Sign::Timeout, &["drive timeout", "aport timeout", "port timeout"]),
    event(0x000A, Sign::HardwareError, &["drive error"]),
    event(0x000B, Sign::RebuildStarted, &["rebuild started", "background rebuild started"]),
    event(0x000C, Sign::OtherTask, &["initialize started", "background initialize started"]),
    event(0x000D, Sign::Info, &["unit deleted", "entire logical unit was deleted"]),
    event(0x000E, Sign::UnspecifiedFault, &["initialize failed", "background initialize failed"]),
    event(0x000F, Sign::Predictive, &["smart threshold exceeded", "smart attribute exceeded threshold"]),
    event(0x0010, Sign::PowerSupplyFailed, &["power supply ac under range", "power supply reported ac"]),
    event(0x0011, Sign::PowerSupplyFailed, &["power supply dc", "power supply reported dc"]),
    event(0x0012, Sign::PowerSupplyFailed, &["power supply malfunction", "power supply reported a malfunction"]),
    event(0x0013, Sign::PowerSupplyFailed, &["power supply predicted malfunction"]),
    event(0x0014, Sign::BatteryWeak, &["battery charge is below threshold", "battery charge low"]),
    event(0x0015, Sign::FanFailed, &["fan speed"]),
    event(0x0016, Sign::TemperatureHigh, &["temperature sensor"]),
    event(0x0017, Sign::PowerSupplyFailed, &["power supply removed", "power supply was removed"]),
    event(0x0018, Sign::EnclosureOk, &["power supply inserted", "power supply was inserted"]),
    event(0x0019, Sign::DiskRemoved, &["drive removed", "drive was removed"]),
    event(0x001A, Sign::DiskInserted, &["drive inserted", "drive was inserted"]),
    event(0x001B, Sign::Info, &["drive bay cover door opened", "drive bay cover door was opened"]),
    event(0x001C, Sign::Info, &["drive bay cover door closed", "drive bay cover door was closed"]),
    event(0x001D, Sign::Info, &["product case opened", "product case was opened"]),
    event(0x001E, Sign::ArrayFailed, &["unit inoperable"]),
    event(0x001F, Sign::ArrayOptimal, &["unit operational"]),
    event(0x0020, Sign::Info, &["prepare for shutdown"]),
    event(0x0021, Sign::LinkError, &["downgrade udma", "downgraded udma"]),
    event(0x0022, Sign::Info, &["upgrade udma", "upgraded udma"]),
    event(0x0023, Sign::Corrected, &["sector repair completed"]),
    event(0x0024, Sign::MemoryUncorrectable, &["sbuf memory test failed", "buffer integrity test failed"]),
    event(0x0025, Sign::DataLoss, &["error flushing cached write data", "cache flush failed"]),
    event(0x0026, Sign::MediumError, &["drive ecc error", "drive reported data ecc error"]),
    event(0x0027, Sign::ControllerFault, &["dcb checksum error", "dcb has checksum error"]),
    event(0x0028, Sign::ControllerFault, &["dcb version"]),
    event(0x0029, Sign::CheckStarted, &["verify started", "background verify started"]),
    event(0x002A, Sign::CheckFailed, &["verify failed", "background verify failed"]),
    event(0x002B, Sign::CheckCompleted, &["verify completed", "background verify done"]),
    event(0x002C, Sign::DataLoss, &["source drive ecc error overwritten", "bad sector overwritten"]),
    event(0x002D, Sign::MediumError, &["source drive error", "background rebuild error on source drive"]),
    event(0x002E, Sign::RebuildFailed, &["replacement drive capacity too small", "replacement drive too small"]),
    event(
        0x002F,
        Sign::CheckFailed,
        &["verify not started; unit never initialized", "verify failed because array was never"],
    ),
    event(0x0030, Sign::UnspecifiedFault, &["drive not supported", "unsupported ata drive"]),
    event(0x0031, Sign::Info, &["synchronize host/controller time"]),
    event(0x0032, Sign::SpareFailed, &["spare capacity too small", "spare capacity is inadequate"]),
    event(0x0033, Sign::OtherTask, &["migration started", "background migration started"]),
    event(0x0034, Sign::UnspecifiedFault, &["migration failed", "background migration failed"]),
    event(0x0035, Sign::OtherTask, &["migration completed", "background migration done"]),
    event(
        0x0036,
        Sign::Inconsistency,
        &["verify fixed data/parity mismatch", "verify detected and fixed data/parity mismatch"],
    ),
    event(0x0037, Sign::ControllerFault, &["so-dimm not compatible", "so-dimm incompatible"]),
    event(0x0038, Sign::ControllerFault, &["so-dimm not detected"]),
    event(0x0039, Sign::MemoryCorrectable, &["buffer ecc error corrected", "corrected sbuf ecc error"]),
    event(0x003A, Sign::LinkError, &["drive power on reset detected"]),
    event(0x003B, Sign::OtherTask, &["rebuild paused", "background rebuild paused"]),
    event(0x003C, Sign::OtherTask, &["initialize paused", "background initialize paused"]),
    event(0x003D, Sign::OtherTask, &["verify paused", "background verify paused"]),
    event(0x003E, Sign::OtherTask, &["migration paused", "background migration paused"]),
    event(0x003F, Sign::ControllerFault, &["flash file system error detected", "corrupt flash file system"]),
    event(0x0040, Sign::Info, &["flash file system repaired"]),
    event(0x0041, Sign::ControllerFault, &["unit number assignments lost", "unit number assignments were lost"]),
    event(0x0042, Sign::MediumError, &["primary dcb read error", "error during read of primary dcb"]),
    event(0x0043, Sign::MediumError, &["backup dcb read error", "latent error found in backup dcb"]),
    event(0x0044, Sign::BatteryGood, &["battery voltage is normal"]),
    event(0x0045, Sign::BatteryWeak, &["battery voltage is low"]),
    event(0x0046, Sign::BatteryWeak, &["battery voltage is high"]),
    event(0x0047, Sign::BatteryFailed, &["battery voltage is too low"]),
    event(0x0048, Sign::BatteryFailed, &["battery voltage is too high"]),
    event(0x0049, Sign::BatteryGood, &["battery temperature is normal"]),
    event(0x004A, Sign::BatteryWeak, &["battery temperature is low"]),
    event(0x004B, Sign::BatteryWeak, &["battery temperature is high"]),
    event(0x004C, Sign::BatteryFailed, &["battery temperature is too low"]),
    event(0x004D, Sign::BatteryFailed, &["battery temperature is too high"]),
    event(0x004E, Sign::LearnCycle, &["battery capacity test started"]),
    event(0x004F, Sign::Info, &["cache synchronization skipped"]),
    event(0x0050, Sign::LearnCycle, &["battery capacity test completed"]),
    event(0x0051, Sign::Info, &["battery health check started"]),
    event(0x0052, Sign::Info, &["battery health check completed"]),
    // Printed without text by drivers that do not know it; documented as ignorable.
    event(0x0053, Sign::Benign, &["need to do a capacity test", "battery capacity test needed"]),
    event(0x0054, Sign::BatteryGood, &["charge termination voltage is at high level", "charge termination voltage"]),
    event(0x0055, Sign::Info, &["battery charging started"]),
    event(0x0056, Sign::BatteryGood, &["battery charging completed"]),
    event(0x0057, Sign::BatteryFailed, &["battery charging fault"]),
    event(0x0058, Sign::BatteryWeak, &["battery capacity is below warning level"]),
    event(0x0059, Sign::BatteryFailed, &["battery capacity is below error level"]),
    event(0x005A, Sign::BatteryGood, &["battery is present"]),
    event(0x005B, Sign::BatteryFailed, &["battery is not present"]),
    event(0x005C, Sign::BatteryWeak, &["battery is weak"]),
    event(0x005D, Sign::BatteryFailed, &["battery health check failed"]),
    event(0x005E, Sign::Info, &["cache synchronization completed"]),
    event(0x005F, Sign::DataLoss, &["cache synchronization failed"]),
    event(0x00FC, Sign::Info, &["recovered/finished array membership update"]),
    event(0x00FD, Sign::ControllerFault, &["handler lockup"]),
    event(0x00FE, Sign::ControllerFault, &["retrying pci transfer"]),
    event(0x00FF, Sign::Info, &["aen queue is full"]),
];

pub fn by_code(code: u16) -> Option<&'static Event> {
    EVENTS.iter().find(|e| e.code == code)
}

/// The longest known beginning wins: "battery voltage is too low" is not "battery voltage is low".
pub fn by_text(message: &str) -> Option<&'static Event> {
    let message = message.trim().to_ascii_lowercase();
    let fit = |e: &Event| e.texts.iter().filter(|t| message.starts_with(**t)).map(|t| t.len()).max();
    EVENTS.iter().filter_map(|e| fit(e).map(|len| (len, e))).max_by_key(|(len, _)| *len).map(|(_, e)| e)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_texts_lead_back() {
        for (index, event) in EVENTS.iter().enumerate() {
            assert!(EVENTS[index + 1..].iter().all(|e| e.code != event.code), "{:#06x} twice", event.code);
            for text in event.texts {
                assert_eq!(by_text(text).map(|e| e.code), Some(event.code), "{text}");
            }
        }
    }

    #[test]
    fn one_word_apart() {
        let sign = |text: &str| by_text(text).map(|e| e.sign);
        assert_eq!(sign("Cache synchronization completed: unit=1"), Some(Sign::Info));
        assert_eq!(sign("Cache synchronization failed; some data lost: unit=1"), Some(Sign::DataLoss));
        assert_eq!(sign("Verify not started; unit never initialized: unit=0"), Some(Sign::CheckFailed));
        assert_eq!(sign("Something new"), None);
    }
}
