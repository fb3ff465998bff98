//! One object out of what several sources said: the better source first, gaps filled by the others,
//! and of two states the worse one, because a wrong "optimal" is the costlier mistake.

use super::{Facts, Sighting};
use crate::model::{
    Array, ArrayState, CachePolicy, CacheProtection, CacheState, Controller, ControllerState, Disk, DiskState,
    Enclosure, Observed,
};
use std::collections::BTreeMap;

/// Sources that state most, first. Families not named come after.
const PRECEDENCE: [&str; 7] = ["storcli", "storcli2", "megacli", "tw_cli", "aacraid", "megaraid_legacy", "smart"];

pub(super) struct Merged {
    pub facts: Facts,
    /// Families in order of precedence.
    pub sources: Vec<String>,
    pub at: jiff::Timestamp,
    /// "storcli says Optimal, megacli says Degraded".
    pub disagreement: Option<String>,
}

pub(super) fn merge(sightings: &BTreeMap<String, Sighting>) -> Option<Merged> {
    let rank = |family: &str| PRECEDENCE.iter().position(|p| *p == family).unwrap_or(PRECEDENCE.len());
    let mut order: Vec<(&String, &Sighting)> = sightings.iter().collect();
    order.sort_by_key(|(family, _)| rank(family));
    let at = order.iter().map(|(_, s)| s.at).max()?;
    // A source much older than the newest one no longer speaks for the state.
    let fresh = |s: &Sighting| at.duration_since(s.at) <= jiff::SignedDuration::from_mins(30);
    order.sort_by_key(|(_, s)| !fresh(s));
    let (_, first) = order.first()?;
    let mut facts = Facts::clone(&first.facts);
    for (_, other) in &order[1..] {
        fill(&mut facts, &other.facts, fresh(other));
    }
    let said: Vec<(String, &'static str)> =
        order.iter().filter(|(_, s)| fresh(s)).filter_map(|(f, s)| Some(((*f).clone(), gist(&s.facts)?))).collect();
    let disagreement = said
        .windows(2)
        .any(|w| w[0].1 != w[1].1)
        .then(|| said.iter().map(|(family, gist)| format!("{family} says {gist}")).collect::<Vec<_>>().join(", "));
    let sources = order.iter().map(|(f, _)| (*f).clone()).collect();
    Some(Merged { facts, sources, at, disagreement })
}

fn gist(facts: &Facts) -> Option<&'static str> {
    match facts {
        Facts::Array(a) => Some(match a.state.as_ref()?.state {
            ArrayState::Failed => "failed",
            ArrayState::Degraded | ArrayState::PartlyDegraded | ArrayState::Rebuilding => "degraded",
            ArrayState::Optimal => "optimal",
            _ => return None,
        }),
        Facts::Disk(d) => Some(match d.state.as_ref()?.state {
            DiskState::Failed | DiskState::Offline | DiskState::UnconfiguredBad => "failed",
            DiskState::Online => "online",
            _ => return None,
        }),
        _ => None,
    }
}

macro_rules! fill_options {
    ($into:expr, $from:expr; $($field:ident),+ $(,)?) => {
        $( if $into.$field.is_none() { $into.$field = $from.$field.clone(); } )+
    };
}

fn fill(into: &mut Facts, from: &Facts, fresh: bool) {
    match (into, from) {
        (Facts::Controller(a), Facts::Controller(b)) => fill_controller(a, b, fresh),
        (Facts::Array(a), Facts::Array(b)) => fill_array(a, b, fresh),
        (Facts::Disk(a), Facts::Disk(b)) => fill_disk(a, b, fresh),
        (Facts::Cache(a), Facts::Cache(b)) => fill_cache(a, b, fresh),
        (Facts::Enclosure(a), Facts::Enclosure(b)) => fill_enclosure(a, b),
        _ => {}
    }
}

fn worse<S: Copy>(into: &mut Option<Observed<S>>, from: &Option<Observed<S>>, fresh: bool, badness: fn(S) -> u8) {
    let Some(theirs) = from else { return };
    match into {
        None => *into = Some(theirs.clone()),
        Some(ours) if fresh && badness(theirs.state) > badness(ours.state) => *into = Some(theirs.clone()),
        Some(_) => {}
    }
}

fn fill_controller(a: &mut Controller, b: &Controller, fresh: bool) {
    worse(&mut a.state, &b.state, fresh, |s| match s {
        ControllerState::Optimal => 0,
        ControllerState::Unknown => 1,
        ControllerState::NeedsAttention => 2,
        ControllerState::Failed => 3,
    });
    fill_options!(a, b; model, serial, firmware, driver, temperature_celsius, temperature_warning_celsius,
        temperature_critical_celsius, memory_correctable_errors, memory_uncorrectable_errors, clock_drift_seconds,
        auto_rebuild, arrays_counted, disks_counted, arrays_degraded_counted, arrays_failed_counted,
        disks_critical_counted, disks_failed_counted, makes_arrays, cache_protection_fitted, patrol_read);
}

fn fill_array(a: &mut Array, b: &Array, fresh: bool) {
    worse(&mut a.state, &b.state, fresh, |s| match s {
        ArrayState::Optimal => 0,
        ArrayState::Inactive | ArrayState::Initialising => 1,
        ArrayState::Unknown => 2,
        ArrayState::Rebuilding => 3,
        ArrayState::PartlyDegraded => 4,
        ArrayState::Degraded => 5,
        ArrayState::Failed => 6,
    });
    fill_options!(a, b; name, level, level_said, size_bytes, width, redundancy_left, redundancy_built, device,
        bad_blocks, inconsistencies);
    fill_cache_policy(&mut a.cache, &b.cache);
    if a.members.is_empty() {
        a.members = b.members.clone();
    }
    if a.mounts.is_empty() {
        a.mounts = b.mounts.clone();
    }
}

fn fill_cache_policy(a: &mut CachePolicy, b: &CachePolicy) {
    fill_options!(a, b; default_write, current_write, said_default, said_current, write_back_without_battery,
        read_ahead, disk_cache);
}

fn fill_disk(a: &mut Disk, b: &Disk, fresh: bool) {
    worse(&mut a.state, &b.state, fresh, |s| match s {
        DiskState::Failed | DiskState::Missing | DiskState::UnconfiguredBad | DiskState::Offline => 2,
        DiskState::Unknown => 1,
        _ => 0,
    });
    // A prediction is not taken back by silence.
    if b.predictive.as_ref().is_some_and(|p| p.state) && !a.predictive.as_ref().is_some_and(|p| p.state) {
        a.predictive = b.predictive.clone();
    }
    fill_options!(a, b; array, predictive, media_errors, other_errors, predictive_errors, reallocated_sectors,
        link_errors, timeouts, unrecovered_errors, unreadable, self_test_failed, worn, foreign, spun_down,
        temperature_celsius, temperature_warning_celsius, temperature_critical_celsius);
    fill_disk_identity(a, b);
}

/// What it is, where it is and how it is set up.
fn fill_disk_identity(a: &mut Disk, b: &Disk) {
    fill_options!(a, b; enclosure, slot, device_id, vendor, model, serial, firmware, size_bytes, interface, medium, spare,
        error_recovery, kernel_timeout_seconds, link_gbps, link_capable_gbps, certified, power_on_hours, device);
}

fn fill_cache(a: &mut CacheProtection, b: &CacheProtection, fresh: bool) {
    worse(&mut a.state, &b.state, fresh, |s| match s {
        CacheState::Optimal | CacheState::NotFitted => 0,
        CacheState::Charging | CacheState::Learning => 1,
        CacheState::Unknown => 2,
        CacheState::Weak => 3,
        CacheState::Missing => 4,
        CacheState::Failed => 5,
    });
    fill_options!(a, b; replace, charge_percent, temperature_celsius, voltage_millivolts, learning, model, serial);
}

fn fill_enclosure(a: &mut Enclosure, b: &Enclosure) {
    fill_options!(a, b; model, serial, slots);
    if a.parts.is_empty() {
        a.parts = b.parts.clone();
    }
}
