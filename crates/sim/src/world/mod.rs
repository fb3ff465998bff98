//! The nouns of the simulated host. Plain data: what moves it is in [`crate::motion`] and
//! [`crate::faults`], what prints it in [`crate::tools`].

mod array;
mod controller;
mod disk;
mod parts;

pub use array::{Array, ArrayState, Level, Member};
pub use controller::{Controller, Event, Family, Pci, hctl};
pub use disk::{Disk, DiskState, Interface, Spare};
pub use parts::{Battery, BatteryKind, BatteryState, Enclosure, Part, Schedule, Task, TaskKind, TaskOn};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a tool misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToolFault {
    Hangs,
    Garbage,
    /// Prints half of its answer, then aborts.
    Crashes,
    Killed,
    Absent,
    /// Succeeds and prints nothing.
    Empty,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct World {
    pub host: String,
    /// Simulated time, seconds since 1970.
    pub now: u64,
    pub booted: u64,
    pub kernel: String,
    pub kernel_sequence: u64,
    pub controllers: Vec<Controller>,
    pub tools: BTreeMap<String, ToolFault>,
}

impl World {
    pub fn new(host: &str, now: u64) -> Self {
        Self {
            host: host.to_owned(),
            now,
            booted: now.saturating_sub(37 * 86_400),
            kernel: "6.1.0-28-amd64".to_owned(),
            kernel_sequence: 2417,
            controllers: Vec::new(),
            tools: BTreeMap::new(),
        }
    }

    /// The same world at another moment: the demo starts at the real present.
    pub fn at(mut self, now: u64) -> Self {
        let shift = |then: u64, from: u64| now.saturating_sub(from.saturating_sub(then));
        let from = self.now;
        for event in self.controllers.iter_mut().flat_map(|c| &mut c.events) {
            event.time = shift(event.time, from);
        }
        self.booted = shift(self.booted, from);
        self.now = now;
        self
    }

    pub fn controller(&self, id: &str) -> Option<&Controller> {
        self.controllers.iter().find(|c| c.id == id)
    }

    pub fn controller_mut(&mut self, id: &str) -> Option<&mut Controller> {
        self.controllers.iter_mut().find(|c| c.id == id)
    }

    /// Controllers of a family that are there, as that family's tool numbers them.
    pub fn of(&self, family: Family) -> impl Iterator<Item = &Controller> {
        self.controllers.iter().filter(move |c| c.present && c.family == family)
    }

    pub fn uptime(&self) -> u64 {
        self.now.saturating_sub(self.booted)
    }
}
