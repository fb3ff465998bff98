//! How bad something is. The words, their order and the exit codes; which condition gets which
//! severity is decided in `diagnose` and nowhere else.

use serde::{Deserialize, Serialize};

/// From least to most serious. `Blind` stands between warning and critical: raidmond cannot see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Ok,
    /// Expected work.
    Info,
    /// Changed, no fault.
    Notice,
    /// Act this week.
    Warning,
    /// raidmond cannot see.
    Blind,
    /// Act today.
    Critical,
    /// Data is being lost, or the next event loses it.
    Emergency,
}

impl Severity {
    pub const ALL: [Severity; 7] = [
        Severity::Ok,
        Severity::Info,
        Severity::Notice,
        Severity::Warning,
        Severity::Blind,
        Severity::Critical,
        Severity::Emergency,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Severity::Ok => "ok",
            Severity::Info => "info",
            Severity::Notice => "notice",
            Severity::Warning => "warning",
            Severity::Blind => "blind",
            Severity::Critical => "critical",
            Severity::Emergency => "emergency",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word().eq_ignore_ascii_case(word))
    }

    /// Exit code of `status` and `inspect`.
    pub fn exit_code(self) -> u8 {
        match self {
            Severity::Emergency | Severity::Critical => 2,
            Severity::Blind => 3,
            Severity::Warning => 1,
            Severity::Notice | Severity::Info | Severity::Ok => 0,
        }
    }

    /// Whether a person is told (notice and below only in history, digest or an open thread).
    pub fn is_fault(self) -> bool {
        self >= Severity::Warning
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}
