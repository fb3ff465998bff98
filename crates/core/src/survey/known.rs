//! What must be known before asking.

use crate::host::Block;
use crate::model::{Path, Space};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "scope", content = "controller")]
pub enum Scope {
    /// Find the controllers this tool sees; no details.
    Discover,
    /// One controller, by the tool's own number ("0").
    Controller(String),
    /// Whatever the capture holds (inspect, replay).
    #[default]
    Everything,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFound {
    /// Name as found ("perccli64"): the adapter's `argv[0]`.
    pub name: String,
    pub path: String,
    pub version: Option<String>,
}

/// A storage controller on the PCI bus.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PciDevice {
    /// `0000:03:00.0`
    pub address: String,
    pub vendor: u16,
    pub device: u16,
    pub subsystem_vendor: u16,
    pub subsystem_device: u16,
    /// 0x010400 and the like.
    pub class: u32,
    pub driver: Option<String>,
    /// SCSI host numbers below it.
    pub scsi_hosts: Vec<u32>,
}

/// A disk that another family listed, and what it is found by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownDisk {
    pub space: Space,
    pub at: Path,
    /// `None`: a member of an array without a controller (md).
    pub controller: Option<Path>,
    /// PCI address of that controller.
    pub pci: Option<String>,
    pub device_id: Option<String>,
    pub serial: Option<String>,
    pub wwn: Option<String>,
    /// `/dev/sdb1`
    pub device: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    pub scope: Scope,
    /// Whose number the controller in `scope` is, for a family that follows others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<Space>,
    pub tool: Option<ToolFound>,
    pub pci: Vec<PciDevice>,
    /// SCSI hosts: (number, proc_name).
    pub scsi_hosts: Vec<(u32, String)>,
    /// For families that follow others: what the kernel shows, and what the others listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<KnownDisk>,
    /// This adapter's own opaque cursor (last event sequence and the like).
    pub cursor: Option<String>,
    /// Reading the alarm list of this tool consumes it, and the admin allowed that.
    pub may_consume_alarms: bool,
}
