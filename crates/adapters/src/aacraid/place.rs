//! Where a disk is, in arcconf's many forms, and which disk a segment of an array means.
//!
//! A disk is named by what a person can pull: enclosure and slot where printed (`c1/0:4`), a backplane
//! slot (`c1/bp0:1`), else channel and device (`c1/ch0:4`). Segments name disks by serial number, by
//! slot, by connector or by channel; serials win, because slots are reused.

use super::parse::{Block, Field};
use crate::scan;
use raidmond_core::model::{Alias, DiskState, Path};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spot {
    pub channel: Option<(String, String)>,
    pub enclosure: Option<String>,
    pub slot: Option<String>,
    pub backplane: Option<String>,
    /// Number and name: "0", "CN0".
    pub connector: Vec<String>,
    pub device: Option<String>,
}

impl Spot {
    pub fn of_disk(block: &Block) -> Self {
        let mut spot = block.get(&["Reported Location"]).map(Spot::parse).unwrap_or_default();
        let channel = block.get(&["Reported Channel,Device(T:L)", "Reported Channel,Device"]);
        spot.channel = channel.and_then(pair);
        if let Some((enclosure, slot)) = block.get(&["Reported Enclosure,Slot"]).and_then(pair) {
            spot.enclosure = Some(enclosure);
            spot.slot = Some(slot);
        }
        spot
    }

    /// "Enclosure 0, Slot 3(Connector 0:CN0)", "Controller:1,Connector:0,Device:2", "0,1".
    pub fn parse(text: &str) -> Self {
        let mut spot = Spot { channel: pair(text), ..Spot::default() };
        for part in text.split([',', '(', ')']).map(str::trim) {
            let Some((key, value)) = part.split_once([' ', ':']) else { continue };
            let value = value.trim();
            match key.to_ascii_lowercase().as_str() {
                "enclosure" => spot.enclosure = Some(enclosure_word(value)),
                "slot" => spot.slot = Some(value.to_owned()),
                "backplane" => spot.backplane = Some(value.to_owned()),
                "device" => spot.device = Some(value.to_owned()),
                "connector" => spot.connector = value.split(':').map(|w| w.trim().to_owned()).collect(),
                _ => {}
            }
        }
        spot
    }

    pub fn path(&self, at: &Path) -> Option<Path> {
        self.slot_path(at).or_else(|| self.channel_path(at)).or_else(|| {
            let (connector, device) = (self.connector.first()?, self.device.as_ref()?);
            Some(at.child(format_args!("cn{connector}:{device}")))
        })
    }

    fn slot_path(&self, at: &Path) -> Option<Path> {
        let slot = self.slot.as_ref()?;
        match (&self.enclosure, &self.backplane) {
            (Some(enclosure), _) => Some(at.slot(Some(enclosure), slot)),
            (None, Some(backplane)) => Some(at.slot(Some(&format!("bp{backplane}")), slot)),
            (None, None) => None,
        }
    }

    fn channel_path(&self, at: &Path) -> Option<Path> {
        self.channel.as_ref().map(|(channel, device)| at.child(format_args!("ch{channel}:{device}")))
    }

    pub fn is_nowhere(&self) -> bool {
        *self == Spot::default()
    }

    fn same_place(&self, other: &Spot) -> bool {
        let both = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        let slot = both(&self.slot, &other.slot);
        let connector = self.connector.iter().any(|c| other.connector.contains(c));
        (slot && (both(&self.enclosure, &other.enclosure) || both(&self.backplane, &other.backplane)))
            || (connector && both(&self.device, &other.device))
            || (self.channel.is_some() && self.channel == other.channel)
    }
}

fn enclosure_word(value: &str) -> String {
    if scan::starts_with_word(value, "direct") { "direct".to_owned() } else { value.to_owned() }
}

/// "0,8(8:0)" → 0 and 8.
fn pair(text: &str) -> Option<(String, String)> {
    let (a, b) = text.split_once(',')?;
    let digits = |t: &str| t.trim().chars().take_while(char::is_ascii_digit).collect::<String>();
    let (a, rest) = (a.trim(), digits(b));
    let clean = !a.is_empty() && a.chars().all(|c| c.is_ascii_digit()) && !rest.is_empty();
    clean.then(|| (a.to_owned(), rest))
}

/// A disk with its name, before and beside its facts.
#[derive(Debug, Clone)]
pub struct Placed {
    pub path: Path,
    pub spot: Spot,
    /// Only a serial that identifies (masked ones do not).
    pub serial: Option<String>,
    pub state: DiskState,
    /// "Failed logical device segments : True".
    pub failed_segments: bool,
}

/// Names for all disks of a controller. Two disks that print the same slot (enclosures are numbered by
/// connector on some cards) are named by channel instead.
pub fn name_disks(at: &Path, blocks: &[&Block]) -> Vec<(Path, Spot)> {
    let spots: Vec<Spot> = blocks.iter().map(|b| Spot::of_disk(b)).collect();
    let crowded = |spot: &Spot| {
        let others = spots.iter().filter(|o| o.slot_path(at).is_some() && o.slot_path(at) == spot.slot_path(at));
        others.filter(|o| o.channel != spot.channel).count() > 0
    };
    let name = |(block, spot): (&&Block, &Spot)| {
        let slot = if crowded(spot) { spot.channel_path(at) } else { spot.path(at) };
        (slot.unwrap_or_else(|| at.device_id(&block.id)), spot.clone())
    };
    blocks.iter().zip(&spots).map(name).collect()
}

/// `Present (…place…) SERIAL`.
#[derive(Debug, Clone)]
pub struct Segment {
    pub grouped: bool,
    pub group: u32,
    pub index: u32,
    pub word: String,
    pub spot: Spot,
    pub serial: Option<String>,
    pub said: String,
}

impl Segment {
    pub fn parse(field: &Field) -> Option<Self> {
        let numbers: Vec<u32> = field.key.split([' ', ',']).filter_map(|w| w.parse().ok()).collect();
        let grouped = scan::starts_with_word(&field.key, "group ");
        let device = scan::starts_with_word(&field.key, "device ") && field.section.contains("physical device");
        let plain = scan::starts_with_word(&field.key, "segment ") || device;
        let (group, index) = match (numbers.as_slice(), grouped, plain) {
            ([group, index], true, _) => (*group, *index),
            ([index], _, true) => (0, *index),
            _ => return None,
        };
        let (word, rest) = field.value.split_once('(').unwrap_or((&field.value, ""));
        let (place, serial) = rest.rsplit_once(')').unwrap_or((rest, ""));
        let serial = Alias::serial(serial).map(|a| a.value().to_owned());
        let said = format!("{} : {}", field.key, field.value);
        Some(Segment { grouped, group, index, word: word.trim().to_owned(), spot: Spot::parse(place), serial, said })
    }

    /// Where no disk is to be named: "missing1", in a group "missing0.1".
    pub fn missing(&self, at: &Path) -> Path {
        match self.grouped {
            true => at.missing_member(format_args!("{}.{}", self.group, self.index)),
            false => at.missing_member(self.index),
        }
    }

    /// The disk this segment is on. A missing segment is not on a disk of another serial, even in its slot.
    pub fn find<'a>(&self, disks: &'a [Placed], present: bool) -> Option<&'a Placed> {
        let by_serial = self.serial.as_ref().and_then(|s| disks.iter().find(|d| d.serial.as_ref() == Some(s)));
        by_serial.or_else(|| {
            let foreign = |d: &&Placed| !present && self.serial.is_some() && d.serial.is_some();
            disks.iter().find(|d| self.spot.same_place(&d.spot)).filter(|d| !foreign(d))
        })
    }
}

/// "0,0 0,1 0,2": the oldest layout's member list.
pub fn channel_list(value: &str) -> Vec<Spot> {
    value.split_whitespace().map(|w| Spot { channel: pair(w), ..Spot::default() }).filter(|s| !s.is_nowhere()).collect()
}
