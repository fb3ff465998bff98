use super::{Observed, Path};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    Battery,
    /// CacheVault, ZMCP/AFM, flash-backed with a capacitor.
    Supercapacitor,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    Optimal,
    Charging,
    /// Routine learn cycle (discharge, charge) running.
    Learning,
    /// Works, wants attention: low voltage, low capacity, too hot, maintenance.
    Weak,
    Failed,
    /// Was fitted or is expected, is not there.
    Missing,
    /// None fitted and none expected.
    NotFitted,
    /// The word was not understood.
    Unknown,
}

/// Battery or capacitor that keeps the write cache through a power loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheProtection {
    pub at: Path,
    pub controller: Option<Path>,
    pub kind: CacheKind,
    /// `None` when this source does not state it.
    pub state: Option<Observed<CacheState>>,
    /// The tool says in so many words that the pack must be replaced.
    pub replace: Option<Observed<bool>>,
    pub charge_percent: Option<u64>,
    pub temperature_celsius: Option<i64>,
    pub voltage_millivolts: Option<i64>,
    /// A learn cycle is running now.
    pub learning: Option<bool>,
    pub model: Option<String>,
    pub serial: Option<String>,
}

impl CacheProtection {
    pub fn new(at: Path, kind: CacheKind) -> Self {
        Self {
            controller: Some(at.root()),
            at,
            kind,
            state: None,
            replace: None,
            charge_percent: None,
            temperature_celsius: None,
            voltage_millivolts: None,
            learning: None,
            model: None,
            serial: None,
        }
    }
}
