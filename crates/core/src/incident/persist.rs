//! State as documents, and back. Only what changed is written.

use super::state::{Incident, Maintenance, State};
use crate::changes::{Changes, Put};
use crate::diagnose::Memory;
use crate::host::{Ages, Host};
use crate::identity::ObjectId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const STATE: &str = "state";
const INCIDENTS: &str = "incident";
const CURSORS: &str = "cursor";

#[derive(Debug, thiserror::Error)]
#[error("saved {what} is not readable: {source}")]
pub struct LoadError {
    what: String,
    source: serde_json::Error,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Small {
    instance: String,
    next_incident: u64,
    maintenance: Option<Maintenance>,
    last_digest: Option<Timestamp>,
    replaced: BTreeMap<ObjectId, ObjectId>,
}

impl Small {
    fn of(state: &State) -> Self {
        Self {
            instance: state.instance.clone(),
            next_incident: state.next_incident,
            maintenance: state.maintenance.clone(),
            last_digest: state.last_digest,
            replaced: state.replaced.clone(),
        }
    }
}

pub(super) fn changes(before: &State, after: &State) -> Changes {
    let mut changes = Changes::default();
    if before.host != after.host {
        if !before.host.same_but_for_age(&after.host) {
            put(&mut changes, STATE, "host", &after.host);
        }
        put(&mut changes, STATE, "ages", &after.host.ages());
    }
    if before.memory != after.memory {
        put(&mut changes, STATE, "memory", &after.memory);
    }
    if Small::of(before) != Small::of(after) {
        put(&mut changes, STATE, "engine", &Small::of(after));
    }
    for (id, incident) in &after.incidents {
        if before.incidents.get(id) != Some(incident) {
            put(&mut changes, INCIDENTS, &id.to_string(), incident);
        }
    }
    for id in before.incidents.keys().filter(|id| !after.incidents.contains_key(id)) {
        changes.deletes.push((INCIDENTS, id.to_string()));
    }
    for (source, cursor) in &after.cursors {
        if before.cursors.get(source) != Some(cursor) {
            changes.puts.push(Put { collection: CURSORS, key: source.clone(), json: cursor.clone() });
        }
    }
    changes
}

fn put<T: Serialize>(changes: &mut Changes, collection: &'static str, key: &str, value: &T) {
    // Our own types hold no map with non-string keys and no non-finite number that JSON refuses.
    if let Ok(json) = serde_json::to_string(value) {
        changes.puts.push(Put { collection, key: key.to_owned(), json });
    }
}

/// Documents as (collection, key, json) back to a state.
pub fn load<'a>(documents: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Result<State, LoadError> {
    let mut state = State::default();
    let mut ages = Ages::default();
    for (collection, key, json) in documents {
        let at = |source| LoadError { what: format!("{collection} {key}"), source };
        match (collection, key) {
            (STATE, "host") => state.host = serde_json::from_str::<Host>(json).map_err(at)?,
            (STATE, "ages") => ages = serde_json::from_str::<Ages>(json).map_err(at)?,
            (STATE, "memory") => state.memory = serde_json::from_str::<Memory>(json).map_err(at)?,
            (STATE, "engine") => {
                let small: Small = serde_json::from_str(json).map_err(at)?;
                state.instance = small.instance;
                state.next_incident = small.next_incident;
                state.maintenance = small.maintenance;
                state.last_digest = small.last_digest;
                state.replaced = small.replaced;
            }
            (INCIDENTS, _) => {
                let incident: Incident = serde_json::from_str(json).map_err(at)?;
                state.incidents.insert(incident.id, incident);
            }
            (CURSORS, source) => {
                state.cursors.insert(source.to_owned(), json.to_owned());
            }
            _ => {}
        }
    }
    state.host.set_ages(ages);
    Ok(state)
}
