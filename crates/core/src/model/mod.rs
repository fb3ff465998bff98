//! The nouns of RAID, in the field's standard terms.
//!
//! These are facts as one source stated them: every field is optional where a tool may be silent,
//! and every state keeps the vendor's own word. Nothing here says how bad anything is.

mod array;
mod bond;
mod cache;
mod controller;
mod disk;
mod enclosure;
mod finding;
mod name;
mod schedule;
mod task;

pub use array::{Array, ArrayState, CachePolicy, Level, Member, WriteCache};
pub use bond::{Bond, BondLink};
pub use cache::{CacheKind, CacheProtection, CacheState};
pub use controller::{Controller, ControllerState};
pub use disk::{Disk, DiskState, ErrorRecovery, Interface, Medium, SpareScope};
pub use enclosure::{Enclosure, Part, PartKind, PartState};
pub use finding::{Finding, FindingKind};
pub use name::{Alias, ObjectKind, Path, Space};
pub use schedule::{CheckSchedule, ScheduledBy};
pub use task::{Task, TaskKind, TaskState};

use serde::{Deserialize, Serialize};

/// A verdict beside the vendor's own words for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed<S> {
    pub state: S,
    pub said: String,
}

impl<S> Observed<S> {
    pub fn new(state: S, said: impl Into<String>) -> Self {
        Self { state, said: said.into() }
    }
}
