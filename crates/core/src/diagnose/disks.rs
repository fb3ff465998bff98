//! Disks: their own health, counters that grow, spares, places left empty.

use super::arrays::source;
use super::memory::Counter;
use super::{Condition, ConditionKind as K, Context, Subject};
use crate::host::{Gone, Seen};
use crate::identity::ObjectId;
use crate::model::{Disk, DiskState, ErrorRecovery, ObjectKind, Observed};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for disk in &view.disks {
        state_of(cx, disk);
        prediction_of(cx, disk);
        complaints_of(cx, disk);
        recovery_time_of(cx, disk);
        counters_of(cx, disk);
        temperature_of(cx, disk);
        if disk.facts.foreign == Some(true) || state(disk) == Some(DiskState::Foreign) {
            let headline = format!("{} carries a foreign configuration", title(cx, disk));
            cx.find(K::ForeignConfiguration, subject(disk), headline, source(disk), "foreign configuration");
        }
    }
    gone(cx);
    spares(cx);
}

pub(super) fn subject(disk: &Seen<Disk>) -> Subject {
    Subject::object(disk.id, ObjectKind::Disk, &disk.name)
}

/// "disk 32:5", "disk c1/32:5" where the host has several of that name.
fn title(cx: &Context<'_>, disk: &Seen<Disk>) -> String {
    format!("disk {}", cx.view.disk_label(&disk.name))
}

fn state(disk: &Seen<Disk>) -> Option<DiskState> {
    disk.facts.state.as_ref().map(|s| s.state)
}

fn state_of(cx: &mut Context<'_>, disk: &Seen<Disk>) {
    let Some(observed) = &disk.facts.state else { return };
    let in_array = cx.view.array_of(disk).is_some();
    let (kind, word) = match observed.state {
        DiskState::Failed if disk.facts.spare.is_some() => (K::SpareFailed, "failed, a hot spare"),
        DiskState::Failed => (K::DiskFailed, "failed"),
        DiskState::UnconfiguredBad => (K::DiskUnconfiguredBad, "is marked bad"),
        DiskState::Missing => (K::DiskMissing, "is missing"),
        DiskState::Offline => (K::DiskFailed, "is offline"),
        DiskState::Unknown => (K::UnknownWord, "is in a state raidmond does not know"),
        _ => return,
    };
    let mut condition = cx.condition(kind, subject(disk), format!("{} {word}", title(cx, disk)));
    if kind == K::UnknownWord {
        condition.headline = format!("{}: state \"{}\" is not known to raidmond", title(cx, disk), observed.said);
    }
    if disk.facts.at.is_missing_member() {
        condition.headline = format!("a disk of {} is missing", disk.facts.at.root());
    }
    condition.wants_confirming = !in_array;
    cx.found.push(condition.because(source(disk), format!("{} state \"{}\"", disk.name, observed.said)));
}

fn prediction_of(cx: &mut Context<'_>, disk: &Seen<Disk>) {
    let predicted = disk.facts.predictive.as_ref().filter(|p| p.state).map(|p| p.said.clone());
    let counted = disk.facts.predictive_errors.filter(|n| *n > 0).map(|n| format!("predictive failure count {n}"));
    let Some(said) = predicted.or(counted) else { return };
    let headline = format!("{} will fail soon", title(cx, disk));
    cx.find(K::DiskPredictive, subject(disk), headline, source(disk), &said);
}

/// What the disk says of itself and is no prediction.
fn complaints_of(cx: &mut Context<'_>, disk: &Seen<Disk>) {
    let facts = &disk.facts;
    let unreadable = facts.unreadable.as_ref().filter(|u| u.state > 0);
    let complaints = [
        (unreadable.map(|u| &u.said), K::UnreadableSectors, "has sectors it cannot read or write"),
        (stated(&facts.self_test_failed), K::SelfTestFailed, "failed its self-test"),
        (stated(&facts.worn), K::DiskWorn, "is worn out"),
    ];
    for (said, kind, words) in complaints {
        let Some(said) = said else { continue };
        let headline = format!("{} {words}: {said}", title(cx, disk));
        cx.find(kind, subject(disk), headline, asked(disk), said);
    }
}

/// What only SMART tells.
fn asked(disk: &Seen<Disk>) -> &str {
    disk.sources.iter().find(|s| *s == "smart").map_or_else(|| source(disk), String::as_str)
}

fn stated(said: &Option<Observed<bool>>) -> Option<&String> {
    said.as_ref().filter(|s| s.state).map(|s| &s.said)
}

/// A consumer disk tries for two minutes and more; three are what the kernel's developers advise to wait.
const LONG_RECOVERY_SECONDS: u64 = 150;

/// The kernel must wait longer than the disk tries. Behind a RAID controller its firmware waits instead,
/// and nobody can see how long.
fn recovery_time_of(cx: &mut Context<'_>, disk: &Seen<Disk>) {
    let Some(recovery) = &disk.facts.error_recovery else { return };
    if disk.facts.controller.is_some() {
        if recovery.state == ErrorRecovery::Unlimited {
            let headline = format!("{} may try for minutes to read a bad sector", title(cx, disk));
            cx.find(K::RecoveryTimeBehindRaid, subject(disk), headline, asked(disk), &recovery.said);
        }
        return;
    }
    let Some(timeout) = disk.facts.kernel_timeout_seconds else { return };
    let enough = match recovery.state {
        ErrorRecovery::Limited { deciseconds } => timeout * 10 > deciseconds,
        ErrorRecovery::Unlimited => timeout >= LONG_RECOVERY_SECONDS,
    };
    if enough {
        return;
    }
    let said = format!("{}; the kernel waits {timeout} s", recovery.said);
    let headline = format!("{} may try longer to read a bad sector than the kernel waits", title(cx, disk));
    cx.find(K::RecoveryTime, subject(disk), headline, asked(disk), &said);
}

fn counters_of(cx: &mut Context<'_>, disk: &Seen<Disk>) {
    let media = (K::MediaErrors, K::MediaErrorsGrowing);
    let other = (K::OtherErrors, K::OtherErrorsGrowing);
    let counters = [
        (Counter::Media, disk.facts.media_errors, media, "media errors"),
        (Counter::Reallocated, disk.facts.reallocated_sectors, media, "reallocated sectors"),
        (Counter::Other, disk.facts.other_errors, other, "other errors"),
        (Counter::Link, disk.facts.link_errors, other, "link errors"),
        (Counter::Unrecovered, disk.facts.unrecovered_errors, media, "unrecovered errors"),
        (Counter::Timeouts, disk.facts.timeouts, other, "command timeouts"),
    ];
    for (counter, value, (at_first, growing), words) in counters {
        let Some(value) = value else { continue };
        let memory = cx.memory.count(disk.id, counter, value, cx.now).clone();
        let recent = memory.grown.filter(|g| cx.now.duration_since(g.last_at) < cx.policy.growth_quiet);
        let (kind, headline) = match recent {
            Some(g) => (growing, format!("{}: {words} {value} (+{})", title(cx, disk), value - g.from)),
            None if value > 0 => (at_first, format!("{}: {words} {value}, not growing", title(cx, disk))),
            None => continue,
        };
        cx.find(kind, subject(disk), headline, source(disk), &format!("{words} {value}"));
    }
}

fn temperature_of(cx: &mut Context<'_>, disk: &Seen<Disk>) {
    let Some(now) = disk.facts.temperature_celsius else { return };
    let warm = disk.facts.temperature_warning_celsius.unwrap_or(cx.policy.disk_warm_celsius);
    let hot = disk.facts.temperature_critical_celsius.unwrap_or(cx.policy.disk_hot_celsius.max(warm + 5));
    let kinds = (K::DiskTemperature, K::DiskTemperatureCritical);
    let title = title(cx, disk);
    temperature(cx, subject(disk), &title, source(disk), Reading { now, warm, hot }, kinds);
}

pub(super) struct Reading {
    pub now: i64,
    pub warm: i64,
    pub hot: i64,
}

/// Opens at the limit, ends some degrees below it.
pub(super) fn temperature(
    cx: &mut Context<'_>,
    subject: Subject,
    title: &str,
    source: &str,
    t: Reading,
    kinds: (K, K),
) {
    let Some(id) = subject.id else { return };
    // No sensor reads this; it says nothing, neither heat nor cold.
    if t.now > 200 {
        return;
    }
    let margin = cx.policy.hysteresis_celsius;
    let warm = over(&mut cx.memory.warm, id, t.now, t.warm, margin);
    let hot = over(&mut cx.memory.hot, id, t.now, t.hot, margin);
    let (kind, over) = match (hot, warm) {
        (true, _) => (kinds.1, t.hot),
        (false, true) => (kinds.0, t.warm),
        (false, false) => return,
    };
    let headline = format!("{title} is at {} °C, limit {over} °C", t.now);
    cx.find(kind, subject, headline, source, &format!("temperature {} °C", t.now));
}

/// Whether a limit is exceeded, counting from some degrees lower once it was.
fn over(known: &mut BTreeSet<ObjectId>, id: ObjectId, now: i64, limit: i64, margin: i64) -> bool {
    let limit = if known.contains(&id) { limit - margin } else { limit };
    if now >= limit {
        known.insert(id)
    } else {
        known.remove(&id)
    };
    now >= limit
}

/// A disk that a complete list lacks. Another healthy disk in its place supersedes it (the engine
/// forgets it then); otherwise it stays missed until it is accepted.
fn gone(cx: &mut Context<'_>) {
    let found: Vec<Condition> = cx
        .view
        .gone
        .iter()
        .filter(|g| g.kind == ObjectKind::Disk)
        .filter_map(|g| {
            let disk = g.facts.disk().filter(|d| !is_place_in_array(d))?;
            let kind = if mattered(disk) { K::DiskMissing } else { K::DiskRemoved };
            let subject = Subject::object(g.id, ObjectKind::Disk, &g.name);
            let headline = format!("disk {} is not there any more", cx.view.disk_label(&g.name));
            Some(cx.condition(kind, subject, headline).because("raidmond", gone_words(g)))
        })
        .collect();
    cx.found.extend(found);
}

/// `md0/sda1`: without a controller a disk is known as a member of its array, under a kernel name that
/// moves. The array tells of an empty place, and a lost spare shows in the count of spares.
pub(super) fn is_place_in_array(disk: &Disk) -> bool {
    disk.controller.is_none() && disk.at.root() != disk.at
}

fn mattered(disk: &Disk) -> bool {
    if disk.state.is_none() && disk.controller.is_none() {
        // A disk nobody but SMART spoke of: whoever made an array of it tells.
        return false;
    }
    let idle = [DiskState::UnconfiguredGood, DiskState::Empty, DiskState::Jbod, DiskState::Foreign];
    disk.array.is_some() || !disk.state.as_ref().is_some_and(|s| idle.contains(&s.state))
}

fn gone_words(gone: &Gone) -> String {
    let disk = gone.facts.disk();
    let serial = disk.and_then(|d| d.serial.as_deref()).unwrap_or("serial not known");
    format!("a complete list of disks lacks {} ({serial})", gone.name)
}

/// Fewer hot spares than the controller (or the array that has none) has had: its own incident, until
/// the count is back.
fn spares(cx: &mut Context<'_>) {
    let mut now: BTreeMap<ObjectId, u32> = BTreeMap::new();
    for disk in &cx.view.disks {
        let array = || cx.view.arrays.iter().find(|a| disk.facts.array.as_ref() == Some(&a.facts.at));
        let Some(parent) = disk.parent.or_else(|| array().map(|a| a.id)) else { continue };
        // One that failed is told as such.
        let failed = disk.facts.spare.is_some() && state(disk) == Some(DiskState::Failed);
        let spare = failed
            || state(disk) == Some(DiskState::HotSpare)
            || (disk.facts.spare.is_some() && state(disk) == Some(DiskState::SpunDown));
        *now.entry(parent).or_default() += u32::from(spare);
    }
    for (controller, count) in now {
        let expected = cx.memory.spares_expected.entry(controller).or_insert(count);
        *expected = (*expected).max(count);
        let expected = *expected;
        if count < expected {
            let name = cx.host.name(controller);
            let kind = cx.host.registry.get(controller).map_or(ObjectKind::Controller, |e| e.kind);
            let subject = Subject::object(controller, kind, &name);
            let headline = format!("{} {name} has {count} of {expected} hot spares left", kind.word());
            cx.find(
                K::SparesShort,
                subject,
                headline,
                "raidmond",
                &format!("{count} hot spares now, {expected} before"),
            );
        }
    }
}
