use super::{Observed, Path};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    Fan,
    PowerSupply,
    TemperatureSensor,
    Link,
    VoltageSensor,
    Alarm,
    /// A place for a disk.
    Slot,
    /// The enclosure as a whole.
    Whole,
    /// Named by its name.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartState {
    Ok,
    Warning,
    Failed,
    /// Not installed where it may be absent.
    NotInstalled,
    /// The word was not understood.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub kind: PartKind,
    pub name: String,
    pub state: Observed<PartState>,
    /// °C, rpm, mV as the kind says.
    pub value: Option<i64>,
}

/// A shelf or backplane with its fans, power supplies and sensors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Enclosure {
    pub at: Path,
    pub controller: Option<Path>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub slots: Option<u32>,
    pub parts: Vec<Part>,
}
