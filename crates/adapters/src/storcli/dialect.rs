//! What differs between the two generations of storcli: names, drivers, and how an answer becomes the
//! tree that is read here. Everything else is shared.

use super::parse::Document;
use raidmond_core::model::Space;

pub struct Dialect {
    pub family: &'static str,
    /// Base names of the tool, the usual one first.
    pub commands: &'static [&'static str],
    pub space: Space,
    pub driver: &'static str,
    /// Prints the layout of storcli2.
    pub second: bool,
    /// Its event log is asked for.
    pub events: bool,
    /// Brings an answer into the shape of generation 1.
    pub translate: fn(Document) -> Document,
}
