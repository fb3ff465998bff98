//! What `zpool` says of a pool, in one form for its text and its JSON. No judgement.

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Pool {
    pub name: String,
    pub guid: Option<String>,
    pub state: Option<String>,
    /// The sentence below `status:`.
    pub status: String,
    pub scans: Vec<Scan>,
    /// What stands after `errors:`.
    pub errors: Option<String>,
    /// Depth first; the first one is the pool itself.
    pub rows: Vec<Row>,
    /// Listed by `zpool import`: there, and not in use here.
    pub importable: bool,
    /// By `zpool status` or `zpool import`: the former ends with `errors:`, both show what the pool is made of.
    pub is_full_listing: bool,
    /// Lines that were not understood.
    pub unread: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    #[default]
    Normal,
    /// Holds data nowhere else: special, dedup.
    Special,
    Log,
    Cache,
    Spare,
}

impl Class {
    /// Headings of the text, keys of the JSON.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "special" | "dedup" => Class::Special,
            "logs" | "log" => Class::Log,
            "cache" | "l2cache" => Class::Cache,
            "spares" | "spare" => Class::Spare,
            _ => return None,
        })
    }

    pub fn bears_data(self) -> bool {
        matches!(self, Class::Normal | Class::Special)
    }
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Row {
    /// 0 for the pool, 1 for what it is made of.
    pub depth: usize,
    pub class: Class,
    pub name: String,
    pub state: Option<String>,
    pub read: Option<u64>,
    pub write: Option<u64>,
    pub checksum: Option<u64>,
    pub slow: Option<u64>,
    /// What stands behind the counters: `was /dev/sda1`, `too many errors`, `(resilvering)`.
    pub said: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Scrub,
    Resilver,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Running,
    Paused,
    Canceled,
    Finished,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    pub doing: Doing,
    pub progress: Progress,
    pub percent: Option<f64>,
    pub seconds_left: Option<u64>,
    /// As printed: `0B`, `1.5M`.
    pub repaired: Option<String>,
    /// Errors that could not be repaired.
    pub errors: Option<u64>,
}

/// `0`, `1.2K`, `35`; `-` where there is nothing to count.
pub fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.chars().last()? {
        'K' => (&text[..text.len() - 1], 1e3),
        'M' => (&text[..text.len() - 1], 1e6),
        'G' => (&text[..text.len() - 1], 1e9),
        'T' => (&text[..text.len() - 1], 1e12),
        _ => return text.parse().ok(),
    };
    digits.parse::<f64>().ok().map(|n| (n * factor) as u64)
}
