//! One record of `/dev/kmsg`: `6,1234,5678901,-;text`, then lines ` KEY=value` (Documentation/ABI/
//! testing/dev-kmsg of the kernel).

use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelRecord {
    /// 0 (emergency) to 7 (debug).
    pub level: u8,
    pub facility: u16,
    /// Rises by one with each message of this boot.
    pub sequence: u64,
    pub since_boot: Duration,
    /// First line only; the kernel escapes line ends in the text.
    pub text: String,
    /// `+scsi:0:0:1:0`, `b8:16`, if the driver said which device it speaks of.
    pub device: Option<String>,
    /// Was there at first contact.
    pub past: bool,
}

/// `None` for anything that is not a record, such as a continuation line by itself.
pub fn parse_record(bytes: &[u8]) -> Option<KernelRecord> {
    let all = String::from_utf8_lossy(bytes);
    let mut lines = all.lines();
    let (prefix, text) = lines.next()?.split_once(';')?;
    let mut fields = prefix.split(',');
    let priority: u32 = fields.next()?.parse().ok()?;
    let sequence = fields.next()?.parse().ok()?;
    let since_boot = Duration::from_micros(fields.next()?.parse().ok()?);
    let device = lines.find_map(|line| line.strip_prefix(" DEVICE=")).map(str::to_owned);
    Some(KernelRecord {
        level: (priority & 7) as u8,
        facility: u16::try_from(priority >> 3).ok()?,
        sequence,
        since_boot,
        text: unescape(text),
        device,
        past: false,
    })
}

/// The kernel writes unprintable bytes and backslashes as `\x1b`.
fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let (byte, tail) = escaped(byte, tail).unwrap_or((byte, tail));
        out.push(byte);
        rest = tail;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn escaped(byte: u8, tail: &[u8]) -> Option<(u8, &[u8])> {
    let [b'x', high, low, rest @ ..] = tail else { return None };
    let digit = |b: &u8| (*b as char).to_digit(16);
    let value = u8::try_from(digit(high)? * 16 + digit(low)?).ok()?;
    (byte == b'\\').then_some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_with_its_device() {
        let record =
            parse_record(b"3,42,1500000,-;sd 0:0:1:0: caf\\xc3\\xa9 \\x5c\n SUBSYSTEM=scsi\n DEVICE=+scsi:0:0:1:0\n");
        let record = record.unwrap();
        assert_eq!((record.level, record.facility, record.sequence), (3, 0, 42));
        assert_eq!(record.since_boot, Duration::from_millis(1500));
        assert_eq!(record.text, "sd 0:0:1:0: caf\u{e9} \\");
        assert_eq!(record.device.as_deref(), Some("+scsi:0:0:1:0"));
    }

    #[test]
    fn what_is_no_record() {
        for bytes in [&b" DEVICE=b8:0"[..], b"", b"hello", b"x,1,2,-;text", b"1,2;text"] {
            assert_eq!(parse_record(bytes), None);
        }
    }
}
