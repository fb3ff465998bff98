//! Batteries and capacitors.

use super::arrays::source;
use super::{ConditionKind as K, Context, Subject};
use crate::host::Seen;
use crate::model::{CacheKind, CacheProtection, CacheState, ObjectKind};

pub(super) fn diagnose(cx: &mut Context<'_>) {
    let view = cx.view;
    for cache in &view.caches {
        one(cx, cache);
    }
    for gone in view.gone.iter().filter(|g| g.kind == ObjectKind::Cache) {
        let fitted =
            gone.facts.cache().and_then(|c| c.state.as_ref()).is_some_and(|s| s.state != CacheState::NotFitted);
        if fitted {
            let subject = Subject::object(gone.id, ObjectKind::Cache, &gone.name);
            let headline = format!("battery or capacitor {} is not there any more", gone.name);
            cx.find(K::BatteryMissing, subject, headline, "raidmond", "a complete answer of the controller lacks it");
        }
    }
}

fn one(cx: &mut Context<'_>, cache: &Seen<CacheProtection>) {
    let subject = Subject::object(cache.id, ObjectKind::Cache, &cache.name);
    let noun = match cache.facts.kind {
        CacheKind::Battery => "battery",
        CacheKind::Supercapacitor => "capacitor",
        CacheKind::Unknown => "cache protection",
    };
    let title = format!("{noun} {}", cache.name);
    if let Some(replace) = cache.facts.replace.as_ref().filter(|r| r.state) {
        let headline = format!("{title} must be replaced");
        cx.find(K::BatteryReplace, subject.clone(), headline, source(cache), &replace.said);
    }
    let Some(observed) = &cache.facts.state else { return };
    let learning = cache.facts.learning == Some(true);
    let kind = kind(cx, cache, observed.state, learning);
    let Some((kind, words)) = kind else { return };
    cx.find(
        kind,
        subject,
        format!("{title} {words}"),
        source(cache),
        &format!("{} state \"{}\"", cache.name, observed.said),
    );
}

fn kind(
    cx: &mut Context<'_>,
    cache: &Seen<CacheProtection>,
    state: CacheState,
    learning: bool,
) -> Option<(K, &'static str)> {
    let controller = cache.parent.unwrap_or(cache.id);
    let key = format!("o{}/learning", cache.id);
    let charging_key = format!("o{}/charging", cache.id);
    if !matches!(state, CacheState::NotFitted | CacheState::Missing | CacheState::Unknown) {
        cx.memory.protected.insert(controller);
    }
    if state == CacheState::Learning || (learning && state != CacheState::Failed) {
        let long = cx.now.duration_since(cx.memory.since(&key, cx.now)) > cx.policy.learn_long;
        return Some(if long {
            (K::BatteryLearningLong, "has been learning for more than a day")
        } else {
            (K::BatteryLearning, "is in a learn cycle")
        });
    }
    cx.memory.no_longer(&key);
    if state != CacheState::Charging {
        cx.memory.no_longer(&charging_key);
    }
    match state {
        CacheState::Charging => {
            let long = cx.now.duration_since(cx.memory.since(&charging_key, cx.now)) > cx.policy.learn_long;
            Some(if long {
                (K::BatteryChargingLong, "has been charging for more than a day")
            } else {
                (K::BatteryCharging, "is charging")
            })
        }
        CacheState::NotFitted if cx.memory.protected.contains(&controller) => Some((K::BatteryMissing, "is missing")),
        CacheState::Optimal | CacheState::NotFitted | CacheState::Learning => None,
        CacheState::Weak => Some((K::BatteryWeak, "wants attention")),
        CacheState::Failed => Some((K::BatteryFailed, "failed")),
        CacheState::Missing => Some((K::BatteryMissing, "is missing")),
        CacheState::Unknown => Some((K::UnknownWord, "is in a state raidmond does not know")),
    }
}
