use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BatteryKind {
    Bbu,
    CacheVault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BatteryState {
    Optimal,
    Learning,
    Failed,
    Missing,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Battery {
    pub kind: BatteryKind,
    pub model: String,
    pub serial: u64,
    pub state: BatteryState,
    pub temperature: i64,
    pub millivolts: i64,
    pub charge: u64,
}

impl Battery {
    pub fn protects(&self) -> bool {
        self.state == BatteryState::Optimal
    }
}

/// A fan, power supply or sensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub ok: bool,
    /// rpm or °C.
    pub value: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosure {
    pub id: u32,
    pub slots: u32,
    pub vendor: String,
    pub product: String,
    pub fans: Vec<Part>,
    pub supplies: Vec<Part>,
    pub sensors: Vec<Part>,
}

impl Enclosure {
    pub fn ok(&self) -> bool {
        self.fans.iter().chain(&self.supplies).chain(&self.sensors).all(|p| p.ok)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskKind {
    Rebuild,
    Check,
    Initialise,
    CopyBack,
    Learn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskOn {
    /// Device id.
    Disk(u32),
    /// Array number.
    Array(u32),
    Battery,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub kind: TaskKind,
    pub on: TaskOn,
    pub percent: f64,
    /// Percent per simulated second.
    pub speed: f64,
    pub started: u64,
    /// Inconsistencies a check will have found at its end.
    pub finds: u64,
    #[serde(default)]
    pub paused: bool,
    /// Ends half-way.
    #[serde(default)]
    pub fails: bool,
}

impl Task {
    pub fn is_over(&self) -> bool {
        self.percent >= 100.0 || (self.fails && self.percent >= 50.0)
    }
}

/// Checks that the firmware starts by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    pub hours: u64,
    /// Seconds since 1970.
    pub next: u64,
}
