//! Words for people: what happened, what it means, what to do, why raidmond believes it.
//!
//! Complete by itself, because a message may be read days later on a telephone. Says "by itself" only
//! where that is known.

mod describe;
mod steps;

pub use describe::{bytes, duration};

use crate::diagnose::{Condition, ConditionKind as K, Topic};
use crate::host::{Seen, View};
use crate::identity::ObjectId;
use crate::incident::{Incident, Settings, State};
use crate::model::{Array, ArrayState, Disk, DiskState, ObjectKind, SpareScope, TaskKind, TaskState};
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
    let is_there = |d: &&Seen<Disk>| d.facts.state.as_ref().is_none_or(|s| s.state != DiskState::Empty);
    let disks = view.disks.iter().filter(is_there).count();
    let watched = format!(
        "{}, {}, {}, {} watched",
        counted(view.controllers.len(), "controller"),
        counted(view.arrays.len(), "array"),
        counted(disks, "disk"),
        counted(spares, "hot spare")
    );
    let headline = match open.len() {
        0 => worth_saying(state),
        n => counted(n, "open incident"),
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
            .chain(view.arrays.iter().filter_map(|a| checked(settings, state, a)))
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

/// The worst of what is no fault and still no routine; "all well" only where there is nothing of the kind.
pub fn worth_saying(state: &State) -> String {
    let worst = state.conditions.iter().filter(|c| c.severity >= Severity::Notice).max_by_key(|c| c.severity);
    let view = state.host.view();
    let well = || format!("all well: {}, {}", counted(view.arrays.len(), "array"), counted(view.disks.len(), "disk"));
    worst.map_or_else(well, |c| c.headline.clone())
}

/// "1 array", "2 arrays".
pub fn counted(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// How the checks of an array stand, where there are any.
fn checked(settings: &Settings, state: &State, array: &Seen<Array>) -> Option<String> {
    let check = state.memory.checks.get(&array.id)?;
    let local = |at: Timestamp| at.to_zoned_datetime(settings.time_zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
    let last = match (check.last_completed(), &check.run) {
        (Some(last), _) => {
            let took = last.duration().map(|d| format!(" after {}", duration(d))).unwrap_or_default();
            let found = last.found.map(|n| format!(", {n} inconsistencies found")).unwrap_or_default();
            format!("last check completed {}{took}{found}", local(last.ended_at))
        }
        (None, Some(_)) => "the first check that raidmond sees is running".to_owned(),
        (None, None) => "no completed check seen yet".to_owned(),
    };
    let next = check.plan.as_ref().and_then(|plan| plan.next).map(|at| format!("; next {}", local(at)));
    Some(format!("{}: {last}{}", array.name, next.unwrap_or_default()))
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

/// Log lines that contradict a look made before them.
const LOG_SAYS_OTHERWISE: [K; 4] = [K::IoErrorsArray, K::LogArrayDegraded, K::LogArrayFailed, K::LogRebuildFailed];

/// The line about the array itself says these.
fn is_said_of_the_array(kind: K) -> bool {
    kind.topic() == Topic::Redundancy && !LOG_SAYS_OTHERWISE.contains(&kind)
}

/// Whether a blind source is what this array is read through: its controller, or a family ("storcli c0").
fn is_read_through(array: &Seen<Array>, blind: &Condition) -> bool {
    let subject = &blind.subject;
    if subject.id.is_some() {
        return subject.id == array.parent || subject.id == Some(array.id);
    }
    let (family, about) = subject.name.split_once(' ').unwrap_or((&subject.name, ""));
    let ours = array.sources.iter().any(|s| s == family);
    ours && (about.is_empty() || array.facts.at.root().as_str() == about)
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
                Some(disk) => lines.push(format!(
                    "{}, noticed at {when}.",
                    capital(&describe::disk_condition(self.view, disk, condition))
                )),
                None if is_said_of_the_array(condition.kind) => {}
                None => lines.push(format!("{}, noticed at {when}.", capital(&condition.headline))),
            }
        }
        if let Some(array) = self.incident.anchor.id.and_then(|id| self.view.array(id)) {
            lines.extend(self.lost_without_condition(array));
            lines.extend(self.dropped_beside(array));
            let in_doubt = self.faults().any(|c| LOG_SAYS_OTHERWISE.contains(&c.kind));
            lines.push(match in_doubt {
                true => describe::array_before(self.view, array, &self.settings.time_zone),
                false => describe::array_now(self.view, array),
            });
        } else if lines.is_empty() {
            lines.push(capital(&self.incident.headline));
        }
        lines.extend(self.unwatched());
        lines
    }

    /// A spare has taken the place of a disk that is no member any more: that disk is the news.
    fn dropped_beside(&self, array: &Seen<Array>) -> Vec<String> {
        let r = crate::diagnose::redundancy(self.view, array);
        if self.incident.key.topic != Topic::Redundancy || !r.restoring {
            return Vec::new();
        }
        let out = [K::DiskFailed, K::DiskUnconfiguredBad, K::DiskMissing];
        let beside = self.state.conditions.iter().filter(|c| out.contains(&c.kind));
        let beside = beside.filter(|c| !self.incident.conditions.iter().any(|own| own.subject == c.subject));
        let disks = beside.filter_map(|c| Some((c, c.subject.id.and_then(|id| self.view.disk(id))?)));
        let loose = disks.filter(|(_, d)| d.parent == array.parent && self.view.array_of(d).is_none());
        loose.map(|(c, d)| format!("On the same controller, {}.", describe::disk_condition(self.view, d, c))).collect()
    }

    /// Whose faults nobody would hear of meanwhile.
    fn unwatched(&self) -> Option<String> {
        let blind: Vec<&Condition> = self.faults().filter(|c| c.kind == K::SourceBlind).collect();
        let concerned = |a: &&Seen<Array>| blind.iter().any(|c| is_read_through(a, c));
        let arrays: Vec<&Seen<Array>> = self.view.arrays.iter().filter(concerned).collect();
        let since = arrays.iter().map(|a| a.at).min()?;
        let names: Vec<String> = arrays.iter().map(|a| self.view.array_label(a)).collect();
        let at = describe::time(since, &self.settings.time_zone);
        Some(format!("Not watched meanwhile: {}; last read at {at}.", names.join(", ")))
    }

    /// Disks that are out of the array and no fault by themselves: the target of a rebuild.
    fn lost_without_condition(&self, array: &Seen<Array>) -> Vec<String> {
        let r = crate::diagnose::redundancy(self.view, array);
        let told = |id: ObjectId| self.faults().any(|c| c.subject.id == Some(id));
        let silent = r.lost.iter().filter(|id| !told(**id)).filter_map(|id| self.view.disk(*id));
        let state = |d: &Seen<Disk>| d.facts.state.as_ref().map(|s| (s.state, s.said.clone()));
        silent
            .filter_map(|disk| match state(disk)? {
                (DiskState::Rebuilding, _) => {
                    Some(format!("{} is being rebuilt.", capital(&describe::disk(self.view, disk))))
                }
                (_, said) => Some(format!("{} is in state \"{said}\".", capital(&describe::disk(self.view, disk)))),
            })
            .collect()
    }

    fn what_it_means(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut kinds: Vec<K> = self.faults().map(|c| c.kind).collect();
        kinds.dedup();
        if self.nothing_is_lost_yet(&kinds) {
            lines.push("Nothing is lost yet.".to_owned());
        }
        lines.extend(kinds.first().map(|first| self.meaning(*first)));
        lines.extend(self.rebuild_words());
        let others = kinds.iter().skip(1).filter(|k| k.topic() != Topic::Redundancy && **k != K::DiskFailed);
        lines.extend(others.map(|k| k.meaning().to_owned()));
        let mut seen = std::collections::BTreeSet::new();
        lines.retain(|line| seen.insert(line.clone()));
        lines
    }

    /// Of a nested array only some disks are the last of their group.
    fn meaning(&self, kind: K) -> String {
        let array = self.incident.anchor.id.and_then(|id| self.view.array(id)).filter(|_| kind == K::ArrayDegraded);
        let Some(array) = array else { return kind.meaning().to_owned() };
        let r = crate::diagnose::redundancy(self.view, array);
        let in_service = self.view.members(array).filter(|d| !r.lost.contains(&d.id)).count();
        let names = r.exposed.iter().filter_map(|id| self.view.disk(*id)).map(|d| self.view.disk_label(&d.name));
        match names.collect::<Vec<_>>().as_slice() {
            [one] if in_service > 1 => format!(
                "Nothing is restoring the lost disk, and its partner {one} has no other copy: the failure of {one} loses the array."
            ),
            some if !some.is_empty() && some.len() < in_service => format!(
                "No redundancy is left in one group and nothing is restoring it: the failure of {} loses the array.",
                some.join(" or ")
            ),
            _ => kind.meaning().to_owned(),
        }
    }

    /// Only where a tool shows the array in service and nothing speaks of lost or unreadable data.
    fn nothing_is_lost_yet(&self, kinds: &[K]) -> bool {
        let in_service = [K::ArrayAtRisk, K::ArrayDegraded, K::ArrayRebuilding, K::ArrayReduced, K::ArrayReducedLong];
        let doubtful = [K::IoErrorsArray, K::FilesystemError, K::LogArrayFailed, K::ArrayFailed];
        let lost = self.state.conditions.iter().any(|c| c.topic == Topic::DataLoss);
        let known = kinds.first().is_some_and(|first| in_service.contains(first));
        known && !lost && !kinds.iter().any(|k| doubtful.contains(k))
    }

    /// Said only of a redundancy group that a tool shows to have lost something and to serve its data.
    fn rebuild_words(&self) -> Option<String> {
        let array = self.incident.anchor.id.and_then(|id| self.view.array(id))?;
        let r = crate::diagnose::redundancy(self.view, array);
        if self.incident.key.topic != Topic::Redundancy || r.failed || !r.reduced() {
            return None;
        }
        let percent = r.percent.map(|p| format!(", {p:.0} % done")).unwrap_or_default();
        Some(match self.rebuild_task(array) {
            Some(TaskState::Queued) => "A rebuild waits for another one to end.".to_owned(),
            _ if r.restoring => format!("A rebuild is running{percent}."),
            Some(TaskState::Paused) => format!("The rebuild is paused{percent}."),
            Some(TaskState::Stopped) => "The rebuild was stopped.".to_owned(),
            Some(TaskState::Failed) => "The rebuild failed.".to_owned(),
            _ => self.spare_words(array),
        })
    }

    fn rebuild_task(&self, array: &Seen<Array>) -> Option<TaskState> {
        let members: Vec<_> = self.view.members(array).map(|d| d.id).collect();
        let concerns = |id: &Option<ObjectId>| id.is_some_and(|id| id == array.id || members.contains(&id));
        let mut tasks = self.view.tasks.iter().filter(|(id, t)| t.kind == TaskKind::Rebuild && concerns(id));
        tasks.next().map(|(_, t)| t.state.state)
    }

    /// Spares of this array's controller that could serve it.
    fn spare_words(&self, array: &Seen<Array>) -> String {
        let serves = |d: &&Seen<Disk>| {
            let elsewhere =
                d.facts.spare == Some(SpareScope::Dedicated) && d.facts.array.as_ref() != Some(&array.facts.at);
            let spare = d.facts.state.as_ref().is_some_and(|s| s.state == DiskState::HotSpare);
            d.parent == array.parent && spare && !elsewhere
        };
        match self.view.disks.iter().filter(serves).count() {
            0 => "There is no hot spare: nothing is rebuilding.".to_owned(),
            1 => "One hot spare is known; no rebuild is seen yet.".to_owned(),
            n => format!("{n} hot spares are known; no rebuild is seen yet."),
        }
    }

    fn why(&self, resolved: bool) -> Vec<EvidenceLine> {
        let all = &self.incident.evidence;
        let skip = all.len().saturating_sub(EVIDENCE_SHOWN);
        let mut lines: Vec<EvidenceLine> = all.iter().skip(skip).cloned().collect();
        let now = |at, said: &str| EvidenceLine { at: Some(at), source: "now".to_owned(), said: said.to_owned() };
        if resolved {
            let said = match (&self.incident.accepted_by, &self.incident.closed_by) {
                (Some(_), _) => "accepted".to_owned(),
                (None, Some(hand)) => format!("closed by {}; no look has shown that it is over", hand.by),
                (None, None) => "no longer so".to_owned(),
            };
            lines.push(now(self.now, &said));
        } else if let Some(at) = self.looked_at() {
            lines.push(now(at, "unchanged"));
        }
        lines
    }

    /// When a tool last showed what the incident stands on, if that was just now.
    fn looked_at(&self) -> Option<Timestamp> {
        let by_tool = |c: &&Condition| !self.state.memory.rests_on_lines(c, self.view) && c.kind != K::FoundInPast;
        let id = self.faults().find(by_tool)?.subject.id?;
        let array = self.view.array(id).map(|a| a.at);
        let at = array.or_else(|| self.view.disk(id).map(|d| d.at))?;
        (self.now.duration_since(at) <= SignedDuration::from_mins(2)).then_some(at)
    }

    fn footer(&self, severity: Severity) -> Vec<String> {
        let next = self.incident.next_reminder.map(|at| duration(at.duration_since(self.now)));
        let then = match severity {
            Severity::Emergency => "hourly",
            Severity::Critical | Severity::Blind => "daily",
            _ => "after 3 and 7 days, then weekly",
        };
        let next = next.map(|n| format!("reminder in {n}, then {then} · ")).unwrap_or_default();
        let id = self.incident.id;
        let disks = matches!(self.incident.anchor.kind, ObjectKind::Array | ObjectKind::Disk);
        let why = if disks { "disk ordered" } else { "known" };
        vec![format!("incident {id} · {next}quiet it: raidmond ack {id} --for 3d --comment \"{why}\"")]
    }

    /// As it was told; a later state ("rebuilding 98 %") is not what people remember.
    fn was(&self) -> &str {
        let told = self.incident.told.headline.as_str();
        if told.is_empty() { &self.incident.headline } else { told }
    }

    fn resolved_headline(&self) -> String {
        if let Some(by) = &self.incident.accepted_by {
            return format!("accepted by {by}: {}", self.incident.headline);
        }
        if let Some(hand) = &self.incident.closed_by {
            return format!("closed by {}: {}", hand.by, self.was());
        }
        let array = self.incident.anchor.id.and_then(|id| self.view.array(id));
        match array.filter(|a| self.incident.key.topic == Topic::Redundancy && self.is_whole(a)) {
            Some(array) => format!("{} is whole again after {}", self.view.array_label(array), self.took()),
            None => self.was().to_owned(),
        }
    }

    /// Seen so, and nothing speaks against it.
    fn is_whole(&self, array: &Seen<Array>) -> bool {
        let r = crate::diagnose::redundancy(self.view, array);
        let optimal = array.facts.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal);
        optimal && !r.failed && !r.reduced()
    }

    fn took(&self) -> String {
        duration(self.now.duration_since(self.incident.opened_at))
    }

    fn what_ended(&self) -> Vec<String> {
        if let Some(by) = &self.incident.accepted_by {
            let headline = &self.incident.headline;
            return vec![format!("Nothing changed: {headline}. {by} says that this is how it should be.")];
        }
        if let Some(hand) = &self.incident.closed_by {
            let closed = format!("{} closed this after {}: {}", hand.by, self.took(), hand.comment);
            return vec![closed, format!("It was: {}.", self.was())];
        }
        let mut lines = vec![format!("Over after {}: {}.", self.took(), self.was())];
        lines.extend(self.incident.replaced.iter().map(|words| format!("{}.", capital(words))));
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
        if let Some(expected) = controller.and_then(|c| self.state.memory.spares_expected.get(&c)).filter(|n| **n > 0) {
            let spare = |d: &&crate::host::Seen<crate::model::Disk>| {
                d.parent == controller && d.facts.state.as_ref().is_some_and(|s| s.state == DiskState::HotSpare)
            };
            let now = self.view.disks.iter().filter(spare).count();
            lines.push(format!("Hot spares now: {now} of {expected}."));
        }
        lines
    }
}

/// A sentence begins with a capital; a name ("aac:", "c1/v0:", "raidmond") stays as it is.
pub(crate) fn capital(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_word = first != "raidmond" && first.chars().all(|c| c.is_alphabetic() || c == '-');
    let mut chars = text.chars();
    match chars.next() {
        Some(letter) if is_word => letter.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
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
