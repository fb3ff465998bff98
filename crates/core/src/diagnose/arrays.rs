//! Arrays: data, redundancy left, whether it is being restored.

use super::{Condition, ConditionKind as K, Context, Redundancy, Subject, Topic, redundancy};
use crate::host::{Seen, View};
use crate::identity::ObjectId;
use crate::model::{
    Array, ArrayState, CacheProtection, CacheState, FindingKind, Level, ObjectKind, TaskKind, TaskState, WriteCache,
};
use crate::severity::Severity;

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for array in &view.arrays {
        redundancy_of(cx, array);
        data_of(cx, array);
        write_cache_of(cx, array);
        if let Some(said) = &array.disagreement {
            cx.find(
                K::SourcesDisagree,
                subject(array),
                format!("sources disagree on {}", cx.view.array_label(array)),
                "raidmond",
                said,
            );
        }
    }
    missing(cx);
    tasks(cx);
    findings(cx);
}

pub(super) fn subject(array: &Seen<Array>) -> Subject {
    Subject::object(array.id, ObjectKind::Array, &array.name)
}

fn redundancy_of(cx: &mut Context<'_>, array: &Seen<Array>) {
    let r = redundancy(cx.view, array);
    let said = array.facts.state.as_ref();
    if said.is_some_and(|s| s.state == ArrayState::Unknown) {
        let word = said.map(|s| s.said.clone()).unwrap_or_default();
        let headline = format!("{}: state \"{word}\" is not known to raidmond", cx.view.array_label(array));
        cx.find(K::UnknownWord, subject(array), headline, source(array), &word);
    }
    let since_key = format!("{}/reduced", subject(array).key);
    let Some(kind) = redundancy_kind(cx, array, &r, &since_key) else {
        cx.memory.no_longer(&since_key);
        return;
    };
    let mut condition = cx.condition(kind, subject(array), headline(cx, array, &r, kind));
    if let Some(s) = said {
        condition = condition.because(source(array), format!("{} state \"{}\"", array.name, s.said));
    }
    for disk in cx.view.disks.iter().filter(|d| r.lost.contains(&d.id)) {
        if let Some(s) = &disk.facts.state {
            condition = condition.because(source(disk), format!("{} state \"{}\"", disk.name, s.said));
        }
    }
    condition.related = r.lost.clone();
    cx.found.push(condition);
}

fn redundancy_kind(cx: &mut Context<'_>, array: &Seen<Array>, r: &Redundancy, since_key: &str) -> Option<K> {
    if r.failed {
        return Some(K::ArrayFailed);
    }
    if r.initialising {
        let unprotected = r.built.is_some_and(|b| b > 0) && array.facts.redundancy_left == Some(0);
        return unprotected.then_some(K::NoRedundancyYet);
    }
    let word = array.facts.state.as_ref().map(|s| s.state);
    let by_word = matches!(word, Some(ArrayState::Degraded | ArrayState::PartlyDegraded | ArrayState::Rebuilding));
    if !r.reduced() && !by_word {
        return None;
    }
    let since = cx.memory.since(since_key, cx.now);
    match r.left {
        Some(left) if left > 0 => {
            let long = cx.now.duration_since(since) >= cx.policy.reduced_long;
            Some(if long { K::ArrayReducedLong } else { K::ArrayReduced })
        }
        _ if !suspects(cx, r).is_empty() => Some(K::ArrayAtRisk),
        _ if r.restoring => Some(K::ArrayRebuilding),
        _ => Some(K::ArrayDegraded),
    }
}

/// Members that may fail next and whose failure the array would not survive.
fn suspects(cx: &Context<'_>, r: &Redundancy) -> Vec<ObjectId> {
    let suspicious = |kind: K| {
        let from_tools =
            matches!(kind, K::DiskPredictive | K::MediaErrorsGrowing | K::UnreadableSectors | K::SelfTestFailed);
        let from_lines = matches!(kind, K::IoErrors | K::LogDiskPredictive | K::Timeouts);
        // Where no member is known to be lost, this may be the lost one.
        from_tools || from_lines || (kind == K::LogDiskFailed && !r.lost.is_empty())
    };
    let speaks_of = |c: &Condition, id: ObjectId| {
        let twin = || cx.view.disk(id).is_some_and(|d| cx.view.twins(d).any(|t| c.subject.id == Some(t.id)));
        c.subject.id == Some(id) || twin()
    };
    let is_suspect = |id: &ObjectId| cx.found.iter().any(|c| suspicious(c.kind) && speaks_of(c, *id));
    r.exposed.iter().copied().filter(is_suspect).collect()
}

/// Short enough for the subject of a mail: the verdict, the array, the disks lost.
fn headline(cx: &Context<'_>, array: &Seen<Array>, r: &Redundancy, kind: K) -> String {
    let view = cx.view;
    let suspect = suspects(cx, r).first().and_then(|id| view.disk(*id)).map(|d| view.disk_label(&d.name));
    let title = view.array_label(array);
    let bare = |words: &str| words.trim_start_matches("disk ").to_owned();
    let lost = match r.lost_names.as_slice() {
        [] => String::new(),
        [one] => format!(", {one}"),
        [one, other] => format!(", {one}, {}", bare(other)),
        [one, other, more @ ..] => format!(", {one}, {} and {} more", bare(other), more.len()),
    };
    let percent = r.percent.map(|p| format!(" ({p:.0} %)")).unwrap_or_default();
    let survives = r.left.map(|l| format!(", survives {l} more")).unwrap_or_default();
    match kind {
        K::ArrayFailed => format!("{title} FAILED{lost}"),
        K::ArrayAtRisk => format!("{title} degraded{lost}, {} suspect", suspect.unwrap_or("a member")),
        K::ArrayRebuilding => format!("{title} rebuilding{percent}, no redundancy yet"),
        K::ArrayReduced | K::ArrayReducedLong => format!("{title} lacks a disk{lost}{survives}"),
        K::NoRedundancyYet => format!("{title} initialising, no redundancy yet"),
        _ if lost.is_empty() => format!("{title} degraded, no redundancy left"),
        _ => format!("{title} degraded{lost}"),
    }
}

fn data_of(cx: &mut Context<'_>, array: &Seen<Array>) {
    let title = cx.view.array_label(array);
    if array.facts.bad_blocks == Some(true) {
        let headline = format!("{title}: sectors lost (bad blocks exist)");
        cx.find(K::SectorsLost, subject(array), headline, source(array), "bad blocks exist in the array");
    }
    let dealt_with = |n: &u64| {
        let last = cx.memory.checks.get(&array.id).and_then(|c| c.last_completed());
        last.is_some_and(|r| r.dealt_with && r.found == Some(*n))
    };
    if let Some(n) = array.facts.inconsistencies.filter(|n| *n > 0 && !dealt_with(n)) {
        let mirror = array.facts.level.is_some_and(Level::is_mirror);
        let kind = if mirror { K::MirrorMismatches } else { K::Inconsistencies };
        let headline = format!("{title}: {n} inconsistencies found by the last check");
        cx.find(kind, subject(array), headline, source(array), &format!("{n} inconsistencies"));
    }
}

fn write_cache_of(cx: &mut Context<'_>, array: &Seen<Array>) {
    let cache = &array.facts.cache;
    let protection: Vec<_> = cx.view.caches.iter().filter(|c| c.parent == array.parent).collect();
    let states: Vec<CacheState> = protection.iter().filter_map(|c| c.facts.state.as_ref().map(|s| s.state)).collect();
    let learning = protection.iter().any(|c| c.facts.learning == Some(true)) || states.contains(&CacheState::Learning);
    let said = cache.said_current.clone().unwrap_or_else(|| "write-through".to_owned());
    let title = cx.view.array_label(array);
    let bad = |s: &CacheState| matches!(s, CacheState::Failed | CacheState::Missing | CacheState::NotFitted);
    let unprotected = states.iter().any(bad) && !learning;
    let chosen = super::expect::wants_write_through(&cx.policy.expectations, array);
    let lost = !chosen
        && cache.default_write == Some(WriteCache::WriteBack)
        && cache.current_write == Some(WriteCache::WriteThrough);
    let kinds = [
        (lost && learning, K::WriteBackPaused, "write-back is configured but not in force"),
        (lost && !learning, K::WriteBackLost, "write-back is configured but not in force"),
        (
            unprotected && cache.current_write == Some(WriteCache::WriteBack),
            K::WriteBackUnprotected,
            "write-back is on without a good battery",
        ),
    ];
    // One incident for a battery and what follows from it on each array.
    let fault = |c: &&&Seen<CacheProtection>| {
        let state = c.facts.state.as_ref().map(|s| s.state);
        !matches!(state, None | Some(CacheState::Optimal | CacheState::NotFitted))
            || c.facts.replace.as_ref().is_some_and(|r| r.state)
    };
    let cause = protection.iter().find(fault).map(|c| Subject::object(c.id, ObjectKind::Cache, &c.name));
    for (_, kind, words) in kinds.into_iter().filter(|(holds, ..)| *holds) {
        let condition = cx.condition(kind, subject(array), format!("{title}: {words}"));
        let mut condition = condition.because(source(array), format!("current cache policy \"{said}\""));
        condition.anchor = cause.clone().unwrap_or(condition.anchor);
        cx.found.push(condition);
    }
}

fn missing(cx: &mut Context<'_>) {
    let gone = cx.view.gone.iter().filter(|g| g.kind == ObjectKind::Array);
    let found: Vec<Condition> = gone
        .map(|g| {
            let subject = Subject::object(g.id, ObjectKind::Array, &g.name);
            let name = g.facts.array().and_then(|a| a.name.clone()).map(|n| format!(" {n}")).unwrap_or_default();
            let headline = format!("array{name} ({}) is not listed any more", g.name);
            cx.condition(K::ArrayMissing, subject, headline).because("raidmond", "a complete list of arrays lacks it")
        })
        .collect();
    cx.found.extend(found);
}

/// Expected work, for status and history.
fn tasks(cx: &mut Context<'_>) {
    for (id, task) in &cx.view.tasks {
        let Some(id) = id else { continue };
        let name = cx.host.name(*id);
        let percent = task.percent.map(|p| format!(" {p:.0} %")).unwrap_or_default();
        let kind = match (task.kind, task.state.state) {
            (TaskKind::Check, TaskState::Failed) => K::CheckFailed,
            (TaskKind::Rebuild, _) | (_, TaskState::Completed | TaskState::Stopped) => continue,
            _ => K::TaskRunning,
        };
        let headline = format!("{}{percent} on {name}", task_word(task.kind));
        let object = cx.host.registry.get(*id).map_or(ObjectKind::Array, |e| e.kind);
        cx.find(kind, Subject::object(*id, object, name), headline, "tool", &task.state.said);
    }
}

pub fn task_word(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Rebuild => "rebuild",
        TaskKind::Check => "consistency check",
        TaskKind::Initialise => "initialisation",
        TaskKind::BackgroundInitialise => "background initialisation",
        TaskKind::Copyback => "copyback",
        TaskKind::Expand => "expansion",
        TaskKind::PatrolRead => "patrol read",
        TaskKind::Erase => "erase",
        TaskKind::SelfTest => "self-test",
        TaskKind::Unknown => "task",
    }
}

fn findings(cx: &mut Context<'_>) {
    for (id, family, finding) in &cx.view.findings {
        let kind = match finding.what.state {
            FindingKind::SectorsLost => K::SectorsLost,
            FindingKind::CacheDiscarded => K::CacheDiscarded,
            FindingKind::CachePreserved => K::CachePreserved,
            FindingKind::WriteBackLost => K::WriteBackLost,
            FindingKind::ForeignConfiguration => K::ForeignConfiguration,
            FindingKind::SpareFailed => K::SpareFailed,
            FindingKind::MemoryUncorrectable => K::MemoryUncorrectable,
            FindingKind::MemoryCorrectable => K::MemoryCorrectable,
            FindingKind::FirmwareFault => K::ControllerFailed,
            FindingKind::DeviceOffline => K::DeviceOffline,
            FindingKind::Contradiction => K::SourcesDisagree,
            FindingKind::NoRedundancyYet => K::NoRedundancyYet,
            FindingKind::CheckFailed => K::CheckFailed,
            FindingKind::RebuildFailed => K::LogRebuildFailed,
            FindingKind::PathLost => K::PathLost,
            FindingKind::ToolReportsFault => K::ToolReportsFault,
            FindingKind::ToolReportsNotice => K::ToolReportsNotice,
        };
        let subject = match id {
            Some(id) => {
                let object = cx.host.registry.get(*id).map_or(ObjectKind::Controller, |e| e.kind);
                Subject::object(*id, object, cx.host.name(*id))
            }
            None => Subject::named(family, finding.at.as_str()),
        };
        let headline = format!("{}: {}", subject.name, finding.what.said);
        cx.find(kind, subject, headline, family, &finding.what.said);
    }
}

/// One incident per cause: what happens to members of an array whose redundancy is touched, or to its
/// kernel device, belongs to the incident of the array; a rebuild onto a disk is the array's rebuild.
pub(super) fn fold_disks(view: &View, found: &mut [Condition]) {
    for condition in found.iter_mut().filter(|c| c.topic == Topic::Redundancy) {
        if let Some(array) = array_of(view, &condition.subject).and_then(|id| view.array(id)) {
            condition.anchor = subject(array);
        }
    }
    let touched: Vec<(ObjectId, Subject)> = found
        .iter()
        .filter(|c| c.topic == Topic::Redundancy && c.severity >= Severity::Warning)
        .filter_map(|c| Some((c.anchor.id?, c.anchor.clone())))
        .collect();
    for condition in found.iter_mut().filter(|c| c.topic == Topic::Health || c.topic == Topic::Presence) {
        let Some(array) = array_of(view, &condition.subject) else { continue };
        if let Some((_, anchor)) = touched.iter().find(|(a, _)| *a == array) {
            condition.anchor = anchor.clone();
            condition.topic = Topic::Redundancy;
        }
    }
}

fn array_of(view: &View, subject: &Subject) -> Option<ObjectId> {
    match subject.kind {
        ObjectKind::Array => subject.id,
        ObjectKind::Disk => array_of_disk(view, subject.id?),
        _ => None,
    }
}

fn array_of_disk(view: &View, disk: ObjectId) -> Option<ObjectId> {
    if let Some(seen) = view.disk(disk) {
        return view.array_of(seen).map(|a| a.id);
    }
    let gone = view.gone.iter().find(|g| g.id == disk)?;
    let array = gone.facts.disk()?.array.clone()?;
    view.arrays.iter().find(|a| a.facts.at == array && a.parent == gone.parent).map(|a| a.id)
}

pub(super) fn source<T>(seen: &Seen<T>) -> &str {
    seen.sources.first().map_or("tool", String::as_str)
}
