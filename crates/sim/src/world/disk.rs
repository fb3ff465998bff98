use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiskState {
    Online,
    Failed,
    Offline,
    Rebuilding,
    CopyingBack,
    HotSpare,
    Good,
    Bad,
    Jbod,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interface {
    Sas,
    Sata,
    Scsi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spare {
    Global,
    /// Of the array with this number.
    Dedicated(u32),
}

/// A disk that is in its slot. A pulled disk is not in the world; its slot shows in `Member::disk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disk {
    /// Enclosure (MegaRAID), channel (aacraid, legacy MegaRAID); none on 3ware.
    pub enclosure: Option<u32>,
    /// Slot, port, SCSI id.
    pub slot: u32,
    pub device_id: u32,
    pub vendor: String,
    pub model: String,
    pub serial: String,
    pub firmware: String,
    pub wwn: u64,
    pub sectors: u64,
    pub interface: Interface,
    pub state: DiskState,
    pub spare: Option<Spare>,
    pub media_errors: u64,
    pub other_errors: u64,
    pub predictive_errors: u64,
    pub predictive_sequence: u64,
    pub smart_alert: bool,
    pub reallocated: u64,
    /// Sectors it cannot read: only SMART tells.
    #[serde(default)]
    pub unreadable: u64,
    pub foreign: bool,
    pub temperature: i64,
    pub hours: u64,
    pub locating: bool,
}

impl Disk {
    pub fn is_usable(&self) -> bool {
        !matches!(self.state, DiskState::Failed | DiskState::Bad | DiskState::Offline)
    }

    /// Holds valid data of its array.
    pub fn in_sync(&self) -> bool {
        matches!(self.state, DiskState::Online | DiskState::CopyingBack)
    }

    pub fn bytes(&self) -> u64 {
        self.sectors * 512
    }
}
