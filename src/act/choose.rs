//! From a word of a person or a schedule to an order: which array, through which family and tool, and what
//! stands against it whoever asks.

use super::{By, CheckVerb, Order};
use raidmond_adapters::registry;
use raidmond_core::host::{Host, Seen, View};
use raidmond_core::identity::ObjectId;
use raidmond_core::model::{Array, ArrayState, Task, TaskKind, TaskState};
use raidmond_core::survey::ToolFound;

/// Why not now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    pub why: String,
    /// `--force` goes over it.
    pub harmless: bool,
}

impl Objection {
    pub fn firm(why: impl Into<String>) -> Self {
        Self { why: why.into(), harmless: false }
    }

    pub fn harmless(why: impl Into<String>) -> Self {
        Self { why: why.into(), harmless: true }
    }
}

/// By name (`c0/v0`), by the name it was given, by device (`sda`, `/dev/md0`).
pub fn array<'a>(view: &'a View, word: &str) -> Result<&'a Seen<Array>, String> {
    let device = word.strip_prefix("/dev/").unwrap_or(word);
    let is_meant = |a: &&Seen<Array>| {
        let given = a.facts.name.as_deref().is_some_and(|n| !n.is_empty() && n == word);
        let kernel = a.facts.device.as_deref().is_some_and(|d| d.strip_prefix("/dev/").unwrap_or(d) == device);
        a.name == word || a.name == device || given || kernel
    };
    let meant: Vec<&Seen<Array>> = view.arrays.iter().filter(is_meant).collect();
    match meant.as_slice() {
        [one] => Ok(one),
        [] => Err(format!("there is no array \"{word}\"; {}", listed(view))),
        several => {
            let names: Vec<&str> = several.iter().map(|a| a.name.as_str()).collect();
            Err(format!("\"{word}\" may be any of {}", names.join(", ")))
        }
    }
}

fn listed(view: &View) -> String {
    let names: Vec<&str> = view.arrays.iter().map(|a| a.name.as_str()).collect();
    if names.is_empty() { "no array has been read yet".to_owned() } else { format!("there is {}", names.join(", ")) }
}

/// The order, through the first family that reads this array, has its tool here, and can do it. `tool` gives
/// the tool of a family, `None` where the family is not used here; the inner one where it needs none.
pub fn order(
    host: &Host,
    array: &Seen<Array>,
    verb: CheckVerb,
    by: By,
    why: &str,
    tool: impl Fn(&str) -> Option<Option<ToolFound>>,
) -> Result<Order, String> {
    let path = path_of(host, array);
    let mutation = verb.mutation(path);
    let mut reasons = Vec::new();
    for family in &array.sources {
        let Some(maintenance) = registry::by_family(family).and_then(|a| a.maintenance()) else { continue };
        let Some(tool) = tool(family) else { continue };
        let name = tool.as_ref().map_or("", |t| t.name.as_str());
        match maintenance.command(name, &mutation) {
            Ok(act) => {
                let (by, why, name) = (by, why.to_owned(), array.name.clone());
                let (family, space, object) = (family.clone(), array.space, array.id);
                return Ok(Order { by, why, object, name, family, space, tool, mutation, act });
            }
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.into_iter().next().unwrap_or_else(|| format!("no tool here can do anything to {}", array.name)))
}

/// The registry knows where it is now, whatever its numbers were when it was read.
fn path_of(host: &Host, array: &Seen<Array>) -> String {
    let now = host.registry.get(array.id).and_then(|e| e.paths.get(&array.space));
    now.unwrap_or(&array.facts.at).to_string()
}

/// What must never be done, whoever asks and however hard.
pub fn never(view: &View, array: &Seen<Array>, verb: CheckVerb) -> Result<(), Objection> {
    let check = check_of(view, array.id);
    match verb {
        CheckVerb::Start | CheckVerb::StartFixing => may_start(view, array, check),
        CheckVerb::Stop | CheckVerb::Pause => match check {
            Some(_) => Ok(()),
            // On md the same word would stop a rebuild.
            None => Err(Objection::firm(format!("no check runs on {}, as last read", array.name))),
        },
        CheckVerb::Resume => match check.map(|t| t.state.state) {
            Some(TaskState::Running | TaskState::Queued) => Err(Objection::firm("the check runs already")),
            _ => redundant(array),
        },
    }
}

fn may_start(view: &View, array: &Seen<Array>, check: Option<&Task>) -> Result<(), Objection> {
    redundant(array)?;
    if let Some(task) = check.filter(|t| t.state.state != TaskState::Paused) {
        return Err(Objection::firm(format!("a check is there already: {}", task.state.said)));
    }
    use TaskKind as K;
    let heavy = [K::Rebuild, K::Initialise, K::BackgroundInitialise, K::Copyback, K::Expand, K::Erase];
    let family =
        |id: ObjectId| id == array.id || array.parent.is_some_and(|p| id == p || parent_of(view, id) == Some(p));
    let busy = view.tasks.iter().find(|(on, t)| heavy.contains(&t.kind) && is_under_way(t) && on.is_some_and(family));
    match busy {
        Some((_, task)) => {
            Err(Objection::firm(format!("{} is at work on {}: {}", word(task.kind), task.on, task.state.said)))
        }
        None => Ok(()),
    }
}

fn redundant(array: &Seen<Array>) -> Result<(), Objection> {
    let state = array.facts.state.as_ref().map(|s| (s.state, s.said.as_str()));
    match state {
        Some((ArrayState::Optimal, _)) => Ok(()),
        Some((_, said)) => Err(Objection::firm(format!(
            "{} is not whole ({said}); a check would cost it its last good copy sooner",
            array.name
        ))),
        None => Err(Objection::firm(format!("the state of {} is not known", array.name))),
    }
}

/// The check under way on an array, paused ones included.
pub fn check_of(view: &View, array: ObjectId) -> Option<&Task> {
    let is_check =
        |(on, t): &&(Option<ObjectId>, Task)| t.kind == TaskKind::Check && *on == Some(array) && is_under_way(t);
    view.tasks.iter().find(is_check).map(|(_, t)| t)
}

fn is_under_way(task: &Task) -> bool {
    matches!(task.state.state, TaskState::Running | TaskState::Queued | TaskState::Paused)
}

fn parent_of(view: &View, id: ObjectId) -> Option<ObjectId> {
    let array = view.array(id).and_then(|a| a.parent);
    array.or_else(|| view.disk(id).and_then(|d| d.parent))
}

fn word(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Rebuild => "a rebuild",
        TaskKind::Copyback => "a copyback",
        TaskKind::Expand => "an expansion",
        TaskKind::Initialise | TaskKind::BackgroundInitialise => "an initialisation",
        _ => "other work",
    }
}

#[cfg(test)]
mod tests;
