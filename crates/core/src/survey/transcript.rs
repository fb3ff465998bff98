//! The text form of a conversation: plain, diffable, round-trips byte for byte.
//!
//! A line that starts `#@ ` is a direction. Opening directions (`cmd:`, `stderr:`, `file:`, `dir:`,
//! `log:`, `mail:`) start a part; modifying ones (`exit:`, `signal:`, `timeout:`, `absent`, `denied`,
//! `took:`, `nonl`) speak of the part above; `poll:`, `host:`, `known:`, `encoding:` give structure.

use super::answer::{Answer, Asked, Outcome};
use super::known::Known;

/// Directions that describe surroundings for a test; accepted and ignored.
const SURROUNDINGS: [&str; 9] =
    ["sim:", "schedule:", "probe:", "table:", "fact:", "change:", "const:", "repeat:", "t:"];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    pub escaped: bool,
    pub polls: Vec<Poll>,
}

/// One round of questions on one machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Poll {
    pub host: Option<String>,
    pub number: u32,
    /// Seconds since the start of the transcript.
    pub seconds: f64,
    pub known: Option<Known>,
    pub answers: Vec<Answer>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct TranscriptError {
    pub line: usize,
    pub problem: String,
}

impl Transcript {
    /// Whether the bytes hold any direction at all.
    pub fn looks_like(bytes: &[u8]) -> bool {
        bytes.starts_with(b"#@ ") || bytes.windows(4).any(|w| w == b"\n#@ ")
    }

    pub fn parse(bytes: &[u8]) -> Result<Self, TranscriptError> {
        let mut reader = Reader::default();
        for (index, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
            reader.line(index + 1, line)?;
        }
        Ok(reader.finish())
    }

    pub fn write(&self) -> Vec<u8> {
        let mut out = Writer { out: Vec::new(), escaped: self.escaped };
        if self.escaped {
            out.direction("encoding: escaped");
        }
        for (index, poll) in self.polls.iter().enumerate() {
            out.poll(index, poll, index.checked_sub(1).and_then(|i| self.polls.get(i)));
        }
        out.out
    }
}

#[derive(Default)]
struct Reader {
    transcript: Transcript,
    part: Option<Part>,
    in_stderr: bool,
}

struct Part {
    answer: Answer,
    no_newline: bool,
}

impl Reader {
    fn line(&mut self, number: usize, line: &[u8]) -> Result<(), TranscriptError> {
        if line == b"#@\n" || line == b"#@" {
            return Ok(());
        }
        match line.strip_prefix(b"#@ ") {
            Some(rest) => {
                let text = String::from_utf8_lossy(rest);
                let text = text.trim_end_matches(['\n', '\r']);
                self.direction(text).map_err(|problem| TranscriptError { line: number, problem })
            }
            None => {
                self.text(line);
                Ok(())
            }
        }
    }

    fn text(&mut self, line: &[u8]) {
        let Some(part) = &mut self.part else { return };
        let line = if line.starts_with(b"\\#@") { &line[1..] } else { line };
        let line = if self.transcript.escaped { unescape(line) } else { line.to_vec() };
        let into = if self.in_stderr { &mut part.answer.stderr } else { &mut part.answer.stdout };
        into.extend_from_slice(&line);
    }

    fn direction(&mut self, text: &str) -> Result<(), String> {
        if text.starts_with('#') || SURROUNDINGS.iter().any(|s| text.starts_with(s)) {
            return Ok(());
        }
        let (word, rest) = match text.split_once(':') {
            Some((word, rest)) => (word.trim(), rest.trim()),
            None => (text.trim(), ""),
        };
        match word {
            "cmd" => self.open(Asked::Cmd(split_words(rest)?)),
            "file" => self.open(Asked::File(rest.to_owned())),
            "dir" => self.open(Asked::Dir(rest.to_owned())),
            "log" => self.open(Asked::Log(rest.to_owned())),
            "mail" => self.open(Asked::Mail(rest.to_owned())),
            "poll" | "host" | "known" | "encoding" => self.structure(word, rest),
            _ => self.modify(word, rest),
        }
    }

    fn structure(&mut self, word: &str, rest: &str) -> Result<(), String> {
        match word {
            "poll" => {
                let (number, seconds) = parse_poll(rest)?;
                self.close();
                let host = self.poll().host.clone();
                self.start(Poll { host, number, seconds, ..Poll::default() });
            }
            "host" => {
                self.close();
                let poll = Poll { host: Some(rest.to_owned()), ..Poll::default() };
                self.start(poll);
            }
            "known" => {
                let known = serde_json::from_str(rest).map_err(|e| format!("known: is not the JSON expected: {e}"))?;
                self.poll().known = Some(known);
            }
            _ if rest == "escaped" => self.transcript.escaped = true,
            _ => return Err(format!("unknown encoding `{rest}`; `escaped` is the only one")),
        }
        Ok(())
    }

    fn modify(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let known = ["stderr", "exit", "signal", "timeout", "absent", "denied", "took", "nonl"];
        if !known.contains(&word) {
            return Err(format!("unknown direction `#@ {word}`"));
        }
        let Some(part) = &mut self.part else {
            return Err(format!("`#@ {word}` has no cmd:, file:, dir: or log: above it"));
        };
        let outcome = &mut part.answer.outcome;
        match word {
            "stderr" => self.in_stderr = true,
            "exit" => outcome.exit = rest.parse().map_err(|_| format!("exit: `{rest}` is not a number"))?,
            "signal" => outcome.signal = Some(rest.to_owned()),
            "timeout" => {
                outcome.timed_out = true;
                outcome.took_seconds = rest.parse().ok();
            }
            "absent" => outcome.absent = true,
            "denied" => outcome.denied = true,
            "took" => outcome.took_seconds = Some(rest.parse().map_err(|_| format!("took: `{rest}` is not a number"))?),
            _ => part.no_newline = true,
        }
        Ok(())
    }

    fn open(&mut self, asked: Asked) -> Result<(), String> {
        self.close();
        let answer = Answer { asked, stdout: Vec::new(), stderr: Vec::new(), outcome: Outcome::default() };
        self.part = Some(Part { answer, no_newline: false });
        Ok(())
    }

    fn poll(&mut self) -> &mut Poll {
        if self.transcript.polls.is_empty() {
            self.transcript.polls.push(Poll::default());
        }
        let last = self.transcript.polls.len() - 1;
        &mut self.transcript.polls[last]
    }

    /// An untouched first poll is replaced, so that a transcript may begin with `poll:` or `host:`.
    fn start(&mut self, poll: Poll) {
        let untouched = self.poll().answers.is_empty() && self.poll().known.is_none();
        if untouched && self.transcript.polls.len() == 1 {
            self.transcript.polls.clear();
        }
        self.transcript.polls.push(poll);
    }

    fn close(&mut self) {
        self.in_stderr = false;
        let Some(mut part) = self.part.take() else { return };
        if part.no_newline {
            let cut = if part.answer.stderr.is_empty() { &mut part.answer.stdout } else { &mut part.answer.stderr };
            if cut.last() == Some(&b'\n') {
                cut.pop();
            }
        }
        self.poll().answers.push(part.answer);
    }

    fn finish(mut self) -> Transcript {
        self.close();
        self.transcript
    }
}

fn parse_poll(rest: &str) -> Result<(u32, f64), String> {
    let mut words = rest.split_whitespace();
    let number = words.next().and_then(|w| w.parse().ok()).ok_or_else(|| format!("poll: `{rest}` has no number"))?;
    let seconds = match words.find_map(|w| w.strip_prefix("t=")) {
        Some(t) => t.trim_end_matches('s').parse().map_err(|_| format!("poll: `t={t}` is not a number of seconds"))?,
        None => 0.0,
    };
    Ok((number, seconds))
}

/// Shell quoting: single and double quotes and backslash.
pub fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let into = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        None => return Err(format!("unclosed {c} in `{text}`")),
                        Some(q) if q == c => break,
                        Some('\\') if c == '"' => into.extend(chars.next()),
                        Some(other) => into.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn unescape(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, tail)) = rest.split_first() {
        let (decoded, used) = match (byte, tail) {
            (b'\\', [b'x', high, low, ..]) => (hex_byte(*high, *low), 4),
            (b'\\', [b'\\', ..]) => (Some(b'\\'), 2),
            (b'\\', [b'r', ..]) => (Some(b'\r'), 2),
            (b'\\', [b'e', ..]) => (Some(0x1b), 2),
            _ => (None, 1),
        };
        let used = if decoded.is_some() { used } else { 1 };
        out.push(decoded.unwrap_or(byte));
        rest = &rest[used..];
    }
    out
}

fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let digit = |b: u8| (b as char).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

struct Writer {
    out: Vec<u8>,
    escaped: bool,
}

impl Writer {
    fn direction(&mut self, text: &str) {
        self.out.extend_from_slice(b"#@ ");
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'\n');
    }

    fn poll(&mut self, index: usize, poll: &Poll, before: Option<&Poll>) {
        let new_host = poll.host.is_some() && before.is_none_or(|b| b.host != poll.host);
        if let (true, Some(host)) = (new_host, &poll.host) {
            self.direction(&format!("host: {host}"));
        }
        if poll.number != 0 || poll.seconds != 0.0 || (index > 0 && !new_host) {
            self.direction(&format!("poll: {} t={}", poll.number, poll.seconds));
        }
        if let Some(Ok(json)) = poll.known.as_ref().map(serde_json::to_string) {
            self.direction(&format!("known: {json}"));
        }
        for answer in &poll.answers {
            self.answer(answer);
        }
    }

    fn answer(&mut self, answer: &Answer) {
        let opening = match &answer.asked {
            Asked::Cmd(argv) => format!("cmd: {}", argv.iter().map(|w| quote(w)).collect::<Vec<_>>().join(" ")),
            Asked::File(path) => format!("file: {path}"),
            Asked::Dir(path) => format!("dir: {path}"),
            Asked::Log(name) => format!("log: {name}"),
            Asked::Mail(name) => format!("mail: {name}"),
        };
        self.direction(&opening);
        let outcome = &answer.outcome;
        if outcome.exit != 0 {
            self.direction(&format!("exit: {}", outcome.exit));
        }
        if let Some(signal) = &outcome.signal {
            self.direction(&format!("signal: {signal}"));
        }
        match (outcome.timed_out, outcome.took_seconds) {
            (true, took) => self.direction(&format!("timeout: {}", took.unwrap_or(0.0))),
            (false, Some(took)) => self.direction(&format!("took: {took}")),
            (false, None) => {}
        }
        if outcome.absent {
            self.direction("absent");
        }
        if outcome.denied {
            self.direction("denied");
        }
        let last = if answer.stderr.is_empty() { &answer.stdout } else { &answer.stderr };
        if !last.is_empty() && last.last() != Some(&b'\n') {
            self.direction("nonl");
        }
        self.text(&answer.stdout);
        if !answer.stderr.is_empty() {
            self.direction("stderr:");
            self.text(&answer.stderr);
        }
    }

    fn text(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            if line.starts_with(b"#@") || line.starts_with(b"\\#@") {
                self.out.push(b'\\');
            }
            if self.escaped {
                self.escape(line);
            } else {
                self.out.extend_from_slice(line);
            }
        }
        if bytes.last().is_some_and(|b| *b != b'\n') {
            self.out.push(b'\n');
        }
    }

    fn escape(&mut self, line: &[u8]) {
        for &byte in line {
            match byte {
                b'\\' => self.out.extend_from_slice(b"\\\\"),
                b'\n' | b'\t' | 0x20..=0x7e => self.out.push(byte),
                other => self.out.extend_from_slice(format!("\\x{other:02x}").as_bytes()),
            }
        }
    }
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Answer {
        Transcript::parse(text.as_bytes())
            .ok()
            .and_then(|t| t.polls.first()?.answers.first().cloned())
            .unwrap_or_else(|| Answer::not_captured(Asked::Log(String::new())))
    }

    #[test]
    fn a_command_with_its_ending() {
        let answer = first("#@ cmd: tool 'a b' c\\ d\nout\n#@ exit: 46\n#@ stderr:\nbad\n#@ took: 1.5\n");
        assert_eq!(answer.asked, Asked::cmd(&["tool", "a b", "c d"]));
        assert_eq!((answer.text().as_str(), answer.stderr_text().as_str()), ("out\n", "bad\n"));
        assert_eq!((answer.outcome.exit, answer.outcome.took_seconds), (46, Some(1.5)));
    }

    #[test]
    fn escapes_and_quoted_directions() {
        let answer = first("#@ encoding: escaped\n#@ file: /x\na\\x00\\e\\r\\\\\n\\#@ b\n#@ nonl\n");
        assert_eq!(answer.stdout, b"a\0\x1b\r\\\n#@ b");
    }

    #[test]
    fn polls_and_hosts() {
        let text = "#@ host: a\n#@ file: /x\n1\n#@ poll: 2 t=60\n#@ file: /x\n2\n";
        let transcript = Transcript::parse(text.as_bytes()).unwrap_or_default();
        let polls: Vec<_> = transcript.polls.iter().map(|p| (p.host.as_deref(), p.number, p.seconds)).collect();
        assert_eq!(polls, [(Some("a"), 0, 0.0), (Some("a"), 2, 60.0)]);
    }

    #[test]
    fn mistakes_name_their_line() {
        let problem = |text: &str| Transcript::parse(text.as_bytes()).err().map(|e| e.to_string()).unwrap_or_default();
        assert_eq!(problem("#@ cmd: x\n#@ exti: 1\n"), "line 2: unknown direction `#@ exti`");
        assert!(problem("#@ exit: 1\n").contains("has no cmd:"));
        assert!(problem("#@ cmd: x 'y\n").contains("unclosed '"));
    }

    #[test]
    fn round_trip() {
        let texts = [
            "#@ host: h\n#@ known: {\"scope\":{\"scope\":\"everything\"},\"tool\":null,\"pci\":[],\"scsi_hosts\":[],\"cursor\":null,\"may_consume_alarms\":false}\n#@ cmd: t 'a b'\n#@ exit: 3\n#@ nonl\nx\n#@ poll: 1 t=5\n#@ file: /p\n#@ absent\n",
            "#@ encoding: escaped\n#@ log: k\na\\x00\\\\\n",
        ];
        for text in texts {
            let parsed = Transcript::parse(text.as_bytes()).unwrap_or_default();
            assert_eq!(String::from_utf8_lossy(&parsed.write()), text);
        }
    }
}
