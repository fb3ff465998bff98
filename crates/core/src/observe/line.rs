//! Takes the wrapping off a log line: syslog header, priority, kernel stamp, caller, `/dev/kmsg`
//! record head. Dates are parsed only for lines that matched something.
//!
//! Understood: BSD and RFC 3339 syslog headers (with or without host), journald's short forms, bare
//! dmesg, `dmesg -T`, `<N>` priorities, `[T1]`/`[C0]` callers, kmsg records. Does not understand RFC
//! 5424 structured headers.

use jiff::{SignedDuration, Timestamp, civil, tz::TimeZone};

/// What a log cannot say about its own dates.
#[derive(Debug, Clone)]
pub struct Context {
    /// Nothing in the log is later than a day after this (now, or the file's time). Gives dates
    /// without a year their year; without it they stay undated.
    pub latest: Option<Timestamp>,
    /// Zone of dates that state none.
    pub zone: TimeZone,
}

impl Default for Context {
    fn default() -> Self {
        Self { latest: None, zone: TimeZone::UTC }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Date<'a> {
    None,
    /// `Oct  1 12:00:00`
    Bsd(&'a [u8]),
    /// RFC 3339, or the same without a zone.
    Iso(&'a [u8]),
    /// `Sun Nov 20 22:57:43 2016`
    Ctime(&'a [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line<'a> {
    pub text: &'a [u8],
    /// Who wrote it; `None` when the line does not say (dmesg).
    pub program: Option<&'a [u8]>,
    pub date: Date<'a>,
    /// Kernel uptime as printed, in seconds, with the blanks around it.
    pub(super) uptime: Option<&'a [u8]>,
    /// Uptime of a kmsg record, in microseconds.
    pub(super) microseconds: Option<&'a [u8]>,
}

/// Host and program of the line before: mostly those of the next one, too.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Head<'a> {
    /// `host kernel: `, to the blank after the colon.
    bytes: &'a [u8],
    program: Option<&'a [u8]>,
}

impl<'a> Head<'a> {
    /// What follows when a line goes on after its date just like the one before. The head ends with a
    /// blank, so what comes after it cannot change how it is read.
    fn take_off(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        self.program.and_then(|_| rest.strip_prefix(self.bytes))
    }

    fn remember(&mut self, rest: &'a [u8], line: &Line<'a>) {
        let bytes = rest.get(..rest.len() - line.text.len()).unwrap_or_default();
        if line.program.is_some() && bytes.ends_with(b" ") {
            *self = Head { bytes, program: line.program };
        }
    }
}

impl<'a> Line<'a> {
    #[cfg(test)]
    pub fn of(raw: &'a [u8]) -> Self {
        Self::after(&mut Head::default(), raw)
    }

    pub fn after(head: &mut Head<'a>, raw: &'a [u8]) -> Self {
        let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        if raw.first() == Some(&b' ')
            && let Some(line) = Self::of_indented(head, raw)
        {
            return line;
        }
        Self::of_flush(head, raw)
    }

    /// Quoted and pasted logs are indented; a kernel text that begins with spaces is not touched.
    fn of_indented(head: &mut Head<'a>, raw: &'a [u8]) -> Option<Self> {
        let flush = raw.trim_ascii_start();
        let line = Self::of_flush(head, flush);
        (line.text.len() < flush.len()).then_some(line)
    }

    fn of_flush(head: &mut Head<'a>, raw: &'a [u8]) -> Self {
        let mut line = Line { text: raw, program: None, date: Date::None, uptime: None, microseconds: None };
        match raw.first() {
            Some(b'<') => line.take_priority(),
            Some(b'0'..=b'9') if line.take_kmsg() => return line,
            _ => {}
        }
        line.take_header(head);
        if line.program.is_none_or(|p| p == b"kernel") {
            line.take_stamps();
        }
        line
    }

    pub fn is_kmsg(&self) -> bool {
        self.microseconds.is_some()
    }

    pub fn source_seconds(&self) -> Option<f64> {
        match self.microseconds {
            Some(micros) => number(micros).map(|n| n / 1e6),
            None => self.uptime.map(<[u8]>::trim_ascii).and_then(number),
        }
    }

    pub fn at(&self, context: &Context) -> Option<Timestamp> {
        match self.date {
            Date::None => None,
            Date::Bsd(date) => bsd(date, context),
            Date::Iso(date) => iso(date, &context.zone),
            Date::Ctime(date) => ctime(date, &context.zone),
        }
    }

    fn take_priority(&mut self) {
        let Some(end) = self.text.iter().take(6).position(|b| *b == b'>') else { return };
        let (head, rest) = self.text.split_at(end + 1);
        let digits = head.get(1..end).unwrap_or_default();
        if let Some(priority) = number(digits) {
            self.text = rest;
            self.program = foreign(priority);
        }
    }

    /// `prio,seq,usec,flags;text`
    fn take_kmsg(&mut self) -> bool {
        let Some(end) = self.text.iter().take(80).position(|b| *b == b';') else { return false };
        let (head, rest) = self.text.split_at(end);
        let mut parts = head.split(|b| *b == b',');
        let (Some(priority), Some(sequence), Some(micros), Some(_)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        let (Some(priority), Some(_), Some(_)) = (number(priority), number(sequence), number(micros)) else {
            return false;
        };
        self.microseconds = Some(micros);
        self.program = foreign(priority);
        self.text = rest.get(1..).unwrap_or_default();
        true
    }

    fn take_header(&mut self, head: &mut Head<'a>) {
        match self.text {
            [b'A'..=b'Z', _, _, b' ', _, _, b' ', _, _, b':', _, _, b':', _, _, b' ', rest @ ..] => {
                self.date = Date::Bsd(self.text.get(..15).unwrap_or_default());
                self.take_host_and_tag(head, rest);
            }
            [b'0'..=b'9', _, _, _, b'-', _, _, b'-', _, _, b'T' | b' ', ..] => {
                let end = self.text.iter().skip(11).position(|b| *b == b' ').map_or(self.text.len(), |e| e + 11);
                let (date, rest) = self.text.split_at(end);
                self.date = Date::Iso(date);
                self.take_host_and_tag(head, rest.get(1..).unwrap_or_default());
            }
            [b'k', b'e', b'r', b'n', b'e', b'l', b':', b' ', rest @ ..] => self.text = rest,
            _ => {}
        }
    }

    fn take_host_and_tag(&mut self, head: &mut Head<'a>, rest: &'a [u8]) {
        if let Some(text) = head.take_off(rest) {
            (self.program, self.text) = (head.program, text);
        } else {
            self.read_host_and_tag(rest);
            head.remember(rest, self);
        }
    }

    /// `host kernel: text`, `host smartd[12]: text`, `kernel: text`, `host text`.
    fn read_host_and_tag(&mut self, rest: &'a [u8]) {
        let (first, after) = token(rest);
        if first.ends_with(b":") {
            return self.take_tag(first, after);
        }
        let (second, text) = token(after);
        if second.ends_with(b":") {
            return self.take_tag(second, text);
        }
        self.text = after;
    }

    fn take_tag(&mut self, tag: &'a [u8], text: &'a [u8]) {
        let end = tag.iter().position(|b| matches!(b, b'[' | b':' | b'(')).unwrap_or(tag.len());
        self.program = tag.get(..end);
        self.text = text;
    }

    /// `[   12.345678] `, `[Sun Nov 20 22:57:43 2016] `, `[    T1] `, `[C0] `.
    fn take_stamps(&mut self) {
        for _ in 0..3 {
            let Some(inner) = self.text.strip_prefix(b"[") else { return };
            if !self.take_uptime(inner) && !self.take_other_stamp(inner) {
                return;
            }
            self.text = self.text.strip_prefix(b" ").unwrap_or(self.text);
        }
    }

    /// The stamp nearly every line has.
    fn take_uptime(&mut self, inner: &'a [u8]) -> bool {
        let Some(end) = stamp_end(inner) else { return false };
        match inner.split_at(end) {
            (stamp, [b']', rest @ ..]) if end > 0 => {
                self.uptime = Some(stamp);
                self.text = rest;
                true
            }
            _ => false,
        }
    }

    fn take_other_stamp(&mut self, inner: &'a [u8]) -> bool {
        let Some(end) = inner.iter().take(32).position(|b| *b == b']') else { return false };
        let (stamp, rest) = inner.split_at(end);
        let known = self.take_stamp(stamp.trim_ascii());
        if known {
            self.text = rest.get(1..).unwrap_or_default();
        }
        known
    }

    fn take_stamp(&mut self, stamp: &'a [u8]) -> bool {
        match stamp {
            [b'T' | b'C', digits @ ..] if is_number(digits) => {}
            [b'+', digits @ ..] if is_number(digits) => {}
            [_, _, _, b' ', _, _, _, b' ', _, _, b' ', _, _, b':', _, _, b':', _, _, b' ', ..] => {
                self.date = Date::Ctime(stamp);
            }
            _ => return false,
        }
        true
    }
}

fn is_stamp(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b' ')
}

/// Where a stamp ends. The first bytes, all that most stamps have, are compared at once.
fn stamp_end(inner: &[u8]) -> Option<usize> {
    let (skipped, rest) = match inner.split_first_chunk::<12>() {
        Some((first, rest)) if first.iter().fold(true, |all, b| all & is_stamp(*b)) => (first.len(), rest),
        _ => (0, inner),
    };
    rest.iter().take(32).position(|b| !is_stamp(*b)).map(|end| skipped + end)
}

/// Facility 0 is the kernel; others put their lines into its buffer too.
fn foreign(priority: f64) -> Option<&'static [u8]> {
    (priority >= 8.0).then_some(b"")
}

fn token(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    match text.iter().position(|b| *b == b' ') {
        Some(end) => (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default()),
        None => (text, b""),
    }
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

fn number(text: &[u8]) -> Option<f64> {
    if is_number(text) { std::str::from_utf8(text).ok()?.parse().ok() } else { None }
}

/// A kmsg record's text: `\x0a` and the like are escaped bytes.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.strip_prefix(b"x").and_then(|a| a.get(..2)).filter(|_| *first == b'\\').and_then(hex_byte);
        out.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    out
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn iso(date: &[u8], zone: &TimeZone) -> Option<Timestamp> {
    let text = std::str::from_utf8(date).ok()?.replace(',', ".");
    text.parse::<Timestamp>().ok().or_else(|| placed(text.parse().ok()?, zone))
}

fn placed(date: civil::DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(date).compatible().ok()
}

fn ctime(date: &[u8], zone: &TimeZone) -> Option<Timestamp> {
    let text = std::str::from_utf8(date).ok()?;
    let (weekless, year) = (text.get(4..19)?, text.get(20..)?);
    placed(month_day_time(weekless, year.trim().parse().ok()?)?, zone)
}

/// The latest year that does not put the line into the future.
fn bsd(date: &[u8], context: &Context) -> Option<Timestamp> {
    let text = std::str::from_utf8(date).ok()?;
    let latest = context.latest?.checked_add(SignedDuration::from_hours(24)).ok()?;
    let year = context.zone.to_datetime(latest).year();
    (0..4).find_map(|back| {
        let at = placed(month_day_time(text, year.checked_sub(back)?)?, &context.zone)?;
        (at <= latest).then_some(at)
    })
}

/// `Oct  1 12:00:00`
fn month_day_time(text: &str, year: i16) -> Option<civil::DateTime> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = MONTHS.iter().position(|m| text.get(..3) == Some(m))? as i8 + 1;
    let day = text.get(3..6)?.trim().parse().ok()?;
    let time: civil::Time = text.get(7..15)?.parse().ok()?;
    Some(civil::Date::new(year, month, day).ok()?.to_datetime(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        String::from_utf8_lossy(Line::of(raw.as_bytes()).text).into_owned()
    }

    #[test]
    fn wrappings_come_off() {
        for raw in [
            "Oct  1 12:00:00 box kernel: [   12.345678] sd 0",
            "Oct  1 12:00:00 kernel: sd 0",
            "2026-10-01T12:00:00.123456+02:00 box kernel: [12.3] sd 0",
            "2026-10-01 12:00:00 box kernel: sd 0",
            "<6>[    1.000000][    T1] sd 0",
            "[    1.000000] [C0] sd 0",
            "[Sun Nov 20 22:57:43 2016] sd 0",
            "[  +0.000012] sd 0",
            "kernel: sd 0",
            "6,425,21344397,-;sd 0",
            "  [    1.000000] sd 0",
            "sd 0\r",
            "sd 0",
        ] {
            assert_eq!(text(raw), "sd 0", "{raw}");
        }
    }

    #[test]
    fn the_writer_is_known() {
        let program = |raw: &'static str| Line::of(raw.as_bytes()).program;
        assert_eq!(program("Oct  1 12:00:00 box smartd[71]: Device"), Some(&b"smartd"[..]));
        assert_eq!(program("30,425,21344397,-;systemd[1]: x"), Some(&b""[..]));
        assert_eq!(program("<30>Oct  1 12:00:00 box smartd[71]: Device"), Some(&b"smartd"[..]));
        assert_eq!(text("         res 41/40"), "         res 41/40");
        assert_eq!(program("Oct  1 12:00:00 box last message repeated 3 times"), None);
    }

    #[test]
    fn dates_are_placed() {
        let latest = "2026-01-02T00:00:00Z".parse().ok();
        let context = Context { latest, zone: TimeZone::fixed(jiff::tz::offset(1)) };
        let at = |raw: &str| Line::of(raw.as_bytes()).at(&context).map(|t| t.to_string());
        assert_eq!(at("Dec 31 12:00:00 box kernel: x").as_deref(), Some("2025-12-31T11:00:00Z"));
        assert_eq!(at("Jan  2 12:00:00 box kernel: x").as_deref(), Some("2026-01-02T11:00:00Z"));
        assert_eq!(at("Feb 29 12:00:00 box kernel: x").as_deref(), Some("2024-02-29T11:00:00Z"));
        assert_eq!(at("2026-10-01T12:00:00.5+0200 box kernel: x").as_deref(), Some("2026-10-01T10:00:00.5Z"));
        assert_eq!(at("2026-10-01 12:00:00 box kernel: x").as_deref(), Some("2026-10-01T11:00:00Z"));
        assert_eq!(at("[Sun Nov 20 22:57:43 2016] x").as_deref(), Some("2016-11-20T21:57:43Z"));
        assert_eq!(at("[  12.5] x"), None);
        assert_eq!(Line::of(b"Dec 31 12:00:00 box kernel: x").at(&Context::default()), None);
    }

    #[test]
    fn uptime_is_a_clock_of_its_own() {
        assert_eq!(Line::of(b"Oct  1 12:00:00 box kernel: [   12.5] x").source_seconds(), Some(12.5));
        assert_eq!(Line::of(b"3,4,21344535,-;x").source_seconds(), Some(21.344535));
        assert_eq!(Line::of(b"x").source_seconds(), None);
    }

    #[test]
    fn record_escapes_are_undone() {
        assert_eq!(unescape(br"one.\x0atwo \xzz \x4"), b"one.\ntwo \\xzz \\x4");
    }
}
