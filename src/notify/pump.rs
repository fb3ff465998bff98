//! The delivery loop: one per channel, so that a channel that hangs holds up no other.
//!
//! It asks the store what is due, sends, and records the answer. It decides nothing about when or
//! what: that is the outbox's. Every attempt has an end, whatever the channel does.

use super::channel::{self, Channel, Receipt, SendError};
use crate::store::{StateLost, Store};
use jiff::Timestamp;
use raidmond_core::outbox::{Attempt, Delivery, Next};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// The wall clock may jump while we wait: look again at least this often.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);
const SHORTEST_SLEEP: Duration = Duration::from_millis(100);

pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What happened, for the log and for the engine.
#[derive(Debug, Clone)]
pub struct Report {
    pub delivery: Delivery,
    pub attempt: Attempt,
    /// The outcome counts, but could not be saved.
    pub unsaved: Option<StateLost>,
}

pub struct Pump {
    pub store: Store,
    /// Turns true when no new attempt is wanted; those under way still come to their end.
    /// A stopper that is gone stops nothing.
    pub stop: watch::Receiver<bool>,
    pub channels: Vec<Arc<Channel>>,
    pub clock: Clock,
    /// The longest one attempt may take.
    pub attempt_limit: Duration,
    pub reports: mpsc::UnboundedSender<Report>,
}

impl Pump {
    /// Runs until told to stop, or until the store has stopped. Attempts that are cut off by dropping it
    /// count as not made: the message goes out again.
    pub async fn run(self) {
        let mut loops = JoinSet::new();
        for channel in self.channels {
            let sender = Sender {
                store: self.store.clone(),
                channel,
                clock: Arc::clone(&self.clock),
                attempt_limit: self.attempt_limit,
            };
            loops.spawn(sender.run(self.reports.clone(), self.stop.clone()));
        }
        while loops.join_next().await.is_some() {}
    }
}

/// One channel's share of the work.
pub struct Sender {
    pub store: Store,
    pub channel: Arc<Channel>,
    pub clock: Clock,
    pub attempt_limit: Duration,
}

/// What one step came to.
#[derive(Debug)]
pub enum Step {
    Sent(Box<Report>),
    Wait(Timestamp),
    Idle,
}

impl Sender {
    async fn run(self, reports: mpsc::UnboundedSender<Report>, mut stop: watch::Receiver<bool>) {
        let mut postings = self.store.postings();
        // What an earlier loop was sending when it was cut off waits again.
        let mut working = self.store.abandon(self.channel.name().to_owned()).await.is_ok();
        while working && !*stop.borrow() {
            postings.mark_unchanged();
            let rest = match self.step().await {
                // Nobody has to listen.
                Ok(Step::Sent(report)) => {
                    drop(reports.send(*report));
                    continue;
                }
                Ok(Step::Wait(until)) => self.until(until),
                Ok(Step::Idle) => Duration::MAX,
                Err(_) => return,
            };
            tokio::select! {
                () = tokio::time::sleep(rest) => {}
                changed = postings.changed() => working = changed.is_ok(),
                Ok(_) = stop.wait_for(|stop| *stop) => working = false,
            }
        }
    }

    /// Sends what is due, if anything is. An error means that the store has stopped.
    pub async fn step(&self) -> Result<Step, StateLost> {
        let delivery = match self.store.begin(self.channel.name().to_owned(), (self.clock)()).await? {
            Next::Send(delivery) => *delivery,
            Next::Wait(until) => return Ok(Step::Wait(until)),
            Next::Idle => return Ok(Step::Idle),
        };
        let attempt = channel::attempt(self.attempt(&delivery).await);
        let saved = self.store.settle(delivery.id.clone(), attempt.clone(), (self.clock)()).await;
        Ok(Step::Sent(Box::new(Report { delivery, attempt, unsaved: saved.err() })))
    }

    /// In a task of its own: a channel that panics has failed, and nothing more.
    async fn attempt(&self, delivery: &Delivery) -> Result<Receipt, SendError> {
        let (channel, notice) = (Arc::clone(&self.channel), Arc::clone(&delivery.notice));
        let mut sending = JoinSet::new();
        sending.spawn(async move { channel.send(&notice).await });
        match tokio::time::timeout(self.attempt_limit, sending.join_next()).await {
            Ok(Some(Ok(outcome))) => outcome,
            Ok(_) => Err(SendError::later("sending ended without an answer: this is a bug in raidmond")),
            Err(_) => Err(SendError::later(format!("no answer within {} s", self.attempt_limit.as_secs_f32()))),
        }
    }

    fn until(&self, until: Timestamp) -> Duration {
        let wait = until.duration_since((self.clock)());
        Duration::try_from(wait).unwrap_or(SHORTEST_SLEEP).clamp(SHORTEST_SLEEP, LONGEST_SLEEP)
    }
}
