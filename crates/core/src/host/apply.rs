//! Takes a reading in.

use super::{Facts, Host};
use crate::identity::{Claim, ObjectId, Resolved};
use crate::model::{
    Alias, Array, CacheProtection, CheckSchedule, Controller, Disk, Enclosure, Finding, ObjectKind, Path, Space, Task,
};
use crate::survey::{Covers, Note, NoteKind, Reading};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    pub at: Timestamp,
    /// Shared by all copies of the state: a turn copies it, and most of what is known stays as it was.
    #[serde(with = "shared")]
    pub facts: Arc<Facts>,
}

mod shared {
    use super::{Arc, Facts};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(facts: &Arc<Facts>, to: S) -> Result<S::Ok, S::Error> {
        facts.as_ref().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Facts>, D::Error> {
        Facts::deserialize(from).map(Arc::new)
    }
}

/// One conversation: a tool and what it was asked about ("storcli", "c0"; "storcli", "" for discovery).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SourceKey {
    pub family: String,
    pub about: String,
}

impl From<SourceKey> for String {
    fn from(key: SourceKey) -> String {
        format!("{}@{}", key.family, key.about)
    }
}

impl TryFrom<String> for SourceKey {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let (family, about) = text.split_once('@').ok_or("a source key has the form family@about")?;
        Ok(SourceKey { family: family.to_owned(), about: about.to_owned() })
    }
}

impl std::fmt::Display for SourceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.about.as_str() {
            "" => f.write_str(&self.family),
            about => write!(f, "{} {about}", self.family),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceState {
    pub space: Space,
    /// The last reading of any kind.
    pub heard_at: Timestamp,
    /// The last reading that covered something.
    pub good_at: Option<Timestamp>,
    /// Readings in a row that told nothing.
    pub failures: u32,
    pub tasks: Vec<Task>,
    #[serde(default)]
    pub schedules: Vec<CheckSchedule>,
    pub findings: Vec<Finding>,
    pub notes: Vec<Note>,
}

/// What a reading changed in who is there; the engine tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    New(ObjectId),
    /// `old` held the place that `new` holds now.
    Replaced {
        old: ObjectId,
        new: ObjectId,
    },
    Merged {
        into: ObjectId,
        from: ObjectId,
    },
    /// Another card in the place of an old one.
    NewCard(ObjectId),
    Gone(ObjectId),
    Back(ObjectId),
}

impl Host {
    pub fn apply(&mut self, key: &SourceKey, reading: &Reading, at: Timestamp) -> Vec<Change> {
        // After the clock was set back nothing may seem fresher than what is said now.
        self.sightings.values_mut().flat_map(BTreeMap::values_mut).for_each(|s| s.at = s.at.min(at));
        let mut intake =
            Intake { host: self, reading, family: &key.family, at, seen: BTreeSet::new(), changes: Vec::new() };
        intake.new_cards();
        intake.objects();
        intake.mark_gone();
        let changes = intake.changes;
        self.note_source(key, reading, at);
        changes
    }

    fn note_source(&mut self, key: &SourceKey, reading: &Reading, at: Timestamp) {
        let failed = !says_something(reading);
        let before = self.sources.remove(key);
        let state = match before {
            Some(old) if failed => {
                SourceState { heard_at: at, failures: old.failures + 1, notes: reading.notes.clone(), ..old }
            }
            before => SourceState {
                space: reading.space,
                heard_at: at,
                good_at: if failed { before.and_then(|b| b.good_at) } else { Some(at) },
                failures: u32::from(failed),
                tasks: reading.tasks.clone(),
                schedules: reading.schedules.clone(),
                findings: reading.findings.clone(),
                notes: reading.notes.clone(),
            },
        };
        self.sources.insert(key.clone(), state);
    }
}

/// A reading that failed says nothing of health and complains; it replaces nothing.
pub fn says_something(reading: &Reading) -> bool {
    let failing = |n: &Note| matches!(n.kind, NoteKind::ToolFailed | NoteKind::Unreadable | NoteKind::CommandRefused);
    !(reading.bears_no_health() && reading.notes.iter().any(failing))
}

struct Intake<'a> {
    host: &'a mut Host,
    reading: &'a Reading,
    family: &'a str,
    at: Timestamp,
    seen: BTreeSet<ObjectId>,
    changes: Vec<Change>,
}

impl Intake<'_> {
    /// The number of a card, and by the same tool another serial number: it was replaced. Its arrays, disks
    /// and spares are expected behind the new one. A card that another number lists now has only moved.
    fn new_cards(&mut self) {
        let reading = self.reading;
        for card in &reading.controllers {
            let aliases = with_serial(&card.aliases, card.serial.as_deref());
            let claim = Claim {
                kind: ObjectKind::Controller,
                space: reading.space,
                path: &card.at,
                parent: None,
                aliases: &aliases,
            };
            let Some(id) = self.host.registry.stranger_in_place(&claim) else { continue };
            let before =
                self.host.sightings.get(&id).and_then(|s| s.get(self.family)).and_then(|s| s.facts.controller());
            let Some(serial) = before.and_then(|c| c.serial.clone()) else { continue };
            let moved = reading.controllers.iter().any(|c| c.serial.as_ref() == Some(&serial));
            if card.serial.is_some() && !moved {
                self.host.registry.renew(id);
                // What other tools saw was the old card.
                self.host.sightings.insert(id, BTreeMap::new());
                self.changes.push(Change::NewCard(id));
            }
        }
    }

    fn objects(&mut self) {
        let reading = self.reading;
        for c in &reading.controllers {
            let aliases = with_serial(&c.aliases, c.serial.as_deref());
            self.take(ObjectKind::Controller, &c.at, None, &aliases, Facts::Controller(c.clone()));
        }
        for a in &reading.arrays {
            self.take(ObjectKind::Array, &a.at, a.controller.as_ref(), &a.aliases, Facts::Array(a.clone()));
        }
        for d in &reading.disks {
            let aliases = disk_aliases(d);
            self.take(ObjectKind::Disk, &d.at, d.controller.as_ref(), &aliases, Facts::Disk(d.clone()));
        }
        for c in &reading.caches {
            let aliases = with_serial(&[], c.serial.as_deref());
            self.take(ObjectKind::Cache, &c.at, c.controller.as_ref(), &aliases, Facts::Cache(c.clone()));
        }
        for e in &reading.enclosures {
            self.take(ObjectKind::Enclosure, &e.at, e.controller.as_ref(), &[], Facts::Enclosure(e.clone()));
        }
        for b in &reading.bonds {
            self.take(ObjectKind::Bond, &b.at, None, &[], Facts::Bond(b.clone()));
        }
    }

    fn take(&mut self, kind: ObjectKind, at: &Path, controller: Option<&Path>, aliases: &[Alias], facts: Facts) {
        let parent = controller.filter(|c| **c != *at).map(|c| self.controller_id(c));
        let aliases = self.without_twins(kind, parent, aliases);
        let claim = Claim { kind, space: self.reading.space, path: at, parent, aliases: &aliases };
        let (id, resolved) = self.host.registry.resolve(&claim);
        self.record(id, &resolved);
        let listed = self.host.sightings.get(&id).is_some_and(|s| s.keys().any(|family| lists(family)));
        if !lists(self.family) && listed && self.host.gone.contains_key(&id) {
            return;
        }
        if self.host.gone.remove(&id).is_some() {
            self.changes.push(Change::Back(id));
        }
        self.seen.insert(id);
        let silent = matches!(&facts, Facts::Disk(d) if self.family == "smart" && !d.bears_health());
        let before = self.host.sightings.get_mut(&id).and_then(|s| s.get_mut(self.family));
        if let (true, Some(before)) = (silent, before) {
            // It sleeps: what was known of it stays.
            before.at = self.at;
            return;
        }
        let sighting = Sighting { at: self.at, facts: Arc::new(facts) };
        self.host.sightings.entry(id).or_default().insert(self.family.to_owned(), sighting);
    }

    /// An array id that an array of another controller carries right now proves nothing: two arrays,
    /// however alike their ids, are two arrays. (After a card was replaced the old one is not seen.)
    fn without_twins(&self, kind: ObjectKind, parent: Option<ObjectId>, aliases: &[Alias]) -> Vec<Alias> {
        let held_elsewhere = |alias: &&Alias| {
            self.host.registry.iter().any(|(id, entry)| {
                let elsewhere = entry.kind == kind && entry.parent != parent && entry.aliases.contains(*alias);
                elsewhere && self.is_seen_now(id)
            })
        };
        let is_array = kind == ObjectKind::Array;
        aliases.iter().filter(|a| !is_array || !held_elsewhere(a)).cloned().collect()
    }

    fn is_seen_now(&self, id: ObjectId) -> bool {
        let newest = self.host.sightings.get(&id).and_then(|s| s.values().map(|s| s.at).max());
        !self.host.gone.contains_key(&id) && newest.is_some_and(|at| at > self.at - GRACE)
    }

    /// Objects may name a controller that the reading does not describe.
    fn controller_id(&mut self, path: &Path) -> ObjectId {
        let described = self.reading.controllers.iter().find(|c| c.at == *path);
        let aliases = described.map(|c| with_serial(&c.aliases, c.serial.as_deref())).unwrap_or_default();
        let claim =
            Claim { kind: ObjectKind::Controller, space: self.reading.space, path, parent: None, aliases: &aliases };
        let (id, resolved) = self.host.registry.resolve(&claim);
        self.record(id, &resolved);
        id
    }

    fn record(&mut self, id: ObjectId, resolved: &Resolved) {
        for from in &resolved.merged {
            let moved = self.host.sightings.remove(from).unwrap_or_default();
            let into = self.host.sightings.entry(id).or_default();
            for (family, sighting) in moved {
                into.entry(family).or_insert(sighting);
            }
            self.host.gone.remove(from);
            self.changes.push(Change::Merged { into: id, from: *from });
        }
        if let Some(old) = resolved.displaced.filter(|_| resolved.new) {
            self.changes.push(Change::Replaced { old, new: id });
        }
        if resolved.new {
            self.changes.push(Change::New(id));
        }
    }

    /// What this reading lists completely and does not hold is gone, as far as this source saw it.
    fn mark_gone(&mut self) {
        let mut missing: Vec<ObjectId> = self.missing().collect();
        // Its place is positively held by another.
        let displaced =
            self.changes.iter().filter_map(|c| if let Change::Replaced { old, .. } = c { Some(*old) } else { None });
        missing.extend(displaced.filter(|old| !self.seen.contains(old)));
        for id in missing {
            let newly = !self.host.gone.contains_key(&id);
            self.host.gone.entry(id).or_insert(self.at);
            if newly {
                self.changes.push(Change::Gone(id));
            }
        }
    }

    fn missing(&self) -> impl Iterator<Item = ObjectId> {
        let covered: BTreeMap<(Path, Covers), ()> = self.reading.coverage.iter().map(|c| (c.clone(), ())).collect();
        let by_family = |(id, sources): (&ObjectId, &BTreeMap<String, Sighting>)| {
            let sighting = sources.get(self.family)?;
            let (controller, covers) = place_of(&sighting.facts);
            // The number may have moved since: the registry knows where the parent is now.
            let entry = self.host.registry.get(*id)?;
            let now =
                entry.parent.and_then(|p| self.host.registry.get(p)).and_then(|p| p.paths.get(&self.reading.space));
            let controller = now.cloned().unwrap_or(controller);
            let is_covered = covered.contains_key(&(controller, covers));
            // Another source still lists it as of now: this one merely does not show it.
            let lists_it = |f: &String, s: &Sighting| f != self.family && lists(f) && s.at >= sighting.at;
            let elsewhere = sources.iter().any(|(f, s)| lists_it(f, s) && s.at > self.at - GRACE);
            (is_covered && !self.seen.contains(id) && !elsewhere).then_some(*id)
        };
        self.host.sightings.iter().filter_map(by_family).collect::<Vec<_>>().into_iter()
    }
}

/// smartctl asks about disks that others listed, an enclosure names what the kernel once put in a slot: that they
/// still speak of one does not mean that it is there.
fn lists(family: &str) -> bool {
    !matches!(family, "smart" | "ses")
}

const GRACE: jiff::SignedDuration = jiff::SignedDuration::from_mins(10);

/// The listing an object belongs to: that of its controller, or the family's own (empty path) where there
/// is none: md, pools, volumes.
fn place_of(facts: &Facts) -> (Path, Covers) {
    let list = |controller: &Option<Path>| controller.clone().unwrap_or_default();
    match facts {
        Facts::Controller(_) => (Path::default(), Covers::Controllers),
        Facts::Array(Array { controller, .. }) => (list(controller), Covers::Arrays),
        Facts::Disk(Disk { controller, .. }) => (list(controller), Covers::Disks),
        Facts::Cache(CacheProtection { controller, .. }) => (list(controller), Covers::Cache),
        Facts::Enclosure(Enclosure { controller, .. }) => (list(controller), Covers::Enclosures),
        Facts::Bond(_) => (Path::default(), Covers::Bonds),
    }
}

fn with_serial(aliases: &[Alias], serial: Option<&str>) -> Vec<Alias> {
    let mut all = aliases.to_vec();
    all.extend(serial.and_then(Alias::serial));
    all
}

fn disk_aliases(disk: &Disk) -> Vec<Alias> {
    let mut all = with_serial(&disk.aliases, disk.serial.as_deref());
    if let Some(id) = &disk.device_id {
        all.push(Alias::DeviceId(id.clone()));
    }
    all
}

impl Facts {
    pub fn controller(&self) -> Option<&Controller> {
        if let Facts::Controller(c) = self { Some(c) } else { None }
    }
    pub fn array(&self) -> Option<&Array> {
        if let Facts::Array(a) = self { Some(a) } else { None }
    }
    pub fn disk(&self) -> Option<&Disk> {
        if let Facts::Disk(d) = self { Some(d) } else { None }
    }
    pub fn cache(&self) -> Option<&CacheProtection> {
        if let Facts::Cache(c) = self { Some(c) } else { None }
    }
    pub fn enclosure(&self) -> Option<&Enclosure> {
        if let Facts::Enclosure(e) = self { Some(e) } else { None }
    }
}
