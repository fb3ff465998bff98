use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    Raid0,
    Raid1,
    Raid5,
    Raid6,
    Raid10,
}

impl Level {
    pub fn number(self) -> u32 {
        match self {
            Level::Raid0 => 0,
            Level::Raid1 => 1,
            Level::Raid5 => 5,
            Level::Raid6 => 6,
            Level::Raid10 => 10,
        }
    }

    /// Disks a span can lose.
    pub fn tolerance(self) -> usize {
        match self {
            Level::Raid0 => 0,
            Level::Raid1 | Level::Raid5 | Level::Raid10 => 1,
            Level::Raid6 => 2,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArrayState {
    Optimal,
    PartlyDegraded,
    Degraded,
    Offline,
}

/// A place in an array and the device id of the disk that holds it; none: missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub span: u32,
    pub row: u32,
    pub disk: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    /// Virtual disk, unit or logical device number.
    pub number: u32,
    /// Drive group (MegaRAID).
    pub group: u32,
    pub name: String,
    pub level: Level,
    pub strip_kb: u32,
    pub sectors: u64,
    pub members: Vec<Member>,
    pub write_back: bool,
    /// Keep write-back without a good battery.
    pub write_back_always: bool,
    pub read_ahead: bool,
    pub bad_blocks: bool,
    /// The kernel's name: "sda".
    pub device: String,
    pub uid: String,
    /// Simulated time it was made.
    pub created: u64,
    /// Found by the last completed check.
    pub inconsistencies: u64,
    /// What the controller last said of it; a change is an event.
    pub state: ArrayState,
}

impl Array {
    pub fn spans(&self) -> u32 {
        self.members.iter().map(|m| m.span + 1).max().unwrap_or(1)
    }

    pub fn width(&self) -> usize {
        self.members.len()
    }

    pub fn bytes(&self) -> u64 {
        self.sectors * 512
    }

    pub fn holds(&self, device_id: u32) -> bool {
        self.members.iter().any(|m| m.disk == Some(device_id))
    }
}
