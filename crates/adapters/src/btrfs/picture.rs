//! A file system as sysfs or `btrfs` paints it, in one form for all of them. No judgement.

#[derive(Debug, Default, Clone)]
pub struct Filesystem {
    pub uuid: Option<String>,
    pub label: Option<String>,
    /// Mount point or device a command was asked about.
    pub asked: Option<String>,
    pub devices: Vec<Device>,
    pub total_devices: Option<u32>,
    pub some_missing: bool,
    pub profiles: Vec<Profile>,
    /// What runs that excludes other such work: `balance`, `device replace`.
    pub operation: Option<Operation>,
    pub scrub: Option<Scrub>,
    /// (of what, the word): nobody knows it.
    pub unknown: Vec<(&'static str, String)>,
}

#[derive(Debug, Default, Clone)]
pub struct Device {
    pub id: Option<u64>,
    /// `/dev/sda`
    pub path: Option<String>,
    pub missing: Option<bool>,
    pub stats: Stats,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    pub write: Option<u64>,
    pub read: Option<u64>,
    pub flush: Option<u64>,
    pub corruption: Option<u64>,
    pub generation: Option<u64>,
}

impl Stats {
    /// `write_io_errs`, `write_errs`; false: no such counter.
    pub fn set(&mut self, key: &str, value: Option<u64>) -> bool {
        let slot = match key.trim_end_matches("_errs").trim_end_matches("_io") {
            "write" => &mut self.write,
            "read" => &mut self.read,
            "flush" => &mut self.flush,
            "corruption" => &mut self.corruption,
            "generation" => &mut self.generation,
            _ => return false,
        };
        *slot = value;
        true
    }

    /// All five are always told together.
    pub fn is_partial(&self) -> bool {
        let all = [self.write, self.read, self.flush, self.corruption, self.generation];
        !self.is_empty() && all.contains(&None)
    }

    pub fn is_empty(&self) -> bool {
        *self == Stats::default()
    }
}

/// `Data, RAID1: total=1.00GiB, used=512.00MiB`
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Profile {
    /// `data`, `metadata`, `system`
    pub of: String,
    /// `raid1`
    pub word: String,
    /// `None`: not told.
    pub used: Option<bool>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Operation {
    pub word: String,
    pub percent: Option<f64>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Scrub {
    /// `finished`, `running`
    pub state: String,
    pub percent: Option<f64>,
    pub no_errors: bool,
    pub corrected: Option<u64>,
    pub uncorrectable: Option<u64>,
    /// Errors that are not told apart.
    pub errors: Option<u64>,
    /// `csum=72`
    pub said: String,
}

impl Filesystem {
    pub fn device(&mut self, is: impl Fn(&Device) -> bool, new: Device) -> &mut Device {
        let at = self.devices.iter().position(is).unwrap_or_else(|| {
            self.devices.push(new);
            self.devices.len() - 1
        });
        &mut self.devices[at]
    }

    pub fn by_id(&mut self, id: u64) -> &mut Device {
        self.device(|d| d.id == Some(id), Device { id: Some(id), ..Device::default() })
    }

    pub fn by_path(&mut self, path: &str) -> &mut Device {
        if let Some(id) = path.strip_prefix("devid:").and_then(|n| n.parse().ok()) {
            let device = self.by_id(id);
            device.missing = Some(true);
            return device;
        }
        let new = Device { path: Some(path.to_owned()), ..Device::default() };
        self.device(|d| d.path.as_deref() == Some(path), new)
    }
}
