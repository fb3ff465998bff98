//! What LVM's reporting commands print → rows of fields: JSON (2.02.158 and later), `--nameprefixes`,
//! and the plain table. Messages stand between, before and after.

use crate::scan::{clean, columns};
use serde_json::Value;
use std::collections::BTreeMap;

pub type Row = BTreeMap<String, String>;

#[derive(Debug, Default)]
pub struct Report {
    pub lvs: Vec<Row>,
    pub vgs: Vec<Row>,
    pub pvs: Vec<Row>,
    /// A report was there, be it empty.
    pub readable: bool,
    /// Warnings and errors.
    pub messages: Vec<String>,
}

pub fn read(text: &str) -> Report {
    let text = clean(text);
    let mut report = Report::default();
    if text.lines().any(|l| l.trim() == "{") || text.trim_start().starts_with('{') {
        by_json(&mut report, &text);
    } else if text.contains("LVM2_") {
        by_prefixes(&mut report, &text);
    } else {
        by_table(&mut report, &text);
    }
    report
}

fn by_json(report: &mut Report, text: &str) {
    let is_json = |l: &&str| l.trim().is_empty() || l.trim_start().starts_with(['{', '}', '[', ']', ',', '"']);
    let (json, messages): (Vec<&str>, Vec<&str>) = text.lines().partition(is_json);
    report.messages = messages.iter().map(|l| l.trim().to_owned()).collect();
    let Ok(document) = serde_json::from_str::<Value>(&json.join("\n")) else { return };
    let Some(parts) = document.get("report").and_then(Value::as_array) else { return };
    report.readable = true;
    for part in parts {
        report.lvs.extend(rows(part, "lv"));
        report.vgs.extend(rows(part, "vg"));
        report.pvs.extend(rows(part, "pv"));
    }
}

fn rows(part: &Value, key: &str) -> Vec<Row> {
    let row = |value: &Value| -> Row {
        let cells = value.as_object().into_iter().flatten();
        cells.map(|(k, v)| (k.clone(), v.as_str().map_or_else(|| v.to_string(), str::to_owned))).collect()
    };
    part.get(key).and_then(Value::as_array).into_iter().flatten().map(row).collect()
}

/// `LVM2_LV_NAME='root'|LVM2_VG_NAME='rhel'`, separated by `|` or blanks.
fn by_prefixes(report: &mut Report, text: &str) {
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let mut row = Row::new();
        let mut rest = line;
        while let Some((key, tail)) = rest.strip_prefix("LVM2_").and_then(|r| r.split_once("='")) {
            let (value, after) = tail.split_once('\'').unwrap_or((tail, ""));
            row.insert(key.to_ascii_lowercase(), value.trim().to_owned());
            rest = after.trim_start_matches(['|', ' ', ';', ',']);
        }
        match row.is_empty() {
            true => report.messages.push(line.to_owned()),
            false => sort(report, row),
        }
    }
}

fn sort(report: &mut Report, row: Row) {
    report.readable = true;
    match () {
        () if row.contains_key("lv_name") => report.lvs.push(row),
        () if row.contains_key("pv_name") => report.pvs.push(row),
        () => report.vgs.push(row),
    }
}

/// Headings of the plain table → names of fields.
const HEADINGS: [(&str, &str); 16] = [
    ("LV", "lv_name"),
    ("VG", "vg_name"),
    ("PV", "pv_name"),
    ("Attr", "attr"),
    ("LSize", "lv_size"),
    ("Type", "segtype"),
    ("Cpy%Sync", "copy_percent"),
    ("Copy%", "copy_percent"),
    ("Health", "lv_health_status"),
    ("SyncAction", "raid_sync_action"),
    ("Mismatches", "raid_mismatch_count"),
    ("Data%", "data_percent"),
    ("Meta%", "metadata_percent"),
    ("Devices", "devices"),
    ("#PV", "pv_count"),
    ("Fmt", "pv_fmt"),
];

fn by_table(report: &mut Report, text: &str) {
    let mut header: Vec<(String, usize, usize)> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let first = line.split_whitespace().next().unwrap_or_default();
        if ["LV", "VG", "PV"].contains(&first) && line.contains("Attr") {
            header = columns(line);
            report.readable = true;
            continue;
        }
        match row(line, &header) {
            Some(row) => sort(report, row),
            None => report.messages.push(line.trim().to_owned()),
        }
    }
}

/// Cells stand below their headings, left or right aligned: a word belongs to the heading it overlaps.
/// The leading names and the attributes are never empty, so they go by order.
fn row(line: &str, header: &[(String, usize, usize)]) -> Option<Row> {
    let is_message = line.trim_start().starts_with("WARNING") || line.trim_end().ends_with('.') || header.is_empty();
    let words: Vec<&str> = line.split_whitespace().collect();
    let attr = header.iter().position(|(name, ..)| name == "Attr")?;
    if is_message || words.get(attr).is_none_or(|w| !is_attr(w)) {
        return None;
    }
    let mut row = Row::new();
    for ((name, ..), word) in header.iter().zip(&words).take(attr + 1) {
        insert(&mut row, name, word);
    }
    for (word, from, to) in spans(line).into_iter().skip(attr + 1) {
        let below = header.iter().skip(attr + 1).find(|(n, s, _)| from < s + n.chars().count() && to > *s);
        if let Some((name, ..)) = below {
            insert(&mut row, name, word);
        }
    }
    Some(row)
}

fn insert(row: &mut Row, heading: &str, word: &str) {
    if let Some((_, field)) = HEADINGS.iter().find(|(h, _)| *h == heading) {
        row.entry((*field).to_owned()).or_insert_with(|| word.to_owned());
    }
}

fn is_attr(word: &str) -> bool {
    (3..=10).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-')
}

/// Words with where they begin and end, in characters.
fn spans(line: &str) -> Vec<(&str, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in line.split(char::is_whitespace) {
        let length = word.chars().count();
        if length > 0 {
            found.push((word, at, at + length));
        }
        at += length + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_go_to_their_headings() {
        let text = "  LV    VG  Attr       LSize Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert\n  mirr  vg  rwi-aor-p- 1.00g                                    87.50          \n  pool  vg  twi-aot--- 1.00g             99.00  12.00\n";
        let report = read(text);
        let cell = |n: usize, key: &str| report.lvs[n].get(key).map(String::as_str);
        assert_eq!(
            (cell(0, "lv_name"), cell(0, "attr"), cell(0, "copy_percent")),
            (Some("mirr"), Some("rwi-aor-p-"), Some("87.50"))
        );
        assert_eq!(
            (cell(1, "data_percent"), cell(1, "metadata_percent"), cell(1, "copy_percent")),
            (Some("99.00"), Some("12.00"), None)
        );
    }

    #[test]
    fn messages_stand_anywhere() {
        let report = read("WARNING: one\n {\n \"report\": [\n  WARNING: two\n {\"lv\":[{\"lv_name\":\"a\"}]}]\n}\n");
        assert_eq!((report.lvs.len(), report.messages.len(), report.readable), (1, 2, true));
    }
}
