//! What diagnosis must remember from one look to the next. Part of the persisted state.

use super::condition::{Condition, Subject};
use super::kind::ConditionKind;
use super::logs::LogFact;
use crate::checks::CheckMemory;
use crate::host::View;
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
    Unrecovered,
    Timeouts,
    MemoryCorrectable,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CounterMemory {
    pub first: u64,
    pub last: u64,
    /// The value before the present growth began, and when it grew last.
    pub grown: Option<Grown>,
}

impl CounterMemory {
    fn new(value: u64) -> Self {
        Self { first: value, last: value, grown: None }
    }

    fn take(&mut self, value: u64, now: Timestamp) {
        if value < self.last {
            *self = Self::new(value);
        } else if value > self.last {
            let from = self.grown.as_ref().map_or(self.last, |g| g.from);
            let since = self.grown.as_ref().map_or(now, |g| g.since);
            self.grown = Some(Grown { from, since, last_at: now });
            self.last = value;
        }
    }
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
    pub kind: ConditionKind,
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
    /// Links of bonds, and fans and power supplies that worked.
    #[serde(default)]
    pub parts_known: BTreeMap<ObjectId, BTreeSet<String>>,
    /// Counters of parts, by key: `o7/eth0`.
    #[serde(default)]
    pub part_counters: BTreeMap<String, CounterMemory>,
    /// Objects over a temperature limit, for hysteresis.
    pub warm: BTreeSet<ObjectId>,
    #[serde(default)]
    pub hot: BTreeSet<ObjectId>,
    pub firmware: BTreeMap<ObjectId, String>,
    /// Serial number of each controller.
    #[serde(default)]
    pub cards: BTreeMap<ObjectId, String>,
    /// Controllers that have had a working battery or capacitor.
    pub protected: BTreeSet<ObjectId>,
    /// Conditions that rest on log lines, by fingerprint.
    pub logs: BTreeMap<String, LogFact>,
    pub monitor: BTreeMap<String, MonitorFact>,
    /// Data-loss conditions stay until a person closes them: fingerprint → condition.
    pub by_hand: BTreeMap<String, Condition>,
    /// Data loss a person has dealt with: fingerprint → what was said then. New words open it again.
    pub dealt_with: BTreeMap<String, String>,
    /// Devices in log lines that a RAID driver has spoken of.
    #[serde(default)]
    pub raid_devices: BTreeSet<String>,
    /// The checks of each array.
    #[serde(default)]
    pub checks: BTreeMap<ObjectId, CheckMemory>,
    /// The kernel's name for this run of the machine, and when another one took the place of the last.
    #[serde(default)]
    pub boot_id: String,
    #[serde(default)]
    pub booted_at: Option<Timestamp>,
    /// Trouble in old log lines, one fact per object, until it is a day old.
    pub past: BTreeMap<String, LogFact>,
}

impl Memory {
    /// Since when `key` has been the case without interruption, counting from now if it is new.
    pub fn since(&mut self, key: &str, now: Timestamp) -> Timestamp {
        let since = self.since.entry(key.to_owned()).or_insert(now);
        // After the clock was set back.
        *since = now.min(*since);
        *since
    }

    pub fn boot(&mut self, id: String, now: Timestamp) {
        if !self.boot_id.is_empty() && self.boot_id != id {
            self.booted_at = Some(now);
        }
        self.boot_id = id;
    }

    pub fn no_longer(&mut self, key: &str) {
        self.since.remove(key);
    }

    /// Takes a counter value in. The first value is the baseline; a smaller one (a new disk, a reset)
    /// is a new baseline.
    pub fn count(&mut self, id: ObjectId, counter: Counter, value: u64, now: Timestamp) -> &CounterMemory {
        let counter = self.counters.entry(id).or_default().entry(counter).or_insert_with(|| CounterMemory::new(value));
        counter.take(value, now);
        counter
    }

    /// The same for a part, which is no object of its own.
    pub fn count_named(&mut self, key: &str, value: u64, now: Timestamp) -> &CounterMemory {
        let counter = self.part_counters.entry(key.to_owned()).or_insert_with(|| CounterMemory::new(value));
        counter.take(value, now);
        counter
    }

    /// A person closed an incident with this condition.
    pub fn deal_with(&mut self, condition: &Condition, view: &View) {
        self.by_hand.remove(&condition.fingerprint());
        if self.rests_on_results(condition) {
            self.deal_with_results(condition);
        }
        // What a tool goes on to state must not open again; a new line about it must.
        let stated = condition.kind.closes_by_hand() && condition.kind != ConditionKind::DataLoss;
        if stated && !self.rests_on_lines(condition, view) {
            self.dealt_with.insert(condition.fingerprint(), said(condition));
        }
        self.forget_lines(condition, view);
    }

    /// Whether this condition tells how a check ended or what it found.
    pub fn rests_on_results(&self, condition: &Condition) -> bool {
        use ConditionKind as K;
        let told = [K::CheckFailed, K::CheckVanished, K::CheckInterrupted, K::Inconsistencies, K::MirrorMismatches];
        let results = condition.subject.id.and_then(|id| self.checks.get(&id)).map(|c| c.results.as_slice());
        told.contains(&condition.kind) && results.is_some_and(|r| r.iter().any(|r| !r.dealt_with))
    }

    fn deal_with_results(&mut self, condition: &Condition) {
        let check = condition.subject.id.and_then(|id| self.checks.get_mut(&id));
        for result in check.into_iter().flat_map(|c| &mut c.results) {
            result.dealt_with = true;
        }
    }

    pub(super) fn is_dealt_with(&self, condition: &Condition) -> bool {
        self.dealt_with.get(&condition.fingerprint()).is_some_and(|s| *s == said(condition))
    }

    pub fn forget(&mut self, id: ObjectId) {
        self.counters.remove(&id);
        self.spares_expected.remove(&id);
        self.parts_known.remove(&id);
        self.warm.remove(&id);
        self.hot.remove(&id);
        self.firmware.remove(&id);
        self.cards.remove(&id);
        self.protected.remove(&id);
        self.checks.remove(&id);
        let mine = format!("o{id}/");
        self.since.retain(|k, _| !k.starts_with(&mine));
        self.part_counters.retain(|k, _| !k.starts_with(&mine));
        self.logs.retain(|k, _| !k.starts_with(&mine));
        self.past.retain(|k, _| !k.starts_with(&mine));
    }

    /// `from` turned out to be `into`: what was remembered of it is remembered of that.
    pub fn merge(&mut self, into: &Subject, from: ObjectId) {
        let Some(id) = into.id else { return };
        if let Some(counters) = self.counters.remove(&from) {
            self.counters.entry(id).or_insert(counters);
        }
        if let Some(spares) = self.spares_expected.remove(&from) {
            self.spares_expected.entry(id).or_insert(spares);
        }
        if let Some(parts) = self.parts_known.remove(&from) {
            self.parts_known.entry(id).or_default().extend(parts);
        }
        if let Some(checks) = self.checks.remove(&from) {
            self.checks.entry(id).or_insert(checks);
        }
        if let Some(firmware) = self.firmware.remove(&from) {
            self.firmware.entry(id).or_insert(firmware);
        }
        self.cards.remove(&from);
        for set in [&mut self.warm, &mut self.hot, &mut self.protected] {
            if set.remove(&from) {
                set.insert(id);
            }
        }
        let old = format!("o{from}");
        self.merge_since(&old, &into.key);
        self.merge_lines(into, &old);
        self.merge_by_hand(into, &old);
    }

    fn merge_since(&mut self, old: &str, new: &str) {
        let moved: Vec<String> =
            self.since.keys().filter(|k| k.strip_prefix(old).is_some_and(|r| r.starts_with('/'))).cloned().collect();
        for key in moved {
            let Some(at) = self.since.remove(&key) else { continue };
            let since = self.since.entry(key.replacen(old, new, 1)).or_insert(at);
            *since = at.min(*since);
        }
    }

    fn merge_by_hand(&mut self, into: &Subject, old: &str) {
        for (_, mut condition) in std::mem::take(&mut self.by_hand) {
            for subject in [&mut condition.subject, &mut condition.anchor] {
                if subject.key == old {
                    *subject = into.clone();
                }
            }
            self.by_hand.insert(condition.fingerprint(), condition);
        }
    }
}

fn said(condition: &Condition) -> String {
    condition.evidence.iter().map(|e| e.said.as_str()).collect::<Vec<_>>().join("; ")
}
