//! Answers of omreport as rows: `;` between values under a heading row, or `Key : Value` lines that begin with
//! the id. A heading names the controller, not its id.

use crate::scan;

#[derive(Debug, Default)]
pub struct Page {
    pub rows: Vec<Row>,
    /// A row of column names was there, or an object in the plain form: this is an answer.
    pub headed: bool,
    /// The text ends with the name of a controller.
    pub cut: bool,
    /// "No controllers found", "Invalid controller value" and the like.
    pub complaint: Option<String>,
}

#[derive(Debug, Default)]
pub struct Row {
    /// `PERC H730 Mini (Slot Embedded)`
    pub under: String,
    values: Vec<(String, String)>,
    /// Fewer values than columns.
    pub cut: bool,
}

impl Row {
    /// The value, unless it is one of the ways to say that there is none.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.values.iter().find(|(key, _)| scan::same_word(key, name)).map(|(_, v)| v.as_str());
        found.filter(|v| !matches!(*v, "" | "Not Applicable" | "Not Available" | "N/A" | "[N/A]" | "Not Assigned"))
    }
}

pub fn page(text: &str) -> Page {
    let mut page = Page::default();
    let mut reader = Reader::default();
    for line in scan::clean(text).lines().map(str::trim) {
        reader.line(line, &mut page);
    }
    page.cut = reader.expects;
    page
}

#[derive(Default)]
struct Reader {
    under: String,
    columns: Vec<String>,
    /// A controller was named and nothing followed yet.
    expects: bool,
}

/// Words by which omreport says that it has nothing to show.
const COMPLAINTS: [&str; 7] = [
    "No controllers found",
    "No virtual disks found",
    "No enclosures found",
    "No batteries found",
    "Invalid",
    "Error",
    "No physical disks",
];

impl Reader {
    fn line(&mut self, line: &str, page: &mut Page) {
        let heading = ["Controller ", "Enclosure(s) on Controller "].iter().find_map(|p| line.strip_prefix(p));
        if line.starts_with("ID;") {
            self.columns = line.split(';').map(|c| c.trim().to_owned()).collect();
            (page.headed, self.expects) = (true, false);
        } else if let Some(name) = heading.filter(|_| !line.contains(';') && !line.contains(" : ")) {
            (self.under, self.expects) = (one_blank(name), true);
            self.columns.clear();
        } else if line.contains(';') && !self.columns.is_empty() {
            let row = self.row(line);
            page.rows.push(row);
        } else if let Some((key, value)) = line.split_once(" : ").filter(|_| self.columns.is_empty()) {
            self.plain(key, value, page);
        } else if COMPLAINTS.iter().any(|c| line.starts_with(c)) {
            (page.complaint, self.expects) = (Some(line.to_owned()), false);
        }
    }

    fn row(&self, line: &str) -> Row {
        let values: Vec<&str> = line.split(';').map(str::trim).collect();
        let cut = values.len() < self.columns.len();
        let values = self.columns.iter().cloned().zip(values.into_iter().map(str::to_owned)).collect();
        Row { under: self.under.clone(), values, cut }
    }

    /// `ID   : 0` begins an object.
    fn plain(&mut self, key: &str, value: &str, page: &mut Page) {
        let key = key.trim();
        if key == "ID" {
            (page.headed, self.expects) = (true, false);
            page.rows.push(Row { under: self.under.clone(), ..Row::default() });
        }
        if let Some(row) = page.rows.last_mut() {
            row.values.push((key.to_owned(), value.trim().to_owned()));
        }
    }
}

pub fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_rows() {
        let ssv = page("Controller  PERC H730 Mini  (Slot 1)\n\nID;Status;Name\n0;Ok;data\n1;Ok\n");
        assert_eq!(
            (ssv.rows.len(), ssv.rows[0].under.as_str(), ssv.rows[0].get("Name")),
            (2, "PERC H730 Mini (Slot 1)", Some("data"))
        );
        assert!(ssv.rows[1].cut && !ssv.rows[0].cut);
        let plain = page(
            "Controller PERC (Embedded)\nID       : 0\nStatus   : Ok\nName     : Not Applicable\nID : 1\nStatus : Ok\n",
        );
        let told: Vec<_> = plain.rows.iter().map(|r| (r.get("ID"), r.get("Status"), r.get("Name"))).collect();
        assert_eq!(told, [(Some("0"), Some("Ok"), None), (Some("1"), Some("Ok"), None)]);
    }
}
