//! One md array as a source shows it, before any judgement; mdstat, sysfs and mdadm fill the same form.

/// What a device does in its array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    InSync,
    /// Holds a place and is being written.
    Target,
    Spare,
    Faulty,
    /// Write journal of a parity array; holds no data place.
    Journal,
    /// Being written to take over from a member that still serves.
    Replacement,
    /// In an array that is not started: nothing is said of it.
    Idle,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// `sda1`, `cciss/c0d0p1`.
    pub device: String,
    pub said: String,
    pub role: Role,
    /// Number in the superblock; the place itself only until the first replacement.
    pub number: Option<u32>,
    pub slot: Option<u32>,
    /// The kernel's own list of states, where sysfs was read.
    pub words: Vec<String>,
    pub errors: Option<u64>,
    pub bad_blocks: Option<u64>,
}

impl Place {
    pub fn new(device: &str, said: &str, role: Role) -> Self {
        let (device, said) = (device.replace('!', "/"), said.to_owned());
        Self { device, said, role, number: None, slot: None, words: Vec::new(), errors: None, bad_blocks: None }
    }
}

/// Resync, recovery, check, reshape: running or waiting.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Work {
    /// `resync`, `recovery`, `check`, `reshape`, `repair`.
    pub word: String,
    /// `DELAYED`, `PENDING`, `REMOTE`.
    pub waits: Option<String>,
    pub said: String,
    pub percent: Option<f64>,
    pub seconds_left: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    pub name: String,
    /// From the kernel, as of now; else from mdadm, whose words include what goes on.
    pub is_live: bool,
    /// Words for the whole array: `active`, `clean`, `degraded`, `inactive`, `broken`.
    pub words: Vec<String>,
    /// Those words with the counts, as the source prints them.
    pub said: String,
    pub level: Option<String>,
    /// `1.2`, `external:imsm`, `external:/md127/0`.
    pub metadata: Option<String>,
    pub bytes: Option<u64>,
    pub width: Option<u32>,
    pub working: Option<u32>,
    /// In sync or not, place by place; empty where the personality has no such thing.
    pub map: Vec<bool>,
    /// RAID 10: copies, and whether neighbours hold them.
    pub copies: Option<(u32, bool)>,
    pub places: Vec<Place>,
    pub work: Option<Work>,
    pub sync_action: Option<String>,
    pub last_sync_action: Option<String>,
    pub mismatches: Option<u64>,
    pub uuid: Option<String>,
    pub title: Option<String>,
    /// Lines and words not understood.
    pub unread: Vec<String>,
}

impl Picture {
    /// Holds the disks of Intel or DDF metadata; the arrays on them are listed beside it.
    pub fn is_container(&self) -> bool {
        let external = self.metadata.as_deref().and_then(|m| m.strip_prefix("external:"));
        let holds = external.is_some_and(|m| !m.starts_with(['/', '-']));
        holds || self.level.as_deref() == Some("container")
    }

    pub fn missing(&self) -> u32 {
        let by_map = self.map.iter().filter(|in_sync| !**in_sync).count() as u32;
        let by_count = self.width.zip(self.working).map_or(0, |(width, working)| width.saturating_sub(working));
        by_map.max(by_count)
    }

    /// A running array with redundancy says how many of its places are filled; linear and RAID 0 have no
    /// such count. Without it nothing is known of the array, however well it calls itself.
    pub fn lacks_counts(&self) -> bool {
        let counts = |l: &str| !matches!(l, "linear" | "raid0" | "container" | "faulty");
        let counted = self.width.is_some() && self.working.is_some() && self.map_is_whole();
        self.is_live && self.is_started() && self.level.as_deref().is_none_or(counts) && !counted
    }

    fn map_is_whole(&self) -> bool {
        self.width.is_some_and(|width| self.map.len() as u64 == u64::from(width))
    }

    pub fn is_started(&self) -> bool {
        !self.words.iter().any(|w| w == "inactive" || w == "Not Started")
    }

    /// What is going on; `sync_action` tells a repair and a check from a resync, mdstat does not always.
    pub fn action(&self) -> Option<&str> {
        let work = self.work.as_ref()?;
        let known = self.sync_action.as_deref().filter(|a| !["idle", "frozen", ""].contains(a));
        let refined = match work.word.as_str() {
            "resync" => known,
            _ => None,
        };
        Some(refined.unwrap_or(&work.word))
    }

    /// Gives every device a place where the source did not: mdstat shows numbers, not places.
    pub fn seat(&mut self) {
        if self.map.is_empty() {
            return;
        }
        self.name_targets();
        let free = |p: &Self, wanted: bool| -> Vec<u32> {
            let taken: Vec<u32> = p.places.iter().filter_map(|place| place.slot).collect();
            let slots = p.map.iter().enumerate().filter(|(_, in_sync)| **in_sync == wanted);
            slots.map(|(slot, _)| slot as u32).filter(|slot| !taken.contains(slot)).collect()
        };
        for (role, in_sync) in [(Role::InSync, true), (Role::Target, false), (Role::Faulty, false)] {
            for by_number in [true, false] {
                for index in 0..self.places.len() {
                    let open = free(self, in_sync);
                    let Some(place) = self.places.get_mut(index) else { continue };
                    if place.role == role && place.slot.is_none() {
                        let own = open.iter().copied().find(|slot| Some(*slot) == place.number);
                        place.slot = if by_number { own } else { open.first().copied() };
                    }
                }
            }
        }
    }

    /// More devices in places than are in sync: the newest are being written.
    fn name_targets(&mut self) {
        let stated = self.places.iter().any(|p| !p.words.is_empty() || p.slot.is_some());
        let healthy = self.map.iter().filter(|in_sync| **in_sync).count();
        let mut seated: Vec<usize> =
            (0..self.places.len()).filter(|i| self.places.get(*i).is_some_and(|p| p.role == Role::InSync)).collect();
        if stated || seated.len() <= healthy {
            return;
        }
        seated.sort_by_key(|i| self.places.get(*i).and_then(|p| p.number));
        for index in seated.split_off(healthy) {
            if let Some(place) = self.places.get_mut(index) {
                place.role = Role::Target;
            }
        }
    }
}
