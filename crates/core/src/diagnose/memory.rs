//! What diagnosis must remember from one look to the next. Part of the persisted state.

use super::logs::LogFact;
use crate::identity::ObjectId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counter {
    Media,
    Other,
    Reallocated,
    Link,
    MemoryCorrectable,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CounterMemory {
    pub first: u64,
    pub last: u64,
    /// The value before the present growth began, and when it grew last.
    pub grown: Option<Grown>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grown {
    pub from: u64,
    pub since: Timestamp,
    pub last_at: Timestamp,
}

/// A state of raidmond's own that the shell reports: a log source, a channel, the state file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MonitorFact {
    pub kind: super::kind::ConditionKind,
    pub name: String,
    pub said: String,
    pub remedy: Option<String>,
    pub since: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Memory {
    pub counters: BTreeMap<ObjectId, BTreeMap<Counter, CounterMemory>>,
    /// Fingerprint of a lasting situation → when it began.
    pub since: BTreeMap<String, Timestamp>,
    /// Hot spares each controller has had.
    pub spares_expected: BTreeMap<ObjectId, u32>,
    /// Objects over a temperature limit, for hysteresis.
    pub warm: BTreeSet<ObjectId>,
    pub firmware: BTreeMap<ObjectId, String>,
    /// Controllers that have had a working battery or capacitor.
    pub protected: BTreeSet<ObjectId>,
    /// Conditions that rest on log lines, by fingerprint.
    pub logs: BTreeMap<String, LogFact>,
    pub monitor: BTreeMap<String, MonitorFact>,
    /// Data-loss conditions stay until a person closes them: fingerprint → condition.
    pub by_hand: BTreeMap<String, super::condition::Condition>,
    /// Data loss a person has dealt with: fingerprint → what was said then. New words open it again.
    pub dealt_with: BTreeMap<String, String>,
    /// Devices in log lines that a RAID driver has spoken of.
    #[serde(default)]
    pub raid_devices: BTreeSet<String>,
    /// Trouble in old log lines, one fact per object, until it is a day old.
    pub past: BTreeMap<String, LogFact>,
}

impl Memory {
    /// Since when `key` has been the case without interruption, counting from now if it is new.
    pub fn since(&mut self, key: &str, now: Timestamp) -> Timestamp {
        *self.since.entry(key.to_owned()).or_insert(now)
    }

    pub fn no_longer(&mut self, key: &str) {
        self.since.remove(key);
    }

    /// Takes a counter value in. The first value is the baseline; a smaller one (a new disk, a reset)
    /// is a new baseline.
    pub fn count(&mut self, id: ObjectId, counter: Counter, value: u64, now: Timestamp) -> &CounterMemory {
        let fresh = CounterMemory { first: value, last: value, grown: None };
        let memory = self.counters.entry(id).or_default().entry(counter).or_insert_with(|| fresh.clone());
        if value < memory.last {
            *memory = fresh;
        } else if value > memory.last {
            let from = memory.grown.as_ref().map_or(memory.last, |g| g.from);
            let since = memory.grown.as_ref().map_or(now, |g| g.since);
            memory.grown = Some(Grown { from, since, last_at: now });
            memory.last = value;
        }
        memory
    }

    /// A person closed an incident with this condition.
    pub fn deal_with(&mut self, condition: &super::condition::Condition) {
        self.by_hand.remove(&condition.fingerprint());
        let lines = self.logs.len();
        self.logs.retain(|_, fact| fact.subject.key != condition.subject.key);
        if condition.kind.closes_by_hand() && self.logs.len() == lines {
            self.dealt_with.insert(condition.fingerprint(), said(condition));
        }
    }

    pub(super) fn is_dealt_with(&self, condition: &super::condition::Condition) -> bool {
        self.dealt_with.get(&condition.fingerprint()).is_some_and(|s| *s == said(condition))
    }

    pub fn forget(&mut self, id: ObjectId) {
        self.counters.remove(&id);
        self.spares_expected.remove(&id);
        self.warm.remove(&id);
        self.firmware.remove(&id);
        self.protected.remove(&id);
        let mine = format!("o{id}/");
        self.since.retain(|k, _| !k.starts_with(&mine));
        self.logs.retain(|k, _| !k.starts_with(&mine));
    }
}

fn said(condition: &super::condition::Condition) -> String {
    condition.evidence.iter().map(|e| e.said.as_str()).collect::<Vec<_>>().join("; ")
}
