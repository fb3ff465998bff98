//! tw_cli text → rows by column name, `/path key = value` pairs, alarms, errors. No judgement.
//!
//! All generations print tables that name their columns, so one reader serves `show`, `/c0 show`,
//! `info c0 unitstatus` and the rest. Cells are split at blanks, not at columns: captures come
//! shifted, and only "Size" and the last column hold blanks. What is not understood is kept in
//! `unread` (inside a table) or `other` (around it).

use super::parse_old;
use crate::scan::{clean, count, is_rule};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Controllers,
    Units,
    Ports,
    Battery,
    EnclosureList,
    Enclosures,
    Fans,
    Temperatures,
    Supplies,
    Slots,
    EnclosureAlarms,
    Alarms,
    /// Verify, rebuild and self-test schedules: policy, not health.
    Schedule,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub table: Table,
    /// `/c0/e1` for the parts of an enclosure.
    pub enclosure: Option<String>,
    cells: Vec<(String, String)>,
}

impl Row {
    pub fn new(table: Table, cells: &[(&str, &str)]) -> Self {
        let cells = cells.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Self { table, enclosure: None, cells }
    }

    /// The name of the row: "u0", "p3", "c0", "fan1".
    pub fn id(&self) -> &str {
        self.cells.first().map(|(_, v)| v.as_str()).unwrap_or("")
    }

    /// The cell of the first of these columns that is there; `None` for "-" too.
    pub fn get(&self, columns: &[&str]) -> Option<&str> {
        let cell = columns.iter().find_map(|c| self.cells.iter().find(|(k, _)| k.eq_ignore_ascii_case(c)))?;
        (cell.1 != "-" && !cell.1.is_empty()).then_some(cell.1.as_str())
    }
}

/// `/c0/u0 status = OK`.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    pub path: String,
    pub key: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Alarm {
    pub controller: String,
    /// As printed between the brackets.
    pub date: String,
    pub severity: String,
    pub message: String,
}

#[derive(Debug, Default)]
pub struct Sheet {
    pub rows: Vec<Row>,
    pub pairs: Vec<Pair>,
    pub alarms: Vec<Alarm>,
    pub tables: Vec<Table>,
    pub errors: Vec<String>,
    /// Lines inside a table that do not fit it.
    pub unread: Vec<String>,
    /// Lines outside of anything known.
    pub other: Vec<String>,
    /// The text ends inside a table: without any row of it, or inside a row.
    pub cut: bool,
    /// "# of units: 2" of the sentences before there were tables.
    pub units_announced: Option<u64>,
    /// First controller the text names.
    pub controller: Option<String>,
}

impl Sheet {
    pub fn of(&self, table: Table) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |r| r.table == table)
    }

    pub fn has(&self, table: Table) -> bool {
        self.tables.contains(&table)
    }

    pub fn says_nothing(&self) -> bool {
        self.rows.is_empty() && self.pairs.is_empty() && self.alarms.is_empty() && self.tables.is_empty()
    }
}

pub fn sheet(text: &str) -> Sheet {
    let mut reader = Reader::default();
    let text = clean(text);
    for line in text.lines() {
        reader.line(line.trim());
    }
    reader.sheet.cut = reader.is_cut(text.ends_with('\n'));
    reader.sheet
}

#[derive(Default)]
struct Reader {
    sheet: Sheet,
    table: Option<(Table, Vec<String>)>,
    enclosure: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        self.note_controller(line);
        if line.is_empty() || is_rule(line) || line.starts_with("---") || is_prompt(line) {
            return;
        }
        if is_error(line) {
            self.sheet.errors.push(line.to_owned());
        } else if let Some(header) = header(line) {
            self.open(header);
        } else if line.starts_with("/c") && !self.enclosure_row(line) {
            self.pair(line);
        } else if line.starts_with("# of units") {
            self.sheet.units_announced = count(line.trim_start_matches("# of units"));
            self.sheet.tables.push(Table::Units);
        } else if let Some(row) = parse_old::line(line, self.sheet.controller.as_deref()) {
            self.old(row);
        } else {
            self.row(line);
        }
    }

    fn open(&mut self, header: (Table, Vec<String>)) {
        self.sheet.tables.push(header.0);
        self.table = Some(header);
    }

    /// Empty lists of alarms and schedules are usual. A cell that is not there is printed as a dash,
    /// but for the battery at the end of the list of controllers.
    fn is_cut(&self, line_ended: bool) -> bool {
        let Some((table, columns)) = &self.table else { return false };
        if matches!(table, Table::Alarms | Table::Schedule) {
            return false;
        }
        match self.sheet.rows.last().filter(|r| r.table == *table) {
            None => true,
            Some(row) => {
                let blank = usize::from(*table == Table::Controllers);
                !line_ended && row.cells.len() + blank < columns.len()
            }
        }
    }

    fn old(&mut self, found: parse_old::Found) {
        match found {
            parse_old::Found::Row(row) => {
                self.sheet.tables.push(row.table);
                self.sheet.rows.push(row);
            }
            parse_old::Found::Pair(pair) => self.sheet.pairs.push(pair),
            parse_old::Found::Table(table) => self.sheet.tables.push(table),
        }
    }

    fn enclosure_row(&self, line: &str) -> bool {
        let listing = matches!(&self.table, Some((Table::Enclosures | Table::EnclosureList, _)));
        listing && enclosure_path(line).is_some() && !line.contains('=')
    }

    fn pair(&mut self, line: &str) {
        self.table = None;
        if let Some(path) = enclosure_path(line) {
            self.enclosure = Some(path);
        }
        let (left, value) = line.split_once('=').unwrap_or((line, ""));
        let (path, key) = left.trim().split_once(char::is_whitespace).unwrap_or((left.trim(), ""));
        let pair = Pair { path: path.to_owned(), key: key.trim().to_ascii_lowercase(), value: value.trim().to_owned() };
        self.sheet.pairs.push(pair);
    }

    fn row(&mut self, line: &str) {
        let Some((table, columns)) = &self.table else {
            self.sheet.other.push(line.to_owned());
            return;
        };
        let table = *table;
        if table == Table::Alarms {
            return self.alarm(line);
        }
        if table == Table::Schedule {
            return;
        }
        if !names_row(table, line) {
            self.sheet.unread.push(line.to_owned());
            return;
        }
        let cells = cells(columns, line);
        if matches!(table, Table::Enclosures) {
            self.enclosure = enclosure_path(line);
        }
        let enclosure = self.enclosure.clone();
        self.sheet.rows.push(Row { table, enclosure, cells });
    }

    fn alarm(&mut self, line: &str) {
        match alarm(line) {
            Some(alarm) => self.sheet.alarms.push(alarm),
            None => self.sheet.other.push(line.to_owned()),
        }
    }

    fn note_controller(&mut self, line: &str) {
        if self.sheet.controller.is_none() {
            self.sheet.controller = line.split_whitespace().find_map(controller_number);
        }
    }
}

/// "0" of `/c0`, `/c0/u1`, `c0`.
pub fn controller_number(word: &str) -> Option<String> {
    let rest = word.strip_prefix('/').unwrap_or(word);
    let rest = rest.strip_prefix('c')?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, tail) = rest.split_at(end);
    let whole = tail.is_empty() || tail.starts_with('/');
    (!digits.is_empty() && whole).then(|| digits.to_owned())
}

/// Prompts and echoed commands inside captures: `# tw_cli info`, `//host> info c0`.
fn is_prompt(line: &str) -> bool {
    let echoed = line.starts_with("//") && line.contains('>');
    echoed || (line.starts_with('#') && !line.starts_with("# of "))
}

fn is_error(line: &str) -> bool {
    const STARTS: [&str; 9] =
        ["error", "invalid", "unknown command", "no controller", "failed", "syntax", "no 3ware", "usage:", "unable"];
    let lower = line.to_ascii_lowercase();
    STARTS.iter().any(|s| lower.starts_with(s))
        || lower.contains("permission denied")
        || lower.contains("must be root")
        || lower.contains("does not support")
        || lower.contains("not supported")
}

fn header(line: &str) -> Option<(Table, Vec<String>)> {
    let columns: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let first = columns.first()?.as_str();
    let second = columns.get(1)?.as_str();
    let table = match (first, second) {
        ("Ctl", "Model") => Table::Controllers,
        ("Ctl", "Date") => Table::Alarms,
        ("Unit", "UnitType") => Table::Units,
        ("Port" | "VPort", "Status") => Table::Ports,
        ("Name", "OnlineState") => Table::Battery,
        ("Encl" | "Enclosure", "Slots") => Table::EnclosureList,
        ("Encl", "Status" | "Controllers") => Table::Enclosures,
        ("Fan", "Status") => Table::Fans,
        ("TempSensor", "Status" | "Temperature") => Table::Temperatures,
        ("PowerSupply", "Status") => Table::Supplies,
        ("Alarm", "Status") => Table::EnclosureAlarms,
        ("Slot", "Day") | ("Task", _) => Table::Schedule,
        ("Slot", "Status") => Table::Slots,
        _ => return None,
    };
    Some((table, columns))
}

/// Whether a line begins as the rows of this table do.
fn names_row(table: Table, line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or("");
    let numbered =
        |prefix: &str| first.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    match table {
        Table::Controllers => numbered("c"),
        Table::Units => numbered("u"),
        Table::Ports => numbered("p"),
        Table::Battery => first.starts_with("bbu"),
        Table::Enclosures | Table::EnclosureList => enclosure_path(line).is_some(),
        Table::Fans => numbered("fan"),
        Table::Temperatures => numbered("temp"),
        Table::Supplies => numbered("pwrs") || numbered("ps"),
        Table::Slots => numbered("slot"),
        Table::EnclosureAlarms => numbered("alm"),
        Table::Alarms | Table::Schedule => true,
    }
}

/// `/c0/e1`, or `e1` as old firmware prints it.
fn enclosure_path(line: &str) -> Option<String> {
    let first = line.split_whitespace().next()?;
    let last = first.rsplit('/').next()?;
    let digits = last.strip_prefix('e')?;
    let good = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    good.then(|| first.to_owned())
}

fn cells(columns: &[String], line: &str) -> Vec<(String, String)> {
    let mut words = line.split_whitespace().peekable();
    let mut cells = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let Some(word) = words.next() else { break };
        let mut cell = word.to_owned();
        if index + 1 == columns.len() {
            words.by_ref().for_each(|w| cell = format!("{cell} {w}"));
        } else if let Some(unit) = words.next_if(|next| is_amount(word, next)) {
            cell = format!("{cell} {unit}");
        }
        cells.push((column.clone(), cell));
    }
    cells
}

/// "465.76" "GB": one cell.
fn is_amount(number: &str, unit: &str) -> bool {
    number.parse::<f64>().is_ok() && ["K", "KB", "MB", "GB", "TB"].contains(&unit)
}

/// `c0   [Tue Jul  8 14:52:10 2008]  INFO      Battery charging completed`
fn alarm(line: &str) -> Option<Alarm> {
    let (controller, rest) = line.split_once('[')?;
    let (date, rest) = rest.split_once(']')?;
    let (severity, message) = rest.trim().split_once(char::is_whitespace)?;
    Some(Alarm {
        controller: controller_number(controller.trim())?,
        date: date.trim().to_owned(),
        severity: severity.to_owned(),
        message: message.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_row_keeps_its_cells() {
        let text = "Unit  UnitType  Status  %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy\n----\n u0 RAID-5 VERIFYING - 7%(A) 64 K  1862.62   RiW    ON\n";
        let sheet = sheet(text);
        let row = &sheet.rows[0];
        let read: Vec<_> = ["%V/I/M", "Stripe", "Cache", "%RCmpl"].iter().map(|c| row.get(&[c])).collect();
        assert_eq!(read, [Some("7%(A)"), Some("64 K"), Some("RiW"), None]);
    }

    #[test]
    fn controllers_have_two_digits() {
        assert_eq!(controller_number("/c12/u0").as_deref(), Some("12"));
        assert_eq!(controller_number("c0x"), None);
        assert_eq!(controller_number("cache"), None);
    }

    #[test]
    fn what_does_not_fit_a_table_is_kept() {
        let sheet = sheet("Port   Status  Unit   Size  Blocks  Serial\n---\np0 OK u0 1 2 X\n?? broken\n");
        assert_eq!(sheet.unread, ["?? broken"]);
    }
}
