//! Controllers themselves: presence, own faults, memory, heat, clock, firmware.

use super::arrays::source;
use super::disks::{Reading, temperature};
use super::memory::Counter;
use super::{Condition, ConditionKind as K, Context, Subject};
use crate::host::Seen;
use crate::model::{Controller, ControllerState, ObjectKind};

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for controller in &view.controllers {
        state_of(cx, controller);
        memory_of(cx, controller);
        heat_of(cx, controller);
        settings_of(cx, controller);
        counts_of(cx, controller);
    }
    gone(cx);
}

fn subject(c: &Seen<Controller>) -> Subject {
    Subject::object(c.id, ObjectKind::Controller, &c.name)
}

pub fn title(c: &Seen<Controller>) -> String {
    match &c.facts.model {
        Some(model) => format!("controller {} ({model})", c.name),
        None => format!("controller {}", c.name),
    }
}

fn state_of(cx: &mut Context<'_>, c: &Seen<Controller>) {
    let Some(observed) = &c.facts.state else { return };
    let (kind, headline) = match observed.state {
        ControllerState::Optimal => return,
        ControllerState::NeedsAttention => (K::ControllerAttention, format!("{} asks for attention", title(c))),
        ControllerState::Failed => (K::ControllerFailed, format!("{} failed", title(c))),
        ControllerState::Unknown => {
            (K::UnknownWord, format!("{}: state \"{}\" is not known to raidmond", title(c), observed.said))
        }
    };
    cx.find(kind, subject(c), headline, source(c), &format!("{} state \"{}\"", c.name, observed.said));
}

fn memory_of(cx: &mut Context<'_>, c: &Seen<Controller>) {
    if let Some(n) = c.facts.memory_uncorrectable_errors.filter(|n| *n > 0) {
        let headline = format!("{}: {n} uncorrectable memory errors", title(c));
        cx.find(K::MemoryUncorrectable, subject(c), headline, source(c), &format!("memory uncorrectable errors {n}"));
    }
    let Some(n) = c.facts.memory_correctable_errors else { return };
    let memory = cx.memory.count(c.id, Counter::MemoryCorrectable, n, cx.now).clone();
    let growing = memory.grown.filter(|g| cx.now.duration_since(g.last_at) < cx.policy.growth_quiet);
    let (kind, headline) = match growing {
        Some(g) => {
            (K::MemoryCorrectableGrowing, format!("{}: corrected memory errors {n} (+{})", title(c), n - g.from))
        }
        None if n > 0 => (K::MemoryCorrectable, format!("{}: corrected memory errors {n}, not growing", title(c))),
        None => return,
    };
    cx.find(kind, subject(c), headline, source(c), &format!("memory correctable errors {n}"));
}

fn heat_of(cx: &mut Context<'_>, c: &Seen<Controller>) {
    let Some(now) = c.facts.temperature_celsius else { return };
    let warm = c.facts.temperature_warning_celsius.unwrap_or(cx.policy.controller_warm_celsius);
    let hot = c.facts.temperature_critical_celsius.unwrap_or(cx.policy.controller_hot_celsius.max(warm + 5));
    let kinds = (K::ControllerTemperature, K::ControllerTemperatureCritical);
    temperature(cx, subject(c), &title(c), source(c), Reading { now, warm, hot }, kinds);
}

fn settings_of(cx: &mut Context<'_>, c: &Seen<Controller>) {
    if let Some(drift) = c.facts.clock_drift_seconds.filter(|d| d.abs() > cx.policy.clock_drift_seconds) {
        let headline = format!("{}: clock is off by {drift} s", title(c));
        cx.find(
            K::ClockDrift,
            subject(c),
            headline,
            source(c),
            &format!("controller clock minus host clock: {drift} s"),
        );
    }
    firmware_of(cx, c);
    card_of(cx, c);
}

fn firmware_of(cx: &mut Context<'_>, c: &Seen<Controller>) {
    let Some(firmware) = &c.facts.firmware else { return };
    let before = cx.memory.firmware.entry(c.id).or_insert_with(|| firmware.clone()).clone();
    if is_same_version(&before, firmware) {
        return;
    }
    let headline = format!("{}: firmware changed from {before} to {firmware}", title(c));
    cx.find(K::FirmwareChanged, subject(c), headline, source(c), &format!("firmware {firmware}"));
    if old_news(cx, format!("{}/firmware", subject(c).key)) {
        cx.memory.firmware.insert(c.id, firmware.clone());
    }
}

fn card_of(cx: &mut Context<'_>, c: &Seen<Controller>) {
    let Some(serial) = &c.facts.serial else { return };
    let before = cx.memory.cards.entry(c.id).or_insert_with(|| serial.clone()).clone();
    // Tools cut serials differently.
    if before.contains(serial.as_str()) || serial.contains(before.as_str()) {
        return;
    }
    let headline = format!("{}: replaced, serial {serial} in place of {before}", title(c));
    cx.find(K::ControllerReplaced, subject(c), headline, source(c), &format!("serial {serial}"));
    if old_news(cx, format!("{}/card", subject(c).key)) {
        cx.memory.cards.insert(c.id, serial.clone());
    }
}

/// A change of settings is shown for a day.
fn old_news(cx: &mut Context<'_>, key: String) -> bool {
    let since = cx.memory.since(&key, cx.now);
    let old = cx.now.duration_since(since) > jiff::SignedDuration::from_hours(24);
    if old {
        cx.memory.no_longer(&key);
    }
    old
}

/// `5.2-0[19147]` of one tool is `5.2-0 (19147)` of another.
fn is_same_version(a: &str, b: &str) -> bool {
    let parts = |v: &str| {
        v.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    parts(a) == parts(b)
}

/// The controller's own summary counts trouble that the lists do not show.
fn counts_of(cx: &mut Context<'_>, c: &Seen<Controller>) {
    let mine = |parent: Option<crate::identity::ObjectId>| parent == Some(c.id);
    let arrays_listed = cx.view.arrays.iter().filter(|a| mine(a.parent)).count();
    let disks_listed = cx.view.disks.iter().filter(|d| mine(d.parent)).count();
    let counts = [
        (c.facts.arrays_failed_counted, arrays_listed, K::ArrayFailed, "failed or offline arrays"),
        (c.facts.arrays_degraded_counted, arrays_listed, K::ArrayDegraded, "degraded arrays"),
        (c.facts.disks_failed_counted, disks_listed, K::DiskFailed, "failed disks"),
        (c.facts.disks_critical_counted, disks_listed, K::DiskPredictive, "disks in a critical state"),
    ];
    for (counted, listed, kind, words) in counts {
        let Some(n) = counted.filter(|n| *n > 0 && listed == 0) else { continue };
        let headline = format!("{}: counts {n} {words}", title(c));
        cx.find(kind, subject(c), headline, source(c), &format!("{n} {words}"));
    }
}

fn gone(cx: &mut Context<'_>) {
    let lost = cx.view.gone.iter().filter(|g| g.kind == ObjectKind::Controller);
    let found: Vec<Condition> = lost
        .map(|g| {
            let subject = Subject::object(g.id, ObjectKind::Controller, &g.name);
            let model =
                g.facts.controller().and_then(|c| c.model.clone()).map(|m| format!(" ({m})")).unwrap_or_default();
            let headline = format!("controller {}{model} is not seen any more", g.name);
            cx.condition(K::ControllerMissing, subject, headline)
                .because("raidmond", "the list of controllers lacks it")
        })
        .collect();
    cx.found.extend(found);
}
