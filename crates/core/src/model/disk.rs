use super::{Alias, Observed, Path};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiskState {
    /// A member in service.
    Online,
    Failed,
    /// A member that is not there.
    Missing,
    /// Taken out of service, by hand or by the controller.
    Offline,
    /// Being written as a rebuild target.
    Rebuilding,
    CopyingBack,
    HotSpare,
    /// Spare that is about to be or being used.
    UnconfiguredGood,
    UnconfiguredBad,
    /// Passed through to the host.
    Jbod,
    /// Present, belongs to another controller's configuration.
    Foreign,
    /// Asleep by design, otherwise well (when the tool says nothing more).
    SpunDown,
    /// Being erased, formatted, initialised or diagnosed.
    Busy,
    /// An empty slot: no disk, nothing expected.
    Empty,
    /// The word was not understood.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpareScope {
    Global,
    Dedicated,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    Sata,
    Sas,
    Scsi,
    Nvme,
    Ata,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Medium {
    Hdd,
    Ssd,
}

/// How long a disk tries by itself before it reports an error (SCT ERC, TLER, CCTL).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorRecovery {
    Limited {
        deciseconds: u64,
    },
    /// Switched off, or not to be had in this disk: it may try for minutes.
    Unlimited,
}

/// A physical disk, or the place of one that is missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Disk {
    pub at: Path,
    pub controller: Option<Path>,
    pub aliases: Vec<Alias>,
    pub enclosure: Option<String>,
    pub slot: Option<String>,
    /// Device id on its controller (MegaRAID "Device Id", storcli DID): not a slot.
    pub device_id: Option<String>,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub size_bytes: Option<u64>,
    pub interface: Option<Interface>,
    pub medium: Option<Medium>,
    /// `None` when this source does not state it.
    pub state: Option<Observed<DiskState>>,
    pub spare: Option<SpareScope>,
    /// Array it belongs to, or that it is a dedicated spare of.
    pub array: Option<Path>,
    /// The disk or the controller predicts its failure (SMART trip, predictive failure).
    pub predictive: Option<Observed<bool>>,
    pub media_errors: Option<u64>,
    pub other_errors: Option<u64>,
    /// Predictive failure events the controller counted.
    pub predictive_errors: Option<u64>,
    pub reallocated_sectors: Option<u64>,
    pub link_errors: Option<u64>,
    /// Errors the disk itself could not recover and reported, counted over its life.
    pub unrecovered_errors: Option<u64>,
    /// Sectors or blocks it cannot read now, or data it says is lost.
    pub unreadable: Option<Observed<u64>>,
    /// Its newest self-test that came to an end failed.
    pub self_test_failed: Option<Observed<bool>>,
    /// Used up what it was built for: written amount, spare blocks by age.
    pub worn: Option<Observed<bool>>,
    pub error_recovery: Option<Observed<ErrorRecovery>>,
    /// After this long the kernel gives up a command to it.
    pub kernel_timeout_seconds: Option<u64>,
    pub timeouts: Option<u64>,
    pub foreign: Option<bool>,
    pub spun_down: Option<bool>,
    pub temperature_celsius: Option<i64>,
    pub temperature_warning_celsius: Option<i64>,
    pub temperature_critical_celsius: Option<i64>,
    /// Negotiated and highest possible link speed, in Gb/s.
    pub link_gbps: Option<f64>,
    pub link_capable_gbps: Option<f64>,
    /// The controller does not support or certify it; no fault by itself.
    pub certified: Option<bool>,
    pub power_on_hours: Option<u64>,
    pub device: Option<String>,
}

impl Disk {
    /// States anything about its health.
    pub fn bears_health(&self) -> bool {
        self.state.is_some()
            || self.predictive.is_some()
            || self.media_errors.is_some()
            || self.reallocated_sectors.is_some()
            || self.unrecovered_errors.is_some()
            || self.unreadable.is_some()
            || self.self_test_failed.is_some()
            || self.worn.is_some()
            || self.error_recovery.is_some()
    }
}
