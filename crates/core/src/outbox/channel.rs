//! How one channel does: its run of failures, its pause, its share of the storm cap.

use super::backoff::{self, delay_after};
use super::delivery::{Attempt, Delivery};
use super::storm::{STORM_CAP, STORM_WINDOW};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Mail servers that greylist say "later" for some minutes; that is not yet a failing channel.
const TRANSIENT_FOR: SignedDuration = SignedDuration::from_mins(15);
const FOLDED_KEPT: usize = 1000;
/// A channel with one bad message still carries the others.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_mins(5);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelState {
    /// Failed attempts since the last accepted one.
    pub failures: u32,
    pub failing_since: Option<Timestamp>,
    pub last_error: Option<String>,
    pub last_accepted: Option<Timestamp>,
    /// The channel rests until then.
    pub pause_until: Option<Timestamp>,
    /// The pause was asked for by the server: nothing goes ahead of it.
    pub pause_asked: bool,
    /// Last accepted message did not reach all of its recipients.
    pub complaint: Option<String>,
    /// When messages that count for the storm cap were accepted, not longer ago than its window.
    pub recent: Vec<Timestamp>,
    pub last_summary: Option<Timestamp>,
    /// Incidents that this channel heard of only in a summary.
    pub folded: BTreeSet<String>,
}

/// For status, and for the engine: a failing channel is an incident on the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelHealth {
    pub channel: String,
    /// Set when people should hear about it: refused, or failing for longer than a server's "later".
    pub failing_since: Option<Timestamp>,
    pub last_error: Option<String>,
    pub backlog: usize,
    pub oldest: Option<Timestamp>,
    pub last_accepted: Option<Timestamp>,
}

impl ChannelState {
    pub(super) fn apply(&mut self, attempt: &Attempt, capped: bool, now: Timestamp) {
        match attempt {
            Attempt::Accepted { complaint, .. } => self.accepted(complaint.clone(), capped, now),
            Attempt::Failed { retryable, retry_after, said } => self.failed(*retryable, *retry_after, said, now),
        }
    }

    fn accepted(&mut self, complaint: Option<String>, capped: bool, now: Timestamp) {
        self.failures = 0;
        self.failing_since = complaint.as_ref().map(|_| self.failing_since.unwrap_or(now));
        self.last_error.clone_from(&complaint);
        self.complaint = complaint;
        self.last_accepted = Some(now);
        self.pause_until = None;
        self.recent.retain(|at| in_window(*at, now));
        if capped {
            self.recent.push(now);
        }
    }

    fn failed(&mut self, retryable: bool, asked: Option<SignedDuration>, said: &str, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        self.failing_since.get_or_insert(now);
        self.last_error = Some(said.to_owned());
        self.pause_asked = asked.is_some();
        self.pause_until = match (asked, retryable) {
            (Some(asked), _) => Some(backoff::schedule(now, 1, false, Some(asked))),
            (None, true) => Some(now + delay_after(self.failures).min(LONGEST_PAUSE)),
            // The answer is about one message; the next one may fare better.
            (None, false) => None,
        };
    }

    pub(super) fn may_try(&self, fresh_alarm: bool, now: Timestamp) -> bool {
        self.pause_for(fresh_alarm).is_none_or(|until| backoff::is_due(until, now))
    }

    pub(super) fn pause_for(&self, fresh_alarm: bool) -> Option<Timestamp> {
        self.pause_until.filter(|_| self.pause_asked || !fresh_alarm)
    }

    pub(super) fn storm_room(&self, now: Timestamp) -> usize {
        STORM_CAP.saturating_sub(self.recent.iter().filter(|at| in_window(**at, now)).count())
    }

    /// When the next place in the hour's share becomes free.
    pub(super) fn storm_room_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.recent.iter().filter(|at| in_window(**at, now)).min().map(|at| *at + STORM_WINDOW)
    }

    pub(super) fn remember_folded(&mut self, key: String, ended: bool) {
        if ended {
            self.folded.remove(&key);
        } else if self.folded.len() < FOLDED_KEPT {
            self.folded.insert(key);
        }
    }

    /// From when on a summary may be sent.
    pub(super) fn storm_release(&self, now: Timestamp) -> Timestamp {
        self.last_summary.filter(|at| in_window(*at, now)).map_or(now, |at| at + STORM_WINDOW)
    }

    pub(super) fn health(
        &self,
        name: &str,
        backlog: usize,
        oldest: Option<Timestamp>,
        refused: Option<&Delivery>,
        now: Timestamp,
    ) -> ChannelHealth {
        let long = self.failing_since.filter(|since| now.duration_since(*since) >= TRANSIENT_FOR);
        let since = long.or(self.failing_since.filter(|_| self.complaint.is_some()));
        let said = refused.and_then(|d| d.last_error.clone());
        ChannelHealth {
            channel: name.to_owned(),
            failing_since: since.or(refused.map(|d| self.failing_since.unwrap_or(d.posted_at))),
            last_error: said.or_else(|| self.last_error.clone()),
            backlog,
            oldest,
            last_accepted: self.last_accepted,
        }
    }
}

fn in_window(at: Timestamp, now: Timestamp) -> bool {
    at <= now && now.duration_since(at) < STORM_WINDOW
}
