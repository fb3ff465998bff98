//! Text of Areca's CLI as tables and pairs. No judgement here.
//!
//! Columns are not cut at fixed places: numbers are right-aligned under headings that are not. The capacity
//! is the anchor of every row; what stands before and after it is text.

use super::{DISK, DISKS, EVENTS, HARDWARE, MAIN, RAID_SETS, SYSTEM, VOLUMES};
use crate::scan;
use raidmond_core::survey::AnswerKind;

/// What one command printed, without prompts and trailers.
#[derive(Debug, Default)]
pub struct Page {
    pub lines: Vec<String>,
    /// `GuiErrMsg<0x08>: Password Required.`: number and words; zero is success.
    pub result: Option<(u64, String)>,
    pub header: Option<String>,
    /// Rules of `=` seen: two close a table.
    pub rules: usize,
}

pub fn page(text: &str) -> Page {
    let mut page = Page::default();
    for line in scan::clean(text).lines() {
        let line = line.trim_end();
        let shown = line.trim_start();
        let prompt = ["CLI>", "cli>", "# ", "$ "].iter().any(|p| shown.starts_with(p)) && !is_header(line);
        if prompt || shown.is_empty() || shown.starts_with("Copyright") || shown.starts_with("Areca CLI") {
            continue;
        }
        if let Some(rest) = shown.strip_prefix("GuiErrMsg<") {
            page.result = rest.split_once('>').and_then(result);
        } else if shown.starts_with("===") {
            page.rules += 1;
        } else if is_header(line) && page.header.is_none() {
            page.header = Some(line.to_owned());
        } else {
            page.lines.push(line.to_owned());
        }
    }
    page
}

fn result((number, words): (&str, &str)) -> Option<(u64, String)> {
    let number = scan::count(number)?;
    Some((number, words.trim_start_matches(':').trim().to_owned()))
}

fn is_header(line: &str) -> bool {
    let has = |word: &str| line.contains(word);
    has("ModelName") && has("Capacity")
        || has("Name") && has("TotalCap")
        || has("Name") && has("Raid") && has("Ch/Id/Lun")
        || has("Date-Time") && has("Event Type")
        || has("Name") && has("Type") && has("Interface")
}

/// Which question a text answers that came without its command.
pub fn kind_of(head: &str) -> Option<AnswerKind> {
    let page = page(head);
    let header = page.header.as_deref().unwrap_or("");
    let starts = |words: &str| page.lines.first().is_some_and(|l| l.trim().eq_ignore_ascii_case(words));
    let by_header = [
        ("TotalCap", RAID_SETS),
        ("Ch/Id/Lun", VOLUMES),
        ("ModelName", DISKS),
        ("Event Type", EVENTS),
        ("Interface", MAIN),
    ];
    let by_title = [
        ("The System Information", SYSTEM),
        ("The Hardware Monitor Information", HARDWARE),
        ("Drive Information", DISK),
    ];
    let found = by_header.iter().find(|(word, _)| header.contains(word)).map(|(_, kind)| *kind);
    found.or_else(|| by_title.iter().find(|(title, _)| starts(title)).map(|(_, kind)| *kind))
}

impl Page {
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().filter_map(|l| scan::key_value(l, ':'))
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        self.pairs().find(|(key, _)| scan::same_word(key, name)).map(|(_, value)| value)
    }

    /// Ended where the tool ends: with its result, or with the rule below the table.
    pub fn is_whole(&self) -> bool {
        self.result.is_some() || self.rules >= 2
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct RaidSet {
    pub number: String,
    pub name: String,
    pub disks: Option<u32>,
    pub state: String,
}

/// `1  Raid Set # 00  15 15000.0GB  0.0GB 123G567C9AB48EF  Normal`
pub fn raid_set(line: &str) -> Option<RaidSet> {
    let (before, _, after) = at_capacity(line)?;
    let (number, rest) = before.split_once(char::is_whitespace)?;
    let (name, disks) = rest.trim().rsplit_once(char::is_whitespace)?;
    number.parse::<u32>().ok()?;
    let disks = disks.parse().ok()?;
    let (_, after) = split_word(after);
    let (channels, state) = split_word(after);
    // A row cut off after its channels has no state; a state never looks like a list of channels.
    let state = if state.is_empty() && super::vocabulary::array_state(channels).is_some() { channels } else { state };
    Some(RaidSet {
        number: number.to_owned(),
        name: name.trim().to_owned(),
        disks: Some(disks),
        state: state.to_owned(),
    })
}

#[derive(Debug, PartialEq, Eq)]
pub struct Volume {
    pub number: String,
    pub name: String,
    /// Name of its raid set, or its number in the oldest layout.
    pub raid_set: String,
    pub level: String,
    pub size: String,
    pub state: String,
}

/// `1 ARC-1210-VOL#00  Raid Set # 00   Raid0  10.5GB 00/00/00   Normal`
pub fn volume(line: &str, header: &str) -> Option<Volume> {
    let (before, size, after) = at_capacity(line)?;
    let (number, rest) = before.split_once(char::is_whitespace)?;
    number.parse::<u32>().ok()?;
    let (names, level) = rest.trim().rsplit_once(char::is_whitespace)?;
    let names = names.trim();
    let (_, state) = split_word(after);
    let from = ["Raid Name", "Raid#"].iter().find_map(|word| header.find(word));
    let name_and_set = from.and_then(|from| cut_at(line, from, names));
    let (name, raid_set) = name_and_set.unwrap_or_else(|| (names.to_owned(), String::new()));
    Some(Volume { number: number.to_owned(), name, raid_set, level: level.into(), size, state: state.into() })
}

/// The names are left-aligned: the column of the second one divides them.
fn cut_at(line: &str, from: usize, names: &str) -> Option<(String, String)> {
    let chars: Vec<char> = line.chars().collect();
    let end = line.find(names)? + names.len();
    let set: String = chars.get(from..end.min(chars.len()))?.iter().collect();
    let name = names.strip_suffix(set.trim())?;
    Some((name.trim().to_owned(), set.trim().to_owned()))
}

#[derive(Debug, PartialEq, Eq)]
pub struct Disk {
    /// The number a command names it by (`drv=`).
    pub number: String,
    pub enclosure: Option<String>,
    pub slot: Option<String>,
    pub model: String,
    pub size: String,
    pub usage: String,
}

/// ` 1  1  MODEL  750.2GB  data`, ` 9 02  SLOT 01 MODEL  …`, and the oldest with serial and firmware before
/// the capacity.
pub fn disk(line: &str, header: &str) -> Option<Disk> {
    let (before, size, usage) = at_capacity(line)?;
    let (number, rest) = split_word(before);
    number.parse::<u32>().ok()?;
    let (enclosure, slot, rest) = place(rest, header)?;
    Some(Disk {
        number: number.to_owned(),
        enclosure,
        slot,
        model: model(rest, header).to_owned(),
        size,
        usage: usage.to_owned(),
    })
}

type Place<'a> = (Option<String>, Option<String>, &'a str);

fn place<'a>(rest: &'a str, header: &str) -> Option<Place<'a>> {
    if header.contains("Enc#") {
        let (enclosure, rest) = split_word(rest);
        let (word, after) = split_word(rest);
        // "Slot#3", "SLOT 03", "EXTP 01"
        let (slot, rest) = match word.split_once('#') {
            Some((_, digits)) if !digits.is_empty() => (digits, after),
            _ => split_word(after),
        };
        let port = word.to_ascii_uppercase().starts_with("EXTP");
        let slot = if port { format!("ext{slot}") } else { trim_zeros(slot).to_owned() };
        return Some((Some(trim_zeros(enclosure).to_owned()), Some(slot), rest));
    }
    // Both numbers, or the channel alone: with the serial number the rest is the model's.
    if header.contains("Ch#") {
        let (channel, after) = split_word(rest);
        let is_number = channel.parse::<u32>().is_ok() && !after.is_empty();
        return Some((None, is_number.then(|| channel.to_owned()), if is_number { after } else { rest }));
    }
    Some((None, None, rest))
}

fn model<'a>(rest: &'a str, header: &str) -> &'a str {
    let words = if header.contains("Serial#") { rest.split("  ").next().unwrap_or(rest) } else { rest };
    words.trim()
}

fn trim_zeros(number: &str) -> &str {
    let trimmed = number.trim_start_matches('0');
    if trimmed.is_empty() { "0" } else { trimmed }
}

/// Text before, the capacity, text after. A capacity has a decimal point, so that a model's "160GB" is none.
fn at_capacity(line: &str) -> Option<(&str, String, &str)> {
    let mut from = 0;
    for word in line.split_whitespace() {
        let at = line.get(from..)?.find(word)? + from;
        from = at + word.len();
        if is_capacity(word) {
            return Some((line.get(..at)?.trim(), word.to_owned(), line.get(from..)?.trim()));
        }
    }
    None
}

fn is_capacity(word: &str) -> bool {
    let number = ["GB", "TB", "MB"].iter().find_map(|unit| word.strip_suffix(unit));
    number.is_some_and(|n| n.contains('.') && n.parse::<f64>().is_ok())
}

fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_all_layouts() {
        let disk = |line: &str, header: &str| {
            let d = disk(line, header).unwrap();
            [d.number, d.enclosure.unwrap_or_default(), d.slot.unwrap_or_default(), d.model, d.usage].join("|")
        };
        let channels = "  # Ch# ModelName                       Capacity  Usage";
        assert_eq!(
            disk(" 16 16  EXAMPLE 160GB X   750.2GB  HotSpare[Global]", channels),
            "16||16|EXAMPLE 160GB X|HotSpare[Global]"
        );
        let shelves = "  # Enc# Slot#   ModelName                        Capacity  Usage";
        assert_eq!(disk("  1  01  Slot#1  N.A.      0.0GB  N.A.", shelves), "1|1|1|N.A.|N.A.");
        assert_eq!(disk(" 22  02  SLOT 14 EX 100     100.0GB  Free", shelves), "22|2|14|EX 100|Free");
        assert_eq!(disk(" 33  02  EXTP 01 N.A.       0.0GB  N.A.", shelves), "33|2|ext01|N.A.|N.A.");
        let oldest = "Ch   ModelName        Serial#          FirmRev     Capacity  State";
        assert_eq!(
            disk(" 1   EX251680         SERIAL01         V43         164.7GB  RaidSet Member(1)", oldest),
            "1|||EX251680|RaidSet Member(1)"
        );
    }

    #[test]
    fn names_with_blanks_and_numbers() {
        let header = " # Name             Raid Name       Level   Capacity Ch/Id/Lun  State";
        let row = " 1 ARC-1210-VOL#00  Raid Set # 00   Raid0     10.5GB 00/00/00   Rebuilding(35.3%)";
        let v = volume(row, header).unwrap();
        assert_eq!(
            (v.name.as_str(), v.raid_set.as_str(), v.level.as_str()),
            ("ARC-1210-VOL#00", "Raid Set # 00", "Raid0")
        );
        assert_eq!((v.size.as_str(), v.state.as_str()), ("10.5GB", "Rebuilding(35.3%)"));
        let set = raid_set(" 1  Raid Set # 000      23 34500.0GB    0.0GB   1500.0GB         Need Rebuild").unwrap();
        assert_eq!((set.name.as_str(), set.disks, set.state.as_str()), ("Raid Set # 000", Some(23), "Need Rebuild"));
        assert_eq!(raid_set(" 1  data    15 11250.0GB    0.0GB 123456789ABCDEF").unwrap().state, "");
    }
}
