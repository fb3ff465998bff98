//! Text of MegaCli into raw structs: pages, adapters, virtual drives, disks. No judgement.
//!
//! MegaCli prints `Key : Value` lines whose blocks are told apart by the lines that open them, which
//! changed over the years: `Virtual Disk: 0` and `Virtual Drive: 0`, `Adapter #0` and `Adapter 0 --`,
//! with and without a blank before the colon, with and without slot numbers. So one reader takes
//! `-LDInfo`, `-LdPdInfo`, `-CfgDsply` and `-PDList` alike.

use crate::scan;
use raidmond_core::survey::Answer;

/// One answer without its trailer.
pub struct Page {
    /// Cleaned text without the `Exit Code:` line.
    pub body: String,
    /// From `Exit Code: 0x00`, which closes a complete answer of all but the oldest versions.
    pub exit: Option<i64>,
}

impl Page {
    pub fn of(answer: &Answer) -> Self {
        let text = scan::clean(&answer.text());
        let mut page = Page { body: String::with_capacity(text.len()), exit: None };
        for line in text.lines() {
            match field(line, "Exit Code") {
                Some(code) => page.exit = scan::number(code),
                None => {
                    page.body.push_str(line);
                    page.body.push('\n');
                }
            }
        }
        page
    }

    pub fn is_empty(&self) -> bool {
        self.body.trim().is_empty()
    }

    pub fn failed(&self, answer: &Answer) -> bool {
        self.exit.unwrap_or(i64::from(answer.outcome.exit)) != 0
    }

    /// The answer in one line, for a note.
    pub fn quote(&self) -> String {
        let words: Vec<&str> = self.body.split_whitespace().collect();
        words.join(" ").chars().take(200).collect()
    }
}

/// `Key : Value` lines of one block, values untrimmed (Inquiry Data counts blanks).
#[derive(Debug, Default, Clone)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    pub fn push(&mut self, key: &str, value: &str) {
        self.0.push((key.to_owned(), value.to_owned()));
    }

    /// The first value of a key, trimmed; `None` where it is not printed or empty.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.raw(key).map(str::trim).filter(|v| !v.is_empty())
    }

    pub fn raw(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| scan::same_word(k, key)).map(|(_, v)| v.as_str())
    }

    pub fn count(&self, key: &str) -> Option<u64> {
        self.get(key).and_then(scan::count)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.trim()))
    }
}

#[derive(Debug, Default)]
pub struct RawAdapter {
    /// `None`: the text does not name its adapter.
    pub number: Option<String>,
    /// Lines outside arrays and disks.
    pub fields: Fields,
    pub arrays: Vec<RawArray>,
    pub disks: Vec<RawDisk>,
    /// "No Virtual Drive Configured."
    pub no_arrays: bool,
    pub arrays_stated: Option<u64>,
}

#[derive(Debug, Default)]
pub struct RawArray {
    pub number: String,
    pub is_cache_cade: bool,
    /// The text had array lines before any line that opens one: it was cut at its head.
    pub headless: bool,
    pub fields: Fields,
    /// `Number of PDs: 3` of each span.
    pub disks_stated: Vec<u64>,
    /// (what, "Completed 4%, Taken 42 min.")
    pub progress: Vec<(String, String)>,
}

#[derive(Debug, Default)]
pub struct RawDisk {
    /// From `PD: 3 Information` and `Physical Disk: 3`; only lists of members have it.
    pub index: Option<String>,
    pub span: u32,
    /// Positions in `RawAdapter::arrays` of the arrays it is listed under.
    pub arrays: Vec<usize>,
    pub fields: Fields,
    /// Something came after it: an empty block is a place without a disk, not a cut text.
    pub closed: bool,
}

/// Splits a text at its adapters; a text that names none is one adapter.
pub fn configuration(text: &str, complete: bool) -> Vec<RawAdapter> {
    let mut reader = Reader::default();
    text.lines().for_each(|line| reader.line(line));
    if complete {
        reader.close();
    }
    reader.adapters
}

/// Number and rest of `Adapter #0`, `Adapter 0 -- Virtual Drive Information:`, `Adapter: 0`,
/// `Adapter 0: No Virtual Drive Configured.`
pub fn adapter_line(line: &str) -> Option<(String, &str)> {
    let rest = line.trim().strip_prefix("Adapter")?;
    let rest = rest.trim_start_matches([' ', '#', ':']);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = rest.split_at_checked(digits)?;
    (!number.is_empty()).then(|| (number.to_owned(), rest.trim_start_matches([' ', ':', '-'])))
}

/// The value of `key`, if that is what the line holds.
pub fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    scan::key_value(line, ':').filter(|(k, _)| scan::same_word(k, key)).map(|(_, v)| v)
}

#[derive(Default, Clone, Copy, PartialEq)]
enum At {
    #[default]
    Adapter,
    Array,
    Disk,
}

#[derive(Default)]
struct Reader {
    adapters: Vec<RawAdapter>,
    at: At,
    span: u32,
    /// First array of the disk group being listed (`-CfgDsply`): its disks carry all of them.
    group_start: Option<usize>,
}

/// Lines that open a disk where it has none of them yet.
const DISK_KEYS: [&str; 4] = ["Enclosure Device ID", "Slot Number", "Device Id", "Firmware state"];
const ARRAY_KEYS: [&str; 4] = ["State", "RAID Level", "Bad Blocks Exist", "Current Cache Policy"];

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some((number, rest)) = adapter_line(line) {
            return self.adapter_named(number, rest);
        }
        let Some((key, value)) = scan::key_value(line, ':') else { return };
        if self.opens_array(key, value) || self.opens_disk(key, value) || self.structure(key, value) {
            return;
        }
        let raw = line.split_once(':').map_or("", |(_, v)| v.strip_prefix(' ').unwrap_or(v));
        self.field(key, value, raw);
    }

    fn adapter_named(&mut self, number: String, rest: &str) {
        self.close();
        if self.adapters.last().is_none_or(|a| a.number.as_deref() != Some(number.as_str())) {
            self.adapters.push(RawAdapter { number: Some(number), ..RawAdapter::default() });
        }
        if scan::starts_with_word(rest, "No Virtual") {
            self.adapter().no_arrays = true;
        }
    }

    fn opens_array(&mut self, key: &str, value: &str) -> bool {
        let is_cache_cade = scan::same_word(key, "CacheCade Virtual Drive");
        let opens = is_cache_cade || scan::same_word(key, "Virtual Drive") || scan::same_word(key, "Virtual Disk");
        let number: String = value.chars().take_while(char::is_ascii_digit).collect();
        if !opens || number.is_empty() {
            return false;
        }
        self.open_array(RawArray { number, is_cache_cade, ..RawArray::default() });
        true
    }

    fn open_array(&mut self, array: RawArray) {
        self.close_disk();
        self.span = 0;
        self.at = At::Array;
        self.adapter().arrays.push(array);
    }

    fn opens_disk(&mut self, key: &str, value: &str) -> bool {
        let by_number = scan::same_word(key, "PD") && value.ends_with("Information");
        if by_number || (scan::same_word(key, "Physical Disk") && !value.is_empty()) {
            let index = value.chars().take_while(char::is_ascii_digit).collect();
            self.open_disk(Some(index));
            return true;
        }
        if DISK_KEYS.iter().any(|k| scan::same_word(k, key)) && !self.disk_lacks(key) {
            self.open_disk(None);
        }
        false
    }

    /// The current disk can take this line.
    fn disk_lacks(&mut self, key: &str) -> bool {
        self.at == At::Disk && self.adapter().disks.last().is_some_and(|d| d.fields.raw(key).is_none())
    }

    fn open_disk(&mut self, index: Option<String>) {
        self.close_disk();
        let (span, start) = (self.span, self.group_start);
        self.at = At::Disk;
        let adapter = self.adapter();
        let last = adapter.arrays.len();
        let arrays = match &index {
            None => Vec::new(),
            Some(_) => (start.unwrap_or(last.saturating_sub(1))..last).collect(),
        };
        adapter.disks.push(RawDisk { index, span, arrays, ..RawDisk::default() });
    }

    /// Lines that group others.
    fn structure(&mut self, key: &str, value: &str) -> bool {
        let key = key.to_ascii_lowercase();
        match key.as_str() {
            "span" => self.span_named(value),
            "disk group" | "disk groups" => self.group_named(),
            "number of virtual disks" => self.adapter().arrays_stated = scan::count(value),
            "virtual drive information" | "virtual disk information" => self.close_disk(),
            _ => return false,
        }
        true
    }

    /// `Span: 0 - Number of PDs: 3`, and `SPAN: 0`.
    fn span_named(&mut self, value: &str) {
        self.close_disk();
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        self.span = digits.parse().unwrap_or(0);
        let stated = value.rsplit_once(':').and_then(|(_, n)| scan::count(n));
        if let Some(array) = self.adapter().arrays.last_mut() {
            array.disks_stated.extend(stated);
        }
    }

    fn group_named(&mut self) {
        self.close();
        self.span = 0;
        self.group_start = Some(self.adapter().arrays.len());
    }

    fn field(&mut self, key: &str, value: &str, raw: &str) {
        if self.at == At::Adapter && ARRAY_KEYS.iter().any(|k| scan::same_word(k, key)) {
            self.open_array(RawArray { number: "0".to_owned(), headless: true, ..RawArray::default() });
        }
        let at = self.at;
        let adapter = self.adapter();
        match (at, adapter.arrays.last_mut(), adapter.disks.last_mut()) {
            (At::Disk, _, Some(disk)) => disk.fields.push(key, raw),
            (At::Array, Some(array), _) if scan::starts_with_word(value, "Completed ") => {
                array.progress.push((key.to_owned(), value.to_owned()));
            }
            (At::Array, Some(array), _) => array.fields.push(key, raw),
            _ => adapter.fields.push(key, raw),
        }
    }

    fn close(&mut self) {
        self.close_disk();
        self.at = At::Adapter;
    }

    fn close_disk(&mut self) {
        if self.at != At::Disk {
            return;
        }
        self.at = At::Array;
        if let Some(disk) = self.adapter().disks.last_mut() {
            disk.closed = true;
        }
    }

    fn adapter(&mut self) -> &mut RawAdapter {
        if self.adapters.is_empty() {
            self.adapters.push(RawAdapter::default());
        }
        let last = self.adapters.len() - 1;
        &mut self.adapters[last]
    }
}
