//! Who is who: every object has a surrogate id for life, found again through aliases.
//!
//! A strong alias (serial, WWN, PCI address, …) proves identity. Without one, the place decides
//! (controller and slot), until a strong alias contradicts. This module does not know what the
//! objects are doing.

use crate::model::{Alias, ObjectKind, Path, Space};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ObjectId(pub u64);

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub kind: ObjectKind,
    /// The controller (or other root) it hangs on; `None` for roots.
    pub parent: Option<ObjectId>,
    /// Where it is now, per numbering space.
    pub paths: BTreeMap<Space, Path>,
    pub aliases: BTreeSet<Alias>,
}

impl Entry {
    pub fn strong(&self) -> impl Iterator<Item = &Alias> {
        self.aliases.iter().filter(|a| a.is_strong())
    }

    pub fn serial(&self) -> Option<&str> {
        self.aliases.iter().find_map(|a| match a {
            Alias::Serial(s) => Some(s.as_str()),
            _ => None,
        })
    }

    /// A name for people: the path of the first space.
    pub fn path(&self) -> Path {
        self.paths.values().next().cloned().unwrap_or_default()
    }
}

/// What a source says of an object's identity.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    pub kind: ObjectKind,
    pub space: Space,
    pub path: &'a Path,
    pub parent: Option<ObjectId>,
    pub aliases: &'a [Alias],
}

impl Claim<'_> {
    /// Same kind and parent, and the same last path component: the first one changes when controllers are
    /// renumbered. Without a parent there is no such number, and `md0/sda` is another place than `md1/sda`.
    fn is_place_of(&self, entry: &Entry) -> bool {
        let same = |there: &Path| match self.parent {
            Some(_) => there.leaf() == self.path.leaf(),
            None => there == self.path,
        };
        entry.kind == self.kind && entry.parent == self.parent && entry.paths.get(&self.space).is_some_and(same)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolved {
    pub new: bool,
    /// Another object held this place until now: it was replaced, or moved away.
    pub displaced: Option<ObjectId>,
    /// Objects now proven to be this one.
    pub merged: Vec<ObjectId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Registry {
    next: u64,
    entries: BTreeMap<ObjectId, Entry>,
}

impl Registry {
    pub fn get(&self, id: ObjectId) -> Option<&Entry> {
        self.entries.get(&id)
    }

    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &Entry)> {
        self.entries.iter().map(|(id, e)| (*id, e))
    }

    pub fn forget(&mut self, id: ObjectId) {
        self.entries.remove(&id);
    }

    /// Finds or makes the object of a claim.
    pub fn resolve(&mut self, claim: &Claim<'_>) -> (ObjectId, Resolved) {
        let mut proven = self.by_strong_alias(claim);
        let holder = self.holder(claim);
        let mut resolved = Resolved::default();
        let id = match (proven.is_empty(), holder) {
            (false, _) => proven.remove(0),
            (true, Some(holder)) if !self.contradicts(holder, claim) => holder,
            (true, _) => {
                resolved.new = true;
                self.make(claim)
            }
        };
        for other in proven {
            self.merge(id, other);
            resolved.merged.push(other);
        }
        resolved.displaced = holder.filter(|h| *h != id && self.entries.contains_key(h));
        self.place(id, claim);
        (id, resolved)
    }

    /// Looks up without changing anything.
    pub fn find(&self, kind: ObjectKind, space: Option<Space>, path: &Path, aliases: &[Alias]) -> Option<ObjectId> {
        let by_alias = |strong: bool| {
            let wanted: Vec<&Alias> = aliases.iter().filter(|a| a.is_strong() == strong).collect();
            let mut found =
                self.entries.iter().filter(|(_, e)| e.kind == kind && wanted.iter().any(|a| e.aliases.contains(*a)));
            let first = found.next();
            // Device ids repeat on every controller: a weak alias counts only when it is the only one.
            if strong || found.next().is_none() { first } else { None }
        };
        let by_path = || {
            let holds = |e: &Entry| e.paths.iter().any(|(s, p)| p == path && space.is_none_or(|w| w == *s));
            self.entries.iter().find(|(_, e)| !path.as_str().is_empty() && e.kind == kind && holds(e))
        };
        by_alias(true).or_else(by_path).or_else(|| by_alias(false)).map(|(id, _)| *id)
    }

    /// The object of this place, which is to be another piece of hardware from now on: a card was replaced.
    /// What hangs on it, and what is known of it, stays.
    pub fn renew(&mut self, id: ObjectId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.aliases.retain(|a| !a.is_strong());
        }
    }

    /// Whom a claim would displace, as something else than it says to be: nobody else is known by its name.
    pub fn stranger_in_place(&self, claim: &Claim<'_>) -> Option<ObjectId> {
        let holder = self.holder(claim).filter(|holder| self.contradicts(*holder, claim));
        holder.filter(|_| self.by_strong_alias(claim).is_empty())
    }

    fn by_strong_alias(&self, claim: &Claim<'_>) -> Vec<ObjectId> {
        let strong: Vec<&Alias> = claim.aliases.iter().filter(|a| a.is_strong()).collect();
        let matches = |id: &ObjectId, e: &Entry| {
            e.kind == claim.kind && strong.iter().any(|a| e.aliases.contains(*a)) && !self.contradicts(*id, claim)
        };
        self.entries.iter().filter(|(id, e)| matches(id, e)).map(|(id, _)| *id).collect()
    }

    /// The object whose place this is.
    fn holder(&self, claim: &Claim<'_>) -> Option<ObjectId> {
        self.entries.iter().find(|(_, e)| claim.is_place_of(e)).map(|(id, _)| *id)
    }

    /// Both state a serial (or a WWN, where no serial speaks) and they differ.
    fn contradicts(&self, id: ObjectId, claim: &Claim<'_>) -> bool {
        let Some(entry) = self.entries.get(&id) else { return false };
        let differs = |pick: fn(&Alias) -> Option<&String>| {
            let known: Vec<&String> = entry.aliases.iter().filter_map(pick).collect();
            let claimed: Vec<&String> = claim.aliases.iter().filter_map(pick).collect();
            // Tools cut serials differently: one may print a part of what the other prints.
            let same = |a: &String, b: &String| a.contains(b.as_str()) || b.contains(a.as_str());
            (!known.is_empty() && !claimed.is_empty())
                .then(|| !claimed.iter().any(|c| known.iter().any(|k| same(c, k))))
        };
        let serial = differs(|a| if let Alias::Serial(s) = a { Some(s) } else { None });
        let wwn = differs(|a| if let Alias::Wwn(s) = a { Some(s) } else { None });
        let uid = differs(|a| if let Alias::ArrayUid(s) = a { Some(s) } else { None });
        serial.or(wwn).or(uid).unwrap_or(false)
    }

    fn make(&mut self, claim: &Claim<'_>) -> ObjectId {
        self.next += 1;
        let id = ObjectId(self.next);
        let entry = Entry { kind: claim.kind, parent: claim.parent, paths: BTreeMap::new(), aliases: BTreeSet::new() };
        self.entries.insert(id, entry);
        id
    }

    fn merge(&mut self, into: ObjectId, from: ObjectId) {
        let Some(gone) = self.entries.remove(&from) else { return };
        if let Some(entry) = self.entries.get_mut(&into) {
            entry.aliases.extend(gone.aliases);
            for (space, path) in gone.paths {
                entry.paths.entry(space).or_insert(path);
            }
        }
        for entry in self.entries.values_mut().filter(|e| e.parent == Some(from)) {
            entry.parent = Some(into);
        }
    }

    fn place(&mut self, id: ObjectId, claim: &Claim<'_>) {
        for (other, entry) in &mut self.entries {
            if *other != id && claim.is_place_of(entry) {
                entry.paths.remove(&claim.space);
            }
        }
        let Some(entry) = self.entries.get_mut(&id) else { return };
        entry.parent = claim.parent.or(entry.parent);
        entry.paths.insert(claim.space, claim.path.clone());
        // Weak aliases hold until contradicted: a new one replaces those of its kind.
        for alias in claim.aliases {
            if !alias.is_strong() {
                entry.aliases.retain(|a| std::mem::discriminant(a) != std::mem::discriminant(alias));
            }
            entry.aliases.insert(alias.clone());
        }
    }
}

#[cfg(test)]
mod tests;
