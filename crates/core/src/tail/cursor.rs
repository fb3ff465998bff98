//! Where we are in which file, and how to know that file again.

use serde::{Deserialize, Serialize};

/// At most this many bytes of a file's beginning, and before the offset, are remembered as a hash.
const PRINT_BYTES: u64 = 1024;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId {
    pub dev: u64,
    pub ino: u64,
}

/// Length and hash (FNV-1a, 64 bits) of some bytes. It tells files apart; it does not resist forgery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    pub len: u64,
    pub hash: u64,
}

impl Default for Print {
    fn default() -> Self {
        Self { len: 0, hash: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Print {
    pub fn of(bytes: &[u8]) -> Self {
        Self::default().extended(bytes)
    }

    fn extended(self, bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self { len: self.len + bytes.len() as u64, hash: bytes.iter().fold(self.hash, step) }
    }
}

/// The bytes the shell must hash to tell whether a file is the one the cursor stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// The first so many bytes.
    pub head: u64,
    /// So many bytes that end at `offset`.
    pub last: u64,
    pub offset: u64,
}

/// Everything before `offset` was delivered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cursor {
    pub file: FileId,
    pub offset: u64,
    /// The beginning of the file, never beyond the offset.
    pub head: Print,
    /// The bytes just before the offset.
    pub last: Print,
    /// The rest of the line at the offset is to be dropped: it was cut, or we came in its middle.
    #[serde(default)]
    pub skipping: bool,
    /// Lines that begin before this were there at first contact.
    #[serde(default)]
    pub past_until: u64,
    /// Counts the files read under this name.
    #[serde(default)]
    pub generation: u64,
    /// The file that stood under the name when this one, rotated away, was read to its end. Then it may
    /// vanish without loss.
    #[serde(default)]
    pub successor: Option<FileId>,
}

impl Cursor {
    pub fn at_start_of(file: FileId, generation: u64) -> Self {
        Self { file, generation, ..Self::default() }
    }

    pub fn probe(&self) -> Probe {
        Probe { head: self.head.len, last: self.last.len, offset: self.offset }
    }

    /// Account for `bytes`, which stand at the offset, as delivered.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let missing = if self.head.len == self.offset { PRINT_BYTES.saturating_sub(self.head.len) } else { 0 };
        let (head, _) = split_at_most(bytes, missing);
        self.head = self.head.extended(head);
        let len = bytes.len() as u64;
        let (_, last) = split_at_most(bytes, len.saturating_sub(PRINT_BYTES));
        self.last = if self.last.len + len <= PRINT_BYTES { self.last.extended(bytes) } else { Print::of(last) };
        self.offset += len;
        self.successor = None;
    }
}

fn split_at_most(bytes: &[u8], at: u64) -> (&[u8], &[u8]) {
    bytes.split_at(usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_do_not_depend_on_how_the_bytes_came() {
        let bytes: Vec<u8> = (0..3000u32).map(|n| (n % 251) as u8).collect();
        let mut cursor = Cursor::default();
        for chunk in bytes.chunks(700) {
            cursor.advance(chunk);
        }
        assert_eq!(cursor.offset, 3000);
        assert_eq!(cursor.head, Print::of(&bytes[..1024]));
        assert_eq!(cursor.last, Print::of(&bytes[2100..]));
    }

    #[test]
    fn the_head_given_at_first_contact_is_kept() {
        let mut cursor = Cursor { offset: 5000, head: Print::of(b"begin"), ..Cursor::default() };
        cursor.advance(b"more");
        assert_eq!(cursor.head, Print::of(b"begin"));
    }

    #[test]
    fn an_old_saved_cursor_is_still_read() {
        let json = r#"{"file":{"dev":1,"ino":2},"offset":9,"head":{"len":9,"hash":3},"last":{"len":9,"hash":3}}"#;
        let cursor: Cursor = serde_json::from_str(json).unwrap();
        assert_eq!((cursor.offset, cursor.skipping, cursor.successor), (9, false, None));
    }
}
