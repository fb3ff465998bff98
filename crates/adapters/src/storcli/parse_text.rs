//! The text form: `Key = Value` lines under `Title :` headings with a rule of `=`, and tables between
//! rules of `-`.
//!
//! Legends below the tables contain every state word there is; they are never inside a table and have
//! no blanks around `=`, so nothing of them is read.

use super::parse::{Reply, Row, Section};

pub fn parse(text: &str) -> Vec<Reply> {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader::default();
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).copied().unwrap_or("");
        reader.line(line.trim_end(), next);
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    replies: Vec<Reply>,
    reply: Reply,
    section: Section,
    table: Table,
}

#[derive(Default)]
enum Table {
    #[default]
    Outside,
    /// A rule was seen; the header may follow.
    Opened,
    Headed(Header),
    /// Header and second rule were seen: rows until the next rule.
    Rows(Header),
}

impl Reader {
    fn line(&mut self, line: &str, next: &str) {
        if is_dashes(line) {
            self.rule();
        } else if let Some(title) = heading(line, next) {
            self.open_section(title);
        } else if !self.table_line(line) {
            self.property(line);
        }
    }

    fn rule(&mut self) {
        self.table = match std::mem::take(&mut self.table) {
            Table::Outside => Table::Opened,
            Table::Headed(header) => Table::Rows(header),
            // A rule that closes; a second one in a row opens nothing that has a header.
            Table::Opened | Table::Rows(_) => Table::Outside,
        };
    }

    /// Whether the line belongs to a table.
    fn table_line(&mut self, line: &str) -> bool {
        if let Some(header) = Header::known(line) {
            self.table = Table::Headed(header);
            return true;
        }
        match &self.table {
            Table::Outside => false,
            Table::Opened if line.trim().is_empty() => true,
            Table::Opened => {
                self.table = Table::Headed(Header::new(line));
                true
            }
            // Rows under a header without a rule of its own (output copied by hand): until a blank line.
            Table::Headed(_) if line.trim().is_empty() => {
                self.table = Table::Outside;
                true
            }
            Table::Headed(header) | Table::Rows(header) => {
                if !line.trim().is_empty() {
                    self.section.rows.push(header.row(line));
                }
                true
            }
        }
    }

    fn property(&mut self, line: &str) {
        let padded = format!("{line} ");
        let Some((key, value)) = padded.split_once(" = ").map(|(k, v)| (k.trim(), v.trim())) else { return };
        let about_command = self.section.title.is_empty();
        match key.to_ascii_lowercase().as_str() {
            "cli version" => {
                self.open_reply();
                self.reply.version = Some(value.to_owned());
            }
            // What the tool says of itself, not of a controller.
            "operating system" | "status code" if about_command => {}
            "controller" if !self.names_itself() => {
                self.open_reply_unless_fresh();
                self.reply.controller = Some(value.to_owned());
            }
            "status" if about_command && self.reply.status.is_none() => self.reply.status = Some(value.to_owned()),
            "description" if about_command && self.reply.description.is_none() => {
                self.reply.description = Some(value.to_owned());
            }
            _ => self.section.properties.push((key.to_owned(), value.to_owned())),
        }
    }

    /// The section Basics repeats the number of its controller.
    fn names_itself(&self) -> bool {
        self.section.title.eq_ignore_ascii_case("Basics") && self.section.property("Controller").is_none()
    }

    fn open_section(&mut self, title: &str) {
        self.close_section();
        self.table = Table::Outside;
        self.section = Section::new(title);
    }

    fn close_section(&mut self) {
        let mut section = std::mem::take(&mut self.section).settle();
        section.cut = matches!(self.table, Table::Headed(_) | Table::Rows(_));
        section.torn = matches!(self.table, Table::Rows(_));
        if !(section.title.is_empty() && section.properties.is_empty() && section.rows.is_empty()) {
            self.reply.sections.push(section);
        }
    }

    fn open_reply(&mut self) {
        self.close_section();
        self.table = Table::Outside;
        let reply = std::mem::take(&mut self.reply);
        if reply != Reply::default() {
            self.replies.push(reply);
        }
    }

    /// `CLI Version` has opened the reply that `Controller = 0` belongs to.
    fn open_reply_unless_fresh(&mut self) {
        let started = self.reply.controller.is_some() || self.reply.status.is_some();
        if started || !self.reply.sections.is_empty() {
            let version = self.reply.version.clone();
            self.open_reply();
            self.reply.version = version;
        }
    }

    fn finish(mut self) -> Vec<Reply> {
        self.open_reply();
        for reply in &mut self.replies {
            if reply.controller.is_none() {
                let number = reply.titled("Basics").find_map(|s| s.property("Controller")).map(str::to_owned);
                reply.controller = number;
            }
        }
        self.replies
    }
}

/// `VD LIST :` above a rule of `=`.
fn heading<'a>(line: &'a str, next: &str) -> Option<&'a str> {
    let title = line.trim().strip_suffix(':')?.trim();
    let next = next.trim();
    let ruled = next.len() >= 2 && next.chars().all(|c| c == '=');
    (ruled && !title.is_empty()).then_some(title)
}

fn is_dashes(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && line.chars().all(|c| c == '-')
}

/// Column names with the places they stand in.
#[derive(Debug, Clone)]
pub struct Header(Vec<Column>);

#[derive(Debug, Clone)]
struct Column {
    name: String,
    start: usize,
    end: usize,
}

/// Tables whose header is known even without a rule above it.
const KNOWN_STARTS: [&[&str]; 4] = [&["EID:Slt", "DID"], &["EID:Slt", "PID"], &["DG/VD", "TYPE"], &["DG", "Arr"]];

/// Names of several words.
const LONG_NAMES: [&[&str]; 3] = [&["Estimated", "Time", "Left"], &["Next", "Learn"], &["VD", "Operation"]];

impl Header {
    fn known(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        KNOWN_STARTS.iter().any(|start| words == **start).then(|| Self::new(line))
    }

    fn new(line: &str) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        for (start, end, word) in words(line) {
            columns.push(Column { name: word, start, end });
            for name in LONG_NAMES {
                join_last(&mut columns, name);
            }
        }
        Self(columns)
    }

    fn row(&self, line: &str) -> Row {
        let mut values: Vec<String> = vec![String::new(); self.0.len()];
        for (start, end, word) in words(line) {
            let Some(value) = self.column_of(start, end, &word).and_then(|c| values.get_mut(c)) else { continue };
            if !value.is_empty() {
                value.push(' ');
            }
            value.push_str(&word);
        }
        Row(self.0.iter().zip(values).map(|(c, v)| (c.name.clone(), v)).collect())
    }

    /// The column whose name the word stands under. A word between two names belongs to the left one
    /// (a long model), but the number of a size, set flush right, to the right one.
    fn column_of(&self, start: usize, end: usize, word: &str) -> Option<usize> {
        if let Some(under) = self.0.iter().position(|c| start < c.end && c.start < end) {
            return Some(under);
        }
        let right = self.0.iter().position(|c| c.start >= end);
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        match right {
            Some(r) if number && self.0.get(r).is_some_and(|c| c.name == "Size") => Some(r),
            Some(r) => Some(r.saturating_sub(1)),
            None => self.0.len().checked_sub(1),
        }
    }
}

fn join_last(columns: &mut Vec<Column>, name: &[&str]) {
    let Some(from) = columns.len().checked_sub(name.len()) else { return };
    let tail = columns.get(from..).unwrap_or(&[]);
    if !tail.iter().zip(name).all(|(c, n)| c.name == **n) {
        return;
    }
    let (Some(first), Some(last)) = (tail.first(), tail.last()) else { return };
    let joined = Column { name: name.join(" "), start: first.start, end: last.end };
    columns.truncate(from);
    columns.push(joined);
}

/// Words with their places in characters.
fn words(line: &str) -> Vec<(usize, usize, String)> {
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    let mut open = false;
    for (place, c) in line.chars().enumerate() {
        match (c.is_whitespace(), open) {
            (true, _) => open = false,
            (false, true) => {
                if let Some((_, end, word)) = found.last_mut() {
                    *end = place + 1;
                    word.push(c);
                }
            }
            (false, false) => {
                found.push((place, place + 1, c.to_string()));
                open = true;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(header: &str, line: &str) -> Vec<String> {
        Header::new(header).row(line).0.into_iter().map(|(_, v)| v).collect()
    }

    #[test]
    fn words_go_to_their_columns() {
        let header = "EID:Slt DID State DG       Size Intf Med SED PI SeSz Model            Sp Type";
        let values = row(header, "252:1    13 Onln   0   2.728 TB SATA HDD N   N  4 KB WDC WD30EFRX-68E U  -");
        assert_eq!(
            values,
            ["252:1", "13", "Onln", "0", "2.728 TB", "SATA", "HDD", "N", "N", "4 KB", "WDC WD30EFRX-68E", "U", "-"]
        );
        let blank = row(header, " :24      8 Failed -        0 KB SAS  HDD N   N  512B                  D  -");
        assert_eq!((blank[0].as_str(), blank[2].as_str(), blank[10].as_str()), (":24", "Failed", ""));
    }

    #[test]
    fn long_names_are_one_column() {
        let header = "Drive-ID    Progress% Status      Estimated Time Left";
        let values = row(header, "/c0/e8/s3          23 In progress 2 Hours 5 Minutes");
        assert_eq!(values, ["/c0/e8/s3", "23", "In progress", "2 Hours 5 Minutes"]);
    }

    #[test]
    fn two_controllers_are_two_replies() {
        let text = "CLI Version = 7\nController = 0\nStatus = Success\n\nBasics :\n======\nController = 0\n\n\
                    Controller = 1\nStatus = Failure\nDescription = None\n\nBasics :\n======\nModel = X\n";
        let replies = parse(text);
        let heads: Vec<_> = replies.iter().map(|r| (r.controller.as_deref(), r.status.as_deref())).collect();
        assert_eq!(heads, [(Some("0"), Some("Success")), (Some("1"), Some("Failure"))]);
        assert_eq!(replies[1].property("Model"), Some("X"));
    }

    #[test]
    fn a_blank_line_inside_a_table_ends_nothing() {
        let text = "PD LIST :\n=======\n\n-----------------\nEID:Slt DID State\n-----------------\n8:1       1 Onln\n\n8:2       2 Failed\n-----------------\n\nOnln=Online|Offln=Offline|UBad = bad\n";
        let replies = parse(text);
        assert_eq!(replies[0].rows_with("EID:Slt").count(), 2);
    }
}
