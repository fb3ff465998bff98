//! A message to people, before any channel gave it a form.
//!
//! Channels (mail, webhook, exec) render this and nothing else; it is complete by itself, because it
//! may be sent days after it was written.

use crate::severity::Severity;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeEvent {
    Opened,
    /// Evidence or objects were added; severity did not rise.
    Updated,
    /// The severity of the incident rose.
    Escalated,
    Reminder,
    Resolved,
    /// The regular "all well".
    Digest,
    Test,
}

impl NoticeEvent {
    pub fn word(self) -> &'static str {
        match self {
            NoticeEvent::Opened => "opened",
            NoticeEvent::Updated => "updated",
            NoticeEvent::Escalated => "escalated",
            NoticeEvent::Reminder => "reminder",
            NoticeEvent::Resolved => "resolved",
            NoticeEvent::Digest => "digest",
            NoticeEvent::Test => "test",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Number a person uses: `raidmond ack 17`.
    pub incident: u64,
    /// Stable over the incident's life; carries nothing that moves.
    pub key: String,
    pub opened_at: Timestamp,
}

/// One line of "why I believe it".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceLine {
    pub at: Option<Timestamp>,
    /// "kernel", "storcli64", "megaserv.log", "now".
    pub source: String,
    pub said: String,
}

/// The object a message is about, for machines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NoticeObject {
    pub kind: String,
    pub path: String,
    pub controller: Option<String>,
    pub enclosure: Option<String>,
    pub slot: Option<String>,
    pub serial: Option<String>,
    pub model: Option<String>,
    pub array: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Deterministic and unique: the same message sent again has the same id (Message-ID, delivery id).
    pub id: String,
    pub event: NoticeEvent,
    pub severity: Severity,
    pub host: String,
    pub at: Timestamp,
    /// IANA zone or fixed offset to show times in.
    pub time_zone: String,
    /// `None` for digest and test.
    pub thread: Option<Thread>,
    /// Condition kinds that the incident stands on ("array-degraded", "disk-failed").
    pub kinds: Vec<String>,
    /// Verdict and object, without prefix: "RAID 5 data degraded, disk 32:5 failed".
    pub headline: String,
    pub happened: Vec<String>,
    pub means: Vec<String>,
    /// Numbered when shown.
    pub to_do: Vec<String>,
    pub evidence: Vec<EvidenceLine>,
    /// Last lines: next reminder, how to quiet it.
    pub footer: Vec<String>,
    pub object: NoticeObject,
    /// Sent by `raidmond demo`: marked as a drill wherever a person looks.
    pub drill: bool,
}
