use super::{Observed, Path};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    Rebuild,
    /// Consistency check, verify, scrub, md check.
    Check,
    Initialise,
    BackgroundInitialise,
    Copyback,
    /// Capacity expansion, level migration, reshape.
    Expand,
    PatrolRead,
    /// Erase, format, locate-less diagnostics.
    Erase,
    SelfTest,
    /// The word was not understood.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    Running,
    /// Waits behind another task.
    Queued,
    Paused,
    Stopped,
    Failed,
    Completed,
}

/// Work the controller does by itself or was told to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The array it works on, or the disk for rebuild and copyback on controllers that count by disk,
    /// or the controller (patrol read).
    pub on: Path,
    pub kind: TaskKind,
    pub state: Observed<TaskState>,
    /// 0 to 100.
    pub percent: Option<f64>,
    pub seconds_left: Option<u64>,
}
