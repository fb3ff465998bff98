//! Facts to conditions. The only place where a severity is decided.
//!
//! Pure: the same host, memory, policy and time give the same conditions and the same next memory.
//! This module never looks at vendor words; adapters turned them into states.

mod arrays;
mod bonds;
mod caches;
mod condition;
mod controllers;
mod disks;
mod echo;
mod enclosures;
mod expect;
mod kind;
mod logs;
mod memory;
mod owner;
mod policy;
mod redundancy;
mod sources;

pub use arrays::task_word;
pub use condition::{Condition, IncidentKey, Subject};
pub use expect::Expectation;
pub use kind::{ConditionKind, Topic};
pub use logs::{LogFact, Rates};
pub use memory::{Counter, CounterMemory, Memory, MonitorFact};
pub use policy::Policy;
pub use redundancy::{Redundancy, redundancy, superseded_members};

use crate::checks;
use crate::host::{Host, View};
use crate::severity::Severity;
use jiff::Timestamp;

pub(crate) struct Context<'a> {
    pub host: &'a Host,
    pub view: &'a View,
    pub policy: &'a Policy,
    pub now: Timestamp,
    pub memory: &'a mut Memory,
    pub found: Vec<Condition>,
}

impl Context<'_> {
    /// A condition with the severity the policy gives its kind.
    pub fn condition(&self, kind: ConditionKind, subject: Subject, headline: impl Into<String>) -> Condition {
        Condition::new(kind, self.policy.severity(kind), subject, headline)
    }

    pub fn find(
        &mut self,
        kind: ConditionKind,
        subject: Subject,
        headline: impl Into<String>,
        source: &str,
        said: &str,
    ) {
        let condition = self.condition(kind, subject, headline).because(source, said);
        self.found.push(condition);
    }
}

/// All conditions that hold now, worst first, and the memory for the next look.
pub fn diagnose(host: &Host, memory: &Memory, policy: &Policy, now: Timestamp) -> (Vec<Condition>, Memory) {
    let mut memory = memory.clone();
    let view = host.view();
    let mut context = Context { host, view: &view, policy, now, memory: &mut memory, found: Vec::new() };
    controllers::diagnose(&mut context);
    disks::diagnose(&mut context);
    // Before the arrays: a member that log lines speak of may be a suspect.
    logs::diagnose(&mut context);
    arrays::diagnose(&mut context);
    caches::diagnose(&mut context);
    enclosures::diagnose(&mut context);
    bonds::diagnose(&mut context);
    expect::diagnose(&mut context);
    sources::diagnose(&mut context);
    checks::diagnose(&mut context);
    let mut found = std::mem::take(&mut context.found);
    echo::absorb(&mut found);
    arrays::fold_disks(&view, &mut found);
    found.retain(|c| !memory.is_dealt_with(c));
    keep_by_hand(&mut found, &mut memory);
    found.sort_by(|a, b| {
        b.severity.cmp(&a.severity).then(a.kind.cmp(&b.kind)).then_with(|| a.fingerprint().cmp(&b.fingerprint()))
    });
    found.dedup_by(|a, b| a.fingerprint() == b.fingerprint());
    (found, memory)
}

/// The verdict over a set of conditions.
pub fn verdict(conditions: &[Condition]) -> Severity {
    conditions.iter().map(|c| c.severity).max().unwrap_or(Severity::Ok)
}

/// Data loss stays until a person closes it, even when the tool says nothing of it any more.
fn keep_by_hand(found: &mut Vec<Condition>, memory: &mut Memory) {
    for condition in found.iter().filter(|c| c.kind.closes_by_hand()) {
        memory.by_hand.insert(condition.fingerprint(), condition.clone());
    }
    let missing: Vec<Condition> = memory
        .by_hand
        .iter()
        .filter(|(fingerprint, _)| !found.iter().any(|c| c.fingerprint() == **fingerprint))
        .map(|(_, condition)| condition.clone())
        .collect();
    found.extend(missing);
}

#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod tests_bonds;
#[cfg(test)]
mod tests_logs;
#[cfg(test)]
mod tests_rows;
#[cfg(test)]
mod tests_smart;
