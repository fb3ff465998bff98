//! What the engine keeps.

use crate::checks::{Ability, Checks};
use crate::diagnose::{Condition, IncidentKey, Memory, Policy, Subject};
use crate::host::Host;
use crate::identity::ObjectId;
use crate::model::Disk;
use crate::notice::EvidenceLine;
use crate::severity::Severity;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How to blink a disk's slot with the tool that reads it: (adapter, disk) → command line.
pub type Locator = std::sync::Arc<dyn Fn(&str, &Disk) -> Option<String> + Send + Sync>;

/// A way to people, as far as the engine needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSpec {
    pub name: String,
    pub min_severity: Severity,
}

/// From the configuration; not persisted.
#[derive(Clone)]
pub struct Settings {
    pub host_name: String,
    pub time_zone: jiff::tz::TimeZone,
    pub channels: Vec<ChannelSpec>,
    pub policy: Policy,
    /// Weekday (1 Monday … 7 Sunday) and hour of the "all well" mail.
    pub digest: Option<(i8, i8)>,
    pub drill: bool,
    pub locator: Locator,
    pub checks: Checks,
    /// What the families here can do of it.
    pub ability: Ability,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host_name: "localhost".to_owned(),
            time_zone: jiff::tz::TimeZone::UTC,
            channels: Vec::new(),
            policy: Policy::default(),
            digest: None,
            drill: false,
            locator: std::sync::Arc::new(|_, _| None),
            checks: Checks::default(),
            ability: std::sync::Arc::new(|family, _| Err(format!("{family} changes nothing"))),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    pub by: String,
    pub comment: String,
    pub until: Timestamp,
}

/// A person said that it has been dealt with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByHand {
    pub by: String,
    pub comment: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maintenance {
    pub by: String,
    pub comment: String,
    pub since: Timestamp,
    pub until: Timestamp,
}

/// What people were told of an incident so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Channels that got the opening, and so get the rest.
    pub channels: BTreeSet<String>,
    pub severity: Option<Severity>,
    /// The worst severity ever told.
    #[serde(default = "nothing")]
    pub worst: Severity,
    /// The headline of the worst that was told.
    #[serde(default)]
    pub headline: String,
    /// Fingerprints of the conditions that were told.
    pub conditions: BTreeSet<String>,
    pub last_at: Option<Timestamp>,
    pub reminders: u32,
    /// Times it got worse again after it had been milder; bounded.
    #[serde(default)]
    pub relapses: Vec<Timestamp>,
}

fn nothing() -> Severity {
    Severity::Ok
}

impl Default for Told {
    fn default() -> Self {
        Self {
            channels: BTreeSet::new(),
            severity: None,
            worst: nothing(),
            headline: String::new(),
            conditions: BTreeSet::new(),
            last_at: None,
            reminders: 0,
            relapses: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    pub id: u64,
    pub key: IncidentKey,
    pub anchor: Subject,
    pub opened_at: Timestamp,
    pub severity: Severity,
    pub worst: Severity,
    pub headline: String,
    /// Conditions it stands on now; the last ones when closed.
    pub conditions: Vec<Condition>,
    /// When each condition was first seen in this incident.
    pub seen_at: BTreeMap<String, Timestamp>,
    pub evidence: Vec<EvidenceLine>,
    /// "disk 32:5: serial NEW took the place of serial OLD"
    #[serde(default)]
    pub replaced: Vec<String>,
    /// Number of the last message sent of it.
    pub sequence: u32,
    /// Not told before this time: a warning waits for its confirming look.
    pub tell_at: Option<Timestamp>,
    pub told: Told,
    pub next_reminder: Option<Timestamp>,
    pub ack: Option<Ack>,
    pub closed: Option<(Timestamp, String)>,
    /// Who said that what it is about is how it should be.
    #[serde(default)]
    pub accepted_by: Option<String>,
    /// Who closed it by hand.
    #[serde(default)]
    pub closed_by: Option<ByHand>,
    /// Times it came back shortly after it had closed.
    pub returns: Vec<Timestamp>,
    /// Since when its conditions are gone (a flapping incident waits before it closes).
    pub clear_since: Option<Timestamp>,
}

impl Incident {
    pub fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    pub fn was_told(&self) -> bool {
        self.told.last_at.is_some()
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Random once, given by the shell: keeps message ids of a fresh database apart from older ones.
    pub instance: String,
    pub host: Host,
    pub memory: Memory,
    pub incidents: BTreeMap<u64, Incident>,
    pub next_incident: u64,
    pub maintenance: Option<Maintenance>,
    pub last_digest: Option<Timestamp>,
    /// Old disk → the disk that took its place.
    pub replaced: BTreeMap<ObjectId, ObjectId>,
    /// Cursors of sources, committed with what they brought.
    pub cursors: BTreeMap<String, String>,
    /// Conditions of the last turn; not persisted, follows from the rest.
    pub conditions: Vec<Condition>,
}

impl State {
    pub fn verdict(&self) -> Severity {
        crate::diagnose::verdict(&self.conditions)
    }

    pub fn open_incidents(&self) -> impl Iterator<Item = &Incident> {
        self.incidents.values().filter(|i| i.is_open())
    }
}
