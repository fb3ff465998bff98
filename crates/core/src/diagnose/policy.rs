//! What an admin may decide: severities and limits.

use super::expect::Expectation;
use super::kind::ConditionKind;
use crate::severity::Severity;
use jiff::SignedDuration;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub overrides: BTreeMap<ConditionKind, Severity>,
    /// After this long a reduced array is critical.
    pub reduced_long: SignedDuration,
    /// Failures in a row before a source counts as blind.
    pub blind_after: u32,
    /// Growth is forgotten after this long without more of it.
    pub growth_quiet: SignedDuration,
    /// A condition that rests on log lines alone ends after this long without another line.
    pub log_quiet: SignedDuration,
    pub learn_long: SignedDuration,
    /// Used where a disk states no limits of its own.
    pub disk_warm_celsius: i64,
    pub disk_hot_celsius: i64,
    pub controller_warm_celsius: i64,
    pub controller_hot_celsius: i64,
    /// A temperature must fall this far below its limit before it counts as normal.
    pub hysteresis_celsius: i64,
    pub clock_drift_seconds: i64,
    pub expectations: Vec<Expectation>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            overrides: BTreeMap::new(),
            reduced_long: SignedDuration::from_hours(72),
            blind_after: 3,
            growth_quiet: SignedDuration::from_hours(7 * 24),
            log_quiet: SignedDuration::from_hours(24),
            learn_long: SignedDuration::from_hours(24),
            disk_warm_celsius: 60,
            disk_hot_celsius: 70,
            controller_warm_celsius: 100,
            controller_hot_celsius: 110,
            hysteresis_celsius: 3,
            clock_drift_seconds: 300,
            expectations: Vec::new(),
        }
    }
}

impl Policy {
    pub fn severity(&self, kind: ConditionKind) -> Severity {
        let said = self.overrides.get(&kind).copied().unwrap_or_else(|| kind.default_severity());
        if kind.is_grave() { said.max(Severity::Notice) } else { said }
    }
}
