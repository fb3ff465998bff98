use super::{Alias, Observed, Path};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControllerState {
    Optimal,
    /// The controller itself (not an array of it) asks for attention.
    NeedsAttention,
    Failed,
    /// The word was not understood.
    Unknown,
}

/// A RAID controller or HBA.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Controller {
    pub at: Path,
    pub aliases: Vec<Alias>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub driver: Option<String>,
    /// The health of the card itself. Leave `None` when the word merely sums up its arrays and disks
    /// (storcli "Dgrd", "Needs Attention"): those are judged where they stand.
    pub state: Option<Observed<ControllerState>>,
    pub temperature_celsius: Option<i64>,
    pub temperature_warning_celsius: Option<i64>,
    pub temperature_critical_celsius: Option<i64>,
    pub memory_correctable_errors: Option<u64>,
    pub memory_uncorrectable_errors: Option<u64>,
    /// Controller clock minus host clock, in seconds, where the tool prints both.
    pub clock_drift_seconds: Option<i64>,
    /// A rebuild starts by itself when a new disk is put in.
    pub auto_rebuild: Option<bool>,
    /// What the tool's own summary counts; lets a short list be noticed.
    pub arrays_counted: Option<u64>,
    pub disks_counted: Option<u64>,
    /// Arrays the summary counts as degraded and as offline or failed.
    pub arrays_degraded_counted: Option<u64>,
    pub arrays_failed_counted: Option<u64>,
    pub disks_critical_counted: Option<u64>,
    pub disks_failed_counted: Option<u64>,
    /// False for a plain HBA, or a card in HBA mode.
    pub makes_arrays: Option<bool>,
    /// `Some(true)`: this controller is expected to carry a battery or capacitor.
    pub cache_protection_fitted: Option<bool>,
    /// Patrol read as the controller states it ("Auto, running, 12 %").
    pub patrol_read: Option<String>,
}
