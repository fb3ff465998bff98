//! SCSI sense data and host bytes (SPC, `drivers/scsi/constants.c`).

use super::{Sign, sign_of};

/// By the name of the sense key.
pub fn sign_of_key(key: &str) -> Sign {
    match key.trim() {
        "Recovered Error" => Sign::Corrected,
        "Medium Error" | "Blank Check" => Sign::MediumError,
        "Hardware Error" => Sign::HardwareError,
        "Illegal Request" => Sign::Benign,
        "Aborted Command" => Sign::LinkError,
        "Volume Overflow" | "Miscompare" | "Copy Aborted" => Sign::IoError,
        // Not Ready, Unit Attention, Data Protect: the additional sense says what it is.
        _ => Sign::Info,
    }
}

/// By additional sense code and qualifier; `None` for what is the vendor's own or says nothing.
pub fn sign_of_code(asc: u32, qualifier: u32) -> Option<Sign> {
    Some(match (asc, qualifier) {
        (0x5d, _) => Sign::Predictive,
        (0x0b, 0x01) => Sign::TemperatureHigh,
        (0x0c | 0x10..=0x14 | 0x16 | 0x31, _) => Sign::MediumError,
        (0x03 | 0x09 | 0x15 | 0x32 | 0x40 | 0x42 | 0x44, _) | (0x3e, 0x01 | 0x03) => Sign::HardwareError,
        (0x04, 0x03) | (0x27, _) => Sign::UnspecifiedFault,
        (0x08 | 0x29 | 0x45 | 0x47 | 0x48 | 0x4b | 0x4e, _) => Sign::LinkError,
        (0x3e, 0x02) | (0x2e, _) => Sign::Timeout,
        (0x17 | 0x18, _) => Sign::Corrected,
        (0x20 | 0x24..=0x26, _) => Sign::Benign,
        (0x2a | 0x3f, _) => Sign::DiskChanged,
        _ => return None,
    })
}

/// By the text the kernel prints for the code.
pub fn sign_of_text(text: &str) -> Sign {
    sign_of(TEXTS, text).unwrap_or(Sign::Info)
}

#[rustfmt::skip]
const TEXTS: &[(&str, Sign)] = &[
    ("failure prediction", Sign::Predictive), ("impending failure", Sign::Predictive), ("predictive", Sign::Predictive),
    ("specified temperature exceeded", Sign::TemperatureHigh),
    ("unrecovered", Sign::MediumError), ("unrecoverable", Sign::MediumError), ("uncorrect", Sign::MediumError),
    ("recovered", Sign::Corrected), ("corrected", Sign::Corrected), ("read error", Sign::MediumError),
    ("write error", Sign::MediumError), ("record not found", Sign::MediumError), ("id crc", Sign::MediumError),
    ("medium format corrupted", Sign::MediumError), ("address mark not found", Sign::MediumError),
    ("data synchronization mark", Sign::MediumError), ("block sequence error", Sign::MediumError),
    ("defect list", Sign::HardwareError), ("no defect spare", Sign::HardwareError),
    ("logical unit fail", Sign::HardwareError), ("logical unit has failed", Sign::HardwareError),
    ("internal target failure", Sign::HardwareError), ("positioning error", Sign::HardwareError),
    ("no seek complete", Sign::HardwareError), ("track following", Sign::HardwareError), ("spindle", Sign::HardwareError),
    ("write fault", Sign::HardwareError), ("diagnostic failure", Sign::HardwareError), ("self-test", Sign::HardwareError),
    ("ram failure", Sign::HardwareError), ("hardware", Sign::HardwareError), ("hard reset required", Sign::HardwareError),
    ("manual intervention", Sign::UnspecifiedFault), ("write protected", Sign::UnspecifiedFault),
    ("power on", Sign::LinkError), ("bus device reset", Sign::LinkError), ("device internal reset", Sign::LinkError),
    ("crc error", Sign::LinkError), ("parity error", Sign::LinkError), ("data phase", Sign::LinkError),
    ("overlapped", Sign::LinkError), ("ack/nak", Sign::LinkError), ("nak received", Sign::LinkError),
    ("communication", Sign::LinkError), ("connection lost", Sign::LinkError), ("information unit", Sign::LinkError),
    ("initiator detected", Sign::LinkError), ("transport", Sign::LinkError), ("select or reselect", Sign::LinkError),
    ("timeout", Sign::Timeout), ("timed out", Sign::Timeout),
    ("invalid", Sign::Benign), ("not supported", Sign::Benign),
    ("inquiry data has changed", Sign::DiskChanged), ("capacity data has changed", Sign::DiskChanged),
    ("parameters changed", Sign::DiskChanged), ("luns data has changed", Sign::DiskChanged),
];

/// By the name of the host byte.
pub fn sign_of_host_byte(name: &str) -> Sign {
    match name {
        "DID_NO_CONNECT" | "DID_BAD_TARGET" => Sign::DeviceOffline,
        "DID_TRANSPORT_DISRUPTED" | "DID_TRANSPORT_FAILFAST" | "DID_PARITY" => Sign::LinkError,
        "DID_TIME_OUT" | "DID_ABORT" | "DID_TRANSPORT_MARGINAL" => Sign::Timeout,
        "DID_ERROR" | "DID_TARGET_FAILURE" => Sign::IoError,
        "DID_MEDIUM_ERROR" => Sign::MediumError,
        _ => Sign::Info,
    }
}

/// From the old hexadecimal return code: driver, host, message, status byte.
pub fn sign_of_return_code(code: u32) -> Sign {
    const NAMES: [&str; 8] = [
        "DID_OK",
        "DID_NO_CONNECT",
        "DID_BUS_BUSY",
        "DID_TIME_OUT",
        "DID_BAD_TARGET",
        "DID_ABORT",
        "DID_PARITY",
        "DID_ERROR",
    ];
    let host = usize::try_from(code >> 16 & 0xff).unwrap_or(0);
    sign_of_host_byte(NAMES.get(host).copied().unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_beats_the_key() {
        assert_eq!(sign_of_text("Unrecovered read error - auto reallocate failed"), Sign::MediumError);
        assert_eq!(sign_of_text("Recovered data with retries"), Sign::Corrected);
        assert_eq!(sign_of_text("Failure prediction threshold exceeded"), Sign::Predictive);
        assert_eq!(sign_of_text("Logical unit not ready, manual intervention required"), Sign::UnspecifiedFault);
        assert_eq!(sign_of_text("Logical unit is in process of becoming ready"), Sign::Info);
        assert_eq!(sign_of_text("Invalid field in cdb"), Sign::Benign);
        assert_eq!(sign_of_text("Internal target failure"), Sign::HardwareError);
    }

    #[test]
    fn codes_and_return_codes() {
        assert_eq!(sign_of_code(0x5d, 0x10), Some(Sign::Predictive));
        assert_eq!(sign_of_code(0x80, 0), None);
        assert_eq!(sign_of_return_code(0x0800_0002), Sign::Info);
        assert_eq!(sign_of_return_code(0x0001_0000), Sign::DeviceOffline);
        assert_eq!(sign_of_return_code(0x0003_0000), Sign::Timeout);
    }
}
