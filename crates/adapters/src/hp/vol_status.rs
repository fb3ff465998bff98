//! Text of cciss_vol_status → controllers with volumes, drives, enclosures and cache. No judgement.
//!
//! The tool names a controller by whatever node it was given and each volume by its own: `/dev/sg0` and
//! `/dev/sda` may be one card. A new card begins with `Controller:`, with another cciss number, or where a
//! volume's number comes again under another node; one that was there before is continued.

use crate::scan::{clean, starts_with_word};

#[derive(Debug, Default)]
pub struct Board {
    pub model: Option<String>,
    pub firmware: Option<String>,
    /// Nodes that lines of this card name, in order: `cciss/c0d0`, `sda`, `sg0`.
    pub nodes: Vec<String>,
    pub volumes: Vec<Volume>,
    pub drives: Vec<Drive>,
    /// "Physical drives: 8"
    pub drives_counted: Option<u64>,
    pub shelves: Vec<Shelf>,
    /// Lines of the cache block, a sentence cut into lines put together again.
    pub cache: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Volume {
    pub node: String,
    pub number: String,
    pub level: String,
    pub status: String,
    /// "At least one spare drive has failed"
    pub spares: Vec<String>,
    pub failed: Vec<Drive>,
    pub replacements: Vec<Drive>,
    /// Drives whose place a spare holds.
    pub substituted: Vec<Drive>,
    pub failed_counted: Option<u64>,
}

#[derive(Debug, Default, Clone)]
pub struct Drive {
    /// `1I:1:4`: port, box, bay.
    pub id: String,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub status: String,
}

#[derive(Debug, Default)]
pub struct Shelf {
    pub title: String,
    pub serial: String,
    pub bus: String,
    pub status: String,
}

#[derive(Debug, Default)]
pub struct Report {
    pub boards: Vec<Board>,
    pub unread: Vec<String>,
}

pub fn report(text: &str) -> Report {
    let mut reader = Reader::default();
    for line in clean(text).lines() {
        reader.line(line);
    }
    reader.report
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Block {
    #[default]
    Board,
    Failed,
    Replacement,
    Substituted,
    Drives,
    Cache,
}

#[derive(Default)]
struct Reader {
    report: Report,
    at: usize,
    block: Block,
    /// A `Controller:` line opened this card and no volume came yet.
    fresh: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim();
        if text.is_empty() || text.starts_with(['$', '#']) {
            return;
        }
        if let Some(model) = text.strip_prefix("Controller: ") {
            self.report.boards.push(Board { model: Some(model.trim().to_owned()), ..Board::default() });
            (self.at, self.block, self.fresh) = (self.report.boards.len() - 1, Block::Board, true);
        } else if let Some((node, rest)) = node_line(text) {
            self.of_node(node, rest);
        } else if let Some(drive) = drive_row(text) {
            self.drive(drive);
        } else if !self.block_heading(text) && !self.fact(text) {
            self.other(text);
        }
    }

    fn of_node(&mut self, node: &str, rest: &str) {
        if let Some((model, volume)) = volume_line(node, rest) {
            self.find_board(model, &volume);
            self.board().volumes.push(volume);
            (self.block, self.fresh) = (Block::Board, false);
        } else if let Some((model, shelf)) = shelf_line(rest) {
            self.name(node, model);
            self.board().shelves.push(shelf);
            self.block = Block::Board;
        } else if let Some((model, _)) = rest.split_once("): Non-Volatile Cache status") {
            let model = model.trim_start_matches('(').rsplit_once(':').map_or(model, |(m, _)| m);
            self.name(node, model);
            self.block = Block::Cache;
        } else {
            self.other(rest);
        }
    }

    fn find_board(&mut self, model: &str, volume: &Volume) {
        let same = |v: &Volume| v.node == volume.node && v.number == volume.number;
        let known = self.report.boards.iter().position(|b| b.volumes.iter().any(same));
        let number = cciss_number(&volume.node);
        let fits = self.report.boards.get(self.at).is_some_and(|b| {
            let again = b.volumes.iter().any(|v| v.number == volume.number);
            let other = b.nodes.first().is_some_and(|n| cciss_number(n) != number);
            b.model.as_deref().is_none_or(|m| m == model) && !again && !other
        });
        match known {
            Some(known) => {
                // Said twice of one card: what comes now is said of it again.
                if self.fresh {
                    self.report.boards.pop();
                }
                self.at = known;
                let board = self.board();
                board.volumes.retain(|v| !same(v));
            }
            None if fits => {}
            None => {
                self.report.boards.push(Board::default());
                self.at = self.report.boards.len() - 1;
            }
        }
        self.name(&volume.node.clone(), model);
    }

    fn name(&mut self, node: &str, model: &str) {
        let board = self.board();
        if board.model.is_none() {
            board.model = Some(model.to_owned());
        }
        if !board.nodes.iter().any(|n| n == node) {
            board.nodes.push(node.to_owned());
        }
    }

    fn drive(&mut self, drive: Drive) {
        let block = self.block;
        let board = self.board();
        let volume = board.volumes.last_mut();
        match (block, volume) {
            (Block::Failed, Some(v)) => v.failed.push(drive),
            (Block::Replacement, Some(v)) => v.replacements.push(drive),
            (Block::Substituted, Some(v)) => v.substituted.push(drive),
            _ if !board.drives.iter().any(|d| d.id == drive.id) => board.drives.push(drive),
            _ => {}
        }
    }

    fn block_heading(&mut self, text: &str) -> bool {
        let block = match text {
            "Failed drives:" => Block::Failed,
            "'Replacement' drives:" => Block::Replacement,
            "Drives currently substituted for by spares:" => Block::Substituted,
            _ => return false,
        };
        self.block = block;
        true
    }

    fn fact(&mut self, text: &str) -> bool {
        let number = || crate::scan::count(text.rsplit(':').next().unwrap_or(""));
        if starts_with_word(text, "Physical drives:") {
            self.block = Block::Drives;
            self.board().drives_counted = number();
        } else if let Some(firmware) = text.strip_prefix("Running firmware:") {
            self.board().firmware = Some(firmware.trim().to_owned());
        } else if text.starts_with("Total of ") && text.contains(" failed physical drives ") {
            let counted = crate::scan::count(text);
            if let Some(volume) = self.board().volumes.last_mut() {
                volume.failed_counted = counted;
            }
        } else {
            return ["Board ID:", "Logical drives:", "ROM firmware:"].iter().any(|k| starts_with_word(text, k));
        }
        true
    }

    /// In the cache block every line counts; a line that begins in lower case continues one.
    fn other(&mut self, text: &str) {
        if self.block != Block::Cache {
            if super::parse::frightens(text) {
                self.report.unread.push(text.to_owned());
            }
            return;
        }
        let cache = &mut self.board().cache;
        match cache.last_mut().filter(|_| text.starts_with(char::is_lowercase)) {
            Some(last) => {
                last.push(' ');
                last.push_str(text);
            }
            None => cache.push(text.to_owned()),
        }
    }

    fn board(&mut self) -> &mut Board {
        if self.report.boards.is_empty() {
            self.report.boards.push(Board::default());
        }
        let last = self.report.boards.len() - 1;
        self.at = self.at.min(last);
        &mut self.report.boards[self.at]
    }
}

/// `/dev/cciss/c0d0: (Smart …`, `/dev/sg0(Smart …`: node and what follows, parenthesis first.
fn node_line(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("/dev/")?;
    let (node, _) = rest.split_once('(')?;
    let after = rest.get(node.len()..)?;
    Some((node.trim_end().trim_end_matches(':'), after))
}

/// `(Smart Array P400) RAID 5 Volume 0 status: OK.   At least one spare drive designated.`
fn volume_line<'a>(node: &str, rest: &'a str) -> Option<(&'a str, Volume)> {
    let (model, rest) = rest.strip_prefix('(')?.split_once(") ")?;
    let (level, rest) = rest.split_once(" Volume ")?;
    let (number, status) = rest.split_once(" status: ")?;
    let mut sentences = status.split(". ").map(|s| s.trim().trim_end_matches('.')).filter(|s| !s.is_empty());
    let status = sentences.next().unwrap_or("").to_owned();
    let volume = Volume {
        node: node.to_owned(),
        number: number.trim_end_matches("(?)").to_owned(),
        level: level.to_owned(),
        status,
        spares: sentences.map(str::to_owned).collect(),
        ..Volume::default()
    };
    Some((model, volume))
}

/// `(Smart Array P800) Enclosure MSA70 (S/N: X) on Bus 2, Physical Port 1E status: OK.`
fn shelf_line(rest: &str) -> Option<(&str, Shelf)> {
    let (model, rest) = rest.strip_prefix('(')?.split_once(") Enclosure ")?;
    let (title, rest) = rest.split_once("(S/N:")?;
    let (serial, rest) = rest.split_once(") on Bus ")?;
    let (bus, status) = rest.split_once(',')?;
    let (_, status) = status.split_once(" status: ")?;
    let text = |s: &str| s.trim().to_owned();
    let status = status.trim().trim_end_matches('.').to_owned();
    Some((model, Shelf { title: text(title), serial: text(serial), bus: text(bus), status }))
}

/// `connector 1I box 1 bay 4   HP      EF0300   SERIAL     HPD6 OK`; older cards print `b0t1` before it.
/// After the firmware the tool may print stray memory.
fn drive_row(text: &str) -> Option<Drive> {
    let start = text.find("connector ")?;
    let mut words = text.get(start..)?.split_whitespace();
    let mut after = |key: &str| words.next().filter(|w| *w == key).and_then(|_| words.next());
    let (port, number, bay) = (after("connector")?, after("box")?, after("bay")?);
    let id = format!("{port}:{number}:{bay}");
    let (_, rest) = text.split_once(" bay ")?;
    let rest: String = rest.chars().skip(bay.len()).filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
    let mut cells = rest.split("  ").map(str::trim).filter(|c| !c.is_empty());
    let mut drive = Drive { id, ..Drive::default() };
    let first = cells.next().unwrap_or("");
    (drive.vendor, drive.model) = match first.split_once(' ') {
        Some((vendor, model)) => (Some(vendor.to_owned()), Some(model.to_owned())),
        None => (Some(first.to_owned()), cells.next().map(str::to_owned)),
    };
    drive.serial = cells.next().map(str::to_owned);
    let tail: Vec<&str> = cells.flat_map(str::split_whitespace).collect();
    drive.firmware = tail.first().map(|f| (*f).to_owned());
    drive.status = tail.iter().skip(1).copied().collect::<Vec<_>>().join(" ");
    Some(drive)
}

/// 0 of `cciss/c0d0p1`.
pub fn cciss_number(node: &str) -> Option<&str> {
    let rest = node.trim_start_matches("/dev/").strip_prefix("cciss/c")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end).filter(|n| !n.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_card_under_two_nodes() {
        let text = "/dev/sda: (Smart Array X) RAID 1 Volume 0 status: OK. \n/dev/sdb: (Smart Array X) RAID 5 Volume 1 status: OK. \n/dev/sg0: (Smart Array X) Enclosure CAGE (S/N: ) on Bus 0, Physical Port 1I status: Fan failed, Temperature problem.\n/dev/sg0(Smart Array X:0): Non-Volatile Cache status:\n  Cache configured: Yes\n/dev/sdc: (Smart Array X) RAID 1 Volume 0 status: FAILED. \n";
        let boards = report(text).boards;
        let nodes: Vec<String> = boards.iter().map(|b| b.nodes.join(" ")).collect();
        assert_eq!(nodes, ["sda sdb sg0", "sdc"]);
        assert_eq!(
            (boards[0].volumes.len(), boards[0].cache.as_slice()),
            (2, &["Cache configured: Yes".to_owned()][..])
        );
        assert_eq!(boards[0].shelves[0].status, "Fan failed, Temperature problem");
        let twice = format!(
            "Controller: Smart Array X\n{text}Controller: Smart Array X\n{}",
            text.lines().next().unwrap_or("")
        );
        assert_eq!(report(&twice).boards.len(), 2, "the first card is told again");
    }

    #[test]
    fn rows_shift_and_end_in_stray_bytes() {
        let row = |text: &str| drive_row(text).map(|d| (d.id, d.model, d.serial, d.firmware, d.status));
        let parts = |id: &str, model: &str, serial: &str, fw: &str, status: &str| {
            Some((id.into(), Some(model.into()), Some(serial.into()), Some(fw.into()), status.to_owned()))
        };
        assert_eq!(
            row("connector 1E box 1 bay 10                 HP      DG1      SER1     HPD7 OK"),
            parts("1E:1:10", "DG1", "SER1", "HPD7", "OK")
        );
        assert_eq!(
            row(
                "b0t1 connector J1 box 0 bay 1      TOSHIBA MK 1      SER2     0001     S.M.A.R.T. predictive failure."
            ),
            parts("J1:0:1", "MK 1", "SER2", "0001", "S.M.A.R.T. predictive failure.")
        );
        assert_eq!(
            row("connector 2I box 1 bay 1    ATA     X      SER3       HPG6    \u{fffd}"),
            parts("2I:1:1", "X", "SER3", "HPG6", "")
        );
    }
}
