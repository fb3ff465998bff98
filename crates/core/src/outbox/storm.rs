//! The storm cap: at most so many warnings an hour and channel; the rest becomes one summary.
//!
//! Critical messages and whatever stands before them in their incident are never held. A held message
//! is not lost: it goes out by itself when there is room, or is named in the summary.

use super::{Delivery, Outbox, delivery_id};
use crate::changes::Posting;
use crate::notice::{Notice, NoticeEvent, NoticeObject};
use crate::severity::Severity;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

pub const STORM_CAP: usize = 10;
pub const STORM_WINDOW: SignedDuration = SignedDuration::from_hours(1);
/// How long held messages gather before they become a summary.
pub const STORM_GATHER: SignedDuration = SignedDuration::from_secs(60);

const NAMED: usize = 50;

impl Outbox {
    /// Whether a message counts for the cap. The regular digest, tests and summaries do not, nor does the
    /// end of an incident whose beginning was told by itself: receivers that keep state rely on it.
    pub(super) fn is_capped(&self, delivery: &Delivery) -> bool {
        let Some(thread) = &delivery.notice.thread else { return false };
        let folded = || self.channel(&delivery.channel).is_some_and(|c| c.folded.contains(&thread.key));
        let ends_told = delivery.notice.event == NoticeEvent::Resolved && !folded() && !self.has_predecessor(delivery);
        !super::is_urgent(delivery.notice.severity) && !ends_told
    }

    fn has_predecessor(&self, delivery: &Delivery) -> bool {
        self.predecessors(delivery).next().is_some()
    }

    /// What has to wait now because the hour's share is used up.
    pub(super) fn held_by_storm(&self, channel: &str, now: Timestamp) -> BTreeSet<u64> {
        let room = self.channel(channel).map_or(STORM_CAP, |c| c.storm_room(now));
        let capped = self.of_channel(channel).filter(|d| !d.refused && self.is_capped(d) && !self.carries_urgent(d));
        capped.skip(room).map(|d| d.seq).collect()
    }

    /// Turns what was held long enough into one summary, once an hour; a single one goes out itself.
    /// Gives back what is still held.
    pub(super) fn fold_storm(&mut self, channel: &str, held: BTreeSet<u64>, now: Timestamp) -> BTreeSet<u64> {
        let oldest = held.iter().filter_map(|seq| self.pending.get(seq)).map(|d| d.posted_at).min();
        let release = self.channel(channel).map_or(now, |c| c.storm_release(now));
        if release > now || oldest.is_none_or(|at| now.duration_since(at) < STORM_GATHER) {
            return held;
        }
        if held.len() > 1 {
            self.fold(channel, &held, now);
        }
        self.channel_mut(channel).last_summary = Some(now);
        BTreeSet::new()
    }

    fn fold(&mut self, channel: &str, held: &BTreeSet<u64>, now: Timestamp) {
        let Some(notice) = self.summary(channel, held, now) else { return };
        let reason = format!("named in the summary {}", notice.id);
        self.post(&Posting { channel: channel.to_owned(), notice }, now);
        for seq in held {
            let thread = self.pending.get(seq).and_then(|d| Some((d.notice.thread.clone()?.key, d.notice.event)));
            if let Some((key, event)) = thread {
                self.channel_mut(channel).remember_folded(key, event == NoticeEvent::Resolved);
            }
            self.give_up(*seq, &reason, now);
        }
    }

    /// When something may become of a held message: a summary, or room for itself.
    pub(super) fn storm_time(&self, held: &Delivery, now: Timestamp) -> Timestamp {
        let state = self.channel(&held.channel);
        let summary = state.map_or(now, |s| s.storm_release(now)).max(held.posted_at + STORM_GATHER);
        state.and_then(|s| s.storm_room_at(now)).map_or(summary, |room| room.min(summary))
    }

    fn summary(&self, channel: &str, folded: &BTreeSet<u64>, now: Timestamp) -> Option<Notice> {
        let deliveries: Vec<&Delivery> = folded.iter().filter_map(|seq| self.pending.get(seq)).collect();
        let first = deliveries.first()?;
        let notices: Vec<&Notice> = deliveries.iter().map(|d| d.notice.as_ref()).collect();
        Some(Notice {
            // From the first one it stands for, so that a repetition is the same message.
            id: format!("storm-{}", delivery_id(&first.notice.id, channel).replace('/', "-")),
            event: NoticeEvent::Updated,
            severity: notices.iter().map(|n| n.severity).max().unwrap_or(Severity::Warning).max(Severity::Warning),
            host: first.notice.host.clone(),
            at: now,
            time_zone: first.notice.time_zone.clone(),
            thread: None,
            kinds: vec!["storm".to_owned()],
            headline: format!("+{} more{}", notices.len(), worst(&notices)),
            happened: named(&notices),
            means: vec![format!("More than {STORM_CAP} messages came within an hour; these are told together.")],
            to_do: vec!["See them all: raidmond incidents".to_owned()],
            evidence: Vec::new(),
            footer: Vec::new(),
            object: NoticeObject::default(),
            drill: notices.iter().all(|n| n.drill),
        })
    }
}

/// The worst of those that are not over.
fn worst(notices: &[&Notice]) -> String {
    let open = notices.iter().filter(|n| n.event != NoticeEvent::Resolved);
    let worst = open.rev().max_by_key(|n| n.severity);
    worst.map_or_else(String::new, |n| format!(", worst: {}", n.headline))
}

fn named(notices: &[&Notice]) -> Vec<String> {
    let mut lines: Vec<String> = notices.iter().take(NAMED).map(|n| line(n)).collect();
    if notices.len() > NAMED {
        lines.push(format!("… and {} more", notices.len() - NAMED));
    }
    lines
}

fn line(notice: &Notice) -> String {
    let incident = notice.thread.as_ref().map_or(String::new(), |t| format!("incident {}, ", t.incident));
    format!("{incident}{}: {} ({})", notice.event.word(), notice.headline, notice.severity)
}
