//! The rules, one file per driver or layer. Facts from the Linux sources (2.4 to 6.x), the drivers'
//! event tables and public logs, said anew.
//!
//! A sign says what a line reports; what it is worth is decided elsewhere.

mod aacraid;
mod ata;
mod block;
mod dm;
mod fs;
mod hosts;
mod hp;
mod md;
mod mdadm;
pub mod megaraid;
mod megaserv;
mod mpt;
mod noise;
mod nvme;
mod scsi;
pub mod sense;
mod smartd;
mod system;
pub mod threeware;
mod zed;
mod zfs;

use super::rule::{Rule, rule};
use super::{Observation, Sign, device, words};

/// Noise first, then from the most to the least telling layer.
pub(super) static KERNEL: &[&[Rule]] = &[
    noise::RULES,
    megaraid::RULES,
    threeware::RULES,
    aacraid::RULES,
    hp::RULES,
    mpt::RULES,
    hosts::RULES,
    md::RULES,
    dm::RULES,
    scsi::RULES,
    ata::RULES,
    nvme::RULES,
    block::RULES,
    fs::RULES,
    zfs::RULES,
    system::RULES,
];

pub(super) static SMARTD: &[&[Rule]] = &[smartd::RULES];
pub(super) static MDADM: &[&[Rule]] = &[mdadm::RULES];
pub(super) static ZED: &[&[Rule]] = &[zed::RULES];
pub(super) static MONITOR: &[&[Rule]] = &[megaraid::MONITOR];
pub(super) static MEGASERV: &[&[Rule]] = &[megaserv::RULES];

/// `(word, sign)`, first word found in the text decides.
fn sign_of(table: &[(&str, Sign)], text: &str) -> Option<Sign> {
    let lower = text.to_ascii_lowercase();
    table.iter().find(|(word, _)| lower.contains(word)).map(|(_, sign)| *sign)
}

/// For firmware and driver texts: words of trouble, else just information.
fn by_words(seen: &mut Observation) {
    let text = match seen.about.field("text") {
        "" => seen.said.clone(),
        text => text.to_owned(),
    };
    seen.sign = words::trouble(&text).or_else(|| words::well(&text)).unwrap_or(Sign::Info);
}

fn sounds_like_trouble(text: &str) -> bool {
    words::trouble(text).is_some()
}

/// Set-up messages mention time-outs and fault registers; only failure counts here.
fn driver_trouble(text: &str) -> bool {
    let setup = ["timeout  ", "provided", "supports", "fault tolera"];
    sounds_like_trouble(text) && !setup.iter().any(|s| text.contains(s))
}

fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
}

#[cfg(test)]
mod tests;
