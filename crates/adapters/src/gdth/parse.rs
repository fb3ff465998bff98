//! `/proc/scsi/gdth/N`: sections of blocks; a line holds one or two pairs, parted by tabs.

use crate::scan;

#[derive(Debug, Default)]
pub struct Sheet {
    pub blocks: Vec<Block>,
    /// The last heading was reached.
    pub ended: bool,
    pub begun: bool,
}

#[derive(Debug, Default)]
pub struct Block {
    pub section: &'static str,
    pairs: Vec<(String, String)>,
}

impl Block {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, v)| v.as_str()).filter(|v| *v != "--")
    }

    /// All values of a name: `Status` of a mirror and of its slaves.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(key, _)| key == name).map(|(_, v)| v.as_str())
    }
}

pub const CARD: &str = "Disk Array Controller Information:";
pub const PHYSICAL: &str = "Physical Devices:";
pub const LOGICAL: &str = "Logical Drives:";
pub const ARRAYS: &str = "Array Drives:";
const HOST: &str = "Host Drives:";
const EVENTS: &str = "Controller Events:";

pub fn sheet(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    let mut section = "";
    let mut fresh = true;
    for line in scan::clean(text).lines() {
        let heading = [CARD, PHYSICAL, LOGICAL, ARRAYS, HOST, EVENTS].into_iter().find(|h| line.trim() == *h);
        if let Some(heading) = heading {
            (section, fresh) = (heading, true);
            sheet.begun |= heading == CARD;
            sheet.ended |= heading == EVENTS;
        } else if line.trim().is_empty() {
            fresh = true;
        } else if section != EVENTS && line.contains(':') {
            if std::mem::take(&mut fresh) {
                sheet.blocks.push(Block { section, pairs: Vec::new() });
            }
            if let Some(block) = sheet.blocks.last_mut() {
                block.pairs.extend(pairs(line));
            }
        }
    }
    sheet
}

fn pairs(line: &str) -> Vec<(String, String)> {
    let cells: Vec<&str> = line.split('\t').map(str::trim).filter(|c| !c.is_empty()).collect();
    let pair = |c: &[&str]| match c {
        [key, value] => Some((key.trim_end_matches(':').trim().to_owned(), (*value).to_owned())),
        _ => None,
    };
    cells.chunks(2).filter_map(pair).collect()
}
