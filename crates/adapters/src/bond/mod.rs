//! Bonded network links, through the bonding driver's own files, `/proc/net/bonding/BOND`.
//!
//! Storage on the network, and the cluster an array belongs to, go through them; a bond that lives on one link
//! works until that one fails. One conversation reads all bonds. Not here: traffic, addresses, teams
//! (teamd), bridges.

mod lower;
mod parse;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known, Query, Scope};

pub struct Bond;

pub const BONDS: AnswerKind = AnswerKind("bonds");
pub const BOND: AnswerKind = AnswerKind("bond");

pub const FOLDER: &str = "/proc/net/bonding";

impl Adapter for Bond {
    fn family(&self) -> &'static str {
        "bond"
    }

    fn tools(&self) -> &'static [Tool] {
        &[]
    }

    fn drivers(&self) -> &'static [&'static str] {
        &[]
    }

    fn watches_without_card(&self) -> Option<&'static str> {
        Some(FOLDER)
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Dir(path) => (path.trim_end_matches('/') == FOLDER).then_some(BONDS),
            Asked::File(path) => bond_of(path).map(|_| BOND),
            Asked::Cmd(argv) if argv.is_empty() => {
                let head = String::from_utf8_lossy(head);
                (head.contains("Ethernet Channel Bonding Driver") || head.contains("Bonding Mode:")).then_some(BOND)
            }
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::read(known, heard));
        let mut queries = Vec::new();
        if known.scope != Scope::Everything {
            queries.push(Query::dir(BONDS, FOLDER));
            let names = lower::listed(heard);
            queries.extend(names.iter().map(|name| Query::file(BOND, format!("{FOLDER}/{name}"))));
        }
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

/// `/proc/net/bonding/bond0` → bond0
pub fn bond_of(path: &str) -> Option<&str> {
    path.strip_prefix(FOLDER)?.strip_prefix('/').filter(|name| !name.is_empty() && !name.contains('/'))
}
