//! What is known of the machine: facts of all sources joined by identity, each with its age.
//!
//! Several tools on one controller make one controller, one array, one disk. Nothing is forgotten
//! because a reading was partial; what a complete listing lacks is marked gone, never deleted here.

mod apply;
pub mod blocks;
mod merge;
mod view;

pub use apply::{Change, Sighting, SourceKey, SourceState, says_something};
pub use blocks::{Block, ScsiHost};
pub use view::{Gone, Seen, View};

use crate::identity::{ObjectId, Registry};
use crate::model::{Array, Bond, CacheProtection, CheckSchedule, Controller, Disk, Enclosure, Space};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Facts of one object, by kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", content = "facts")]
#[allow(clippy::large_enum_variant)] // most are disks, the largest
pub enum Facts {
    Controller(Controller),
    Array(Array),
    Disk(Disk),
    Cache(CacheProtection),
    Enclosure(Enclosure),
    Bond(Bond),
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Host {
    pub registry: Registry,
    /// What each source last said of each object.
    pub(crate) sightings: BTreeMap<ObjectId, BTreeMap<String, Sighting>>,
    /// Tasks, findings and notes of each source's last reading.
    pub sources: BTreeMap<SourceKey, SourceState>,
    /// Objects a complete listing no longer holds.
    pub gone: BTreeMap<ObjectId, Timestamp>,
    /// The kernel's block devices and SCSI hosts, as the shell last read them.
    #[serde(default)]
    pub blocks: Vec<Block>,
    #[serde(default)]
    pub scsi_hosts: Vec<ScsiHost>,
    /// Checks that timers and cron jobs of the machine start, as the shell last read them.
    #[serde(default)]
    pub schedules: Vec<(Space, CheckSchedule)>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ages {
    objects: BTreeMap<ObjectId, BTreeMap<String, Timestamp>>,
    sources: BTreeMap<SourceKey, (Timestamp, Option<Timestamp>)>,
}

impl Host {
    /// Drops an object that is not expected any more.
    pub fn forget(&mut self, id: ObjectId) {
        let paths: Vec<_> = self.registry.get(id).map(|e| e.paths.clone()).unwrap_or_default().into_iter().collect();
        self.sources.retain(|key, state| {
            !paths.iter().any(|(space, path)| state.space == *space && key.about == path.as_str())
        });
        self.gone.remove(&id);
        self.sightings.remove(&id);
        self.registry.forget(id);
    }

    /// Equal in everything but when it was last said.
    pub fn same_but_for_age(&self, other: &Host) -> bool {
        self.ageless() == other.ageless()
    }

    /// When each source last spoke of each object and at all: small, and saved with every look.
    pub fn ages(&self) -> Ages {
        let of = |sightings: &BTreeMap<String, Sighting>| sightings.iter().map(|(f, s)| (f.clone(), s.at)).collect();
        Ages {
            objects: self.sightings.iter().map(|(id, sightings)| (*id, of(sightings))).collect(),
            sources: self.sources.iter().map(|(key, s)| (key.clone(), (s.heard_at, s.good_at))).collect(),
        }
    }

    /// Takes ages that were saved after the facts.
    pub fn set_ages(&mut self, ages: Ages) {
        for (id, families) in ages.objects {
            for (family, at) in families {
                if let Some(sighting) = self.sightings.get_mut(&id).and_then(|s| s.get_mut(&family)) {
                    sighting.at = at;
                }
            }
        }
        for (key, (heard_at, good_at)) in ages.sources {
            if let Some(source) = self.sources.get_mut(&key) {
                (source.heard_at, source.good_at) = (heard_at, good_at);
            }
        }
    }

    fn ageless(&self) -> Host {
        let mut host = self.clone();
        let never = Timestamp::UNIX_EPOCH;
        host.sightings.values_mut().flat_map(|s| s.values_mut()).for_each(|s| s.at = never);
        for source in host.sources.values_mut() {
            source.heard_at = never;
            source.good_at = source.good_at.map(|_| never);
        }
        host
    }
}

#[cfg(test)]
mod tests;
