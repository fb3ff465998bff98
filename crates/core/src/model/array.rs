use super::{Alias, Observed, Path};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrayState {
    Optimal,
    /// A redundancy group lacks a member; see `redundancy_left`.
    Degraded,
    /// RAID 6 minus one and the like: redundancy is left.
    PartlyDegraded,
    /// Being restored right now (3ware REBUILDING, md recovery), so redundancy is not whole.
    Rebuilding,
    /// First synchronisation of a new array: no redundancy yet where the tool says so.
    Initialising,
    /// Not serving data: offline, failed, inoperable, suspended, not enough members.
    Failed,
    /// Exists, not started, by design or by hand (md inactive container, exported pool).
    Inactive,
    /// The word was not understood.
    Unknown,
}

/// RAID level. Nested levels (10, 50, 60) keep their groups in `Member::group`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Raid0,
    Raid1,
    /// Integrated mirroring over an odd number of disks.
    Raid1E,
    Raid3,
    Raid4,
    Raid5,
    Raid5E,
    Raid6,
    /// RAID 7.3, raidz3: three parities.
    TripleParity,
    Raid00,
    Raid10,
    Raid50,
    Raid60,
    /// One disk, JBOD, concatenation, simple volume.
    Single,
}

impl Level {
    /// From `5`, `RAID5`, `RAID-5`, `Raid 5`, `RAID 1+0`, `RAID-5EE`, `JBOD`, `Mirror`, …
    pub fn parse(text: &str) -> Option<Self> {
        let cleaned: String = text.to_ascii_lowercase().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let core = cleaned.strip_prefix("raid").unwrap_or(&cleaned);
        Some(match core {
            "0" | "stripe" | "striped" => Level::Raid0,
            "1" | "mirror" | "mirrored" | "1adm" | "1triple" => Level::Raid1,
            "1e" | "1e0" => Level::Raid1E,
            "3" => Level::Raid3,
            "4" => Level::Raid4,
            "5" => Level::Raid5,
            "5e" | "5ee" => Level::Raid5E,
            "6" => Level::Raid6,
            "7" | "73" | "tripleparity" => Level::TripleParity,
            "00" => Level::Raid00,
            "10" | "10adm" | "10triple" => Level::Raid10,
            "50" => Level::Raid50,
            "60" => Level::Raid60,
            "jbod" | "single" | "singledisk" | "simplevolume" | "simple" | "volume" | "concat" | "linear"
            | "passthrough" => Level::Single,
            _ => return None,
        })
    }

    /// Disks a group of this level can lose, by construction. For RAID 1 with more than two disks
    /// the width decides; see `Array::redundancy_built`.
    pub fn tolerance(self) -> u32 {
        match self {
            Level::Raid0 | Level::Raid00 | Level::Single => 0,
            Level::Raid6 | Level::Raid60 => 2,
            Level::TripleParity => 3,
            Level::Raid1 | Level::Raid1E | Level::Raid3 | Level::Raid4 | Level::Raid5 => 1,
            Level::Raid5E | Level::Raid10 | Level::Raid50 => 1,
        }
    }

    pub fn is_mirror(self) -> bool {
        matches!(self, Level::Raid1 | Level::Raid1E | Level::Raid10)
    }

    pub fn is_parity(self) -> bool {
        self.tolerance() > 0 && !self.is_mirror()
    }

    pub fn word(self) -> &'static str {
        match self {
            Level::Raid0 => "RAID 0",
            Level::Raid1 => "RAID 1",
            Level::Raid1E => "RAID 1E",
            Level::Raid3 => "RAID 3",
            Level::Raid4 => "RAID 4",
            Level::Raid5 => "RAID 5",
            Level::Raid5E => "RAID 5E",
            Level::Raid6 => "RAID 6",
            Level::TripleParity => "triple parity",
            Level::Raid00 => "RAID 00",
            Level::Raid10 => "RAID 10",
            Level::Raid50 => "RAID 50",
            Level::Raid60 => "RAID 60",
            Level::Single => "single",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteCache {
    WriteBack,
    WriteThrough,
}

/// Cache policy of an array. `default_*` is what was configured, `current_*` what is in force.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CachePolicy {
    pub default_write: Option<WriteCache>,
    pub current_write: Option<WriteCache>,
    /// The vendor's whole words ("WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU").
    pub said_default: Option<String>,
    pub said_current: Option<String>,
    /// `Some(true)`: configured to keep write-back even with a bad or absent battery.
    pub write_back_without_battery: Option<bool>,
    pub read_ahead: Option<bool>,
    /// Cache of the member disks themselves.
    pub disk_cache: Option<bool>,
}

/// A place in an array.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Member {
    /// The disk that holds the place; a path that no disk answers to where it is missing.
    pub disk: Path,
    /// Span, mirror pair or sub-unit; members of one group share their redundancy.
    pub group: u32,
    /// `Some(false)`: this place does not carry valid data now (failed, missing, rebuilding target).
    pub in_sync: Option<bool>,
}

/// An array: virtual disk, logical drive, unit, container, md device, pool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Array {
    pub at: Path,
    /// `None` for arrays without a controller (md, ZFS).
    pub controller: Option<Path>,
    pub aliases: Vec<Alias>,
    pub name: Option<String>,
    pub level: Option<Level>,
    /// The vendor's words for the level.
    pub level_said: Option<String>,
    pub size_bytes: Option<u64>,
    /// `None` when this source does not state it.
    pub state: Option<Observed<ArrayState>>,
    pub members: Vec<Member>,
    /// How many member places it is built with.
    pub width: Option<u32>,
    /// How many further disks the worst group can lose *now*, where the tool says so or it can be
    /// counted; `None` lets core count from level, state and members.
    pub redundancy_left: Option<u32>,
    /// The same for the whole array, by construction.
    pub redundancy_built: Option<u32>,
    /// Where groups differ in it (pools of several kinds of vdevs): what each may lose, by `Member::group`.
    #[serde(default)]
    pub group_tolerance: Vec<u32>,
    pub cache: CachePolicy,
    /// `/dev/sda`, where known.
    pub device: Option<String>,
    pub mounts: Vec<String>,
    /// Bad blocks in the array itself: data lost there (MegaRAID "Bad Blocks Exist").
    pub bad_blocks: Option<bool>,
    /// Inconsistencies counted by the last completed check.
    pub inconsistencies: Option<u64>,
    /// Not a data array: CacheCade, maxCache, hidden OS driver volume.
    pub is_cache_device: bool,
}
