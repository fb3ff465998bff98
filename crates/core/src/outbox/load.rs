//! Rebuilding the outbox from what was saved.

use super::{ChannelState, Delivery, Outbox, State};
use std::collections::BTreeSet;

impl Outbox {
    /// What was being sent when the program ended waits again: better twice than never.
    pub fn load(rows: Vec<Delivery>, channels: Vec<(String, ChannelState)>) -> Self {
        let mut outbox = Outbox { channels: channels.into_iter().collect(), ..Outbox::default() };
        outbox.adopt_older(rows);
        outbox
    }

    /// Takes saved deliveries in front of those that are here: storage came back after a while without.
    /// What is here already, or was settled meanwhile, is newer than its saved row.
    pub fn adopt_older(&mut self, rows: Vec<Delivery>) {
        let known: BTreeSet<String> = self.pending.values().chain(&self.settled).map(|d| d.id.clone()).collect();
        let mine = std::mem::take(&mut self.pending);
        let older = rows.into_iter().filter(|d| !known.contains(&d.id));
        let older: Vec<Delivery> = older.map(|d| Delivery { state: State::Waiting, ..d }).collect();
        self.skip_numbers(older.iter().map(|d| d.seq).max());
        self.pending.extend(older.into_iter().map(|d| (d.seq, d)));
        for (seq, delivery) in mine {
            self.renumber(seq, delivery);
        }
    }

    /// Numbers up to this one are taken, if only by rows that could not be read.
    pub fn skip_numbers(&mut self, highest: Option<u64>) {
        self.next_seq = self.next_seq.max(highest.map_or(0, |n| n.saturating_add(1)));
    }

    fn renumber(&mut self, old: u64, delivery: Delivery) {
        let seq = self.next_seq;
        self.next_seq += 1;
        if self.dirty.remove(&old) {
            self.dirty.insert(seq);
        }
        self.pending.insert(seq, Delivery { seq, ..delivery });
    }
}
