//! The life of incidents within one turn: open, grow, tell, remind, absorb, close.

use super::engine::{CONFIRM_AFTER, Effect, Out};
use super::state::{Incident, Settings, State, Told};
use crate::changes::Posting;
use crate::diagnose::{Condition, ConditionKind as K, IncidentKey, Subject, Topic};
use crate::host::View;
use crate::identity::ObjectId;
use crate::model::{ArrayState, CacheState, DiskState, Path};
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
/// A warning is told after its confirming look had time to come back.
const CONFIRM_WITHIN: SignedDuration = SignedDuration::from_secs(15);
/// A line of a log waits this long for the look that follows it: the tool knows slot and serial number.
const LOOK_WITHIN: SignedDuration = SignedDuration::from_secs(4);
/// Getting worse again is told at once this often within a day, then at most hourly.
const RELAPSES: usize = 3;
const BLIND_IS_CRITICAL_AFTER: SignedDuration = SignedDuration::from_hours(24);
/// Closed incidents stay at hand this long; history keeps them for good.
const KEEP_CLOSED: SignedDuration = SignedDuration::from_hours(30 * 24);

pub(super) fn live(settings: &Settings, state: &mut State, out: &mut Out, now: Timestamp) {
    hold_unproven(state);
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

/// Not to know how an object is, is no recovery: what was wrong by its state stays wrong until a state says
/// otherwise.
fn hold_unproven(state: &mut State) {
    let view = state.host.view();
    let said = |c: &Condition| state.conditions.iter().any(|now| now.own_key() == c.own_key());
    let held: Vec<Condition> = state
        .open_incidents()
        .filter(|i| i.was_told())
        .flat_map(|i| &i.conditions)
        .filter(|c| c.kind.rests_on_state() && !said(c) && is_state_unknown(&view, c))
        .cloned()
        .collect();
    state.conditions.extend(held);
    state.conditions.sort_by_key(|c| std::cmp::Reverse(c.severity));
}

fn is_state_unknown(view: &View, condition: &Condition) -> bool {
    let Some(id) = condition.subject.id else { return false };
    let array = view.array(id).map(|a| a.facts.state.as_ref().is_none_or(|s| s.state == ArrayState::Unknown));
    let disk = view.disk(id).map(|d| d.facts.state.as_ref().is_none_or(|s| s.state == DiskState::Unknown));
    let cache = view.caches.iter().find(|c| c.id == id);
    let cache = cache.map(|c| c.facts.state.as_ref().is_none_or(|s| s.state == CacheState::Unknown));
    array.or(disk).or(cache).unwrap_or(false)
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
        // What was never told was never confirmed either.
        back.tell_at = Some(if back.was_told() { now } else { now + CONFIRM_WITHIN });
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
        replaced: Vec::new(),
        sequence: 0,
        tell_at: Some(now + patience(conditions)),
        told: Told::default(),
        next_reminder: None,
        ack: None,
        closed: None,
        accepted_by: None,
        closed_by: None,
        returns: Vec::new(),
        clear_since: None,
    }
}

fn grow(state: &mut State, now: Timestamp, id: u64, conditions: &[Condition]) {
    let Some(incident) = state.incidents.get_mut(&id) else { return };
    incident.clear_since = None;
    incident.closed_by = None;
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
    incident.tell_at = incident.tell_at.map(|at| at.min(now + patience(conditions)));
}

/// What is critical is told at once. Where only lines say so, the look they caused is waited for a
/// moment, so that the first message knows what it is about; a warning waits to be confirmed.
fn patience(conditions: &[Condition]) -> SignedDuration {
    let critical = |c: &&Condition| c.severity >= Severity::Critical;
    match conditions.iter().filter(critical).map(|c| c.kind.rests_on_lines()).min() {
        Some(false) => SignedDuration::ZERO,
        Some(true) => LOOK_WITHIN,
        None => CONFIRM_WITHIN,
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
    let silent = incident.key.topic == Topic::Health && incident.conditions.iter().all(|c| c.kind == K::FoundInPast);
    if !silent {
        post(settings, state, out, now, id, NoticeEvent::Resolved);
    }
    let by_hand = state.incidents.get(&id).and_then(|i| i.closed_by.clone());
    let reason = by_hand.map_or("resolved".to_owned(), |h| format!("closed by {}: {}", h.by, h.comment));
    close(state, out, now, id, reason);
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
        Some(told) if severity > told && severity <= incident.told.worst && relapsing(incident, now) => return,
        Some(told) if severity > told => NoticeEvent::Escalated,
        Some(_) if has_news(incident, now) => NoticeEvent::Updated,
        Some(_) if incident.next_reminder.is_some_and(|at| at <= now) && incident.ack.is_none() => {
            NoticeEvent::Reminder
        }
        Some(_) => return,
    };
    if event == NoticeEvent::Escalated && severity <= incident.told.worst {
        incident.told.relapses.push(now);
        let surplus = incident.told.relapses.len().saturating_sub(RELAPSES * 4);
        incident.told.relapses.drain(..surplus);
    }
    if event == NoticeEvent::Escalated {
        // What got worse is not what was acknowledged.
        incident.ack = None;
    }
    post(settings, state, out, now, id, event);
}

/// Has got worse again so often today that once an hour is enough.
fn relapsing(incident: &Incident, now: Timestamp) -> bool {
    let day = SignedDuration::from_hours(24);
    let today = incident.told.relapses.iter().filter(|at| now.duration_since(**at) <= day);
    let last = incident.told.relapses.iter().max();
    today.count() >= RELAPSES && last.is_some_and(|at| now.duration_since(*at) < FLAP_QUIET)
}

fn expire_ack(incident: &mut Incident, now: Timestamp) {
    if incident.ack.as_ref().is_some_and(|a| a.until <= now) {
        incident.ack = None;
        incident.next_reminder = Some(now);
    }
}

/// Not seeing is told like a warning at once, and like something critical after a day.
pub(super) fn effective_severity(incident: &Incident, now: Timestamp) -> Severity {
    let old = now >= blind_is_critical_at(incident);
    match incident.severity {
        Severity::Blind if old => Severity::Critical,
        other => other,
    }
}

fn blind_is_critical_at(incident: &Incident) -> Timestamp {
    incident.returns.last().copied().unwrap_or(incident.opened_at) + BLIND_IS_CRITICAL_AFTER
}

fn has_news(incident: &Incident, now: Timestamp) -> bool {
    let is_new = |c: &Condition| c.severity.is_fault() && !incident.told.conditions.contains(&c.fingerprint());
    let since = incident.told.last_at.map(|at| now.duration_since(at));
    let worst_news = incident.conditions.iter().filter(|c| is_new(c)).map(|c| c.severity).max();
    let wait = if worst_news >= Some(Severity::Critical) { CONFIRM_AFTER } else { UPDATE_EVERY };
    let rested = since.is_none_or(|since| since >= wait);
    incident.conditions.iter().any(|c| is_new(c) && (rested || shows_more(c)))
}

/// What a look shows of a lost redundancy (which disk, which slot) does not wait behind what a line said.
fn shows_more(condition: &Condition) -> bool {
    matches!(condition.kind, K::ArrayDegraded | K::ArrayAtRisk | K::ArrayFailed | K::ArrayMissing)
}

fn post(settings: &Settings, state: &mut State, out: &mut Out, now: Timestamp, id: u64, event: NoticeEvent) {
    let Some(incident) = state.incidents.get_mut(&id) else { return };
    let severity = effective_severity(incident, now);
    incident.sequence += 1;
    if event == NoticeEvent::Reminder {
        incident.told.reminders += 1;
    }
    incident.told.severity = Some(severity);
    if event != NoticeEvent::Resolved && (severity > incident.told.worst || incident.told.headline.is_empty()) {
        incident.told.headline.clone_from(&incident.headline);
    }
    incident.told.worst = incident.told.worst.max(severity);
    incident.told.last_at = Some(now);
    incident.told.conditions.extend(incident.conditions.iter().map(Condition::fingerprint));
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

/// Incidents of an object that turned out to be another: the older one and its thread stay.
pub(super) fn move_incidents(state: &mut State, out: &mut Out, now: Timestamp, old: &str, new: &Subject) {
    let moved: Vec<u64> = state.open_incidents().filter(|i| i.key.anchor == old).map(|i| i.id).collect();
    for id in moved {
        let Some(topic) = state.incidents.get(&id).map(|i| i.key.topic) else { continue };
        let key = IncidentKey { anchor: new.key.clone(), topic };
        let twin = state.open_incidents().find(|i| i.key == key).map(|i| i.id);
        let (stays, goes) = twin.map_or((id, None), |twin| (twin.min(id), Some(twin.max(id))));
        let old_key = IncidentKey { anchor: old.to_owned(), topic };
        if let Some(goes) = goes {
            close(state, out, now, goes, format!("became part of incident {stays}"));
        }
        let gone = goes.and_then(|goes| state.incidents.get_mut(&goes)).map(|gone| {
            // Should the trouble come back, the thread that stays is the one to speak.
            gone.key = old_key;
            gone.clone()
        });
        let Some(incident) = state.incidents.get_mut(&stays) else { continue };
        incident.key = key;
        incident.anchor = new.clone();
        if let Some(gone) = gone {
            incident.told.channels.extend(gone.told.channels);
            let news = gone.evidence.into_iter().filter(|e| !incident.evidence.contains(e)).collect::<Vec<_>>();
            incident.evidence.extend(news);
        }
    }
}

/// Notes in the incidents of a disk, to be told at their end, what took its place.
pub(super) fn note_replaced(state: &mut State, old: ObjectId, words: &str) {
    for incident in state.incidents.values_mut().filter(|i| i.is_open()) {
        if incident.conditions.iter().any(|c| c.subject.id == Some(old) || c.related.contains(&old)) {
            incident.replaced.push(words.to_owned());
        }
    }
}

/// Whatever was set for a time that lies further ahead than it could, because the clock was set back,
/// is set anew; what lies ahead of a clock set forward is simply due.
pub(super) fn after_clock_change(state: &mut State, now: Timestamp) {
    for incident in state.incidents.values_mut().filter(|i| i.is_open()) {
        let severity = incident.told.severity.unwrap_or(incident.severity);
        let longest = now + reminder_after(severity, incident.told.reminders);
        incident.next_reminder = incident.next_reminder.map(|at| at.min(longest));
        incident.tell_at = incident.tell_at.map(|at| at.min(now + CONFIRM_WITHIN));
        incident.clear_since = incident.clear_since.map(|at| at.min(now));
        incident.told.last_at = incident.told.last_at.map(|at| at.min(now));
        for at in incident.returns.iter_mut().chain(&mut incident.told.relapses) {
            *at = now.min(*at);
        }
    }
    state.last_digest = state.last_digest.map(|at| at.min(now));
    if let Some(m) = state.maintenance.as_mut().filter(|m| m.since > now) {
        m.until = now + m.until.duration_since(m.since);
        m.since = now;
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
    let this_week = digest_times(settings, now);
    this_week.into_iter().rev().find(|due| *due <= now)
}

/// When it was and will be due around now: by the calendar, because not every week has 168 hours.
fn digest_times(settings: &Settings, now: Timestamp) -> Vec<Timestamp> {
    let Some((weekday, hour)) = settings.digest else { return Vec::new() };
    let local = now.to_zoned_datetime(settings.time_zone.clone());
    let back = (i64::from(local.weekday().to_monday_one_offset()) - i64::from(weekday)).rem_euclid(7);
    let at = |days: i64| {
        let day = local.date().checked_add(jiff::Span::new().try_days(days).ok()?).ok()?;
        Some(day.at(hour, 0, 0, 0).to_zoned_datetime(settings.time_zone.clone()).ok()?.timestamp())
    };
    [-back - 7, -back, 7 - back].into_iter().filter_map(at).collect()
}

/// The first time after `turned_at`, the last turn: that turn saw what was due before.
pub(super) fn next_wake(settings: &Settings, state: &State, turned_at: Timestamp) -> Option<Timestamp> {
    let incidents = state.open_incidents().flat_map(|i| incident_wakes(state, i));
    let digest = state.last_digest.and_then(|last| digest_times(settings, last).into_iter().find(|due| *due > last));
    let checks = crate::checks::next_wake(&state.memory.checks);
    let times = incidents.chain(state.maintenance.as_ref().map(|m| m.until)).chain(digest).chain(checks);
    times.filter(|at| *at > turned_at).min()
}

/// Only what a turn at that time would act on: else the shell would wake for nothing, again and again.
fn incident_wakes(state: &State, i: &Incident) -> Vec<Timestamp> {
    if let Some(since) = i.clear_since {
        return vec![since + FLAP_QUIET];
    }
    let ack = i.ack.as_ref().map(|a| a.until);
    let worse =
        (i.severity == Severity::Blind && i.told.severity == Some(Severity::Blind)).then(|| blind_is_critical_at(i));
    let speaks = state.maintenance.is_none() || i.severity >= Severity::Emergency;
    let untold = i.tell_at.filter(|_| speaks && i.told.severity.is_none());
    let reminder = i.next_reminder.filter(|_| speaks && i.ack.is_none());
    [ack, untold, reminder, worse.filter(|_| speaks)].into_iter().flatten().collect()
}
