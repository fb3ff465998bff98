//! One notice on its way to one channel.

use super::backoff;
use crate::changes::Posting;
use crate::notice::{Notice, NoticeEvent};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Waiting,
    /// Only in memory: after a crash it waits again, and goes out with the same id.
    Sending,
    Accepted {
        receipt: String,
        at: Timestamp,
    },
    GaveUp {
        reason: String,
        at: Timestamp,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// Order of posting.
    pub seq: u64,
    /// The notice's id and the channel.
    pub id: String,
    pub channel: String,
    pub notice: Arc<Notice>,
    pub posted_at: Timestamp,
    pub attempts: u32,
    pub next_attempt_at: Timestamp,
    /// The last answer said that trying again will not help.
    pub refused: bool,
    pub last_error: Option<String>,
    pub state: State,
}

/// What became of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    Accepted {
        receipt: String,
        /// Accepted, but not by everyone it was meant for.
        complaint: Option<String>,
    },
    Failed {
        retryable: bool,
        retry_after: Option<SignedDuration>,
        said: String,
    },
}

pub fn delivery_id(notice: &str, channel: &str) -> String {
    format!("{notice}/{channel}")
}

impl Delivery {
    pub(super) fn new(seq: u64, posting: &Posting, now: Timestamp) -> Self {
        Self {
            seq,
            id: delivery_id(&posting.notice.id, &posting.channel),
            channel: posting.channel.clone(),
            notice: Arc::new(posting.notice.clone()),
            posted_at: now,
            attempts: 0,
            next_attempt_at: now,
            refused: false,
            last_error: None,
            state: State::Waiting,
        }
    }

    /// Whether both belong to one incident. Messages without one stand alone.
    pub(super) fn same_thread(&self, other: &Delivery) -> bool {
        match (&self.notice.thread, &other.notice.thread) {
            (Some(a), Some(b)) => a.key == b.key && a.opened_at == b.opened_at,
            _ => false,
        }
    }

    /// The end of a critical incident can wait its turn; its beginning cannot.
    pub(super) fn is_urgent(&self) -> bool {
        super::is_urgent(self.notice.severity) && self.notice.event != NoticeEvent::Resolved
    }

    pub(super) fn apply(&mut self, attempt: &Attempt, now: Timestamp) {
        self.attempts = self.attempts.saturating_add(1);
        match attempt {
            Attempt::Accepted { receipt, .. } => self.state = State::Accepted { receipt: receipt.clone(), at: now },
            Attempt::Failed { retryable, retry_after, said } => {
                self.state = State::Waiting;
                self.refused = !retryable;
                self.last_error = Some(said.clone());
                self.next_attempt_at = backoff::schedule(now, self.attempts, self.refused, *retry_after);
            }
        }
    }
}
