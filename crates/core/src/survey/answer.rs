//! Questions and answers. A `Query` can only read: what changes a machine is another type.

use serde::{Deserialize, Serialize};

/// What was asked of the machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "what", content = "name")]
pub enum Asked {
    /// A command, `argv[0]` first, which may be a bare tool name; the runner finds its path.
    Cmd(Vec<String>),
    File(String),
    /// Names in a directory, one a line.
    Dir(String),
    Log(String),
    Mail(String),
}

impl Asked {
    pub fn cmd(words: &[&str]) -> Self {
        Asked::Cmd(words.iter().map(|w| (*w).to_owned()).collect())
    }

    /// The tool's base name, lower case, without a trailing `.exe`; empty for files.
    pub fn tool(&self) -> String {
        let Asked::Cmd(argv) = self else { return String::new() };
        let first = argv.first().map(String::as_str).unwrap_or("");
        let base = first.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
        base.strip_suffix(".exe").unwrap_or(&base).to_owned()
    }

    /// Arguments, lower case (tools disagree about case), without the tool.
    pub fn args_lower(&self) -> Vec<String> {
        let Asked::Cmd(argv) = self else { return Vec::new() };
        argv.iter().skip(1).map(|w| w.to_ascii_lowercase()).collect()
    }

    /// For a file, directory or log: its path or name; else empty.
    pub fn path(&self) -> &str {
        match self {
            Asked::Cmd(_) => "",
            Asked::File(p) | Asked::Dir(p) | Asked::Log(p) | Asked::Mail(p) => p,
        }
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Asked::Cmd(argv) => f.write_str(&argv.join(" ")),
            other => f.write_str(other.path()),
        }
    }
}

/// Which question of an adapter an answer answers, whatever the exact words asked: `"show-all"`.
/// Unique within one adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnswerKind(pub &'static str);

/// How the tool ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub exit: i32,
    /// `SIGILL`.
    pub signal: Option<String>,
    pub timed_out: bool,
    /// No such tool, file, directory.
    pub absent: bool,
    pub denied: bool,
    /// In replay: the capture does not hold this answer. Narrows coverage, is never a fault.
    pub not_captured: bool,
    pub took_seconds: Option<f64>,
    /// Output was cut at the runner's limit.
    pub truncated: bool,
}

impl Outcome {
    /// The tool ran to its end and was not cut off; says nothing about the exit code.
    pub fn ended(&self) -> bool {
        self.signal.is_none() && !self.timed_out && !self.absent && !self.denied && !self.not_captured
    }

    /// For messages: "exit 46", "killed by SIGILL", "no answer in time", "not installed".
    pub fn words(&self) -> String {
        if let Some(signal) = &self.signal {
            return format!("killed by {signal}");
        }
        let fixed = [
            (self.timed_out, "no answer in time"),
            (self.absent, "not there"),
            (self.denied, "permission denied"),
            (self.not_captured, "not captured"),
        ];
        match fixed.iter().find(|(set, _)| *set) {
            Some((_, words)) => (*words).to_owned(),
            None => format!("exit {}", self.exit),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub asked: Asked,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub outcome: Outcome,
}

impl Answer {
    pub fn not_captured(asked: Asked) -> Self {
        let outcome = Outcome { not_captured: true, ..Outcome::default() };
        Self { asked, stdout: Vec::new(), stderr: Vec::new(), outcome }
    }

    /// Standard output as text: invalid UTF-8 becomes U+FFFD, so that one bad byte hides nothing.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// How old an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Every poll: states.
    Fast,
    /// About every 15 minutes: counters, batteries, enclosures.
    Slow,
    /// Inventory, settings.
    Daily,
}

/// How long the tool may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// Kernel files, summaries: 10 s.
    Quick,
    /// 60 s.
    Normal,
    /// Event logs, many disks behind a busy card: 180 s.
    Long,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub asked: Asked,
    pub kind: AnswerKind,
    pub freshness: Freshness,
    pub deadline: Deadline,
}

impl Query {
    pub fn cmd(kind: AnswerKind, words: &[&str]) -> Self {
        Self { asked: Asked::cmd(words), kind, freshness: Freshness::Fast, deadline: Deadline::Normal }
    }

    pub fn file(kind: AnswerKind, path: impl Into<String>) -> Self {
        Self { asked: Asked::File(path.into()), kind, freshness: Freshness::Fast, deadline: Deadline::Quick }
    }

    pub fn dir(kind: AnswerKind, path: impl Into<String>) -> Self {
        Self { asked: Asked::Dir(path.into()), kind, freshness: Freshness::Fast, deadline: Deadline::Quick }
    }

    #[must_use]
    pub fn slow(mut self) -> Self {
        self.freshness = Freshness::Slow;
        self
    }

    #[must_use]
    pub fn daily(mut self) -> Self {
        self.freshness = Freshness::Daily;
        self
    }

    #[must_use]
    pub fn deadline(mut self, deadline: Deadline) -> Self {
        self.deadline = deadline;
        self
    }
}

/// What an adapter has heard so far in one conversation, each answer with its kind.
#[derive(Debug, Default, Clone)]
pub struct Heard {
    answers: Vec<(AnswerKind, Answer)>,
}

impl Heard {
    pub fn push(&mut self, kind: AnswerKind, answer: Answer) {
        self.answers.push((kind, answer));
    }

    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = (AnswerKind, &Answer)> {
        self.answers.iter().map(|(k, a)| (*k, a))
    }

    /// Answers of one kind, in the order they were heard (not-captured ones left out).
    pub fn of(&self, kind: AnswerKind) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(move |(k, a)| *k == kind && !a.outcome.not_captured).map(|(_, a)| a)
    }

    /// Whether this kind was asked and answered in any way, "not captured" included.
    pub fn has(&self, kind: AnswerKind) -> bool {
        self.answers.iter().any(|(k, _)| *k == kind)
    }

    /// Whether exactly this was asked already.
    pub fn has_asked(&self, asked: &Asked) -> bool {
        self.answers.iter().any(|(_, a)| a.asked == *asked)
    }
}
