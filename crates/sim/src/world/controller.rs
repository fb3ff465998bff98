use super::{Array, ArrayState, Battery, Disk, Enclosure, Schedule, Task, TaskKind, TaskOn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    Megaraid,
    ThreeWare,
    Aacraid,
    MegaraidLegacy,
}

impl Family {
    pub fn driver(self) -> &'static str {
        match self {
            Family::Megaraid => "megaraid_sas",
            Family::ThreeWare => "3w-9xxx",
            Family::Aacraid => "aacraid",
            Family::MegaraidLegacy => "megaraid_legacy",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pci {
    pub bus: u32,
    pub device: u32,
    pub vendor: u32,
    pub id: u32,
    pub subvendor: u32,
    pub subdevice: u32,
}

impl Pci {
    /// `0000:03:00.0`
    pub fn address(&self) -> String {
        format!("0000:{:02x}:{:02x}.0", self.bus, self.device)
    }
}

/// An entry of the controller's own event log (MegaRAID).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub sequence: u64,
    pub time: u64,
    pub code: u32,
    pub class: i32,
    pub locale: u32,
    pub text: String,
    /// `Device ID: 21` and the like.
    pub data: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Controller {
    /// Its name in scripts.
    pub id: String,
    pub family: Family,
    /// The number its own tool gives it.
    pub number: u32,
    pub present: bool,
    pub model: String,
    pub serial: String,
    pub firmware: String,
    pub pci: Pci,
    pub scsi_host: u32,
    pub sas_address: u64,
    pub temperature: i64,
    pub memory_mb: u32,
    pub memory_correctable: u64,
    pub memory_uncorrectable: u64,
    pub auto_rebuild: bool,
    pub dell: bool,
    pub arrays: Vec<Array>,
    pub disks: Vec<Disk>,
    pub battery: Option<Battery>,
    pub enclosures: Vec<Enclosure>,
    pub tasks: Vec<Task>,
    /// Percent per simulated second of new rebuilds and checks.
    pub rebuild_speed: f64,
    pub check_speed: f64,
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Inconsistencies the next check of an array finds.
    #[serde(default)]
    pub next_finds: BTreeMap<u32, u64>,
    /// Arrays of which tools are refused a check.
    #[serde(default)]
    pub refused: Vec<u32>,
    pub events: Vec<Event>,
    pub next_sequence: u64,
}

impl Controller {
    /// `32:5`, `p3`, `0,3`, `0:3`: the disk as its own tool writes it.
    pub fn name_of(&self, disk: &Disk) -> String {
        let outer = disk.enclosure.map(|e| e.to_string()).unwrap_or_default();
        match self.family {
            Family::Megaraid | Family::MegaraidLegacy => format!("{outer}:{}", disk.slot),
            Family::ThreeWare => format!("p{}", disk.slot),
            Family::Aacraid => format!("{outer},{}", disk.slot),
        }
    }

    pub fn disk_named(&self, name: &str) -> Option<usize> {
        self.disks.iter().position(|d| self.name_of(d) == name)
    }

    pub fn disk(&self, device_id: u32) -> Option<&Disk> {
        self.disks.iter().find(|d| d.device_id == device_id)
    }

    pub fn disk_mut(&mut self, device_id: u32) -> Option<&mut Disk> {
        self.disks.iter_mut().find(|d| d.device_id == device_id)
    }

    pub fn array(&self, number: u32) -> Option<&Array> {
        self.arrays.iter().find(|a| a.number == number)
    }

    pub fn array_mut(&mut self, number: u32) -> Option<&mut Array> {
        self.arrays.iter_mut().find(|a| a.number == number)
    }

    pub fn array_of(&self, device_id: u32) -> Option<&Array> {
        self.arrays.iter().find(|a| a.holds(device_id))
    }

    pub fn task(&self, kind: TaskKind, on: TaskOn) -> Option<&Task> {
        self.tasks.iter().find(|t| t.kind == kind && t.on == on)
    }

    /// The rebuild or copyback that feeds a member of this array.
    pub fn rebuild_in(&self, array: &Array) -> Option<&Task> {
        self.tasks.iter().find(|t| matches!(t.on, TaskOn::Disk(d) if array.holds(d)))
    }

    /// The state the members make.
    pub fn state_now(&self, array: &Array) -> ArrayState {
        let worst = (0..array.spans()).map(|span| self.lost_in(array, span)).max().unwrap_or(0);
        match (worst, array.level.tolerance()) {
            (0, _) => ArrayState::Optimal,
            (lost, can) if lost > can => ArrayState::Offline,
            (lost, can) if lost < can => ArrayState::PartlyDegraded,
            _ => ArrayState::Degraded,
        }
    }

    fn lost_in(&self, array: &Array, span: u32) -> usize {
        let good = |id: u32| self.disk(id).is_some_and(Disk::in_sync);
        array.members.iter().filter(|m| m.span == span && !m.disk.is_some_and(good)).count()
    }

    /// Write-back in force now.
    pub fn writes_back(&self, array: &Array) -> bool {
        let protected = self.battery.as_ref().is_none_or(Battery::protects);
        array.write_back && (protected || array.write_back_always)
    }

    pub fn count_arrays(&self, state: impl Fn(ArrayState) -> bool) -> usize {
        self.arrays.iter().filter(|a| state(a.state)).count()
    }
}

/// `0:2:0:0`: where the kernel sees an array.
pub fn hctl(c: &Controller, array: &Array) -> String {
    let channel = if c.family == Family::Megaraid { 2 } else { 0 };
    format!("{}:{channel}:{}:0", c.scsi_host, array.number)
}
