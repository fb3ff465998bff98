//! How objects are named: by a path a person can read, in a numbering space, and by aliases that
//! survive renumbering.

use serde::{Deserialize, Serialize};

/// Whose numbers a path uses. Tools that number the same cards the same way share a space, so that
/// two of them on one controller make one controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// MegaRAID SAS and PERC 5 onward: storcli, perccli, MegaCli.
    Megaraid,
    /// MegaRAID 96xx and PERC 12: storcli2 counts from 0 beside storcli.
    Mpi3mr,
    /// MegaRAID SCSI and PERC 2 to 4: `/proc/megaraid`, megarc.
    MegaraidLegacy,
    /// 3ware: tw_cli.
    ThreeWare,
    /// Adaptec and Microsemi: arcconf, afacli, `/proc/scsi/aacraid`.
    Aacraid,
    Hp,
    Areca,
    LsiIr,
    Boss,
    Openmanage,
    /// The kernel's own names: md0, sda, dm-0.
    Kernel,
    Zfs,
    Btrfs,
    Lvm,
    OldScsi,
    /// raidmond itself: sources, channels, state.
    Monitor,
}

impl Space {
    pub fn word(self) -> &'static str {
        match self {
            Space::Megaraid => "megaraid",
            Space::Mpi3mr => "mpi3mr",
            Space::MegaraidLegacy => "megaraid-legacy",
            Space::ThreeWare => "3ware",
            Space::Aacraid => "aacraid",
            Space::Hp => "hp",
            Space::Areca => "areca",
            Space::LsiIr => "lsi-ir",
            Space::Boss => "boss",
            Space::Openmanage => "openmanage",
            Space::Kernel => "kernel",
            Space::Zfs => "zfs",
            Space::Btrfs => "btrfs",
            Space::Lvm => "lvm",
            Space::OldScsi => "old-scsi",
            Space::Monitor => "monitor",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    Controller,
    Array,
    Disk,
    Cache,
    Enclosure,
    /// Bonded network links.
    Bond,
    /// Something of raidmond's own: a tool, a log, a channel, the state file.
    Source,
}

impl ObjectKind {
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Controller => "controller",
            ObjectKind::Array => "array",
            ObjectKind::Disk => "disk",
            ObjectKind::Cache => "cache",
            ObjectKind::Enclosure => "enclosure",
            ObjectKind::Bond => "bond",
            ObjectKind::Source => "source",
        }
    }
}

/// Where an object is now, in words a person uses: `c0`, `c0/v0` (array, LD, unit, container),
/// `c0/32:5` (disk by enclosure and slot), `c0/p3` (disk by port), `c0/d21` (disk by device id only),
/// `c0/battery`, `c0/e32` (enclosure), `md0`.
/// A weak name: slots and numbers move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Path(String);

impl Path {
    /// Control characters never enter a name: names are printed in mails and on terminals.
    pub fn new(path: impl AsRef<str>) -> Self {
        Self(path.as_ref().chars().filter(|c| !c.is_control()).collect())
    }

    pub fn controller(number: impl std::fmt::Display) -> Self {
        Self::new(format!("c{number}"))
    }

    pub fn child(&self, name: impl std::fmt::Display) -> Self {
        Self::new(format!("{}/{name}", self.0))
    }

    pub fn array(&self, number: impl std::fmt::Display) -> Self {
        self.child(format_args!("v{number}"))
    }

    /// `enclosure` may be empty or absent: some tools print ` :4`.
    pub fn slot(&self, enclosure: Option<&str>, slot: impl std::fmt::Display) -> Self {
        self.child(format_args!("{}:{slot}", enclosure.unwrap_or("").trim()))
    }

    pub fn port(&self, port: impl std::fmt::Display) -> Self {
        self.child(format_args!("p{port}"))
    }

    /// For a disk of which only the device id is known.
    pub fn device_id(&self, id: impl std::fmt::Display) -> Self {
        self.child(format_args!("d{id}"))
    }

    /// For a member slot where no disk is.
    pub fn missing_member(&self, index: impl std::fmt::Display) -> Self {
        self.child(format_args!("missing{index}"))
    }

    pub fn is_missing_member(&self) -> bool {
        self.leaf().starts_with("missing")
    }

    /// The first component: the controller for objects behind one, else the object itself.
    pub fn root(&self) -> Path {
        Path(self.0.split('/').next().unwrap_or("").to_owned())
    }

    /// The last component: `32:5` of `c0/32:5`.
    pub fn leaf(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for Path {
    fn from(text: &str) -> Self {
        Path::new(text)
    }
}

/// Another name of an object. Strong ones prove identity, weak ones hold until contradicted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "value")]
pub enum Alias {
    /// Serial number as printed, trimmed.
    Serial(String),
    Wwn(String),
    /// `0000:03:00.0`.
    Pci(String),
    SasAddress(String),
    /// Unique id a controller gives a virtual disk (SCSI NAA id and the like).
    ArrayUid(String),
    /// Weak: `sda`, `md0`.
    Kernel(String),
    /// Weak: MegaRAID "Device Id" of a disk on its controller.
    DeviceId(String),
    /// Weak: SCSI `host:channel:target:lun`.
    Hctl(String),
    /// Weak: SCSI host number.
    ScsiHost(String),
}

impl Alias {
    /// `None` for what vendors print where there is nothing to print.
    pub fn serial(text: &str) -> Option<Self> {
        meaningful(text).map(Alias::Serial)
    }

    pub fn wwn(text: &str) -> Option<Self> {
        meaningful(text.trim().trim_start_matches("0x").trim_start_matches("naa."))
            .map(|w| Alias::Wwn(w.to_ascii_lowercase()))
    }

    pub fn sas_address(text: &str) -> Option<Self> {
        meaningful(text.trim().trim_start_matches("0x")).map(|w| Alias::SasAddress(w.to_ascii_lowercase()))
    }

    pub fn array_uid(text: &str) -> Option<Self> {
        meaningful(text.trim().trim_start_matches("0x")).map(|w| Alias::ArrayUid(w.to_ascii_lowercase()))
    }

    /// Accepts `03:00.0`, `0000:03:00.0` and `00:03:00:00` (storcli's form, domain or bus first).
    pub fn pci(text: &str) -> Option<Self> {
        normal_pci(text.trim()).map(Alias::Pci)
    }

    pub fn is_strong(&self) -> bool {
        !matches!(self, Alias::Kernel(_) | Alias::DeviceId(_) | Alias::Hctl(_) | Alias::ScsiHost(_))
    }

    pub fn value(&self) -> &str {
        match self {
            Alias::Serial(v) | Alias::Wwn(v) | Alias::Pci(v) | Alias::SasAddress(v) => v,
            Alias::ArrayUid(v) | Alias::Kernel(v) | Alias::DeviceId(v) | Alias::Hctl(v) => v,
            Alias::ScsiHost(v) => v,
        }
    }
}

/// Refuses placeholders: empty, N/A, all zeros, all F, one character repeated, too short.
fn meaningful(text: &str) -> Option<String> {
    const JUNK: [&str; 8] = ["n/a", "na", "none", "unknown", "not available", "not applicable", "null", "unavailable"];
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let first = text.chars().next()?;
    let repeated = text.chars().all(|c| c == first);
    let printable = text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    let counting = ["0123456789", "123456789", "1234567890"].contains(&lower.as_str());
    if text.len() < 4 || repeated || !printable || counting || JUNK.contains(&lower.as_str()) {
        return None;
    }
    Some(text.to_owned())
}

fn normal_pci(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split([':', '.']).collect();
    let hex = |s: &str| u32::from_str_radix(s, 16).ok();
    let (domain, bus, device, function) = match parts.as_slice() {
        [b, d, f] => (0, hex(b)?, hex(d)?, hex(f)?),
        [s, b, d, f] => (hex(s)?, hex(b)?, hex(d)?, hex(f)?),
        _ => return None,
    };
    Some(format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_no_identity() {
        for junk in ["", "  ", "N/A", "0", "00000000", "FFFFFFFF", "ffff", "None", "123456789", "\u{1}abc\u{2}"] {
            assert_eq!(Alias::serial(junk), None, "{junk:?}");
        }
        assert!(Alias::serial(" Z1Z2ABCD ").is_some_and(|a| a.value() == "Z1Z2ABCD"));
    }

    #[test]
    fn pci_addresses_have_one_form() {
        for text in ["03:00.0", "0000:03:00.0", "00:03:00:00"] {
            assert_eq!(Alias::pci(text).map(|a| a.value().to_owned()).as_deref(), Some("0000:03:00.0"));
        }
        assert_eq!(Alias::pci("slot 3"), None);
    }

    #[test]
    fn a_name_carries_no_terminal_escape() {
        assert_eq!(Path::new("c0/\u{1b}[31mv0\n").as_str(), "c0/[31mv0");
    }
}
