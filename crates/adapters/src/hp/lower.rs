//! What several answers say of one card, put together.

use super::lower_disk;
use super::parse::{Card, Drive, Home, Letter, Pairs, Shelf, Volume};
use raidmond_core::model::{DiskState, Observed, Path};

/// Everything heard about one controller; of two answers the first one's states count, all were asked
/// in the same poll.
#[derive(Debug, Default)]
pub struct Heap {
    pub at: Path,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub serial: Option<String>,
    pub pairs: Pairs,
    pub letters: Vec<Letter>,
    pub volumes: Vec<Volume>,
    pub drives: Vec<Drive>,
    pub shelves: Vec<Shelf>,
}

impl Heap {
    pub fn new(at: Path) -> Self {
        Self { at, ..Self::default() }
    }

    pub fn add(&mut self, card: &Card) {
        self.model = self.model.take().or_else(|| card.model.clone());
        self.mode = self.mode.take().or_else(|| card.mode.clone());
        self.serial = self.serial.take().or_else(|| card.serial.clone());
        self.pairs.add(&card.pairs);
        card.letters.iter().for_each(|l| self.letter(l));
        card.volumes.iter().for_each(|v| self.volume(v));
        card.drives.iter().for_each(|d| self.drive(d));
        self.shelves.extend(
            card.shelves.iter().filter(|s| !self.shelves.iter().any(|o| same_shelf(o, s))).cloned().collect::<Vec<_>>(),
        );
    }

    fn letter(&mut self, letter: &Letter) {
        match self.letters.iter_mut().find(|l| l.name == letter.name) {
            None => self.letters.push(letter.clone()),
            Some(known) => {
                known.pairs.add(&letter.pairs);
                if known.said.is_empty() {
                    known.said.clone_from(&letter.said);
                }
            }
        }
    }

    fn volume(&mut self, volume: &Volume) {
        let Some(known) = self.volumes.iter_mut().find(|v| v.number == volume.number) else {
            return self.volumes.push(volume.clone());
        };
        known.pairs.add(&volume.pairs);
        known.letter = known.letter.take().or_else(|| volume.letter.clone());
        if known.row.is_empty() {
            known.row.clone_from(&volume.row);
        }
        if known.seats.is_empty() {
            known.seats.clone_from(&volume.seats);
        }
    }

    fn drive(&mut self, drive: &Drive) {
        let Some(known) = self.drives.iter_mut().find(|d| d.id == drive.id) else {
            return self.drives.push(drive.clone());
        };
        known.pairs.add(&drive.pairs);
        if known.home == Home::Unstated {
            known.home = drive.home.clone();
        }
        // Of several rows the worse one, else the one that says most: "OK, spare" in one list is "OK" in another.
        let well = |d: &Drive| lower_disk::status_cells(&d.row).first().is_none_or(|c| lower_disk::is_well(c));
        let worse = well(known) && !well(drive);
        let better = !well(known) && well(drive);
        if worse || (known.row.len() < drive.row.len() && !better) {
            known.row.clone_from(&drive.row);
        }
    }
}

fn same_shelf(a: &Shelf, b: &Shelf) -> bool {
    a.port == b.port && a.number == b.number
}

/// Drives by array letter, as far as the arrays need them.
#[derive(Debug, Default)]
pub struct Drives {
    pub data: Vec<(String, Path, DiskState)>,
    /// (failed drive, the spare that holds its place)
    pub replaced: Vec<(Path, Path)>,
}

impl Drives {
    pub fn note(&mut self, letter: &str, at: &Path, state: &Observed<DiskState>, data: bool, stands_for: Option<Path>) {
        if let Some(failed) = stands_for {
            self.replaced.push((failed, at.clone()));
        }
        if data {
            self.data.push((letter.to_owned(), at.clone(), state.state));
        }
    }

    /// Who holds the place of this drive now.
    pub fn holder(&self, drive: &Path) -> Path {
        self.replaced.iter().find(|(failed, _)| failed == drive).map_or_else(|| drive.clone(), |(_, by)| by.clone())
    }

    pub fn of<'a>(&'a self, letter: &'a str) -> impl Iterator<Item = &'a (String, Path, DiskState)> {
        let replaced = |at: &Path| self.replaced.iter().any(|(failed, _)| failed == at);
        self.data.iter().filter(move |(l, at, _)| l == letter && !replaced(at))
    }
}
