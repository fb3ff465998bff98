//! The life of incidents within one turn: open, grow, tell, remind, absorb, close.

use super::engine::{CONFIRM_AFTER, Effect, Out};
use super::state::{Incident, Settings, State, Told};
use crate::changes::Posting;
use crate::diagnose::{Condition, IncidentKey, Topic};
use crate::identity::ObjectId;
use crate::model::Path;
use crate::notice::NoticeEvent;
use crate::severity::Severity;
use crate::tell;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// Closed and back within this time: the same incident again.
const RETURN_WITHIN: SignedDuration = SignedDuration::from_mins(30);
/// After so many returns within a day an incident counts as flapping and closes only after a quiet hour.
const FLAPPING: usize = 3;
const FLAP_QUIET: SignedDuration = SignedDuration::from_hours(1);
/// Later evidence of the same incident is told at most this often, unless it got worse.
const UPDATE_EVERY: SignedDuration = SignedDuration::from_mins(5);
const BLIND_IS_CRITICAL_AFTER: SignedDuration = SignedDuration::from_hours(24);
/// Closed incidents stay at hand this long; history keeps them for good.
const KEEP_CLOSED: SignedDuration = SignedDuration::from_hours(30 * 24);

pub(super) fn live(settings: &Settings, state: &mut State, out: &mut Out, now: Timestamp) {
    let mut by_key: BTreeMap<IncidentKey, Vec<Condition>> = BTreeMap::new();
    for condition in &state.conditions {
        by_key.entry(condition.incident_key()).or_default().push(condition.clone());
    }
    by_key.retain(|_, conditions| conditions.iter().any(|c| c.severity.is_fault()));
    end_maintenance(state, out, now);
    for (key, conditions) in &by_key {
        let id = open_or_find(state, out, now, key, conditions);
        grow(state, now, id, conditions);
    }
    let open: Vec<u64> = state.open_incidents().map(|i| i.id).collect();
    for id in &open {
        let Some(incident) = state.incidents.get(id) else { continue };
        if !by_key.contains_key(&incident.key) {
            end(settings, state, out, now, *id);
        }
    }
    for id in open {
        speak(settings, state, out, now, id);
    }
    digest(settings, state, out, now);
    state.incidents.retain(|_, i| i.closed.as_ref().is_none_or(|(at, _)| now.duration_since(*at) < KEEP_CLOSED));
}

fn open_or_find(state: &mut State, out: &mut Out, now: Timestamp, key: &IncidentKey, conditions: &[Condition]) -> u64 {
    if let Some(open) = state.open_incidents().find(|i| i.key == *key) {
        return open.id;
    }
    let recent = |i: &&mut Incident| {
        i.key == *key && i.closed.as_ref().is_some_and(|(at, _)| now.duration_since(*at) <= RETURN_WITHIN)
    };
    if let Some(back) = state.incidents.values_mut().rfind(recent) {
        back.closed = None;
        back.clear_since = None;
        back.returns.push(now);
        back.told.conditions.clear();
        back.told.severity = None;
        back.tell_at = Some(now);
        out.history(now, None, &back.anchor.name, "returned", format!("incident {} is back", back.id));
        return back.id;
    }
    let incident = new_incident(state, now, key, conditions);
    out.history(
        now,
        incident.anchor.id.map(|o| o.0),
        &incident.anchor.name,
        "opened",
        format!("incident {}: {}", incident.id, incident.headline),
    );
    let id = incident.id;
    if incident.tell_at.is_some_and(|at| at > now) {
        let at = conditions.first().map(|c| Path::new(&c.anchor.name).root()).unwrap_or_default();
        out.effects.push(Effect::Poll { space: None, at, after: CONFIRM_AFTER });
    }
    state.incidents.insert(id, incident);
    id
}

fn new_incident(state: &mut State, now: Timestamp, key: &IncidentKey, conditions: &[Condition]) -> Incident {
    state.next_incident += 1;
    let worst = conditions.iter().map(|c| c.severity).max().unwrap_or(Severity::Warning);
    let at_once = worst >= Severity::Critical;
    let top = conditions.first();
    Incident {
        id: state.next_incident,
        key: key.clone(),
        anchor: top
            .map(|c| c.anchor.clone())
            .unwrap_or_else(|| crate::diagnose::Subject::named("unknown", &key.anchor)),
        opened_at: now,
        severity: worst,
        worst,
        headline: top.map(|c| c.headline.clone()).unwrap_or_default(),
        conditions: Vec::new(),
        seen_at: BTreeMap::new(),
        evidence: Vec::new(),
        sequence: 0,
        tell_at: Some(if at_once { now } else { now + CONFIRM_AFTER + SignedDuration::from_secs(5) }),
        told: Told::default(),
        next_reminder: None,
        ack: None,
        closed: None,
        returns: Vec::new(),
        clear_since: None,
    }
}

fn grow(state: &mut State, now: Timestamp, id: u64, conditions: &[Condition]) {
    let Some(incident) = state.incidents.get_mut(&id) else { return };
    incident.clear_since = None;
    incident.severity = conditions.iter().map(|c| c.severity).max().unwrap_or(incident.severity);
    incident.worst = incident.worst.max(incident.severity);
    // What got milder and then worse again (a rebuild that stops short) is worth telling again.
    incident.told.severity = incident.told.severity.map(|told| told.min(effective_severity(incident, now)));
    if let Some(top) = conditions.first() {
        incident.headline = top.headline.clone();
        incident.anchor = top.anchor.clone();
    }
    for condition in conditions {
        incident.seen_at.entry(condition.fingerprint()).or_insert(now);
        for line in &condition.evidence {
            let known = incident.evidence.iter().any(|e| e.said == line.said && e.source == line.source);
            if !known && line.source != "remedy" && incident.evidence.len() < 50 {
                let at = line.at.or(Some(now));
                incident.evidence.push(crate::notice::EvidenceLine { at, ..line.clone() });
            }
        }
    }
    incident.conditions = conditions.to_vec();
    if incident.severity >= Severity::Critical {
        incident.tell_at = incident.tell_at.map(|at| at.min(now));
    }
}

/// Nothing speaks for the incident any more.
fn end(settings: &Settings, state: &mut State, out: &mut Out, now: Timestamp, id: u64) {
    let Some(incident) = state.incidents.get_mut(&id) else { return };
    let absorbed = |c: &&Condition| c.own_key() == incident.key && c.incident_key() != incident.key;
    let host_of = state.conditions.iter().find(absorbed).map(Condition::incident_key);
    if let Some(into) =
        host_of.and_then(|key| state.incidents.values().find(|i| i.is_open() && i.key == key)).map(|i| i.id)
    {
        close(state, out, now, id, format!("became part of incident {into}"));
        return;
    }
    let Some(incident) = state.incidents.get_mut(&id) else { return };
    let since = *incident.clear_since.get_or_insert(now);
    let day = SignedDuration::from_hours(24);
    let flapping = incident.returns.iter().filter(|t| now.duration_since(**t) <= day).count() >= FLAPPING;
    if flapping && now.duration_since(since) < FLAP_QUIET {
        return;
    }
    if !incident.was_told() {
        close(state, out, now, id, "was gone before it was confirmed".to_owned());
        return;
    }
    let silent = incident.key.topic == Topic::Health
        && incident.conditions.iter().all(|c| c.kind == crate::diagnose::ConditionKind::FoundInPast);
    if !silent {
        post(settings, state, out, now, id, NoticeEvent::Resolved);
    }
    close(state, out, now, id, "resolved".to_owned());
}

fn close(state: &mut State, out: &mut Out, now: Timestamp, id: u64, reason: String) {
    let Some(incident) = state.incidents.get_mut(&id) else { return };
    out.history(
        now,
        incident.anchor.id.map(|o| o.0),
        &incident.anchor.name,
        "closed",
        format!("incident {id}: {reason}"),
    );
    incident.closed = Some((now, reason));
    incident.next_reminder = None;
}

fn speak(settings: &Settings, state: &mut State, out: &mut Out, now: Timestamp, id: u64) {
    let quiet = state.maintenance.is_some();
    let Some(incident) = state.incidents.get_mut(&id).filter(|i| i.is_open() && i.clear_since.is_none()) else {
        return;
    };
    expire_ack(incident, now);
    let severity = effective_severity(incident, now);
    if quiet && severity < Severity::Emergency {
        return;
    }
    let event = match incident.told.severity {
        None if incident.tell_at.is_none_or(|at| at <= now) => {
            if incident.was_told() {
                NoticeEvent::Updated
            } else {
                NoticeEvent::Opened
            }
        }
        None => return,
        Some(told) if severity > told => NoticeEvent::Escalated,
        Some(_) if has_news(incident, now) => NoticeEvent::Updated,
        Some(_) if incident.next_reminder.is_some_and(|at| at <= now) && incident.ack.is_none() => {
            NoticeEvent::Reminder
        }
        Some(_) => return,
    };
    if event == NoticeEvent::Escalated {
        // What got worse is not what was acknowledged.
        incident.ack = None;
    }
    post(settings, state, out, now, id, event);
}

fn expire_ack(incident: &mut Incident, now: Timestamp) {
    if incident.ack.as_ref().is_some_and(|a| a.until <= now) {
        incident.ack = None;
        incident.next_reminder = Some(now);
    }
}

/// Not seeing is told like a warning at once, and like something critical after a day.
pub(super) fn effective_severity(incident: &Incident, now: Timestamp) -> Severity {
    let old = now.duration_since(incident.opened_at) >= BLIND_IS_CRITICAL_AFTER;
    match incident.severity {
        Severity::Blind if old => Severity::Critical,
        other => other,
    }
}

fn has_news(incident: &Incident, now: Timestamp) -> bool {
    let is_new = |c: &Condition| c.severity.is_fault() && !incident.told.conditions.contains(&c.fingerprint());
    let rested = incident.told.last_at.is_none_or(|at| now.duration_since(at) >= UPDATE_EVERY);
    rested && incident.conditions.iter().any(is_new)
}

fn post(settings: &Settings, state: &mut State, out: &mut Out, now: Timestamp, id: u64, event: NoticeEvent) {
    let Some(incident) = state.incidents.get_mut(&id) else { return };
    let severity = effective_severity(incident, now);
    incident.sequence += 1;
    if event == NoticeEvent::Reminder {
        incident.told.reminders += 1;
    }
    incident.told.severity = Some(severity);
    incident.told.last_at = Some(now);
    incident.told.conditions = incident.conditions.iter().map(Condition::fingerprint).collect();
    incident.next_reminder = Some(now + reminder_after(severity, incident.told.reminders));
    let own_channel = incident.anchor.key.strip_prefix("monitor:channel ").map(str::to_owned);
    let wanted: Vec<String> = settings
        .channels
        .iter()
        .filter(|c| severity >= c.min_severity || incident.told.channels.contains(&c.name))
        .filter(|c| event != NoticeEvent::Resolved || incident.told.channels.contains(&c.name))
        .filter(|c| own_channel.as_deref() != Some(c.name.as_str()))
        .map(|c| c.name.clone())
        .collect();
    incident.told.channels.extend(wanted.iter().cloned());
    let incident = incident.clone();
    let notice = tell::notice(settings, state, &incident, severity, event, now);
    out.history(
        now,
        incident.anchor.id.map(|o| o.0),
        &incident.anchor.name,
        event.word(),
        format!("incident {id}: {}", notice.headline),
    );
    out.postings.extend(wanted.into_iter().map(|channel| Posting { channel, notice: notice.clone() }));
}

/// Warning: after 1, 3, 7, then every 7 days. Critical and blind: 4 h, then daily. Emergency: hourly.
fn reminder_after(severity: Severity, reminders: u32) -> SignedDuration {
    let hours = match (severity, reminders) {
        (Severity::Emergency, _) => 1,
        (Severity::Critical | Severity::Blind, 0) => 4,
        (Severity::Critical | Severity::Blind, _) => 24,
        (_, 0) => 24,
        (_, 1) => 48,
        (_, 2) => 96,
        _ => 168,
    };
    SignedDuration::from_hours(hours)
}

fn end_maintenance(state: &mut State, out: &mut Out, now: Timestamp) {
    if state.maintenance.as_ref().is_some_and(|m| m.until <= now) {
        state.maintenance = None;
        out.history(now, None, "", "maintenance", "maintenance ended; what is still wrong is told now");
    }
}

/// Incidents of an object that turned out to be another: the older one stays.
pub(super) fn merge_incidents(state: &mut State, into: ObjectId, from: ObjectId) {
    let (old, new) = (format!("o{from}"), format!("o{into}"));
    let moved: Vec<u64> = state.open_incidents().filter(|i| i.key.anchor == old).map(|i| i.id).collect();
    for id in moved {
        let Some(mut incident) = state.incidents.remove(&id) else { continue };
        incident.key.anchor = new.clone();
        let twin = state.open_incidents().find(|i| i.key == incident.key).map(|i| i.id);
        match twin {
            Some(twin) if twin < id => {}
            Some(twin) => {
                state.incidents.remove(&twin);
                state.incidents.insert(id, incident);
            }
            None => {
                state.incidents.insert(id, incident);
            }
        }
    }
}

fn digest(settings: &Settings, state: &mut State, out: &mut Out, now: Timestamp) {
    let Some(due) = last_digest_time(settings, now) else { return };
    let first_time = state.last_digest.is_none();
    if !first_time && state.last_digest.is_some_and(|last| last >= due) {
        return;
    }
    state.last_digest = Some(now);
    if first_time {
        return;
    }
    let notice = tell::digest(settings, state, now);
    out.postings.extend(settings.channels.iter().map(|c| Posting { channel: c.name.clone(), notice: notice.clone() }));
}

/// The latest moment at or before now when a digest was due.
fn last_digest_time(settings: &Settings, now: Timestamp) -> Option<Timestamp> {
    let (weekday, hour) = settings.digest?;
    let local = now.to_zoned_datetime(settings.time_zone.clone());
    let back = (i64::from(local.weekday().to_monday_one_offset()) - i64::from(weekday)).rem_euclid(7);
    let day = local.date().checked_sub(jiff::Span::new().days(back)).ok()?;
    let due = day.at(hour, 0, 0, 0).to_zoned_datetime(settings.time_zone.clone()).ok()?.timestamp();
    Some(if due <= now { due } else { due - SignedDuration::from_hours(7 * 24) })
}

/// The first time after `turned_at`, the last turn: that turn saw what was due before, and what it left
/// open waits for something else than time.
pub(super) fn next_wake(settings: &Settings, state: &State, turned_at: Timestamp) -> Option<Timestamp> {
    let open = state.open_incidents().flat_map(|i| {
        let untold = if i.told.severity.is_none() { i.tell_at } else { None };
        let flap = i.clear_since.map(|t| t + FLAP_QUIET);
        [untold, i.next_reminder, i.ack.as_ref().map(|a| a.until), flap]
    });
    let week = SignedDuration::from_hours(7 * 24);
    let digest = last_digest_time(settings, turned_at).map(|last| last + week);
    let times = open.flatten().chain(state.maintenance.as_ref().map(|m| m.until)).chain(digest);
    times.filter(|at| *at > turned_at).min()
}
