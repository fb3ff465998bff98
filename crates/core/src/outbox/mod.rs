//! Delivery of notices: attempts, back-off, order, receipts, giving up.
//!
//! [`Outbox`] is the whole state: what waits, and how each channel does. It decides what may be sent
//! next and what follows from an attempt; the shell sends and saves. Whatever changed is handed out by
//! [`Outbox::take_dirty`], so that the store mirrors it row by row, and can rebuild it with
//! [`Outbox::load`].
//!
//! What holds:
//! - a posted notice stays until a channel accepted it, a later one says the same (superseded
//!   reminder), a summary that names it was posted in its place (storm), or two weeks have passed;
//! - inside one incident a channel hears things in the order they were posted. The one exception: a
//!   new critical message goes ahead of a predecessor that the channel refused for good;
//! - a retry carries the same id.
//!
//! It does not render, send, save, or decide who is told.

mod backoff;
mod channel;
mod delivery;
mod load;
mod storm;

pub use backoff::{GIVE_UP_AFTER, MAX_DELAY, delay_after};
pub use channel::{ChannelHealth, ChannelState};
pub use delivery::{Attempt, Delivery, State, delivery_id};
pub use storm::{STORM_CAP, STORM_GATHER, STORM_WINDOW};

use crate::changes::Posting;
use crate::notice::NoticeEvent;
use crate::severity::Severity;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// What a channel should do now.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    Send(Box<Delivery>),
    /// Something waits, but not before this instant.
    Wait(Timestamp),
    /// Nothing waits, or one is being sent.
    Idle,
}

/// What has to be saved. A delivery that is settled leaves the pending rows and becomes a receipt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dirty {
    pub deliveries: Vec<Delivery>,
    pub channels: Vec<(String, ChannelState)>,
}

#[derive(Debug, Clone, Default)]
pub struct Outbox {
    pending: BTreeMap<u64, Delivery>,
    channels: BTreeMap<String, ChannelState>,
    settled: Vec<Delivery>,
    dirty: BTreeSet<u64>,
    dirty_channels: BTreeSet<String>,
    next_seq: u64,
}

impl Outbox {
    /// Takes a notice for one channel. A notice that is already pending is not taken twice.
    pub fn post(&mut self, posting: &Posting, now: Timestamp) {
        if self.find(&delivery_id(&posting.notice.id, &posting.channel)).is_some() {
            return;
        }
        let delivery = Delivery::new(self.next_seq, posting, now);
        self.next_seq += 1;
        self.supersede(&delivery, now);
        if delivery.is_urgent() {
            self.hurry_predecessors(&delivery, now);
        }
        self.dirty.insert(delivery.seq);
        self.pending.insert(delivery.seq, delivery);
    }

    /// What this channel should send now. Marks it as being sent: one at a time per channel.
    pub fn begin(&mut self, channel: &str, now: Timestamp) -> Next {
        self.expire(channel, now);
        if self.of_channel(channel).any(|d| d.state == State::Sending) {
            return Next::Idle;
        }
        let held = self.held_by_storm(channel, now);
        let held = self.fold_storm(channel, held, now);
        match self.choose(channel, &held, now) {
            Some(seq) => self.start(seq),
            None => self.next_time(channel, &held, now),
        }
    }

    /// What became of an attempt. An id that is not being sent is ignored.
    pub fn settle(&mut self, id: &str, attempt: &Attempt, now: Timestamp) {
        let Some(seq) = self.find(id).filter(|d| d.state == State::Sending).map(|d| d.seq) else { return };
        let Some(mut delivery) = self.pending.remove(&seq) else { return };
        delivery.apply(attempt, now);
        let capped = self.is_capped(&delivery);
        let channel = self.channel_mut(&delivery.channel);
        channel.apply(attempt, capped, now);
        if matches!(attempt, Attempt::Accepted { .. }) {
            let name = delivery.channel.clone();
            self.told_by_itself(&delivery);
            self.close(delivery);
            self.resume_channel(&name, now);
        } else {
            self.put_back(delivery, now);
        }
    }

    /// Forgets an attempt whose outcome will never be told: it waits again.
    pub fn abandon(&mut self, channel: &str) {
        let sending = self.pending.values_mut().filter(|d| d.channel == channel && d.state == State::Sending);
        sending.for_each(|d| d.state = State::Waiting);
    }

    fn told_by_itself(&mut self, delivery: &Delivery) {
        if let Some(thread) = &delivery.notice.thread {
            self.channel_mut(&delivery.channel).folded.remove(&thread.key);
        }
    }

    /// Deliveries to channels that are no longer configured are given up; their ids are returned.
    pub fn retire_channels(&mut self, configured: &[&str], now: Timestamp) -> Vec<String> {
        let gone: Vec<u64> =
            self.pending.values().filter(|d| !configured.contains(&d.channel.as_str())).map(|d| d.seq).collect();
        let ids = gone.iter().filter_map(|seq| self.pending.get(seq)).map(|d| d.id.clone()).collect();
        gone.into_iter().for_each(|seq| self.give_up(seq, "the channel is no longer configured", now));
        ids
    }

    /// Health of every channel that was ever used or has something waiting.
    pub fn health(&self, now: Timestamp) -> Vec<ChannelHealth> {
        let names: BTreeSet<&str> =
            self.channels.keys().map(String::as_str).chain(self.pending.values().map(|d| d.channel.as_str())).collect();
        names.into_iter().map(|name| self.health_of(name, now)).collect()
    }

    /// What changed since the last call, to be saved in one transaction.
    pub fn take_dirty(&mut self) -> Dirty {
        let seqs = std::mem::take(&mut self.dirty);
        let mut deliveries = std::mem::take(&mut self.settled);
        deliveries.extend(seqs.iter().filter_map(|seq| self.pending.get(seq)).cloned());
        let names = std::mem::take(&mut self.dirty_channels);
        let channels =
            names.into_iter().filter_map(|n| self.channels.get(&n).map(|c| (n.clone(), c.clone()))).collect();
        Dirty { deliveries, channels }
    }

    /// Marks everything as unsaved: the storage behind it is a new one.
    pub fn all_dirty(&mut self) {
        self.dirty = self.pending.keys().copied().collect();
        self.dirty_channels = self.channels.keys().cloned().collect();
    }

    pub fn pending(&self) -> impl Iterator<Item = &Delivery> {
        self.pending.values()
    }

    pub fn channel(&self, name: &str) -> Option<&ChannelState> {
        self.channels.get(name)
    }

    pub fn is_pending(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    fn find(&self, id: &str) -> Option<&Delivery> {
        self.pending.values().find(|d| d.id == id)
    }

    fn of_channel<'a>(&'a self, channel: &'a str) -> impl Iterator<Item = &'a Delivery> {
        self.pending.values().filter(move |d| d.channel == channel)
    }

    /// Earlier deliveries of the same incident on the same channel.
    fn predecessors<'a>(&'a self, of: &'a Delivery) -> impl Iterator<Item = &'a Delivery> {
        self.of_channel(&of.channel).take_while(move |d| d.seq < of.seq).filter(move |d| d.same_thread(of))
    }

    fn channel_mut(&mut self, name: &str) -> &mut ChannelState {
        self.dirty_channels.insert(name.to_owned());
        self.channels.entry(name.to_owned()).or_default()
    }

    /// A reminder that was not sent yet says nothing once a newer one, or the end, is posted.
    fn supersede(&mut self, newer: &Delivery, now: Timestamp) {
        if !matches!(newer.notice.event, NoticeEvent::Reminder | NoticeEvent::Resolved) {
            return;
        }
        let stale: Vec<u64> = self
            .predecessors(newer)
            .filter(|d| d.notice.event == NoticeEvent::Reminder && d.state == State::Waiting)
            .map(|d| d.seq)
            .collect();
        stale.into_iter().for_each(|seq| self.give_up(seq, &format!("superseded by {}", newer.notice.id), now));
    }

    /// What stands before an urgent message in its incident is tried at once, so as not to delay it.
    fn hurry_predecessors(&mut self, urgent: &Delivery, now: Timestamp) {
        let before: Vec<u64> = self.predecessors(urgent).map(|d| d.seq).collect();
        self.reschedule(before, now);
    }

    /// A channel that works again is not kept waiting by the back-off of its bad hours.
    fn resume_channel(&mut self, channel: &str, now: Timestamp) {
        let waiting: Vec<u64> = self.of_channel(channel).filter(|d| !d.refused).map(|d| d.seq).collect();
        self.reschedule(waiting, now);
    }

    fn reschedule(&mut self, seqs: Vec<u64>, now: Timestamp) {
        for seq in seqs {
            let Some(delivery) = self.pending.get_mut(&seq).filter(|d| d.next_attempt_at > now) else { continue };
            delivery.next_attempt_at = now;
            self.dirty.insert(seq);
        }
    }

    /// The first in its incident that is due; critical ones before others.
    fn choose(&self, channel: &str, held: &BTreeSet<u64>, now: Timestamp) -> Option<u64> {
        let state = self.channels.get(channel);
        self.of_channel(channel)
            .filter(|d| !held.contains(&d.seq) && backoff::is_due(d.next_attempt_at, now))
            .filter(|d| state.is_none_or(|s| s.may_try(self.is_fresh_alarm(d), now)))
            .filter(|d| !self.is_blocked(d))
            .min_by_key(|d| (!self.carries_urgent(d), d.seq))
            .map(|d| d.seq)
    }

    fn start(&mut self, seq: u64) -> Next {
        let Some(delivery) = self.pending.get_mut(&seq) else { return Next::Idle };
        delivery.state = State::Sending;
        Next::Send(Box::new(delivery.clone()))
    }

    fn next_time(&self, channel: &str, held: &BTreeSet<u64>, now: Timestamp) -> Next {
        let state = self.channels.get(channel);
        let waiting = self.of_channel(channel).filter(|d| !self.is_blocked(d)).map(|d| {
            let pause = state.and_then(|s| s.pause_for(self.is_fresh_alarm(d))).unwrap_or(d.next_attempt_at);
            let storm = Some(d.seq).filter(|seq| held.contains(seq)).map(|_| self.storm_time(d, now));
            d.next_attempt_at.max(pause).max(storm.unwrap_or(now))
        });
        waiting.min().map_or(Next::Idle, Next::Wait)
    }

    /// Whether an earlier message of the incident has to go first.
    fn is_blocked(&self, delivery: &Delivery) -> bool {
        let may_overtake = delivery.is_urgent();
        self.predecessors(delivery).any(|earlier| !(may_overtake && earlier.refused))
    }

    /// Critical itself, or in front of a critical message of the same incident.
    fn carries_urgent(&self, delivery: &Delivery) -> bool {
        delivery.is_urgent()
            || self
                .of_channel(&delivery.channel)
                .any(|d| d.seq > delivery.seq && d.is_urgent() && d.same_thread(delivery))
    }

    /// Such a message is tried once even while the channel pauses.
    fn is_fresh_alarm(&self, delivery: &Delivery) -> bool {
        let fresh = |d: &Delivery| d.is_urgent() && d.attempts == 0;
        fresh(delivery)
            || self.of_channel(&delivery.channel).any(|d| d.seq > delivery.seq && fresh(d) && d.same_thread(delivery))
                && delivery.attempts == 0
    }

    fn expire(&mut self, channel: &str, now: Timestamp) {
        let old: Vec<u64> = self
            .of_channel(channel)
            .filter(|d| d.state == State::Waiting && d.attempts > 0 && now.duration_since(d.posted_at) > GIVE_UP_AFTER)
            .map(|d| d.seq)
            .collect();
        old.into_iter().for_each(|seq| self.give_up(seq, "not accepted for two weeks", now));
    }

    fn put_back(&mut self, delivery: Delivery, now: Timestamp) {
        let newer = self.of_channel(&delivery.channel).find(|d| {
            d.seq > delivery.seq
                && d.same_thread(&delivery)
                && matches!(d.notice.event, NoticeEvent::Reminder | NoticeEvent::Resolved)
        });
        let superseded = newer.filter(|_| delivery.notice.event == NoticeEvent::Reminder).map(|d| d.notice.id.clone());
        let seq = delivery.seq;
        self.dirty.insert(seq);
        self.pending.insert(seq, delivery);
        if let Some(by) = superseded {
            self.give_up(seq, &format!("superseded by {by}"), now);
        }
    }

    fn give_up(&mut self, seq: u64, reason: &str, now: Timestamp) {
        let Some(mut delivery) = self.pending.remove(&seq) else { return };
        delivery.state = State::GaveUp { reason: reason.to_owned(), at: now };
        self.close(delivery);
    }

    fn close(&mut self, delivery: Delivery) {
        self.dirty.remove(&delivery.seq);
        self.settled.push(delivery);
    }

    fn health_of(&self, name: &str, now: Timestamp) -> ChannelHealth {
        let waiting: Vec<&Delivery> = self.of_channel(name).collect();
        let refused = waiting.iter().find(|d| d.refused);
        let state = self.channels.get(name).cloned().unwrap_or_default();
        state.health(name, waiting.len(), waiting.iter().map(|d| d.posted_at).min(), refused.copied(), now)
    }
}

/// From this on a message is never held back.
fn is_urgent(severity: Severity) -> bool {
    severity >= Severity::Critical
}

#[cfg(test)]
mod tests;
