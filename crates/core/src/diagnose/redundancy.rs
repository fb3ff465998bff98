//! How many further disks an array can lose now.

use super::disks::is_place_in_array;
use crate::host::{Gone, Seen, View};
use crate::identity::ObjectId;
use crate::model::{Array, ArrayState, Disk, DiskState, Level, Member, Path, Space, TaskKind, TaskState};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Redundancy {
    pub failed: bool,
    /// By construction; `None` when the level is not known.
    pub built: Option<u32>,
    pub left: Option<u32>,
    /// Members that do not carry valid data now.
    pub lost: Vec<ObjectId>,
    pub lost_names: Vec<String>,
    /// A rebuild runs, or waits behind one that runs.
    pub restoring: bool,
    pub percent: Option<f64>,
    /// For mirrors: disks that hold the only copy left. They must not be pulled.
    pub alone: Vec<ObjectId>,
    /// Members in service of a group that can lose no more.
    pub exposed: Vec<ObjectId>,
    /// First synchronisation of a new array.
    pub initialising: bool,
}

impl Redundancy {
    pub fn reduced(&self) -> bool {
        match (self.left, self.built) {
            (Some(left), Some(built)) => left < built,
            (Some(0), None) => !self.lost.is_empty(),
            _ => false,
        }
    }
}

pub fn redundancy(view: &View, array: &Seen<Array>) -> Redundancy {
    let facts = &array.facts;
    let state = facts.state.as_ref().map(|s| s.state);
    let lost_places = lost_members(view, array);
    let built = facts.redundancy_built.or_else(|| built(facts));
    let counted = left_by_counting(facts, &lost_places, built);
    let stated = facts.redundancy_left.or_else(|| left_by_state(state, facts, array.space, built));
    let left = match (stated, counted) {
        (Some(s), Some(c)) => Some(s.min(c)),
        (s, c) => s.or(c),
    };
    let (restoring, percent) = restoring(view, array, state);
    let restoring = restoring && !a_bare_group_is_left_alone(view, array, &lost_places, built);
    let lost: Vec<ObjectId> = lost_places.iter().filter_map(|l| l.id).collect();
    Redundancy {
        failed: state == Some(ArrayState::Failed),
        built,
        left,
        alone: alone(view, array, &lost_places, built),
        exposed: exposed(view, array, &lost_places, built),
        lost_names: lost_places.into_iter().map(|l| l.words).collect(),
        lost,
        restoring,
        percent,
        initialising: state == Some(ArrayState::Initialising),
    }
}

/// Members that left an array without a controller, where others hold all of its places now, or where
/// it goes by another name.
pub fn superseded_members(view: &View) -> Vec<ObjectId> {
    let is_over = |array: &Path| match view.arrays.iter().find(|a| a.parent.is_none() && a.facts.at == *array) {
        Some(array) => {
            let now = redundancy(view, array);
            !now.failed && !now.reduced()
        }
        None => !view.gone.iter().filter_map(|g| g.facts.array()).any(|a| a.at == *array),
    };
    let member = |g: &&Gone| g.facts.disk().is_some_and(|d| is_place_in_array(d) && is_over(&d.at.root()));
    view.gone.iter().filter(member).map(|g| g.id).collect()
}

struct Lost {
    id: Option<ObjectId>,
    group: u32,
    /// "disk 32:5 failed"
    words: String,
}

fn lost_members(view: &View, array: &Seen<Array>) -> Vec<Lost> {
    let facts = &array.facts;
    let disk_at = |m: &Member| view.disks.iter().find(|d| d.parent == array.parent && d.facts.at == m.disk);
    let mut lost: Vec<Lost> = facts.members.iter().filter_map(|m| lost_member(m, disk_at(m))).collect();
    let named: Vec<ObjectId> = facts.members.iter().filter_map(|m| disk_at(m).map(|d| d.id)).collect();
    // Where every place is named, a failed disk that names the array was taken out of it before.
    let all_named = facts.width.is_some_and(|w| facts.members.len() as u64 >= u64::from(w) && w > 0);
    for disk in view.members(array).filter(|d| !all_named && !named.contains(&d.id)) {
        if let Some(word) = lost_word(&disk.facts) {
            lost.push(Lost { id: Some(disk.id), group: 0, words: format!("disk {} {word}", short(&disk.name)) });
        }
    }
    let room = room_for_gone(view, array, lost.len());
    let was_member = |d: &Disk| d.array.as_ref() == Some(&facts.at) && d.spare.is_none();
    let gone = view.gone.iter().filter(|g| g.parent == array.parent && g.facts.disk().is_some_and(was_member));
    let mut gone: Vec<_> = gone.filter(|g| !named.contains(&g.id)).collect();
    gone.sort_by_key(|g| std::cmp::Reverse(g.since));
    lost.extend(gone.into_iter().take(room).map(|g| {
        let words = format!("disk {} missing", short(&g.name));
        Lost { id: Some(g.id), group: 0, words }
    }));
    lost
}

/// How many places of the array are held by nobody the source lists, while it says that some are.
fn room_for_gone(view: &View, array: &Seen<Array>, lost: usize) -> usize {
    if !is_reduced_word(&array.facts) {
        return 0;
    }
    match array.facts.width {
        Some(width) => (width as usize).saturating_sub(array.facts.members.len().max(view.members(array).count())),
        None => usize::from(lost == 0),
    }
}

fn is_reduced_word(facts: &Array) -> bool {
    !matches!(facts.state.as_ref().map(|s| s.state), Some(ArrayState::Optimal) | None)
}

fn lost_member(member: &Member, disk: Option<&Seen<Disk>>) -> Option<Lost> {
    let word = disk.and_then(|d| lost_word(&d.facts));
    let out = member.in_sync == Some(false) || word.is_some();
    let word = word.unwrap_or(if disk.is_none() { "missing" } else { "not in service" });
    // An empty place has no name that a person could look for.
    let words = match disk {
        Some(disk) if !disk.facts.at.is_missing_member() => format!("disk {} {word}", short(&disk.name)),
        None if !member.disk.is_missing_member() => format!("disk {} {word}", member.disk.leaf()),
        _ => format!("a disk {word}"),
    };
    out.then(|| Lost { id: disk.map(|d| d.id), group: member.group, words })
}

fn lost_word(disk: &Disk) -> Option<&'static str> {
    match disk.state.as_ref()?.state {
        DiskState::Failed => Some("failed"),
        DiskState::Missing => Some("missing"),
        DiskState::Offline => Some("offline"),
        DiskState::UnconfiguredBad => Some("bad"),
        DiskState::Rebuilding => Some("being rebuilt"),
        _ => None,
    }
}

/// `32:5` of `c0/32:5`.
fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn built(array: &Array) -> Option<u32> {
    let level = array.level?;
    let places = array.width.unwrap_or(array.members.len() as u32);
    Some(match level {
        Level::Raid1 if places > 2 => places - 1,
        other => other.tolerance(),
    })
}

/// From the vendor's word alone.
fn left_by_state(state: Option<ArrayState>, array: &Array, space: Space, built: Option<u32>) -> Option<u32> {
    match state? {
        ArrayState::Optimal => built,
        ArrayState::Failed => Some(0),
        ArrayState::PartlyDegraded => Some(built.map_or(1, |b| b.saturating_sub(1).max(1))),
        ArrayState::Degraded | ArrayState::Rebuilding => match (built, space) {
            // MegaRAID says "Partially Degraded" while redundancy is left, so "Degraded" means none.
            (Some(b), s) if b > 1 && s != Space::Megaraid && !array.members.is_empty() => Some(b - 1),
            _ => Some(0),
        },
        ArrayState::Initialising | ArrayState::Inactive | ArrayState::Unknown => None,
    }
}

fn left_by_counting(array: &Array, lost: &[Lost], built: Option<u32>) -> Option<u32> {
    let built = built?;
    if lost.is_empty() {
        return None;
    }
    let mut by_group: BTreeMap<u32, u32> = BTreeMap::new();
    for place in lost {
        *by_group.entry(place.group).or_default() += 1;
    }
    let worst = by_group.iter().map(|(group, lost)| tolerance(array, *group, built).saturating_sub(*lost)).min();
    worst.or(Some(built))
}

/// What one group can lose: a mirror of n can lose n - 1.
fn tolerance(array: &Array, group: u32, built: u32) -> u32 {
    if let Some(stated) = usize::try_from(group).ok().and_then(|g| array.group_tolerance.get(g)) {
        return *stated;
    }
    let in_group = array.members.iter().filter(|m| m.group == group).count() as u32;
    match array.level {
        Some(Level::Raid10) if (2..array.members.len() as u32).contains(&in_group) => in_group - 1,
        _ => built,
    }
}

fn restoring(view: &View, array: &Seen<Array>, state: Option<ArrayState>) -> (bool, Option<f64>) {
    let members: Vec<ObjectId> = view.members(array).map(|d| d.id).collect();
    let concerns = |id: &Option<ObjectId>| id.is_some_and(|id| id == array.id || members.contains(&id));
    let task = view.tasks.iter().find(|(id, t)| {
        matches!(t.kind, TaskKind::Rebuild | TaskKind::Copyback)
            && matches!(t.state.state, TaskState::Running | TaskState::Queued)
            && concerns(id)
    });
    let stopped = view.tasks.iter().any(|(id, t)| {
        t.kind == TaskKind::Rebuild
            && matches!(t.state.state, TaskState::Paused | TaskState::Stopped | TaskState::Failed)
            && concerns(id)
    });
    let rebuilding_disk =
        view.members(array).any(|d| d.facts.state.as_ref().is_some_and(|s| s.state == DiskState::Rebuilding));
    let by_word = state == Some(ArrayState::Rebuilding) || rebuilding_disk;
    (task.is_some() || (by_word && !stopped), task.and_then(|(_, t)| t.percent))
}

/// One group has lost everything it can lose and none of its lost members is being rebuilt, though
/// another group's may be.
fn a_bare_group_is_left_alone(view: &View, array: &Seen<Array>, lost: &[Lost], built: Option<u32>) -> bool {
    let groups: BTreeSet<u32> = lost.iter().map(|l| l.group).collect();
    let rebuilding = |l: &Lost| {
        let disk = l.id.and_then(|id| view.disk(id));
        disk.and_then(|d| d.facts.state.as_ref()).is_some_and(|s| s.state == DiskState::Rebuilding)
    };
    let alone = |group: &u32| !lost.iter().filter(|l| l.group == *group).any(rebuilding);
    groups.len() > 1 && bare_groups(&array.facts, lost, built).iter().any(alone)
}

/// Groups that have lost all they can lose.
fn bare_groups(array: &Array, lost: &[Lost], built: Option<u32>) -> BTreeSet<u32> {
    let count = |group: u32| lost.iter().filter(|l| l.group == group).count() as u32;
    let can_lose = |group: u32| built.map_or(1, |b| tolerance(array, group, b));
    lost.iter().map(|l| l.group).filter(|g| count(*g) >= can_lose(*g)).collect()
}

/// Members in service of the groups in which nothing more may fail; of all groups where it is not
/// known which one lost a member.
fn exposed(view: &View, array: &Seen<Array>, lost: &[Lost], built: Option<u32>) -> Vec<ObjectId> {
    let bare = bare_groups(&array.facts, lost, built);
    let in_service = |id: &ObjectId| !lost.iter().any(|l| l.id == Some(*id));
    let group_of = |d: &Seen<Disk>| array.facts.members.iter().find(|m| m.disk == d.facts.at).map(|m| m.group);
    let members = view.members(array).filter(|d| bare.is_empty() || group_of(d).is_none_or(|g| bare.contains(&g)));
    members.map(|d| d.id).filter(in_service).collect()
}

/// A mirror whose other halves are all lost, where the halves are known.
fn alone(view: &View, array: &Seen<Array>, lost: &[Lost], built: Option<u32>) -> Vec<ObjectId> {
    if !array.facts.level.is_some_and(Level::is_mirror) {
        return Vec::new();
    }
    let in_service = |d: &&Seen<Disk>| !lost.iter().any(|l| l.id == Some(d.id));
    let at = |m: &Member| view.disks.iter().find(|d| d.parent == array.parent && d.facts.at == m.disk);
    let sole = |group: u32| {
        let members = array.facts.members.iter().filter(|m| m.group == group && m.in_sync != Some(false));
        let left: Vec<&Seen<Disk>> = members.filter_map(at).filter(in_service).collect();
        if let [one] = left.as_slice() { Some(one.id) } else { None }
    };
    bare_groups(&array.facts, lost, built).into_iter().filter_map(sole).collect()
}
