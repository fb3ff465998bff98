//! Text of ssacli, hpssacli and hpacucli → cards with their parts. No judgement here.
//!
//! One reader for every question: `show status`, `show config`, `show config detail`, `ld` and `pd all
//! show`. Blank lines and indentation mean nothing (one exporter doubles every newline, one version
//! prints a tab); what a line begins with tells what it is. Sentences of the tool stand before, between
//! and after the rows: they are kept apart.

use crate::scan::{clean, key_value, starts_with_word};

#[derive(Debug, Default)]
pub struct Sheet {
    pub cards: Vec<Card>,
    pub errors: Vec<String>,
    pub sayings: Vec<Saying>,
    /// Lines that frighten and fit nowhere.
    pub unread: Vec<String>,
}

impl Sheet {
    pub fn says_nothing(&self) -> bool {
        self.cards.iter().all(Card::says_nothing)
    }
}

/// A sentence of the tool: advice, warning, noise.
#[derive(Debug, Default)]
pub struct Saying {
    /// Index of the card it stands at.
    pub card: usize,
    pub text: String,
    /// The logical drive whose row follows at once.
    pub before: Option<String>,
}

#[derive(Debug, Default, Clone)]
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, v)| k == key && !v.is_empty()).map(|(_, v)| v.as_str())
    }

    pub fn add(&mut self, other: &Pairs) {
        self.0.extend(other.0.iter().cloned());
    }
}

#[derive(Debug, Default)]
pub struct Card {
    pub model: Option<String>,
    pub slot: Option<String>,
    /// "HBA Mode", "RAID Mode" of the heading.
    pub mode: Option<String>,
    pub serial: Option<String>,
    pub pairs: Pairs,
    pub letters: Vec<Letter>,
    pub volumes: Vec<Volume>,
    pub drives: Vec<Drive>,
    pub shelves: Vec<Shelf>,
}

impl Card {
    fn says_nothing(&self) -> bool {
        let status = ["controller status", "cache status"].iter().any(|k| self.pairs.get(k).is_some());
        self.slot.is_none() && !status && self.volumes.is_empty() && self.drives.is_empty()
    }
}

/// "array A (Failed)": what stands in the parentheses, or its `Status`.
#[derive(Debug, Default, Clone)]
pub struct Letter {
    pub name: String,
    pub said: Vec<String>,
    pub pairs: Pairs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// One *copy* of a mirror: the first disks of all copies are partners.
    Mirror,
    Parity,
}

#[derive(Debug, Clone)]
pub struct Seat {
    pub side: Side,
    pub group: u32,
    pub drive: String,
}

#[derive(Debug, Default, Clone)]
pub struct Volume {
    pub number: String,
    pub letter: Option<String>,
    pub row: Vec<String>,
    pub pairs: Pairs,
    pub seats: Vec<Seat>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum Home {
    #[default]
    Unstated,
    Array(String),
    Unassigned,
    /// Shown to the host as it is.
    Host,
}

#[derive(Debug, Default, Clone)]
pub struct Drive {
    /// `1I:1:3`: port, box, bay.
    pub id: String,
    pub home: Home,
    pub row: Vec<String>,
    pub pairs: Pairs,
}

#[derive(Debug, Default, Clone)]
pub struct Shelf {
    pub title: String,
    pub port: String,
    pub number: String,
    pub said: Option<String>,
    pub pairs: Pairs,
}

pub fn sheet(text: &str) -> Sheet {
    let text = clean(text);
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let mut reader = Reader::default();
    for (index, line) in lines.iter().enumerate() {
        reader.line(line, lines.get(index + 1).copied().unwrap_or(""));
    }
    reader.sheet
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum At {
    #[default]
    Card,
    Letter,
    Volume,
    Drive,
    Shelf,
    /// Ports, expanders, enclosure processors: nothing of health.
    Aside,
}

#[derive(Default, PartialEq, Eq)]
enum Open {
    #[default]
    Nothing,
    Saying,
    Error,
}

#[derive(Default)]
struct Reader {
    sheet: Sheet,
    at: At,
    home: Home,
    side: Option<(Side, u32)>,
    open: Open,
}

impl Reader {
    fn line(&mut self, line: &str, next: &str) {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if is_prompt(line) {
            return;
        }
        if starts_with_word(line, "Error:") {
            self.open = Open::Error;
            self.sheet.errors.push(line.to_owned());
            return;
        }
        if self.structure(line, next) {
            self.open = Open::Nothing;
            return;
        }
        let loose = indent == 0 || (indent >= 7 && line.starts_with(char::is_lowercase)) || indent >= 20;
        match key_value_of(line) {
            Some((key, value)) if !(is_saying(line) || loose && self.open != Open::Nothing) => {
                self.open = Open::Nothing;
                self.pair(key, value);
            }
            _ if loose || is_saying(line) => self.saying(line),
            _ => self.stray(line),
        }
    }

    /// Headings and rows.
    fn structure(&mut self, line: &str, next: &str) -> bool {
        if let Some(card) = card_heading(line, next) {
            (self.at, self.home, self.side) = (At::Card, Home::Unstated, None);
            self.sheet.cards.push(card);
            return true;
        }
        self.row(line) || self.heading(line)
    }

    fn row(&mut self, line: &str) -> bool {
        if let Some((number, row)) = row(line, "logicaldrive ") {
            self.volume(number, row);
        } else if let Some((id, row)) = row(line, "physicaldrive ") {
            self.drive(id, row);
        } else {
            return false;
        }
        true
    }

    fn volume(&mut self, number: &str, row: Vec<String>) {
        let letter = self.letter();
        if let Some(saying) = self.sheet.sayings.last_mut().filter(|_| self.open == Open::Saying) {
            saying.before = Some(number.to_owned());
        }
        self.at = At::Volume;
        self.side = None;
        self.card().volumes.push(Volume { number: number.to_owned(), letter, row, ..Volume::default() });
    }

    fn letter(&self) -> Option<String> {
        if let Home::Array(letter) = &self.home { Some(letter.clone()) } else { None }
    }

    fn drive(&mut self, id: &str, row: Vec<String>) {
        let (home, side) = (self.home.clone(), self.side);
        let in_group = self.at == At::Volume && side.is_some();
        let card = self.card();
        // A drive that has its seat is named again where its own section begins.
        let has_seat = card.volumes.last().is_some_and(|v| v.seats.iter().any(|s| s.drive == id));
        let seated = in_group && !has_seat;
        if let (true, Some((side, group)), Some(volume)) = (seated, side, card.volumes.last_mut()) {
            volume.seats.push(Seat { side, group, drive: id.to_owned() });
        }
        card.drives.push(Drive { id: id.to_owned(), home, row, ..Drive::default() });
        if !seated {
            self.at = At::Drive;
        }
    }

    fn heading(&mut self, line: &str) -> bool {
        if let Some(letter) = letter_heading(line) {
            (self.at, self.home) = (At::Letter, Home::Array(letter.name.clone()));
            self.card().letters.push(letter);
        } else if let Some(number) = value_of(line, "logical drive") {
            self.volume(number, Vec::new());
        } else if let Some(group) = group_heading(line) {
            self.side = Some(group);
        } else if let Some(shelf) = shelf_heading(line) {
            self.at = At::Shelf;
            self.card().shelves.push(shelf);
        } else if let Some(home) = home_heading(line) {
            (self.at, self.home) = (At::Aside, home);
        } else if is_aside_heading(line) {
            self.at = At::Aside;
        } else {
            return false;
        }
        true
    }

    fn pair(&mut self, key: String, value: &str) {
        let at = self.at;
        self.side = None;
        let card = self.card();
        let pairs = match at {
            At::Card => Some(&mut card.pairs),
            At::Letter => card.letters.last_mut().map(|l| &mut l.pairs),
            At::Volume => card.volumes.last_mut().map(|v| &mut v.pairs),
            At::Drive => card.drives.last_mut().map(|d| &mut d.pairs),
            At::Shelf => card.shelves.last_mut().map(|s| &mut s.pairs),
            At::Aside => None,
        };
        if let Some(pairs) = pairs {
            pairs.0.push((key, value.to_owned()));
        }
    }

    fn saying(&mut self, line: &str) {
        let continues = !is_saying(line);
        match (&self.open, self.sheet.sayings.last_mut(), self.sheet.errors.last_mut()) {
            (Open::Saying, Some(saying), _) if continues => extend(&mut saying.text, line),
            (Open::Error, _, Some(error)) if continues => extend(error, line),
            _ => {
                let card = self.sheet.cards.len().saturating_sub(1);
                self.sheet.sayings.push(Saying { card, text: line.to_owned(), before: None });
                self.open = Open::Saying;
            }
        }
    }

    fn stray(&mut self, line: &str) {
        if frightens(line) {
            self.sheet.unread.push(line.to_owned());
        }
    }

    /// The card spoken of; answers about one card may leave its heading out.
    fn card(&mut self) -> &mut Card {
        if self.sheet.cards.is_empty() {
            self.sheet.cards.push(Card::default());
        }
        let last = self.sheet.cards.len() - 1;
        &mut self.sheet.cards[last]
    }
}

fn extend(text: &mut String, line: &str) {
    text.push(' ');
    text.push_str(line);
}

/// Prompts and echoed commands inside captures.
fn is_prompt(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let echoed = lower.contains("acli ") || lower.contains("hpacucli ");
    line.starts_with(['#', '[', '$']) || line.starts_with("=>") || (echoed && lower.contains(" show"))
}

fn is_saying(line: &str) -> bool {
    const STARTS: [&str; 7] = ["Warning:", "FIRMWARE UPGRADE", "Caution:", "Note:", "Critical:", "Info:", "Notice:"];
    STARTS.iter().any(|s| starts_with_word(line, s))
}

pub fn frightens(text: &str) -> bool {
    const WORDS: [&str; 13] = [
        "fail", "error", "degrad", "warn", "lost", "critical", "replace", "offline", "overheat", "corrupt", "missing",
        "disabled", "cannot",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|w| lower.contains(w))
}

/// `Smart Array P410i in Slot 0 (Embedded)  (sn: X)`; `MSA1500 CS in MY STORAGE` by the line after it.
fn card_heading(line: &str, next: &str) -> Option<Card> {
    if let Some((model, rest)) = line.rsplit_once(" in Slot ") {
        let slot = rest.split_whitespace().next()?.to_owned();
        let inside = |start: &str| rest.split('(').find_map(|part| part.strip_prefix(start)?.split(')').next());
        let serial = inside("sn:").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty());
        let mode = ["HBA Mode", "RAID Mode", "Mixed Mode"].iter().find(|m| rest.contains(*m));
        let mode = mode.map(|m| (*m).to_owned());
        return Some(Card { model: Some(model.trim().to_owned()), slot: Some(slot), mode, serial, ..Card::default() });
    }
    let (model, place) = line.split_once(" in ")?;
    let described = ["Controller Status:", "Bus Interface:"].iter().any(|k| starts_with_word(next.trim(), k));
    let place = place.trim().replace(' ', "-");
    described.then(|| Card { model: Some(model.trim().to_owned()), slot: Some(place), ..Card::default() })
}

/// `logicaldrive 1 (279.4 GB, RAID 1, OK)`, `physicaldrive 2I:0:1 (port …, 1 TB): OK`, or the name alone.
fn row<'a>(line: &'a str, start: &str) -> Option<(&'a str, Vec<String>)> {
    if !starts_with_word(line, start) {
        return None;
    }
    let rest = line.get(start.len()..)?.trim();
    let Some((name, rest)) = rest.split_once('(') else {
        return (!rest.is_empty() && !rest.contains(' ')).then_some((rest, Vec::new()));
    };
    let (inside, tail) = match rest.split_once("):") {
        Some((inside, tail)) => (inside, tail),
        None => (rest.trim().trim_end_matches(')'), ""),
    };
    let cells = inside.split(',').chain(tail.split(',')).map(str::trim).filter(|c| !c.is_empty());
    Some((name.trim(), cells.map(str::to_owned).collect()))
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (k, value) = key_value(line, ':')?;
    (k.eq_ignore_ascii_case(key) && !value.is_empty()).then_some(value)
}

/// `Array: A`, `array A`, `Array A (SAS, Unused Space: 0  MB)`, `array B (Failed)`.
fn letter_heading(line: &str) -> Option<Letter> {
    if !starts_with_word(line, "array") {
        return None;
    }
    let rest = line.get("array".len()..)?.trim_start_matches(':');
    let rest = rest.strip_prefix(' ')?.trim();
    let (name, inside) = rest.split_once('(').unwrap_or((rest, ""));
    let name = name.trim();
    let is_letter = !name.is_empty() && name.len() <= 2 && name.chars().all(|c| c.is_ascii_uppercase());
    let describes = |c: &&str| !c.is_empty() && !c.contains(':') && !is_interface(c);
    let said = inside.trim_end_matches(')').split(',').map(str::trim).filter(describes).map(str::to_owned).collect();
    is_letter.then(|| Letter { name: name.to_owned(), said, pairs: Pairs::default() })
}

pub fn is_interface(cell: &str) -> bool {
    let lower = cell.to_ascii_lowercase();
    ["sas", "sata", "scsi", "nvme", "pcie"].iter().any(|i| lower.split([' ', '-']).any(|w| w == *i))
}

/// `Mirror Group 1:`, `Parity Group 0:`.
fn group_heading(line: &str) -> Option<(Side, u32)> {
    for (start, side) in [("Mirror Group ", Side::Mirror), ("Parity Group ", Side::Parity)] {
        if starts_with_word(line, start) {
            return Some((side, line.get(start.len()..)?.trim_end_matches(':').trim().parse().ok()?));
        }
    }
    None
}

/// `Internal Drive Cage at Port 5I, Box 1, OK`
fn shelf_heading(line: &str) -> Option<Shelf> {
    let (title, place) = line.split_once(" at Port ")?;
    let mut cells = place.split(',').map(str::trim);
    let port = cells.next()?.to_owned();
    let number = cells.next()?.strip_prefix("Box ")?.to_owned();
    let said = cells.collect::<Vec<_>>().join(", ");
    let said = Some(said).filter(|s| !s.is_empty());
    Some(Shelf { title: title.trim().to_owned(), port, number, said, pairs: Pairs::default() })
}

fn home_heading(line: &str) -> Option<Home> {
    match line.trim_end_matches(':').to_ascii_lowercase().as_str() {
        "unassigned" => Some(Home::Unassigned),
        "hba drives" | "hba mode drives" => Some(Home::Host),
        "physical drives" => Some(Home::Unstated),
        _ => None,
    }
}

fn is_aside_heading(line: &str) -> bool {
    const STARTS: [&str; 4] = ["Port Name:", "Expander ", "Enclosure SEP ", "SEP "];
    STARTS.iter().any(|s| starts_with_word(line, s))
}

fn key_value_of(line: &str) -> Option<(String, &str)> {
    let (key, value) = match line.split_once(": ") {
        Some(both) => both,
        None => (line.strip_suffix(':')?, ""),
    };
    let key = key.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    (!key.is_empty() && key.len() <= 60).then_some((key, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stand_before_and_between_the_rows() {
        let text = "FIRMWARE UPGRADE REQUIRED: An update is recommended\n                           for a RAID 1 volume in a scenario of\n                           concurrent load.\n\nSmart Array X1 in Slot 0b\n   array A\n\n\t  logicaldrive 1 (1 GB, RAID 5, OK)\n\nWarning: Unrecoverable Media Errors Detected on Drives during previous\nor Background scan.\n\n      logicaldrive 2 (1 GB, RAID 5, Recovering, 5.5% complete)\n";
        let sheet = sheet(text);
        assert_eq!((sheet.cards.len(), sheet.cards[0].slot.as_deref()), (1, Some("0b")));
        assert_eq!(sheet.cards[0].volumes[1].row[2..], ["Recovering", "5.5% complete"]);
        let before: Vec<Option<&str>> = sheet.sayings.iter().map(|s| s.before.as_deref()).collect();
        assert_eq!(before, [None, Some("2")]);
        assert!(sheet.sayings[1].text.ends_with("scan.") && sheet.unread.is_empty());
    }

    #[test]
    fn headings_have_many_forms() {
        let said = |line: &str| letter_heading(line).map(|l| (l.name, l.said));
        assert_eq!(said("array B (Failed)"), Some(("B".into(), vec!["Failed".into()])));
        assert_eq!(said("Array A (Solid State SATA, Unused Space: 0  MB)"), Some(("A".into(), vec![])));
        assert_eq!(said("Array: AB"), Some(("AB".into(), vec![])));
        assert_eq!(said("Array Type: Data"), None);
        assert_eq!(said("Array Accelerator: Enabled"), None);
        let chassis = card_heading("MSA1500 CS in MY STORAGE", "   Controller Status: OK").and_then(|c| c.slot);
        assert_eq!(chassis.as_deref(), Some("MY-STORAGE"));
        assert!(card_heading("volume in a scenario of", "concurrent").is_none());
    }
}
