//! What a person may tell the engine.

use super::engine::Out;
use super::state::{Ack, ByHand, Maintenance, State};
use crate::diagnose::{Condition, ConditionKind};
use jiff::{SignedDuration, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    Ack {
        incident: u64,
        for_: SignedDuration,
        comment: String,
    },
    Unack {
        incident: u64,
    },
    MaintenanceStart {
        for_: SignedDuration,
        comment: String,
    },
    MaintenanceEnd,
    /// What is now is what is expected: of one object by name, or of all.
    Accept {
        object: Option<String>,
    },
    Close {
        incident: u64,
        comment: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    #[error("there is no incident {0}; `raidmond incidents` lists them")]
    NoIncident(u64),
    #[error("incident {0} is closed already")]
    Closed(u64),
    #[error("incident {id} cannot be closed by hand: {why}")]
    NotByHand { id: u64, why: String },
    #[error("{0}")]
    NothingToAccept(String),
    #[error("no maintenance is running")]
    NoMaintenance,
}

pub(super) fn operate(
    state: &mut State,
    out: &mut Out,
    now: Timestamp,
    by: &str,
    what: Operator,
) -> Result<String, OperatorError> {
    match what {
        Operator::Ack { incident, for_, comment } => ack(state, out, now, by, incident, for_, comment),
        Operator::Unack { incident } => {
            open(state, incident)?.ack = None;
            Ok(format!("incident {incident} is not acknowledged any more"))
        }
        Operator::MaintenanceStart { for_, comment } => {
            let until = now + for_;
            out.history(now, None, "", "maintenance", format!("started by {by} until {until}: {comment}"));
            state.maintenance = Some(Maintenance { by: by.to_owned(), comment, since: now, until });
            Ok(format!("maintenance until {until}; only emergencies are told meanwhile"))
        }
        Operator::MaintenanceEnd => {
            state.maintenance.take().ok_or(OperatorError::NoMaintenance)?;
            out.history(now, None, "", "maintenance", format!("ended by {by}"));
            Ok("maintenance ended; what is still wrong is told now".to_owned())
        }
        Operator::Accept { object } => accept(state, out, now, by, object.as_deref()),
        Operator::Close { incident, comment } => close(state, out, now, by, incident, &comment),
    }
}

fn open(state: &mut State, id: u64) -> Result<&mut super::Incident, OperatorError> {
    let incident = state.incidents.get_mut(&id).ok_or(OperatorError::NoIncident(id))?;
    if incident.is_open() { Ok(incident) } else { Err(OperatorError::Closed(id)) }
}

fn ack(
    state: &mut State,
    out: &mut Out,
    now: Timestamp,
    by: &str,
    id: u64,
    for_: SignedDuration,
    comment: String,
) -> Result<String, OperatorError> {
    let incident = open(state, id)?;
    let until = now + for_;
    out.history(
        now,
        None,
        &incident.anchor.name,
        "acknowledged",
        format!("incident {id} by {by} until {until}: {comment}"),
    );
    incident.ack = Some(Ack { by: by.to_owned(), comment, until });
    Ok(format!("incident {id} is quiet until {until}; it speaks again when it gets worse"))
}

fn accept(
    state: &mut State,
    out: &mut Out,
    now: Timestamp,
    by: &str,
    object: Option<&str>,
) -> Result<String, OperatorError> {
    mark_accepted(state, by, object);
    let mut accepted = Vec::new();
    let gone: Vec<_> = state.host.gone.keys().copied().collect();
    for id in gone {
        let name = state.host.name(id);
        if object.is_none_or(|o| o == name || state.host.registry.get(id).and_then(|e| e.serial()) == Some(o)) {
            state.host.forget(id);
            state.memory.forget(id);
            accepted.push(format!("{name} is not expected any more"));
        }
    }
    let controllers: Vec<_> = state.memory.spares_expected.keys().copied().collect();
    for id in controllers {
        let name = state.host.name(id);
        let short = state.conditions.iter().any(|c| c.kind == ConditionKind::SparesShort && c.subject.id == Some(id));
        if short && object.is_none_or(|o| o == name) {
            state.memory.spares_expected.remove(&id);
            accepted.push(format!("{name}: the present number of hot spares is expected"));
        }
    }
    accepted.extend(accept_without_battery(state, object));
    accepted.extend(accept_without_parts(state, object));
    if accepted.is_empty() {
        let what = object.map_or("nothing is missing".to_owned(), |o| format!("{o} is not among what is missing"));
        return Err(OperatorError::NothingToAccept(what));
    }
    let words = accepted.join("; ");
    out.history(now, None, object.unwrap_or(""), "accepted", format!("{by}: {words}"));
    Ok(words)
}

/// So that the end of the incident is not told as if something had been mended.
fn mark_accepted(state: &mut State, by: &str, object: Option<&str>) {
    use ConditionKind as K;
    let missing = [
        K::ArrayMissing,
        K::DiskMissing,
        K::ControllerMissing,
        K::SparesShort,
        K::BatteryMissing,
        K::PartMissing,
        K::BondMissing,
    ];
    let registry = &state.host.registry;
    let named = |c: &Condition, o: &str| {
        let whole = c.kind == K::PartMissing && c.anchor.name == o;
        whole || c.subject.name == o || c.subject.id.and_then(|id| registry.get(id)).and_then(|e| e.serial()) == Some(o)
    };
    let concerns = |c: &Condition| missing.contains(&c.kind) && object.is_none_or(|o| named(c, o));
    for incident in state.incidents.values_mut().filter(|i| i.is_open() && i.conditions.iter().any(concerns)) {
        incident.accepted_by = Some(by.to_owned());
    }
}

/// A battery or capacitor that was taken out for good.
fn accept_without_battery(state: &mut State, object: Option<&str>) -> Vec<String> {
    let missing =
        |c: &&Condition| c.kind == ConditionKind::BatteryMissing && object.is_none_or(|o| o == c.subject.name);
    let caches: Vec<_> = state.conditions.iter().filter(missing).map(|c| c.subject.clone()).collect();
    let mut accepted = Vec::new();
    for cache in caches {
        let parent = cache.id.and_then(|id| state.host.registry.get(id)).and_then(|e| e.parent).or(cache.id);
        if parent.is_some_and(|id| state.memory.protected.remove(&id)) {
            accepted.push(format!("{} is not expected any more", cache.name));
        }
    }
    accepted
}

/// Fans, power supplies and links that were taken out for good; by their own name or that of what they are part of.
fn accept_without_parts(state: &mut State, object: Option<&str>) -> Vec<String> {
    let named = |c: &Condition| object.is_none_or(|o| o == c.subject.name || o == c.anchor.name);
    let missing = state.conditions.iter().filter(|c| c.kind == ConditionKind::PartMissing && named(c));
    let parts: Vec<_> = missing.map(|c| c.subject.clone()).collect();
    let mut accepted = Vec::new();
    for part in parts {
        let (Some(id), Some((_, name))) = (part.id, part.key.split_once('/')) else { continue };
        if state.memory.parts_known.get_mut(&id).is_some_and(|known| known.remove(name)) {
            accepted.push(format!("{} is not expected any more", part.name));
        }
    }
    accepted
}

/// For what does not close by itself: data loss, and what rests on log lines alone.
fn close(
    state: &mut State,
    out: &mut Out,
    now: Timestamp,
    by: &str,
    id: u64,
    comment: &str,
) -> Result<String, OperatorError> {
    let conditions = open(state, id)?.conditions.clone();
    let view = state.host.view();
    let from_log = |c: &Condition| state.memory.rests_on_lines(c, &view) || state.memory.rests_on_results(c);
    let faults: Vec<_> = conditions.iter().filter(|c| c.severity.is_fault()).collect();
    if let Some(other) = faults.iter().find(|c| !c.kind.closes_by_hand() && !from_log(c)) {
        let why = format!(
            "\"{}\" ends when it is mended (ack quiets it, accept takes a missing object as expected)",
            other.headline
        );
        return Err(OperatorError::NotByHand { id, why });
    }
    for condition in &conditions {
        state.memory.deal_with(condition, &view);
    }
    open(state, id)?.closed_by = Some(ByHand { by: by.to_owned(), comment: comment.to_owned() });
    out.history(now, None, "", "closed", format!("incident {id} by {by}: {comment}"));
    Ok(format!("incident {id} is closed"))
}
