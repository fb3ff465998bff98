//! What an adapter made of the answers. Never an error: a half-readable controller is a reading
//! with notes and a narrower coverage.

use crate::model::{
    Array, Bond, CacheProtection, CheckSchedule, Controller, Disk, Enclosure, Finding, Path, Space, Task,
};
use crate::observe::Observation;
use serde::{Deserialize, Serialize};

/// A class of objects that a reading lists completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Covers {
    /// All controllers this tool can see (discovery); `at` is empty.
    Controllers,
    Arrays,
    Disks,
    Cache,
    Enclosures,
    Bonds,
    Tasks,
    Events,
}

/// "All arrays of c0 are in here." What is covered and not listed is gone. Arrays and disks without a
/// controller are listed under the empty path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Coverage(std::collections::BTreeSet<(Path, Covers)>);

impl Coverage {
    pub fn add(&mut self, controller: &Path, what: Covers) {
        self.0.insert((controller.clone(), what));
    }

    pub fn has(&self, controller: &Path, what: Covers) -> bool {
        self.0.contains(&(controller.clone(), what))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &(Path, Covers)> {
        self.0.iter()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// A word, code or key in otherwise readable output that is not in the vocabulary. Quoted.
    UnknownWord,
    /// The output as a whole was not understood, is empty or was cut off.
    Unreadable,
    /// The tool did not run to its end: crashed, killed, timed out, refused, denied, missing.
    ToolFailed,
    /// The tool refused this command or does not know it.
    CommandRefused,
    /// The tool sees fewer controllers, arrays or disks than something else counts.
    FewerThanCounted,
    /// Only a part was read; the rest is not known.
    Partial,
    /// A capture holds the answer of a command that changes something; not judged.
    Mutation,
    /// For doctor and docs: no fault, quoted.
    Remark,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub kind: NoteKind,
    /// The object or controller it concerns; empty for the tool as a whole.
    pub at: Path,
    pub said: String,
    /// What the admin can do.
    pub remedy: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The adapter ("storcli").
    pub family: String,
    pub space: Space,
    pub controllers: Vec<Controller>,
    pub arrays: Vec<Array>,
    pub disks: Vec<Disk>,
    pub caches: Vec<CacheProtection>,
    pub enclosures: Vec<Enclosure>,
    #[serde(default)]
    pub bonds: Vec<Bond>,
    pub tasks: Vec<Task>,
    /// Checks and patrol reads that the controller starts by itself.
    #[serde(default)]
    pub schedules: Vec<CheckSchedule>,
    pub findings: Vec<Finding>,
    /// Entries of the controller's event log.
    pub events: Vec<Observation>,
    pub notes: Vec<Note>,
    pub coverage: Coverage,
    /// Next cursor of this adapter.
    pub cursor: Option<String>,
}

impl Reading {
    pub fn new(family: &str, space: Space) -> Self {
        Self {
            family: family.to_owned(),
            space,
            controllers: Vec::new(),
            arrays: Vec::new(),
            disks: Vec::new(),
            caches: Vec::new(),
            enclosures: Vec::new(),
            bonds: Vec::new(),
            tasks: Vec::new(),
            schedules: Vec::new(),
            findings: Vec::new(),
            events: Vec::new(),
            notes: Vec::new(),
            coverage: Coverage::default(),
            cursor: None,
        }
    }

    pub fn note(&mut self, kind: NoteKind, at: Path, said: impl Into<String>) {
        self.notes.push(Note { kind, at, said: said.into(), remedy: None });
    }

    pub fn note_with_remedy(&mut self, kind: NoteKind, at: Path, said: impl Into<String>, remedy: impl Into<String>) {
        self.notes.push(Note { kind, at, said: said.into(), remedy: Some(remedy.into()) });
    }

    pub fn unknown_word(&mut self, at: Path, field: &str, word: &str) {
        self.note(NoteKind::UnknownWord, at, format!("{field} \"{word}\" is not known to raidmond"));
    }

    /// The controller at this path, made if it is not there yet.
    pub fn controller(&mut self, at: &Path) -> &mut Controller {
        let index = match self.controllers.iter().position(|c| c.at == *at) {
            Some(index) => index,
            None => {
                self.controllers.push(Controller { at: at.clone(), ..Controller::default() });
                self.controllers.len() - 1
            }
        };
        &mut self.controllers[index]
    }

    /// The disk at this path, made if it is not there yet.
    pub fn disk(&mut self, at: &Path) -> &mut Disk {
        let index = match self.disks.iter().position(|d| d.at == *at) {
            Some(index) => index,
            None => {
                self.disks.push(Disk { at: at.clone(), controller: Some(at.root()), ..Disk::default() });
                self.disks.len() - 1
            }
        };
        &mut self.disks[index]
    }

    /// The array at this path, made if it is not there yet.
    pub fn array(&mut self, at: &Path) -> &mut Array {
        let index = match self.arrays.iter().position(|a| a.at == *at) {
            Some(index) => index,
            None => {
                self.arrays.push(Array { at: at.clone(), controller: Some(at.root()), ..Array::default() });
                self.arrays.len() - 1
            }
        };
        &mut self.arrays[index]
    }

    /// Nothing in here says anything about the health of anything.
    pub fn bears_no_health(&self) -> bool {
        let stated = self.controllers.iter().any(|c| {
            c.state.is_some()
                || c.makes_arrays == Some(false)
                || c.arrays_counted.is_some()
                || c.disks_counted.is_some()
        });
        !stated
            && self.arrays.iter().all(|a| a.state.is_none() && a.bad_blocks.is_none() && a.cache == Default::default())
            && !self.disks.iter().any(Disk::bears_health)
            && self.caches.iter().all(|c| c.state.is_none() && c.replace.is_none())
            && self.enclosures.iter().all(|e| e.parts.is_empty())
            && self.bonds.iter().all(|b| b.links.is_empty())
            && self.tasks.is_empty()
            && self.findings.is_empty()
            && self.events.is_empty()
            && self.coverage.is_empty()
    }
}
