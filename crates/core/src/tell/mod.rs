//! Words for people: what happened, what it means, what to do, why raidmond believes it.
//!
//! Complete by itself, because a message may be read days later on a telephone. Says "by itself" only
//! where that is known.

mod describe;
mod steps;

pub use describe::{bytes, duration};

use crate::diagnose::{Condition, ConditionKind as K, Topic};
use crate::host::View;
use crate::incident::{Incident, Settings, State};
use crate::model::{DiskState, ObjectKind};
use crate::notice::{EvidenceLine, Notice, NoticeEvent, NoticeObject, Thread};
use crate::severity::Severity;
use jiff::{SignedDuration, Timestamp};

const EVIDENCE_SHOWN: usize = 8;

pub fn notice(
    settings: &Settings,
    state: &State,
    incident: &Incident,
    severity: Severity,
    event: NoticeEvent,
    now: Timestamp,
) -> Notice {
    let view = state.host.view();
    let story = Story { settings, state, view: &view, incident, now };
    let resolved = event == NoticeEvent::Resolved;
    Notice {
        id: format!("{}-{}.{}", state.instance, incident.id, incident.sequence),
        event,
        severity,
        host: settings.host_name.clone(),
        at: now,
        time_zone: settings.time_zone.iana_name().unwrap_or("UTC").to_owned(),
        thread: Some(Thread { incident: incident.id, key: key_words(incident), opened_at: incident.opened_at }),
        kinds: incident.conditions.iter().filter(|c| c.severity.is_fault()).map(|c| c.kind.word().to_owned()).collect(),
        headline: if resolved { story.resolved_headline() } else { headline(incident) },
        happened: if resolved { story.what_ended() } else { story.what_happened() },
        means: if resolved { story.what_is_now() } else { story.what_it_means() },
        to_do: if resolved { Vec::new() } else { steps::to_do(settings, &view, incident) },
        evidence: story.why(resolved),
        footer: if resolved { vec![format!("incident {} is closed", incident.id)] } else { story.footer(severity) },
        object: object(&view, incident),
        drill: settings.drill,
    }
}

/// The regular "all well" (or not so well): cheap proof of life in the channel that alerts use.
pub fn digest(settings: &Settings, state: &State, now: Timestamp) -> Notice {
    let view = state.host.view();
    let open: Vec<&Incident> = state.open_incidents().collect();
    let spares =
        view.disks.iter().filter(|d| d.facts.state.as_ref().is_some_and(|s| s.state == DiskState::HotSpare)).count();
    let watched = format!(
        "{} controllers, {} arrays, {} disks, {spares} hot spares watched",
        view.controllers.len(),
        view.arrays.len(),
        view.disks.len()
    );
    let headline = match open.len() {
        0 => format!("all well: {} arrays, {} disks", view.arrays.len(), view.disks.len()),
        n => format!("{n} open incident{}", if n == 1 { "" } else { "s" }),
    };
    Notice {
        id: format!("{}-digest.{}", state.instance, now.as_second()),
        event: NoticeEvent::Digest,
        severity: state.verdict(),
        host: settings.host_name.clone(),
        at: now,
        time_zone: settings.time_zone.iana_name().unwrap_or("UTC").to_owned(),
        thread: None,
        kinds: Vec::new(),
        headline,
        happened: std::iter::once(watched)
            .chain(open.iter().map(|i| format!("#{} {}: {}", i.id, i.severity, i.headline)))
            .collect(),
        means: vec![
            "This message comes every week. When it stays away, raidmond or the way of its mail is broken.".to_owned(),
        ],
        to_do: Vec::new(),
        evidence: Vec::new(),
        footer: Vec::new(),
        object: NoticeObject::default(),
        drill: settings.drill,
    }
}

fn key_words(incident: &Incident) -> String {
    let topic = serde_json::to_value(incident.key.topic).ok();
    let topic = topic.as_ref().and_then(|v| v.as_str()).unwrap_or("health").to_owned();
    format!("{}/{topic}", incident.key.anchor)
}

/// The headline of the worst condition; a second disk is named beside the first.
fn headline(incident: &Incident) -> String {
    incident.headline.clone()
}

fn object(view: &View, incident: &Incident) -> NoticeObject {
    let ids: Vec<_> = incident.conditions.iter().flat_map(|c| c.related.iter().copied().chain(c.subject.id)).collect();
    let disk = view.disks.iter().find(|d| ids.contains(&d.id));
    let array = incident.anchor.id.and_then(|id| view.array(id)).or_else(|| disk.and_then(|d| view.array_of(d)));
    let controller = disk.and_then(|d| d.parent).or(array.and_then(|a| a.parent)).and_then(|id| view.controller(id));
    NoticeObject {
        kind: incident.anchor.kind.word().to_owned(),
        path: incident.anchor.name.clone(),
        controller: controller.map(|c| c.name.clone()),
        enclosure: disk.and_then(|d| d.facts.enclosure.clone()),
        slot: disk.and_then(|d| d.facts.slot.clone()),
        serial: disk.and_then(|d| d.facts.serial.clone()),
        model: disk.and_then(|d| d.facts.model.clone()),
        array: array.map(|a| a.name.clone()),
    }
}

struct Story<'a> {
    settings: &'a Settings,
    state: &'a State,
    view: &'a View,
    incident: &'a Incident,
    now: Timestamp,
}

impl Story<'_> {
    fn faults(&self) -> impl Iterator<Item = &Condition> {
        self.incident.conditions.iter().filter(|c| c.severity.is_fault())
    }

    fn what_happened(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for condition in self.faults() {
            let since = self.incident.seen_at.get(&condition.fingerprint()).copied().unwrap_or(self.incident.opened_at);
            let when = describe::time(since, &self.settings.time_zone);
            match condition.subject.id.and_then(|id| self.view.disk(id)) {
                Some(disk) => {
                    lines.push(format!("{}, at {when}.", capital(&describe::disk_condition(disk, condition))))
                }
                None if condition.topic == Topic::Redundancy => {}
                None => lines.push(format!("{}, at {when}.", capital(&condition.headline))),
            }
        }
        if let Some(array) = self.incident.anchor.id.and_then(|id| self.view.array(id)) {
            lines.push(describe::array_now(self.view, array));
        } else if lines.is_empty() {
            lines.push(capital(&self.incident.headline));
        }
        lines
    }

    fn what_it_means(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut kinds: Vec<K> = self.faults().map(|c| c.kind).collect();
        kinds.dedup();
        if let Some(first) = kinds.first() {
            if self.incident.key.topic == Topic::Redundancy && *first != K::ArrayFailed {
                lines.push("Nothing is lost yet.".to_owned());
            }
            lines.push(first.meaning().to_owned());
        }
        lines.extend(self.spare_words());
        let others = kinds.iter().skip(1).filter(|k| k.topic() != Topic::Redundancy);
        lines.extend(others.map(|k| k.meaning().to_owned()));
        lines.dedup();
        lines
    }

    /// Said only of a redundancy group that lost something.
    fn spare_words(&self) -> Option<String> {
        let array = self.incident.anchor.id.and_then(|id| self.view.array(id))?;
        if self.incident.key.topic != Topic::Redundancy {
            return None;
        }
        let r = crate::diagnose::redundancy(self.view, array);
        if r.restoring {
            let percent = r.percent.map(|p| format!(", {p:.0} % done")).unwrap_or_default();
            return Some(format!("A rebuild is running{percent}."));
        }
        let spares = self.view.disks.iter().filter(|d| {
            d.parent == array.parent && d.facts.state.as_ref().is_some_and(|s| s.state == DiskState::HotSpare)
        });
        match spares.count() {
            0 => Some("There is no hot spare: nothing is rebuilding.".to_owned()),
            n => Some(format!(
                "{n} hot spare{} known to this controller; no rebuild is seen yet.",
                if n == 1 { " is" } else { "s are" }
            )),
        }
    }

    fn why(&self, resolved: bool) -> Vec<EvidenceLine> {
        let all = &self.incident.evidence;
        let skip = all.len().saturating_sub(EVIDENCE_SHOWN);
        let mut lines: Vec<EvidenceLine> = all.iter().skip(skip).cloned().collect();
        let said = if resolved { "no longer so" } else { "unchanged" };
        lines.push(EvidenceLine { at: Some(self.now), source: "now".to_owned(), said: said.to_owned() });
        lines
    }

    fn footer(&self, severity: Severity) -> Vec<String> {
        let next = self.incident.next_reminder.map(|at| duration(at.duration_since(self.now)));
        let then = match severity {
            Severity::Emergency => "hourly",
            Severity::Critical | Severity::Blind => "daily",
            _ => "less and less often",
        };
        let next = next.map(|n| format!("reminder in {n}, then {then} · ")).unwrap_or_default();
        let id = self.incident.id;
        vec![format!("incident {id} · {next}quiet it: raidmond ack {id} --for 3d --comment \"disk ordered\"")]
    }

    fn resolved_headline(&self) -> String {
        let took = duration(self.now.duration_since(self.incident.opened_at));
        let name = match self.incident.anchor.id.and_then(|id| self.view.array(id)) {
            Some(array) => format!("{} is whole again", describe::array_title(array)),
            None => format!("{} is over", plain(&self.incident.headline)),
        };
        format!("{name} after {took}")
    }

    fn what_ended(&self) -> Vec<String> {
        let took = duration(self.now.duration_since(self.incident.opened_at));
        let mut lines = vec![format!("Over after {took}: {}.", self.incident.headline)];
        for (old, new) in &self.state.replaced {
            let related =
                self.incident.conditions.iter().any(|c| c.related.contains(old) || c.subject.id == Some(*old));
            if let (true, Some(disk)) = (related, self.view.disk(*new)) {
                lines.push(format!("{} is in its place now.", capital(&describe::disk(disk))));
            }
        }
        lines
    }

    fn what_is_now(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(array) = self.incident.anchor.id.and_then(|id| self.view.array(id)) {
            let took = duration(self.now.duration_since(self.incident.opened_at));
            lines.push(describe::array_now(self.view, array));
            if self.incident.key.topic == Topic::Redundancy {
                lines.push(format!("Redundancy was reduced for {took}."));
            }
        }
        let controller = self.incident.anchor.id.and_then(|id| self.state.host.registry.get(id)).and_then(|e| e.parent);
        if let Some(expected) = controller.and_then(|c| self.state.memory.spares_expected.get(&c)) {
            let spare = |d: &&crate::host::Seen<crate::model::Disk>| {
                d.parent == controller && d.facts.state.as_ref().is_some_and(|s| s.state == DiskState::HotSpare)
            };
            let now = self.view.disks.iter().filter(spare).count();
            lines.push(format!("Hot spares now: {now} of {expected}."));
        }
        lines
    }
}

/// Without the sentence's urgency words, for "… is over".
fn plain(headline: &str) -> &str {
    headline.split(',').next().unwrap_or(headline)
}

pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

pub(crate) fn is_disk(condition: &Condition) -> bool {
    condition.subject.kind == ObjectKind::Disk
}

/// How long until something the person waits for.
pub fn until(now: Timestamp, at: Timestamp) -> String {
    duration(at.duration_since(now).max(SignedDuration::ZERO))
}

#[cfg(test)]
mod tests;
