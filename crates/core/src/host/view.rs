//! The machine as one picture, computed from the sightings.

use super::{Facts, Host, merge};
use crate::identity::ObjectId;
use crate::model::{
    Alias, Array, Bond, CacheProtection, CheckSchedule, Controller, Disk, Enclosure, Finding, ObjectKind, Path, Space,
    Task,
};
use crate::survey::Note;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// An object with its id, the sources that speak of it and the age of what they said.
#[derive(Debug, Clone)]
pub struct Seen<T> {
    pub id: ObjectId,
    /// Path for people; carries the space where two spaces use the same one ("3ware:c0").
    pub name: String,
    pub space: Space,
    pub parent: Option<ObjectId>,
    pub facts: T,
    pub sources: Vec<String>,
    pub at: Timestamp,
    pub disagreement: Option<String>,
}

/// An object that a complete listing no longer holds, with what was last known.
#[derive(Debug, Clone)]
pub struct Gone {
    pub id: ObjectId,
    pub kind: ObjectKind,
    pub name: String,
    pub parent: Option<ObjectId>,
    pub facts: Facts,
    pub since: Timestamp,
}

#[derive(Debug, Clone, Default)]
pub struct View {
    pub controllers: Vec<Seen<Controller>>,
    pub arrays: Vec<Seen<Array>>,
    pub disks: Vec<Seen<Disk>>,
    pub caches: Vec<Seen<CacheProtection>>,
    pub enclosures: Vec<Seen<Enclosure>>,
    pub bonds: Vec<Seen<Bond>>,
    /// Tasks with the object they run on, where it is known.
    pub tasks: Vec<(Option<ObjectId>, Task)>,
    /// Checks that others than raidmond start, in their numbering space, with the array or controller where
    /// it is one.
    pub schedules: Vec<(Option<ObjectId>, Space, CheckSchedule)>,
    pub findings: Vec<(Option<ObjectId>, String, Finding)>,
    /// Notes with their source.
    pub notes: Vec<(Option<ObjectId>, String, Note)>,
    pub gone: Vec<Gone>,
}

impl Host {
    pub fn view(&self) -> View {
        let mut view = View::default();
        for (id, sightings) in &self.sightings {
            let Some(merged) = merge::merge(sightings) else { continue };
            if let Some(since) = self.gone.get(id) {
                view.gone.push(self.gone_object(*id, merged.facts, *since));
                continue;
            }
            self.place(&mut view, *id, merged);
        }
        self.gather_sources(&mut view);
        super::blocks::fill_devices(self, &mut view);
        view
    }

    fn gone_object(&self, id: ObjectId, facts: Facts, since: Timestamp) -> Gone {
        let entry = self.registry.get(id);
        let kind = entry.map_or(ObjectKind::Source, |e| e.kind);
        Gone { id, kind, name: self.name_from(id, &facts), parent: entry.and_then(|e| e.parent), facts, since }
    }

    fn place(&self, view: &mut View, id: ObjectId, merged: merge::Merged) {
        let name = self.name_from(id, &merged.facts);
        let (space, parent) = match self.registry.get(id) {
            Some(e) => (e.paths.keys().next().copied().unwrap_or(Space::Monitor), e.parent),
            None => (Space::Monitor, None),
        };
        let (sources, at, disagreement) = (merged.sources, merged.at, merged.disagreement);
        macro_rules! push {
            ($list:ident, $facts:expr) => {
                view.$list.push(Seen { id, name, space, parent, facts: $facts, sources, at, disagreement })
            };
        }
        match merged.facts {
            Facts::Controller(f) => push!(controllers, f),
            Facts::Array(f) => push!(arrays, f),
            Facts::Disk(f) => push!(disks, f),
            Facts::Cache(f) => push!(caches, f),
            Facts::Enclosure(f) => push!(enclosures, f),
            Facts::Bond(f) => push!(bonds, f),
        }
    }

    fn gather_sources(&self, view: &mut View) {
        for (key, state) in &self.sources {
            let find = |path: &Path| self.any_by_path(state.space, path);
            view.tasks.extend(state.tasks.iter().map(|t| (find(&t.on), t.clone())));
            view.findings.extend(state.findings.iter().map(|f| (find(&f.at), key.family.clone(), f.clone())));
            view.schedules.extend(state.schedules.iter().map(|s| (find(&s.on), state.space, s.clone())));
            view.notes.extend(state.notes.iter().map(|n| (find(&n.at), key.to_string(), n.clone())));
        }
        let of_machine = |(space, s): &(Space, CheckSchedule)| (self.any_by_path(*space, &s.on), *space, s.clone());
        view.schedules.extend(self.schedules.iter().map(of_machine));
        // Two tools report one rebuild.
        let mut seen = std::collections::BTreeSet::new();
        view.tasks.retain(|(id, t)| id.is_none() || seen.insert((*id, t.kind)));
    }

    pub fn any_by_path(&self, space: Space, path: &Path) -> Option<ObjectId> {
        let holds = |e: &crate::identity::Entry| e.paths.get(&space).is_some_and(|p| p == path);
        self.registry.iter().find(|(_, e)| holds(e)).map(|(id, _)| id)
    }

    /// The name of an object for people.
    pub fn name(&self, id: ObjectId) -> String {
        let facts = self.sightings.get(&id).and_then(|s| s.values().next()).map(|s| &s.facts);
        match (facts, self.registry.get(id)) {
            (Some(facts), _) => self.name_from(id, facts),
            (None, Some(entry)) => entry.path().to_string(),
            (None, None) => format!("object {id}"),
        }
    }

    fn name_from(&self, id: ObjectId, facts: &Facts) -> String {
        let Some(entry) = self.registry.get(id) else { return format!("object {id}") };
        let own = match facts {
            Facts::Controller(f) => &f.at,
            Facts::Array(f) => &f.at,
            Facts::Disk(f) => &f.at,
            Facts::Cache(f) => &f.at,
            Facts::Enclosure(f) => &f.at,
            Facts::Bond(f) => &f.at,
        };
        // After a renumbering the registry knows better than the last facts.
        let path = entry.paths.values().next().unwrap_or(own);
        match entry.paths.keys().next() {
            Some(space) if self.root_is_ambiguous(*space, path) => format!("{}:{path}", space.word()),
            _ => path.to_string(),
        }
    }

    /// Two numbering spaces on this host both have a controller of this number.
    fn root_is_ambiguous(&self, space: Space, path: &Path) -> bool {
        let root = path.root();
        let mut roots = self.registry.iter().filter(|(_, e)| e.kind == ObjectKind::Controller);
        roots.any(|(_, e)| !e.paths.contains_key(&space) && e.paths.values().any(|p| *p == root))
    }
}

impl View {
    /// What others than raidmond start on this array: schedules of its own, else of its controller, and of its
    /// space.
    pub fn schedules_of<'a>(&'a self, array: &'a Seen<Array>) -> impl Iterator<Item = &'a CheckSchedule> + 'a {
        type Row = (Option<ObjectId>, Space, CheckSchedule);
        let own = |s: &Row| s.0 == Some(array.id);
        let of_controller = move |s: &Row| s.0.is_some() && s.0 == array.parent;
        let of_space = |s: &Row| s.0.is_none() && s.2.on == Path::default() && s.1 == array.space;
        // An array left out of its controller's schedule has one of its own that says so.
        let has_own = move |s: &Row| self.schedules.iter().any(|o| own(o) && o.2.kind == s.2.kind && o.2.by == s.2.by);
        let concerns = move |s: &&Row| own(s) || of_space(s) || (of_controller(s) && !has_own(s));
        self.schedules.iter().filter(concerns).map(|(_, _, s)| s)
    }

    pub fn controller(&self, id: ObjectId) -> Option<&Seen<Controller>> {
        self.controllers.iter().find(|c| c.id == id)
    }

    pub fn array(&self, id: ObjectId) -> Option<&Seen<Array>> {
        self.arrays.iter().find(|a| a.id == id)
    }

    pub fn disk(&self, id: ObjectId) -> Option<&Seen<Disk>> {
        self.disks.iter().find(|d| d.id == id)
    }

    /// `32:5` of `c0/32:5`, where no other disk of the host goes by that.
    pub fn disk_label<'a>(&self, name: &'a str) -> &'a str {
        let leaf = |name: &'a str| name.rsplit('/').next().unwrap_or(name);
        let short = leaf(name);
        let alike = self.disks.iter().filter(|d| d.name.rsplit('/').next() == Some(short)).count();
        if alike > 1 { name } else { short }
    }

    /// "RAID 5 data" where no other array has that name, else "RAID 5 data (c0/v0)", "RAID 5 c0/v0".
    pub fn array_label(&self, array: &Seen<Array>) -> String {
        let level = array.facts.level.map(|l| l.word().to_owned());
        let level = level.or_else(|| array.facts.level_said.clone()).unwrap_or_else(|| "array".to_owned());
        let name_of =
            |a: &Seen<Array>| a.facts.name.as_deref().map(str::trim).filter(|n| !n.is_empty()).map(str::to_owned);
        let Some(name) = name_of(array) else { return format!("{level} {}", array.name) };
        let alike = self.arrays.iter().filter(|a| name_of(a).as_ref() == Some(&name)).count();
        if alike > 1 { format!("{level} {name} ({})", array.name) } else { format!("{level} {name}") }
    }

    /// Disks that belong to an array: named as members, or naming it. Hot spares are no members.
    pub fn members<'a>(&'a self, array: &'a Seen<Array>) -> impl Iterator<Item = &'a Seen<Disk>> + 'a {
        let named: BTreeMap<&Path, ()> = array.facts.members.iter().map(|m| (&m.disk, ())).collect();
        self.disks.iter().filter(move |d| {
            let names_it = d.facts.array.as_ref() == Some(&array.facts.at) && !is_spare(&d.facts);
            d.parent == array.parent && (named.contains_key(&d.facts.at) || names_it)
        })
    }

    /// The array a disk is a member of, itself or by what a software array calls it.
    pub fn array_of<'a>(&'a self, disk: &Seen<Disk>) -> Option<&'a Seen<Array>> {
        let of = |id: ObjectId| self.arrays.iter().find(|a| self.members(a).any(|d| d.id == id));
        of(disk.id).or_else(|| self.twins(disk).find_map(|d| of(d.id)))
    }

    /// The same hardware under another name: the disk `sdb`, and its places `md0/sdb1` in software arrays.
    pub fn twins<'a>(&'a self, disk: &Seen<Disk>) -> impl Iterator<Item = &'a Seen<Disk>> + 'a {
        let kernel = |d: &Seen<Disk>| d.facts.aliases.iter().find(|a| matches!(a, Alias::Kernel(_))).cloned();
        let (id, name) = (disk.id, kernel(disk).filter(|_| disk.parent.is_none()));
        self.disks.iter().filter(move |d| name.is_some() && d.id != id && d.parent.is_none() && kernel(d) == name)
    }
}

fn is_spare(disk: &Disk) -> bool {
    disk.spare.is_some() || disk.state.as_ref().is_some_and(|s| s.state == crate::model::DiskState::HotSpare)
}
