//! Bytes at the cursor → complete lines, and the cursor after them.

use super::Cursor;
use serde::{Deserialize, Serialize};

/// A longer line is cut here; its rest is dropped.
pub const MAX_LINE: usize = 64 * 1024;

/// Whether a last line without newline may still grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// More may come: leave a partial line for the next look.
    Open,
    /// These are the file's last bytes, for good.
    Final,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Without its line end.
    pub bytes: Vec<u8>,
    /// Only the first [`MAX_LINE`] bytes.
    pub cut: bool,
    /// Was there at first contact: its date decides whether it is news.
    pub past: bool,
}

impl Line {
    /// Invalid UTF-8 becomes U+FFFD, so that one bad byte hides nothing.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// `bytes` stand at the cursor's offset. What is left unconsumed must be offered again, with more after
/// it; given more than [`MAX_LINE`] bytes something is always consumed.
pub fn assemble(cursor: &mut Cursor, bytes: &[u8], ending: Ending) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut used = 0;
    while let Some(piece) = next_piece(cursor.skipping, bytes.get(used..).unwrap_or_default(), ending) {
        let past = cursor.offset + (used as u64) < cursor.past_until;
        cursor.skipping = piece.skip_rest;
        used += piece.used;
        lines.extend(piece.line.map(|(bytes, cut)| Line { bytes: bytes.to_vec(), cut, past }));
    }
    cursor.advance(bytes.get(..used).unwrap_or_default());
    lines
}

struct Piece<'a> {
    used: usize,
    line: Option<(&'a [u8], bool)>,
    skip_rest: bool,
}

fn next_piece(skipping: bool, rest: &[u8], ending: Ending) -> Option<Piece<'_>> {
    if rest.is_empty() {
        return None;
    }
    // A writer without O_APPEND leaves a hole of NULs where its log was truncated.
    let holes = rest.iter().take_while(|b| **b == 0).count();
    if !skipping && holes > 0 {
        return Some(Piece { used: holes, line: None, skip_rest: false });
    }
    match rest.iter().position(|b| *b == b'\n') {
        Some(end) if skipping => Some(Piece { used: end + 1, line: None, skip_rest: false }),
        Some(end) => Some(whole(rest.get(..end)?, end + 1)),
        None if skipping => Some(Piece { used: rest.len(), line: None, skip_rest: true }),
        None if rest.len() > MAX_LINE => {
            Some(Piece { used: rest.len(), line: Some((rest.get(..MAX_LINE)?, true)), skip_rest: true })
        }
        None if ending == Ending::Final => Some(whole(rest, rest.len())),
        None => None,
    }
}

fn whole(line: &[u8], used: usize) -> Piece<'_> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let kept = line.get(..MAX_LINE).unwrap_or(line);
    Piece { used, line: Some((kept, kept.len() < line.len())), skip_rest: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line]) -> Vec<String> {
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn a_partial_line_waits_and_is_taken_at_the_end() {
        let mut cursor = Cursor::default();
        assert_eq!(texts(&assemble(&mut cursor, b"one\r\n\ntw", Ending::Open)), ["one", ""]);
        assert_eq!(cursor.offset, 6);
        assert_eq!(texts(&assemble(&mut cursor, b"two", Ending::Final)), ["two"]);
        assert_eq!(cursor.offset, 9);
    }

    #[test]
    fn an_endless_line_is_cut_once_and_skipped_to_its_end() {
        let mut cursor = Cursor::default();
        let first = assemble(&mut cursor, &[b'x'; MAX_LINE + 9], Ending::Open);
        assert_eq!((first.len(), first[0].bytes.len(), first[0].cut), (1, MAX_LINE, true));
        assert!(assemble(&mut cursor, &[b'x'; 5000], Ending::Open).is_empty());
        assert_eq!(texts(&assemble(&mut cursor, b"xx\nnext\n", Ending::Open)), ["next"]);
        assert_eq!(cursor.offset, MAX_LINE as u64 + 9 + 5000 + 8);
    }

    #[test]
    fn a_long_line_in_one_piece_is_cut_too() {
        let mut bytes = vec![b'y'; MAX_LINE + 1];
        bytes.extend_from_slice(b"\nz\n");
        let lines = assemble(&mut Cursor::default(), &bytes, Ending::Open);
        assert_eq!((lines[0].bytes.len(), lines[0].cut, lines[1].text().as_str()), (MAX_LINE, true, "z"));
    }

    #[test]
    fn bad_bytes_and_holes_hide_nothing() {
        let lines = assemble(&mut Cursor::default(), b"\0\0\0a\xff\xfeb\n", Ending::Open);
        assert_eq!(texts(&lines), ["a\u{fffd}\u{fffd}b"]);
    }

    #[test]
    fn lines_of_first_contact_are_past() {
        let mut cursor = Cursor { past_until: 4, ..Cursor::default() };
        let past: Vec<bool> = assemble(&mut cursor, b"old\nnew\n", Ending::Open).iter().map(|l| l.past).collect();
        assert_eq!(past, [true, false]);
    }
}
