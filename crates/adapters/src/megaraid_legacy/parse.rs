//! `/proc/megaraid` and megarc text → raw logical drives, disks, battery, adapters. No judgement.
//!
//! Both print `key : value` several to a line, ragged, between banners and screen control; lines are
//! read by what they say, whichever file they stand in, because the driver's generations cut the same
//! lines into files differently (2.4: one file; later: ten logical drives to a file).

use crate::scan::{clean, count, is_rule, starts_with_word};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalDrive {
    pub number: u64,
    pub state: String,
    /// "check-consistency in progress"
    pub task: Option<String>,
    /// Span depth, RAID level, policies as printed, keys lower case.
    pub settings: Vec<(String, String)>,
}

impl LogicalDrive {
    pub fn setting(&self, names: &[&str]) -> Option<&str> {
        self.settings.iter().find(|(k, _)| names.contains(&k.as_str())).map(|(_, v)| v.as_str())
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawDisk {
    pub channel: u64,
    pub target: u64,
    pub state: String,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub firmware: Option<String>,
    /// (logical drive, span) it is listed under.
    pub member_of: Option<(u64, u32)>,
}

#[derive(Debug, Default)]
pub struct Sheet {
    pub drives: Vec<LogicalDrive>,
    pub disks: Vec<RawDisk>,
    pub battery: Option<String>,
    /// (adapter number, card type)
    pub adapters: Vec<(u64, String)>,
    /// Of `config`: firmware, counts, and the product name.
    pub settings: Vec<(String, String)>,
    pub product: Option<String>,
    pub errors: Vec<String>,
    pub unread: Vec<String>,
    /// megarc names the adapter its drives belong to.
    pub adapter: Option<u64>,
    /// A table of disks was begun, even if it is empty.
    pub lists_disks: bool,
}

impl Sheet {
    pub fn says_nothing(&self) -> bool {
        self.drives.is_empty()
            && self.disks.is_empty()
            && self.battery.is_none()
            && self.adapters.is_empty()
            && self.settings.is_empty()
    }
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Place {
    #[default]
    Anywhere,
    /// Under `Logical Drive 0 : SpanLevel_0 Disks`, or a table of disks without it.
    Disks(Option<(u64, u32)>),
    Adapters,
}

pub fn sheet(text: &str) -> Sheet {
    let mut reader = Reader::default();
    for line in clean(text).lines() {
        reader.line(line.trim());
    }
    reader.sheet
}

#[derive(Default)]
struct Reader {
    sheet: Sheet,
    place: Place,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.is_empty() || is_rule(line) || is_noise(line) {
            return;
        }
        if is_error(line) {
            self.sheet.errors.push(line.to_owned());
        } else if starts_with_word(line, "logical drive") {
            self.logical_drive(line);
        } else if starts_with_word(line, "channel:") {
            self.disk(line);
        } else if let Some(rest) = strip(line, "battery status:") {
            self.sheet.battery = Some(rest.to_owned());
        } else if !self.header(line) {
            self.body(line);
        }
    }

    /// `Logical drive: 0:, state: optimal, check-consistency in progress` (driver)
    /// `Logical Drive : 0( Adapter: 0 ):  Status: OPTIMAL` (megarc)
    /// `Logical Drive 0 : SpanLevel_0 Disks` (megarc)
    fn logical_drive(&mut self, line: &str) {
        let rest = line.get("logical drive".len()..).unwrap_or("");
        let Some(number) = count(rest) else { return self.sheet.unread.push(line.to_owned()) };
        if let Some((_, span)) = rest.split_once("SpanLevel_") {
            let span = count(span).and_then(|s| u32::try_from(s).ok()).unwrap_or(0);
            self.place = Place::Disks(Some((number, span)));
            return;
        }
        let Some(state) = after(rest, "state:").or_else(|| after(rest, "status:")) else {
            return self.sheet.unread.push(line.to_owned());
        };
        if let Some(adapter) = after(rest, "adapter:") {
            self.sheet.adapter = count(adapter);
        }
        let (state, task) = state.split_once(',').map_or((state, None), |(s, t)| (s, Some(t.trim().to_owned())));
        self.place = Place::Anywhere;
        let state = state.trim().to_owned();
        self.sheet.drives.push(LogicalDrive { number, state, task, settings: Vec::new() });
    }

    /// `Channel: 0 Id: 3 State: Hot spare`
    fn disk(&mut self, line: &str) {
        let (channel, target) = (after(line, "channel:").and_then(count), after(line, "id:").and_then(count));
        let (Some(channel), Some(target), Some(state)) = (channel, target, after(line, "state:")) else {
            return self.sheet.unread.push(line.to_owned());
        };
        let state = state.trim().trim_end_matches('.').to_owned();
        self.sheet.lists_disks = true;
        self.sheet.disks.push(RawDisk { channel, target, state, ..RawDisk::default() });
    }

    fn header(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["Chnl" | "Channel", "Target", ..] => {
                self.sheet.lists_disks = true;
                if !matches!(self.place, Place::Disks(_)) {
                    self.place = Place::Disks(None);
                }
            }
            ["AdapterNo", ..] => self.place = Place::Adapters,
            _ => return false,
        }
        true
    }

    fn body(&mut self, line: &str) {
        match self.place {
            Place::Disks(member_of) if line.starts_with(|c: char| c.is_ascii_digit()) => self.disk_row(line, member_of),
            Place::Adapters if line.starts_with(|c: char| c.is_ascii_digit()) => self.adapter_row(line),
            _ => self.setting(line),
        }
    }

    /// `0      01    0x00000000   0x0887c000   ONLINE`
    fn disk_row(&mut self, line: &str, member_of: Option<(u64, u32)>) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: Option<&&str>| word.and_then(|w| w.parse().ok());
        let state: Vec<&str> =
            words.iter().skip(2).copied().filter(|w| !w.starts_with(|c: char| c.is_ascii_digit())).collect();
        match (number(words.first()), number(words.get(1)), state.is_empty()) {
            (Some(channel), Some(target), false) => {
                let state = state.join(" ");
                self.sheet.disks.push(RawDisk { channel, target, state, member_of, ..RawDisk::default() });
            }
            _ => self.sheet.unread.push(line.to_owned()),
        }
    }

    /// `00      40LD/8SPAN    Some RAID Controller`
    fn adapter_row(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|w| w.parse().ok());
        let card: Vec<&str> = words.skip(1).collect();
        match number {
            Some(number) => self.sheet.adapters.push((number, card.join(" "))),
            None => self.sheet.unread.push(line.to_owned()),
        }
    }

    fn setting(&mut self, line: &str) {
        if let (Some(disk), true) = (self.sheet.disks.last_mut(), starts_with_word(line, "vendor:")) {
            let text = |from: &str, to: &str| between(line, from, to).map(str::to_owned);
            (disk.vendor, disk.model) = (text("vendor:", "model:"), text("model:", "rev:"));
            disk.firmware = text("rev:", "\n");
            return;
        }
        let pairs = pairs(line);
        match self.sheet.drives.last_mut() {
            Some(drive) if !pairs.is_empty() && self.place == Place::Anywhere => drive.settings.extend(pairs),
            _ => self.config(line, pairs),
        }
    }

    fn config(&mut self, line: &str, pairs: Vec<(String, String)>) {
        let named = !pairs.is_empty() || line.contains('=') || line.contains(':');
        let version = line.starts_with('v') && line.contains("Release");
        if !named && !version && self.sheet.product.is_none() && !starts_with_word(line, "controller ") {
            self.sheet.product = Some(line.to_owned());
        }
        self.sheet.settings.extend(pairs);
    }
}

fn is_noise(line: &str) -> bool {
    const STARTS: [&str; 8] =
        ["megarc ", "by lsi", "finding devices", "scanning ha", "[note", "ch=0", "type ?", "type:"];
    line.chars().all(|c| c == '*') || STARTS.iter().any(|s| starts_with_word(line, s))
}

fn is_error(line: &str) -> bool {
    const STARTS: [&str; 9] = [
        "adapter inquiry failed",
        "no adapters found",
        "no megaraid found",
        "error",
        "invalid",
        "unable",
        "cannot",
        "failed",
        "usage",
    ];
    let lower = line.to_ascii_lowercase();
    STARTS.iter().any(|s| lower.starts_with(s)) || lower.contains("permission denied") || lower.contains("no such")
}

/// Keys that share a line, lower case, longest first where one contains another.
const KEYS: [&str; 17] = [
    "initial logical drives",
    "logical drives",
    "read policy",
    "write policy",
    "cache policy",
    "span depth",
    "spandepth",
    "raid level",
    "raidlevel",
    "stripe size",
    "row size",
    "stripsz",
    "stripes",
    "rdahead",
    "wrpolicy",
    "version",
    "cache",
];

/// All known `key : value` and `key = value` of a line.
fn pairs(line: &str) -> Vec<(String, String)> {
    let lower = line.to_ascii_lowercase();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for key in KEYS {
        let Some(at) = lower.find(key) else { continue };
        let taken = found.iter().any(|(start, other)| at < start + other.len() && *start < at + key.len());
        let follows = lower.get(at + key.len()..).unwrap_or("").trim_start();
        if !taken && follows.starts_with([':', '=']) {
            found.push((at, key));
        }
    }
    found.sort_unstable();
    let end = |index: usize| found.get(index + 1).map_or(line.len(), |(next, _)| *next);
    let value = |(index, (at, key)): (usize, &(usize, &str))| {
        let text = line.get(at + key.len()..end(index)).unwrap_or("");
        let text = text.trim_start().trim_start_matches([':', '=']).trim().trim_end_matches(',').trim();
        ((*key).to_owned(), text.to_owned())
    };
    found.iter().enumerate().map(value).collect()
}

fn strip<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    starts_with_word(line, prefix).then(|| line.get(prefix.len()..).unwrap_or("").trim())
}

/// What follows a key, whatever its case.
fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let at = line.to_ascii_lowercase().find(key)?;
    line.get(at + key.len()..)
}

fn between<'a>(line: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let rest = after(line, from)?;
    let end = rest.to_ascii_lowercase().find(to).unwrap_or(rest.len());
    let text = rest.get(..end)?.trim();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_pairs_on_a_ragged_line() {
        let line = "SpanDepth :02     RaidLevel: 1  RdAhead : Adaptive  Cache: CachedIo";
        let read: Vec<String> = pairs(line).into_iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(read, ["spandepth=02", "raidlevel=1", "rdahead=Adaptive", "cache=CachedIo"]);
    }

    #[test]
    fn a_drive_line_of_either_kind() {
        let sheet = sheet(
            "Logical drive:10:, state: optimal, check-consistency in progress\nLogical Drive : 1( Adapter: 2 ):  Status: DEGRADED\n",
        );
        let read: Vec<_> = sheet.drives.iter().map(|d| (d.number, d.state.as_str(), d.task.as_deref())).collect();
        assert_eq!(read, [(10, "optimal", Some("check-consistency in progress")), (1, "DEGRADED", None)]);
        assert_eq!(sheet.adapter, Some(2));
    }
}
