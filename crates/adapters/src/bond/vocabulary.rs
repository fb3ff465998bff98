//! The words of the bonding driver. Source: drivers/net/bonding (bond_procfs.c, bond_main.c), Linux 2.6.32 to 6.12.

use crate::{Said, Term};
use raidmond_core::model::PartState;

pub const STATUS: &str = "MII status";
pub const DUPLEX: &str = "duplex";

pub static TERMS: &[Term] = &[
    term(STATUS, "up", PartState::Ok),
    term(STATUS, "down", PartState::Failed),
    // Within its up or down delay: it does not carry, or not for long.
    term(STATUS, "going down", PartState::Failed),
    term(STATUS, "going back", PartState::Failed),
    term(DUPLEX, "full", PartState::Ok),
    term(DUPLEX, "half", PartState::Warning),
    // Drivers of virtual cards do not say.
    term(DUPLEX, "Unknown", PartState::NotInstalled),
];

const fn term(of: &'static str, word: &'static str, state: PartState) -> Term {
    Term { of, word, means: Said::Part(state) }
}

pub fn state(of: &str, word: &str) -> PartState {
    let exact = TERMS.iter().find(|t| t.of == of && t.word.eq_ignore_ascii_case(word.trim()));
    match exact.map(|t| t.means) {
        Some(Said::Part(state)) => state,
        _ => PartState::Unknown,
    }
}

/// Whether all links of a bond of this mode carry.
pub fn spreads(mode: &str) -> Option<bool> {
    let modes = [
        ("load balancing (round-robin)", true),
        ("fault-tolerance (active-backup)", false),
        ("load balancing (xor)", true),
        ("fault-tolerance (broadcast)", true),
        ("IEEE 802.3ad Dynamic link aggregation", true),
        ("transmit load balancing", true),
        ("adaptive load balancing", true),
    ];
    // "(fail_over_mac active)" may follow.
    let plain = mode.split(" (fail_over_mac").next().unwrap_or(mode).trim();
    modes.iter().find(|(word, _)| plain.eq_ignore_ascii_case(word)).map(|(_, spreads)| *spreads)
}
