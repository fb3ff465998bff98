//! The other pages of MegaCli into raw structs: adapter, battery, enclosures, progress, PCI, foreign.

use super::parse::{Fields, adapter_line, field};
use crate::scan;

/// A page of `Key : Value` lines for one adapter.
#[derive(Debug, Default)]
pub struct Sheet {
    pub number: Option<String>,
    pub fields: Fields,
    /// Lines without a key: sentences.
    pub sentences: Vec<String>,
}

/// Splits a page at the lines that name an adapter: `Adapter #0`, `BBU status for Adapter: 0`,
/// `BBU Design Info for Adapter: 0`, `PCI information for Controller 0`, `Adapter 0: Get BBU Status Failed.`
pub fn sheets(text: &str) -> Vec<Sheet> {
    let mut sheets: Vec<Sheet> = Vec::new();
    for line in text.lines() {
        if let Some((number, rest)) = named(line) {
            if sheets.last().is_none_or(|s| s.number.as_deref() != Some(number.as_str())) {
                sheets.push(Sheet { number: Some(number), ..Sheet::default() });
            }
            sentence(sheet(&mut sheets), rest);
        } else if let Some((key, _)) = scan::key_value(line, ':') {
            let raw = line.split_once(':').map_or("", |(_, v)| v);
            sheet(&mut sheets).fields.push(key, raw);
        } else if let Some((key, value)) = scan::key_value(line, '=').filter(|_| !scan::is_rule(line)) {
            sheet(&mut sheets).fields.push(key, value);
        } else {
            sentence(sheet(&mut sheets), line);
        }
    }
    sheets
}

fn sentence(sheet: &mut Sheet, text: &str) {
    if !text.trim().is_empty() && !scan::is_rule(text) {
        sheet.sentences.push(text.trim().to_owned());
    }
}

fn sheet(sheets: &mut Vec<Sheet>) -> &mut Sheet {
    if sheets.is_empty() {
        sheets.push(Sheet::default());
    }
    let last = sheets.len() - 1;
    &mut sheets[last]
}

fn named(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    if let Some(found) = adapter_line(line) {
        return Some(found);
    }
    for opening in ["for Adapter:", "information for Controller"] {
        if let Some((_, rest)) = line.split_once(opening) {
            let number: String = rest.trim().chars().take_while(char::is_ascii_digit).collect();
            return (!number.is_empty()).then_some((number, ""));
        }
    }
    None
}

/// `Controller Count: 1.`
pub fn controller_count(text: &str) -> Option<u64> {
    text.lines().find_map(|line| field(line, "Controller Count").and_then(scan::count))
}

#[derive(Debug, Default)]
pub struct RawEnclosure {
    pub adapter: Option<String>,
    pub fields: Fields,
    pub parts: Vec<RawPart>,
}

#[derive(Debug, Default)]
pub struct RawPart {
    /// "Fan", "Power Supply", …
    pub what: String,
    pub number: String,
    pub status: Option<String>,
    pub value: Option<String>,
}

/// What opens a part, as MegaCli prints it.
const PARTS: [&str; 8] =
    ["Voltage Sensor", "Power Supply", "Fan", "Temp Sensor", "Temperature Sensor", "SIM", "Alarm", "Chassis"];
const VALUES: [&str; 3] = ["Voltage Value", "Temperature", "Fan Speed"];

/// Enclosures of a page, and how many each adapter says it has.
pub fn enclosures(text: &str) -> (Vec<RawEnclosure>, Vec<(String, u64)>) {
    let (mut found, mut stated): (Vec<RawEnclosure>, Vec<(String, u64)>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some((number, count)) = enclosures_stated(line) {
            stated.push((number, count));
        } else if let Some((key, value)) = scan::key_value(line, ':') {
            if opens_enclosure(key, value) {
                let adapter = stated.last().map(|(number, _)| number.clone());
                found.push(RawEnclosure { adapter, ..RawEnclosure::default() });
            } else if let Some(enclosure) = found.last_mut() {
                enclosure.line(key, value);
            }
        }
    }
    (found, stated)
}

/// `Number of enclosures on adapter 0 -- 2`
fn enclosures_stated(line: &str) -> Option<(String, u64)> {
    let (_, rest) = line.split_once("Number of enclosures on adapter")?;
    let (number, count) = rest.split_once("--")?;
    Some((number.trim().to_owned(), scan::count(count)?))
}

/// `Enclosure 0:`
fn opens_enclosure(key: &str, value: &str) -> bool {
    let number = key.strip_prefix("Enclosure ").map(str::trim);
    value.is_empty() && number.is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
}

impl RawEnclosure {
    fn line(&mut self, key: &str, value: &str) {
        if let Some(what) = PARTS.iter().find(|p| scan::same_word(p, key)) {
            let (what, number) = ((*what).to_owned(), value.to_owned());
            self.parts.push(RawPart { what, number, ..RawPart::default() });
            return;
        }
        match self.parts.last_mut() {
            Some(part) if key.ends_with(" Status") => part.status = Some(value.to_owned()),
            Some(part) if VALUES.iter().any(|v| scan::same_word(v, key)) => part.value = Some(value.to_owned()),
            _ => self.fields.push(key, value),
        }
    }
}

/// A sentence of `-ShowProg`.
#[derive(Debug, PartialEq)]
pub struct RawProgress {
    /// "Rebuild", "Check Consistency", "Copyback", …
    pub what: String,
    pub on: ProgressOn,
    /// `None`: not in progress.
    pub percent: Option<f64>,
    pub said: String,
}

#[derive(Debug, PartialEq)]
pub enum ProgressOn {
    Disk { enclosure: String, slot: String },
    Array(String),
}

/// `Rebuild Progress on Device at Enclosure 8, Slot 3 Completed 7% in 0 Minutes.`,
/// `Check Consistency on VD #3 (target id #3) Completed 4% in 808 Minutes.`,
/// `Check Consistency on VD #0 is not in progress.`
pub fn progress(line: &str) -> Option<RawProgress> {
    let said = line.trim();
    let (what, rest) = said.split_once(" on ")?;
    let what = what.trim_end_matches("Progress").trim().to_owned();
    let on = match (number_after(rest, "Enclosure"), number_after(rest, "Slot"), number_after(rest, "VD #")) {
        (enclosure, Some(slot), _) => ProgressOn::Disk { enclosure: enclosure.unwrap_or_default(), slot },
        (_, None, Some(number)) => ProgressOn::Array(number),
        _ => return None,
    };
    let percent = said.split_once("Completed").and_then(|(_, p)| scan::percent(p));
    let idle = said.to_ascii_lowercase().contains("not in progress");
    (idle || percent.is_some()).then(|| RawProgress { what, on, percent, said: said.to_owned() })
}

fn number_after(text: &str, word: &str) -> Option<String> {
    let (_, rest) = text.split_once(word)?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// `There are 1 foreign configuration(s) on controller 0.`, `There is no foreign configuration on
/// controller 0.`: (controller, how many).
pub fn foreign(line: &str) -> Option<(String, u64)> {
    let text = line.trim();
    if !text.to_ascii_lowercase().contains("foreign configuration") {
        return None;
    }
    let number = number_after(text, "controller")?;
    let before = text.split_once("foreign").map_or("", |(before, _)| before);
    let none = before.split_whitespace().any(|w| w.eq_ignore_ascii_case("no"));
    Some((number, if none { 0 } else { scan::count(before)? }))
}
