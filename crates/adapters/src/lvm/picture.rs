//! A device as one of the sources paints it, in one form for all of them. No judgement.

use raidmond_core::model::{ArrayState, DiskState, FindingKind};

#[derive(Debug, Default, Clone)]
pub struct Picture {
    /// Device-mapper name: `vg-root`, `mpatha`.
    pub name: String,
    /// `vg/root`
    pub title: Option<String>,
    pub uuid: Option<String>,
    /// `raid5_ls`, `mirror`, `multipath`, `thin-pool`. `None`: not a device that can lose anything.
    pub level: Option<String>,
    /// What the source says of its state.
    pub said: String,
    /// Stated in so many words; places may tell more.
    pub word: Option<ArrayState>,
    pub places: Vec<Place>,
    pub work: Option<Work>,
    pub mismatches: Option<u64>,
    pub findings: Vec<(FindingKind, String)>,
    /// Words nobody knows: (of what, the word).
    pub unknown: Vec<(&'static str, String)>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Place {
    /// `rimage_0`; `sdb` for paths and dmraid.
    pub name: String,
    /// `/dev/sda1`
    pub device: Option<String>,
    pub state: Option<DiskState>,
    pub said: String,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Work {
    /// `resync`, `recover`, `check`; empty where only a share in sync is told.
    pub action: String,
    pub percent: Option<f64>,
}

impl Picture {
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    pub fn failed(mut self, level: &str, said: impl Into<String>) -> Self {
        (self.level, self.word, self.said) = (Some(level.to_owned()), Some(ArrayState::Failed), said.into());
        self
    }

    pub fn strange(mut self, of: &'static str, word: impl Into<String>) -> Self {
        self.unknown.push((of, word.into()));
        self
    }

    pub fn is_blank(&self) -> bool {
        self.level.is_none() && self.findings.is_empty() && self.unknown.is_empty()
    }
}

/// `vg` and `root-disk` → `vg-root--disk`: how device-mapper names a logical volume.
pub fn dm_name(vg: &str, lv: &str) -> String {
    format!("{}-{}", vg.replace('-', "--"), lv.replace('-', "--"))
}

/// The way back; `None` where there is no single dash.
pub fn title(dm_name: &str) -> Option<String> {
    let marked = dm_name.replace("--", "\u{0}");
    let (vg, lv) = marked.split_once('-')?;
    let plain = |part: &str| part.replace('\u{0}', "-");
    (!vg.is_empty() && !lv.is_empty()).then(|| format!("{}/{}", plain(vg), plain(lv)))
}

/// `done/all` → percent.
pub fn share(text: &str) -> Option<f64> {
    let (done, all) = text.split_once('/')?;
    let (done, all): (f64, f64) = (done.parse().ok()?, all.parse().ok()?);
    (all > 0.0).then(|| (done * 100.0 / all).clamp(0.0, 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_there_and_back() {
        assert_eq!(dm_name("vg-a", "root"), "vg--a-root");
        assert_eq!(title("vg--a-root--disk").as_deref(), Some("vg-a/root-disk"));
        assert_eq!(title("mpatha"), None);
    }
}
