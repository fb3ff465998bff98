//! What smartctl says of one disk, whatever the form it says it in: JSON, text of ATA, SCSI or NVMe.

/// Everything is as printed; what it means is decided in `judge`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    pub device: Option<String>,
    pub protocol: Option<Protocol>,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub wwn: Option<String>,
    pub firmware: Option<String>,
    pub size_bytes: Option<u64>,
    /// Has no platters.
    pub solid: Option<bool>,
    /// The word of the overall health: "PASSED", "OK", "true" (JSON).
    pub health: Option<String>,
    /// SMART is there and switched on.
    pub support: Support,
    pub attributes: Vec<Attribute>,
    pub temperature: Option<i64>,
    pub temperature_warning: Option<i64>,
    pub temperature_critical: Option<i64>,
    pub hours: Option<u64>,
    pub grown_defects: Option<u64>,
    pub pending_defects: Option<u64>,
    /// (read, write or verify; total uncorrected errors)
    pub uncorrected: Vec<(String, u64)>,
    pub nvme: Option<Nvme>,
    /// Of the rated life of an SSD.
    pub percent_used: Option<u64>,
    /// Newest first.
    pub self_tests: Vec<SelfTest>,
    pub recovery: Option<Recovery>,
    pub asleep: bool,
    /// Why there is nothing else.
    pub failure: Option<String>,
    pub exit: i32,
    /// The end of a whole page is there: its last logs.
    pub whole: bool,
    /// (what it is said of, word)
    pub unknown: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Ata,
    Scsi,
    Nvme,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Support {
    #[default]
    NotSaid,
    Yes,
    Lacking,
    SwitchedOff,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFailed {
    Never,
    Past,
    Now,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub id: u8,
    pub name: String,
    pub value: u64,
    pub threshold: u64,
    /// At its threshold it predicts a failure; the others tell of age and use.
    pub prefail: bool,
    pub when_failed: WhenFailed,
    /// The first number of the raw value as smartctl formats it for this disk.
    pub raw: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nvme {
    pub critical_warning: Option<u64>,
    pub spare: Option<u64>,
    pub spare_threshold: Option<u64>,
    pub media_errors: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SelfTest {
    pub title: String,
    /// The words of its result.
    pub result: String,
}

/// SCT error recovery control.
#[derive(Debug, Clone, PartialEq)]
pub enum Recovery {
    NotSupported,
    /// Supported; the limits were not asked for.
    Supported,
    /// Deciseconds of reading and writing; `None`: switched off.
    Limits {
        read: Option<u64>,
        write: Option<u64>,
    },
}

impl Report {
    /// Tells anything of how the disk is.
    pub fn tells(&self) -> bool {
        self.health.is_some()
            || !self.attributes.is_empty()
            || self.nvme.is_some()
            || self.grown_defects.is_some()
            || !self.uncorrected.is_empty()
            || !self.self_tests.is_empty()
            || matches!(self.recovery, Some(Recovery::Limits { .. } | Recovery::NotSupported))
    }
}

/// "22", "41 (Min/Max 21/41)", "12345h+20m": the first number.
pub fn leading_number(text: &str) -> Option<u64> {
    let digits: String = text.trim().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Numbers as every locale writes them: "7,681", "7 681", "7’681", "7.681".
pub fn grouped_number(text: &str) -> Option<u64> {
    let number =
        |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{fffd}');
    let digits: String = text.trim().chars().take_while(|c| number(*c)).filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_locale() {
        for text in ["7,681,501 bytes", "7 681 501 bytes", "7’681’501 [x]", "7\u{202f}681\u{202f}501"] {
            assert_eq!(grouped_number(text), Some(7_681_501), "{text}");
        }
        assert_eq!(leading_number("41 (Min/Max 21/41)"), Some(41));
        assert_eq!((leading_number("-"), grouped_number("n/a")), (None, None));
    }
}
