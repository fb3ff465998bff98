//! `[severity]`, `[limits]` and `[digest]`: what the diagnosis and the engine are told.

use super::problem::Problem;
use super::sheet::Section;
use super::values;
use crate::act::{Allowed, Permits};
use jiff::SignedDuration;
use raidmond_core::diagnose::{ConditionKind, Policy};
use raidmond_core::severity::Severity;
use std::collections::BTreeMap;
use std::time::Duration;
use toml::Spanned;

pub fn severities(section: Section) -> BTreeMap<ConditionKind, Severity> {
    let words: Vec<&str> = ConditionKind::ALL.iter().map(|k| k.word()).collect();
    let mut overrides = BTreeMap::new();
    for (word, entry) in section.entries() {
        let text = section.string(word, entry.value, "a severity: \"warning\"");
        let severity = text.and_then(|t| section.understand(&t, values::severity));
        match ConditionKind::from_word(word) {
            Some(kind) => {
                severity.iter().for_each(|s| caution(&section, kind, s));
                overrides.extend(severity.map(|s| (kind, s.into_inner())));
            }
            None => unknown(&section, word, entry.key, &words),
        }
    }
    overrides
}

/// An admin decides; that a lost array is told to nobody must be meant.
fn caution(section: &Section, kind: ConditionKind, said: &Spanned<Severity>) {
    if kind.is_grave() && !said.get_ref().is_fault() {
        let what = format!("`{}` is set to `{}`: nobody will be told of it", kind.word(), said.get_ref());
        let hint = "status shows it as a notice at least; \"warning\" or more is told";
        section.sheet.note(Problem::warning(what, said.span(), hint));
    }
}

fn unknown(section: &Section, word: &str, at: std::ops::Range<usize>, words: &[&str]) {
    if let Err(wrong) = values::one_of(word, "condition", words) {
        let hint =
            if wrong.hint.is_empty() { "mails and status name the words to use here".to_owned() } else { wrong.hint };
        section.sheet.error(wrong.what, at, hint);
    }
}

const HOUR: Duration = Duration::from_secs(3600);
const YEAR: Duration = Duration::from_secs(366 * 86_400);

pub fn limits(section: Section) -> Policy {
    let mut policy = Policy::default();
    let time = |key, low| section.duration(key, low..=YEAR).and_then(|d| SignedDuration::try_from(d).ok());
    set(&mut policy.reduced_long, time("reduced-long", HOUR));
    set(&mut policy.growth_quiet, time("growth-quiet", HOUR));
    set(&mut policy.log_quiet, time("log-quiet", HOUR));
    set(&mut policy.learn_long, time("learn-long", HOUR));
    let drift = time("clock-drift", Duration::from_secs(1));
    set(&mut policy.clock_drift_seconds, drift.map(|d| d.as_secs()));
    let blind_after = section.whole("blind-after", 1..=1000).and_then(|n| u32::try_from(n.into_inner()).ok());
    set(&mut policy.blind_after, blind_after);
    let hysteresis = section.whole("hysteresis-celsius", 0..=20);
    set(&mut policy.hysteresis_celsius, hysteresis.map(Spanned::into_inner));
    let (warm, hot) = ("disk-warm-celsius", "disk-hot-celsius");
    temperatures(&section, [warm, hot], &mut policy.disk_warm_celsius, &mut policy.disk_hot_celsius);
    let (warm, hot) = ("controller-warm-celsius", "controller-hot-celsius");
    temperatures(&section, [warm, hot], &mut policy.controller_warm_celsius, &mut policy.controller_hot_celsius);
    section.finish();
    policy
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

fn temperatures(section: &Section, keys: [&'static str; 2], warm: &mut i64, hot: &mut i64) {
    let [warm_key, hot_key] = keys;
    let said = (section.whole(warm_key, 1..=150), section.whole(hot_key, 1..=150));
    let places = (said.0.as_ref().map(Spanned::span), said.1.as_ref().map(Spanned::span));
    set(warm, said.0.map(Spanned::into_inner));
    set(hot, said.1.map(Spanned::into_inner));
    if let Some(at) = places.1.or(places.0).filter(|_| warm >= hot) {
        let hint = format!("{warm_key} is {warm}, {hot_key} is {hot}");
        section.sheet.error(format!("`{hot_key}` must be above `{warm_key}`"), at, hint);
    }
}

/// Weekday and hour of the "all well" mail.
pub const DIGEST: (i8, i8) = (1, 8);

pub fn digest(section: Section) -> Option<(i8, i8)> {
    let enabled = section.flag("enabled").unwrap_or(true);
    let day = section.parsed("day", "a day: \"Monday\"", values::weekday).map_or(DIGEST.0, Spanned::into_inner);
    let hour = section.whole("hour", 0..=23).and_then(|h| i8::try_from(h.into_inner()).ok()).unwrap_or(DIGEST.1);
    section.finish();
    enabled.then_some((day, hour))
}

/// Without the key, the usual; an empty list allows nothing.
pub fn actions(section: Section) -> Vec<Allowed> {
    let stated = section.has("allow");
    let allow = section.each("allow", "\"check\"", allowed);
    section.finish();
    if stated { allow } else { Permits::default().allow }
}

fn allowed(text: &str) -> Result<Allowed, values::Wrong> {
    let words = Allowed::ALL.map(Allowed::word);
    let index = values::one_of(text, "action", &words)?;
    Ok(Allowed::ALL.get(index).copied().unwrap_or(Allowed::Check))
}
