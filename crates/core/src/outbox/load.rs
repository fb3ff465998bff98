//! Rebuilding the outbox from what was saved.

use super::{ChannelState, Delivery, Outbox, State};

impl Outbox {
    /// What was being sent when the program ended waits again: better twice than never.
    pub fn load(rows: Vec<Delivery>, channels: Vec<(String, ChannelState)>) -> Self {
        let next_seq = rows.iter().map(|d| d.seq + 1).max().unwrap_or(0);
        let pending = rows.into_iter().map(|d| (d.seq, Delivery { state: State::Waiting, ..d })).collect();
        Outbox { pending, channels: channels.into_iter().collect(), next_seq, ..Outbox::default() }
    }
}
