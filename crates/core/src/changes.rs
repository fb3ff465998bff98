//! What one turn of the engine wants saved: committed in one transaction before anything is done.

use crate::notice::Notice;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A document is a JSON value under a collection and a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    pub collection: &'static str,
    pub key: String,
    pub json: String,
}

/// A notice on its way to one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    pub channel: String,
    pub notice: Notice,
}

/// A line of history: what happened to which object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    pub at: Timestamp,
    /// Surrogate id of the object, if any.
    pub object: Option<u64>,
    pub path: String,
    /// "opened", "resolved", "observed", "counter", "task", "operator", …
    pub kind: String,
    pub said: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    pub puts: Vec<Put>,
    pub deletes: Vec<(&'static str, String)>,
    pub postings: Vec<Posting>,
    pub history: Vec<HistoryEntry>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.puts.is_empty() && self.deletes.is_empty() && self.postings.is_empty() && self.history.is_empty()
    }
}
