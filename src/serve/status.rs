//! The document behind `raidmond status`: what the daemon knows, with the age of what it knows.

use super::checks::CheckDoc;
use super::wire::{self, ConditionDoc, ObjectsDoc};
use jiff::Timestamp;
use raidmond_core::host::{SourceState, View};
use raidmond_core::incident::{Incident, State};
use raidmond_core::survey::NoteKind;
use raidmond_core::tell;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub const VERSION: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StatusDoc {
    pub version: u32,
    pub host: String,
    pub verdict: String,
    pub headline: String,
    pub written_at: Timestamp,
    /// Oldest age of what the arrays and disks show is counted from here.
    pub read_at: Option<Timestamp>,
    /// First of all: there is nobody to tell.
    pub nobody_told: Option<String>,
    /// What looks wrong in the configuration.
    #[serde(default)]
    pub cautions: Vec<String>,
    pub objects: ObjectsDoc,
    pub conditions: Vec<ConditionDoc>,
    pub incidents: Vec<IncidentDoc>,
    pub watching: Vec<SourceDoc>,
    pub channels: Vec<ChannelDoc>,
    pub maintenance_until: Option<Timestamp>,
    /// Hot spares each controller has had.
    #[serde(default)]
    pub spares_expected: BTreeMap<String, u32>,
    pub next: Vec<String>,
    /// Consistency checks, by array.
    #[serde(default)]
    pub checks: Vec<CheckDoc>,
    pub drill: bool,
    /// Names the saved state: after a new beginning the ids of objects mean others.
    #[serde(default)]
    pub instance: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IncidentDoc {
    pub id: u64,
    pub severity: String,
    pub subject: String,
    pub headline: String,
    pub opened_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub closed_because: Option<String>,
    pub told: bool,
    pub acknowledged_until: Option<Timestamp>,
    pub acknowledged_by: Option<String>,
    pub comment: Option<String>,
    pub evidence: Vec<String>,
    /// "mail accepted: 250 2.0.0 Ok" and the like.
    pub deliveries: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SourceDoc {
    pub name: String,
    /// "read", "live", "not read yet", "failing", "blind".
    pub state: String,
    pub at: Option<Timestamp>,
    pub said: Option<String>,
    /// For what is asked: how it goes.
    #[serde(default)]
    pub asking: Option<Asking>,
}

/// The questions to one source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// Rest until the next look.
    pub every_seconds: f64,
    /// What the last look took.
    pub took_seconds: f64,
    /// Looks since the daemon began, and those that told nothing.
    pub looks: u64,
    pub failed: u64,
    /// Words of the last answer that are not understood.
    pub unknown_words: u64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ChannelDoc {
    pub name: String,
    pub failing_since: Option<Timestamp>,
    pub said: Option<String>,
    pub waiting: u64,
    #[serde(default)]
    pub oldest: Option<Timestamp>,
    /// Attempts since the daemon began that did not succeed.
    #[serde(default)]
    pub failures: u64,
    #[serde(default)]
    pub accepted: u64,
}

/// What the shell knows beside the engine's state.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub host: String,
    pub nobody_told: Option<String>,
    pub cautions: Vec<String>,
    pub channels: Vec<ChannelDoc>,
    /// Logs and sources that have not spoken yet.
    pub sources: Vec<SourceDoc>,
    pub deliveries: Vec<(u64, String)>,
    /// By source.
    pub asking: BTreeMap<String, Asking>,
    pub drill: bool,
    pub next: Vec<String>,
    pub checks: Vec<CheckDoc>,
}

pub fn document(state: &State, around: &Surroundings, now: Timestamp) -> StatusDoc {
    let view = state.host.view();
    let worst = state.conditions.first().filter(|c| c.severity.is_fault());
    let shown = view.arrays.iter().map(|a| a.at).chain(view.disks.iter().map(|d| d.at)).min();
    // Where there is nothing to show, the last round that found nothing is what was read.
    let read_at = shown.or_else(|| state.host.sources.values().filter_map(|s| s.good_at).min());
    let unread = around.sources.iter().any(|s| s.state == "not read yet");
    let verdict = match (state.verdict().word(), shown) {
        // Nothing was read and nothing is wrong: that is not "ok".
        ("ok", None) => "blind",
        (word, _) => word,
    };
    let headline = match (worst, shown) {
        (Some(c), _) => c.headline.clone(),
        (None, None) if unread && read_at.is_none() => "nothing has been read yet".to_owned(),
        (None, None) => "no RAID was found to watch".to_owned(),
        (None, Some(_)) => tell::worth_saying(state),
    };
    StatusDoc {
        version: VERSION,
        host: around.host.clone(),
        verdict: verdict.to_owned(),
        headline,
        written_at: now,
        read_at,
        nobody_told: around.nobody_told.clone(),
        cautions: around.cautions.clone(),
        objects: wire::objects(&view),
        conditions: state.conditions.iter().map(wire::condition).collect(),
        incidents: state.incidents.values().rev().map(|i| incident(i, around)).collect(),
        watching: state
            .host
            .sources
            .iter()
            .map(|(k, s)| source(&k.to_string(), s, around))
            .chain(around.sources.clone())
            .collect(),
        channels: around.channels.clone(),
        maintenance_until: state.maintenance.as_ref().map(|m| m.until),
        spares_expected: spares_expected(state, &view),
        next: around.next.clone(),
        checks: around.checks.clone(),
        drill: around.drill,
        instance: state.instance.clone(),
    }
}

fn spares_expected(state: &State, view: &View) -> BTreeMap<String, u32> {
    let expected = state.memory.spares_expected.iter();
    expected.filter_map(|(id, n)| Some((view.controller(*id)?.name.clone(), *n))).collect()
}

fn incident(i: &Incident, around: &Surroundings) -> IncidentDoc {
    IncidentDoc {
        id: i.id,
        severity: i.severity.word().to_owned(),
        subject: i.anchor.name.clone(),
        headline: i.headline.clone(),
        opened_at: i.opened_at,
        closed_at: i.closed.as_ref().map(|(at, _)| *at),
        closed_because: i.closed.as_ref().map(|(_, why)| why.clone()),
        told: i.was_told(),
        acknowledged_until: i.ack.as_ref().map(|a| a.until),
        acknowledged_by: i.ack.as_ref().map(|a| a.by.clone()),
        comment: i.closed_by.as_ref().map(|h| &h.comment).or(i.ack.as_ref().map(|a| &a.comment)).cloned(),
        evidence: i.evidence.iter().map(|e| format!("{}: {}", e.source, e.said)).collect(),
        deliveries: around.deliveries.iter().filter(|(id, _)| *id == i.id).map(|(_, d)| d.clone()).collect(),
    }
}

fn source(name: &str, state: &SourceState, around: &Surroundings) -> SourceDoc {
    let unknown = state.notes.iter().filter(|n| n.kind == NoteKind::UnknownWord).count() as u64;
    let failing = state.failures > 0;
    SourceDoc {
        name: name.to_owned(),
        state: if failing { "failing" } else { "read" }.to_owned(),
        at: state.good_at,
        said: if failing { state.notes.first().map(|n| n.said.clone()) } else { None },
        asking: around.asking.get(name).map(|a| Asking { unknown_words: unknown, ..a.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raidmond_core::diagnose::{Condition, ConditionKind, Subject};
    use raidmond_core::incident::{Engine, Input, Settings};
    use raidmond_core::model::Space;
    use raidmond_core::severity::Severity;
    use raidmond_core::survey::Reading;

    #[test]
    fn where_there_is_no_array_the_last_round_is_what_was_read() {
        let mut engine = Engine::new(Settings::default(), State::default());
        let key = raidmond_core::host::SourceKey { family: "md".into(), about: String::new() };
        let reading = Box::new(Reading::new("md", Space::Kernel));
        let at = Timestamp::UNIX_EPOCH;
        let turn = engine.handle(at, Input::Reading { key, reading });
        engine.adopt(turn);
        let doc = document(engine.state(), &Surroundings::default(), at);
        assert_eq!((doc.read_at, doc.headline.as_str()), (Some(at), "no RAID was found to watch"));
        assert_eq!(doc.verdict, "blind", "that is still no proof of health");
    }

    #[test]
    fn a_notice_is_never_headed_all_well() {
        let mut state = State::default();
        let subject = Subject::named("disk", "p1");
        state.conditions.push(Condition::new(
            ConditionKind::ArrayDegraded,
            Severity::Notice,
            subject,
            "RAID 5 degraded",
        ));
        assert_eq!(tell::worth_saying(&state), "RAID 5 degraded");
        let doc = document(&state, &Surroundings::default(), Timestamp::UNIX_EPOCH);
        assert_eq!((doc.verdict.as_str(), doc.headline.contains("all well")), ("notice", false));
    }
}
