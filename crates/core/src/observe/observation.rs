use crate::model::{Alias, Path, Space};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a line or an event says happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    // I/O that failed, seen from the host.
    /// Block or buffer I/O error on a device; whether that is a disk or an array is looked up.
    IoError,
    /// Unrecovered medium error, bad sector.
    MediumError,
    /// Hardware error of a device.
    HardwareError,
    /// A command timed out or was aborted.
    Timeout,
    /// Link reset, CRC, phy, cable.
    LinkError,
    /// The kernel gave the device up.
    DeviceOffline,
    /// Written data was thrown away; bad blocks were punctured; cache was discarded.
    DataLoss,
    /// Error that was corrected (recovered read, sector repair).
    Corrected,
    /// A file system on top stopped or reports corruption.
    FilesystemError,
    // Arrays.
    ArrayDegraded,
    ArrayFailed,
    ArrayOptimal,
    /// Inconsistency, mismatch, parity error found.
    Inconsistency,
    // Disks.
    DiskFailed,
    DiskMissing,
    DiskRemoved,
    DiskInserted,
    /// The disk or the controller predicts its failure.
    Predictive,
    SpareFailed,
    SpareUsed,
    ForeignConfiguration,
    DiskChanged,
    // Tasks.
    RebuildStarted,
    RebuildCompleted,
    RebuildFailed,
    CheckStarted,
    CheckCompleted,
    CheckFailed,
    OtherTask,
    // Cache protection.
    BatteryFailed,
    BatteryWeak,
    BatteryGood,
    LearnCycle,
    WriteBackLost,
    WriteBackRestored,
    // Controller and enclosure.
    ControllerReset,
    /// Firmware dead, adapter gone, unrecoverable.
    ControllerFailed,
    ControllerFault,
    MemoryUncorrectable,
    MemoryCorrectable,
    FanFailed,
    PowerSupplyFailed,
    TemperatureHigh,
    TemperatureCritical,
    EnclosureFault,
    EnclosureOk,
    // Others.
    /// Failure words in a known log without a better rule.
    UnspecifiedFault,
    /// Worth history, no fault.
    Info,
    /// Known and harmless: looked at and left alone.
    Benign,
}

/// What an observation is about, as far as the line says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct About {
    pub space: Option<Space>,
    /// "c0", "c0/v1", "c0/32:5": empty when the line does not name one.
    pub path: Path,
    pub aliases: Vec<Alias>,
    /// Further fields of the line, by name (sector, code, port, …).
    pub fields: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub sign: Sign,
    pub about: About,
    /// When it happened, where the line says so in a way that can be placed.
    pub at: Option<Timestamp>,
    /// Seconds on a clock of the source's own (kernel uptime, controller uptime), to order and count
    /// lines that carry no date.
    pub source_seconds: Option<f64>,
    /// The line, for a person; control characters removed, at most 500 characters.
    pub said: String,
    /// How many lines this stands for.
    pub count: u64,
    /// Rule or event code it came from ("blk.plain", "megaraid:0x0061").
    pub rule: String,
    /// Sequence number in a controller's event log.
    pub sequence: Option<u64>,
}

impl Observation {
    pub fn new(sign: Sign, rule: impl Into<String>, said: &str) -> Self {
        let said = said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect();
        Self {
            sign,
            about: About::default(),
            at: None,
            source_seconds: None,
            said,
            count: 1,
            rule: rule.into(),
            sequence: None,
        }
    }
}
