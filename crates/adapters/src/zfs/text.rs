//! `zpool status`, `zpool import` and `zpool list`, text → pools. Layouts as in zpool_main.c; tabs and
//! blanks mix in captures, so depth is counted in columns after tabs were widened.

use super::raw::{Class, Pool, Row, number};
use super::scan;
use crate::scan::clean;

#[derive(Debug, Default)]
pub struct Sheet {
    pub pools: Vec<Pool>,
    /// `no pools available`
    pub none: bool,
    /// Lines outside of any pool that were not understood.
    pub unread: Vec<String>,
}

/// Keys of the listing; a file name in a list of damaged files may look like one.
const KEYS: [&str; 16] = [
    "pool",
    "id",
    "state",
    "status",
    "action",
    "see",
    "scan",
    "scrub",
    "comment",
    "config",
    "errors",
    "remove",
    "checkpoint",
    "expand",
    "dedup",
    "removal",
];

pub fn status(text: &str) -> Sheet {
    let mut reader = Reader::default();
    clean(text).lines().map(widen).for_each(|line| reader.take(&line));
    reader.end_of_key();
    reader.sheet
}

#[derive(Default)]
struct Reader {
    sheet: Sheet,
    key: String,
    value: Vec<String>,
    columns: Vec<String>,
    indent: Option<usize>,
    class: Class,
}

impl Reader {
    fn take(&mut self, line: &str) {
        if let Some((key, value)) = self.key_of(line) {
            self.end_of_key();
            self.begin(key, value);
        } else if self.sheet.pools.is_empty() {
            self.outside(line.trim());
        } else if self.key == "config" {
            self.config(line);
        } else if !line.trim().is_empty() {
            self.value.push(line.trim().to_owned());
        }
    }

    fn key_of<'l>(&self, line: &'l str) -> Option<(&'l str, &'l str)> {
        let (key, value) = line.trim_start().split_once(':')?;
        let starts_pool = key == "pool" && value.starts_with(' ');
        let in_files = self.key == "errors" && key != "dedup";
        let known = KEYS.contains(&key) && !in_files && !self.sheet.pools.is_empty();
        (starts_pool || known).then(|| (key, value.trim()))
    }

    fn begin(&mut self, key: &str, value: &str) {
        if key == "pool" {
            self.sheet.pools.push(Pool { name: value.to_owned(), is_full_listing: true, ..Pool::default() });
            (self.columns, self.indent, self.class) = (Vec::new(), None, Class::Normal);
        }
        self.key = key.to_owned();
        self.value = vec![value.to_owned()];
    }

    fn end_of_key(&mut self) {
        let value = std::mem::take(&mut self.value);
        let Some(pool) = self.sheet.pools.last_mut() else { return };
        let joined = value.join(" ").trim().to_owned();
        match self.key.as_str() {
            "id" => {
                pool.importable = true;
                pool.guid = Some(joined);
            }
            "state" => pool.state = Some(joined),
            "status" => pool.status = joined,
            "errors" => pool.errors = Some(value.first().cloned().unwrap_or_default()),
            "scan" | "scrub" => match scan::parse(&joined) {
                Some(scan) => pool.scans.push(scan),
                None if scan::is_none(&joined) => {}
                None => pool.unread.push(joined),
            },
            _ => {}
        }
    }

    fn outside(&mut self, line: &str) {
        match line {
            "" => {}
            "no pools available" | "no pools available to import" => self.sheet.none = true,
            other => self.sheet.unread.push(other.to_owned()),
        }
    }

    fn config(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(pool) = self.sheet.pools.last_mut() else { return };
        // `zpool import` ends a list with a sentence where the labels do not tell all.
        let is_sentence =
            words.starts_with(&["Additional", "devices"]) || words.starts_with(&["exact", "configuration"]);
        match words.as_slice() {
            [] => {}
            ["NAME", "STATE", ..] => {
                self.columns = words.iter().map(|w| (*w).to_owned()).collect();
            }
            _ if is_sentence => {}
            [word] | [word, "-", ..] if Class::of(word).is_some() && !pool.rows.is_empty() => {
                self.class = Class::of(word).unwrap_or_default();
            }
            [_] => pool.unread.push(line.trim().to_owned()),
            _ => {
                let indent = line.len() - line.trim_start().len();
                let base = *self.indent.get_or_insert(indent);
                let depth = indent.saturating_sub(base) / 2;
                pool.rows.push(row(&words, &self.columns, depth, self.class));
            }
        }
    }
}

fn row(words: &[&str], columns: &[String], depth: usize, class: Class) -> Row {
    let has_numbers = words.get(2).is_some_and(|w| *w == "-" || number(w).is_some());
    let cell = |name: &str| {
        let at = columns.iter().position(|c| c == name).filter(|_| has_numbers)?;
        words.get(at).and_then(|w| number(w))
    };
    let behind = if has_numbers { columns.len().max(2) } else { 2 };
    Row {
        depth,
        class,
        name: words.first().copied().unwrap_or_default().to_owned(),
        state: words.get(1).map(|w| (*w).to_owned()),
        read: cell("READ"),
        write: cell("WRITE"),
        checksum: cell("CKSUM"),
        slow: cell("SLOW"),
        said: words.get(behind..).unwrap_or_default().join(" "),
    }
}

fn widen(line: &str) -> String {
    let mut wide = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => (0..8 - wide.chars().count() % 8).for_each(|_| wide.push(' ')),
            c => wide.push(c),
        }
    }
    wide
}

/// `zpool list`, with or without `-v`: HEALTH stands in its column for pools, and older versions leave
/// it out for disks.
pub fn list(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    let (mut columns, mut class): (Vec<String>, Class) = (Vec::new(), Class::Normal);
    for line in clean(text).lines().map(widen) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["no", "pools", "available"] => sheet.none = true,
            ["NAME", ..] if words.contains(&"HEALTH") => columns = words.iter().map(|w| (*w).to_owned()).collect(),
            [word] | [word, "-", ..] if Class::of(word).is_some() && !sheet.pools.is_empty() => {
                class = Class::of(word).unwrap_or_default();
            }
            _ if columns.is_empty() => sheet.unread.push(line.trim().to_owned()),
            [name, ..] => {
                let indent = line.len() - line.trim_start().len();
                let state = words.iter().skip(1).rev().find(|w| is_state(w)).map(|w| (*w).to_owned());
                if indent == 0 {
                    class = Class::Normal;
                    let state = columns.iter().position(|c| c == "HEALTH").and_then(|at| words.get(at));
                    let state = state.map(|w| (*w).to_owned());
                    sheet.pools.push(Pool { name: (*name).to_owned(), state: state.clone(), ..Pool::default() });
                }
                let Some(pool) = sheet.pools.last_mut() else { continue };
                let state = state.or_else(|| Some(pool.state.clone().unwrap_or_default()).filter(|_| indent == 0));
                pool.rows.push(Row { depth: indent / 2, class, name: (*name).to_owned(), state, ..Row::default() });
            }
        }
    }
    sheet
}

fn is_state(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|b| b.is_ascii_uppercase())
}
