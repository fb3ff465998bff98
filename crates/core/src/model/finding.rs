use super::{Observed, Path};
use serde::{Deserialize, Serialize};

/// A typed statement that fits no field of the model. What it is worth is decided in `diagnose`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    // Data already lost.
    /// Bad blocks in an array, a puncture, a double medium error.
    SectorsLost,
    /// Cached writes thrown away, cache lost at power-on.
    CacheDiscarded,
    /// Cache pinned or preserved for an array that is not there.
    CachePreserved,
    // Cache policy stated in so many words.
    /// Write-back was lost and not by choice (write cache disabled, temporarily or for good).
    WriteBackLost,
    /// A configuration on disks that the controller has not taken over.
    ForeignConfiguration,
    /// A spare that is there but failed, or fewer spares than the tool itself expects.
    SpareFailed,
    /// Controller memory: uncorrectable, correctable.
    MemoryUncorrectable,
    MemoryCorrectable,
    /// The controller's firmware faulted, hangs or does not answer.
    FirmwareFault,
    /// The kernel's error handler put the host or the device offline.
    DeviceOffline,
    /// Two sources contradict each other and neither is known to be better.
    Contradiction,
    /// Configured capacity or redundancy is not what the level promises (no redundancy yet).
    NoRedundancyYet,
    /// A check or verify that ended without success.
    CheckFailed,
    /// A rebuild that ended without success.
    RebuildFailed,
    /// Enclosure or cabling: path lost, multipath reduced.
    PathLost,
    /// The tool says something is wrong and nothing better fits: quoted.
    ToolReportsFault,
    /// Changed, no fault; quoted.
    ToolReportsNotice,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub at: Path,
    pub what: Observed<FindingKind>,
    pub count: Option<u64>,
}

impl Finding {
    pub fn new(at: Path, kind: FindingKind, said: impl Into<String>) -> Self {
        Self { at, what: Observed::new(kind, said), count: None }
    }
}
