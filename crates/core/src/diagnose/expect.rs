//! Settings an admin expects: what differs is a notice. Nothing here is set right, and nothing is expected by itself.

use super::arrays::source;
use super::{Condition, ConditionKind as K, Context, Subject};
use crate::host::{Block, Seen};
use crate::model::{Array, ObjectKind, WriteCache};
use std::collections::BTreeMap;

/// `[[expect]]`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expectation {
    /// `md0`, `c0/v0`, `sd*`.
    pub of: String,
    pub read_ahead_kib: Option<u64>,
    pub scheduler: Option<String>,
    pub timeout_seconds: Option<u64>,
    pub write_cache: Option<WriteCache>,
    /// In the policy of a controller's array.
    pub controller_read_ahead: Option<bool>,
    pub disk_cache: Option<bool>,
}

impl Expectation {
    fn is_of(&self, name: &str) -> bool {
        fits(&self.of, name)
    }

    fn is_of_array(&self, array: &Seen<Array>) -> bool {
        let device = array.facts.device.as_deref().map(|d| d.trim_start_matches("/dev/"));
        [Some(array.name.as_str()), array.facts.name.as_deref(), device].into_iter().flatten().any(|n| self.is_of(n))
    }
}

/// `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|tail| {
            let ends = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
            ends.into_iter().any(|at| tail.get(at..).is_some_and(|tail| fits(rest, tail)))
        }),
    }
}

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let mut drifts: BTreeMap<Subject, (String, Vec<String>)> = BTreeMap::new();
    for expected in &cx.policy.expectations {
        let blocks = cx.host.blocks.iter().filter(|b| expected.is_of(&b.name));
        let arrays = cx.view.arrays.iter().filter(|a| expected.is_of_array(a));
        let mut found = false;
        for block in blocks {
            found = true;
            add(&mut drifts, subject_of(cx, block), "kernel", of_block(cx, expected, block));
        }
        for array in arrays {
            found = true;
            let subject = Subject::object(array.id, ObjectKind::Array, &array.name);
            add(&mut drifts, subject, source(array), of_array(expected, array));
        }
        if !found && !expected.of.contains('*') && !cx.host.blocks.is_empty() && !cx.view.arrays.is_empty() {
            let said = vec![format!("[[expect]] is of {}, and nothing here is called so", expected.of)];
            add(&mut drifts, Subject::named("expect", &expected.of), "configuration", said);
        }
    }
    let found: Vec<Condition> = drifts
        .into_iter()
        .map(|(subject, (source, said))| {
            let words = said.join("; ");
            cx.condition(K::SettingsDrift, subject.clone(), format!("{}: {words}", subject.name)).because(source, words)
        })
        .collect();
    cx.found.extend(found);
}

fn add(drifts: &mut BTreeMap<Subject, (String, Vec<String>)>, subject: Subject, source: &str, said: Vec<String>) {
    if !said.is_empty() {
        drifts.entry(subject).or_insert_with(|| (source.to_owned(), Vec::new())).1.extend(said);
    }
}

fn subject_of(cx: &Context<'_>, block: &Block) -> Subject {
    let object = cx.host.shown_by(cx.view, block);
    let kind = object.and_then(|id| cx.host.registry.get(id)).map(|e| e.kind);
    match (object, kind) {
        (Some(id), Some(kind)) => Subject::object(id, kind, cx.host.name(id)),
        _ => Subject::named("device", &block.name),
    }
}

/// "read-ahead 128 KiB, expected 4096 KiB". Of a device named as such also what it does not state.
fn differs(what: &str, expected: Option<String>, stated: Option<String>, exact: bool) -> Option<String> {
    match (expected?, stated) {
        (expected, Some(stated)) => (expected != stated).then(|| format!("{what} {stated}, expected {expected}")),
        (expected, None) => exact.then(|| format!("{what} is not stated, expected {expected}")),
    }
}

fn of_block(cx: &Context<'_>, e: &Expectation, block: &Block) -> Vec<String> {
    let exact = !e.of.contains('*');
    let kib = |n: u64| format!("{n} KiB");
    let seconds = |n: u64| format!("{n} s");
    // The policy of a controller's array is judged where it stands.
    let of_controller = cx
        .host
        .shown_by(cx.view, block)
        .and_then(|id| cx.view.array(id))
        .is_some_and(|a| a.facts.cache.current_write.is_some());
    let cache = e.write_cache.filter(|_| !of_controller);
    [
        differs("read-ahead", e.read_ahead_kib.map(kib), block.read_ahead_kib.map(kib), exact),
        differs("scheduler", e.scheduler.clone(), block.scheduler.clone(), exact),
        differs("timeout", e.timeout_seconds.map(seconds), block.timeout_seconds.map(seconds), exact),
        differs("write cache", cache.map(word), block.write_cache.map(word), exact),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_array(e: &Expectation, array: &Seen<Array>) -> Vec<String> {
    let cache = &array.facts.cache;
    let on = |flag: bool| if flag { "on" } else { "off" }.to_owned();
    let by_default = cache.default_write.map_or("not stated".to_owned(), word);
    let write = differs("write cache", e.write_cache.map(word), cache.current_write.map(word), false);
    [
        write.map(|said| format!("{said} (configured: {by_default})")),
        differs("read-ahead of the controller", e.controller_read_ahead.map(on), cache.read_ahead.map(on), false),
        differs("cache of its disks", e.disk_cache.map(on), cache.disk_cache.map(on), false),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn word(cache: WriteCache) -> String {
    match cache {
        WriteCache::WriteBack => "write-back",
        WriteCache::WriteThrough => "write-through",
    }
    .to_owned()
}

/// Write-through is what the admin wants for this array, whatever its default says.
pub(super) fn wants_write_through(expectations: &[Expectation], array: &Seen<Array>) -> bool {
    expectations.iter().any(|e| e.write_cache == Some(WriteCache::WriteThrough) && e.is_of_array(array))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{key, reading, t};
    use super::super::{Memory, Policy, diagnose};
    use super::*;
    use crate::host::Host;
    use crate::model::{ArrayState, Level};

    fn host() -> Host {
        let mut host = Host::default();
        let mut r = reading(Level::Raid5, 3, ArrayState::Optimal);
        r.arrays[0].cache.default_write = Some(WriteCache::WriteBack);
        r.arrays[0].cache.current_write = Some(WriteCache::WriteThrough);
        r.arrays[0].cache.read_ahead = Some(false);
        host.apply(&key(), &r, t(0));
        let block = Block {
            name: "sdb".into(),
            read_ahead_kib: Some(128),
            scheduler: Some("none".into()),
            timeout_seconds: Some(30),
            write_cache: Some(WriteCache::WriteBack),
            ..Block::default()
        };
        host.blocks = vec![block];
        host
    }

    fn said(expected: Expectation) -> Vec<String> {
        let policy = Policy { expectations: vec![expected], ..Policy::default() };
        let (found, _) = diagnose(&host(), &Memory::default(), &policy, t(0));
        found.into_iter().map(|c| format!("{} {}", c.kind.word(), c.headline)).collect()
    }

    fn of(name: &str) -> Expectation {
        Expectation { of: name.into(), ..Expectation::default() }
    }

    #[test]
    fn names_may_have_stars() {
        for (pattern, name, fit) in [
            ("sd*", "sdb", true),
            ("*", "md0", true),
            ("c*/v0", "c12/v0", true),
            ("sd*1", "sdb", false),
            ("sda", "sdab", false),
        ] {
            assert_eq!(fits(pattern, name), fit, "{pattern} {name}");
        }
    }

    #[test]
    fn what_differs_is_told_once_of_each_object() {
        let lost = "write-back-lost RAID 5 data: write-back is configured but not in force";
        let all = Expectation {
            read_ahead_kib: Some(4096),
            scheduler: Some("mq-deadline".into()),
            timeout_seconds: Some(30),
            write_cache: Some(WriteCache::WriteBack),
            ..of("sdb")
        };
        let drift = "settings-drift sdb: read-ahead 128 KiB, expected 4096 KiB; scheduler none, expected mq-deadline";
        assert_eq!(said(all), [lost, drift]);
        let whole = Expectation { read_ahead_kib: Some(128), scheduler: Some("none".into()), ..of("sd*") };
        assert_eq!(said(whole), [lost]);
        assert!(said(Expectation { timeout_seconds: Some(1), ..of("sdq") })[1].contains("nothing here is called so"));
    }

    #[test]
    fn the_policy_in_force_is_compared_with_what_is_expected_and_tells_what_is_configured() {
        let back = said(Expectation {
            write_cache: Some(WriteCache::WriteBack),
            controller_read_ahead: Some(true),
            ..of("data")
        });
        let drift = "settings-drift c0/v0: write cache write-through, expected write-back (configured: write-back); \
                     read-ahead of the controller off, expected on";
        assert_eq!(back[1], drift);
        let through = said(Expectation { write_cache: Some(WriteCache::WriteThrough), ..of("c0/v0") });
        assert_eq!(through, <[&str; 0]>::default(), "chosen: nothing is lost");
    }
}
