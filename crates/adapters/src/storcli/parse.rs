//! Output of storcli and perccli, JSON or text, as one tree: replies (one per controller) of sections
//! of properties and table rows. No judgement here.

use super::{parse_json, parse_text};

/// What one command printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    pub replies: Vec<Reply>,
    /// Read to its end as JSON, so that nothing can be cut off. Text never proves that.
    pub whole: bool,
    /// Began as JSON and could not be read as such.
    pub broken_json: bool,
}

/// What it said of one controller (or of the tool as a whole).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    pub controller: Option<String>,
    pub version: Option<String>,
    /// `Success`, `Failure`: of the command, not of what it shows.
    pub status: Option<String>,
    pub description: Option<String>,
    pub sections: Vec<Section>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// `VD LIST`, `Drive /c0/e8/s1 State`; empty for what stands before the first heading.
    pub title: String,
    pub properties: Vec<(String, String)>,
    pub rows: Vec<Row>,
    /// The text ended, or went on to something else, inside the table.
    pub cut: bool,
    /// Cut inside a table that has rules, so that the closing one is missing: not a copy by hand.
    pub torn: bool,
}

/// A table row: (column, value), both trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row(pub Vec<(String, String)>);

pub fn parse(text: &str) -> Document {
    let text = crate::scan::clean(text);
    match parse_json::parse(&text) {
        Some(Ok(replies)) => Document { replies, whole: true, broken_json: false },
        Some(Err(())) => Document { broken_json: true, ..Document::default() },
        None => Document { replies: parse_text::parse(&text), ..Document::default() },
    }
}

impl Reply {
    pub fn failed(&self) -> bool {
        self.status.as_deref().is_some_and(|s| !s.trim().eq_ignore_ascii_case("success"))
    }

    /// Shows something beside how the command went.
    pub fn has_body(&self) -> bool {
        self.sections.iter().any(|s| s.title != DETAILED_STATUS && !(s.properties.is_empty() && s.rows.is_empty()))
    }

    /// The first property of this name, wherever it stands.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.sections.iter().find_map(|s| s.property(name))
    }

    /// Sections of this title, case aside.
    pub fn titled<'a>(&'a self, title: &'a str) -> impl Iterator<Item = &'a Section> {
        self.sections.iter().filter(move |s| s.title.eq_ignore_ascii_case(title))
    }

    /// Rows of any section that have this column, with the title of their section.
    pub fn rows_with<'a>(&'a self, column: &'a str) -> impl Iterator<Item = (&'a str, &'a Row)> {
        let with =
            move |s: &'a Section| s.rows.iter().filter(move |r| r.get(column).is_some()).map(|r| (s.title.as_str(), r));
        self.sections.iter().flat_map(with)
    }
}

pub const DETAILED_STATUS: &str = "Detailed Status";

impl Section {
    pub fn new(title: &str) -> Self {
        Self { title: title.trim().to_owned(), ..Self::default() }
    }

    pub fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(k, _)| crate::scan::same_word(k, name));
        found.map(|(_, v)| v.as_str()).filter(|v| stated(v))
    }

    /// Tables of names and values are properties in another dress.
    pub fn settle(mut self) -> Self {
        let (pairs, rows): (Vec<Row>, Vec<Row>) = self.rows.into_iter().partition(|r| r.as_pair().is_some());
        self.properties.extend(pairs.iter().filter_map(Row::as_pair));
        self.rows = rows;
        self
    }
}

impl Row {
    pub fn get(&self, column: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k.eq_ignore_ascii_case(column)).map(|(_, v)| v.as_str())
    }

    /// The value, unless it is one of the ways to say that there is none.
    pub fn stated(&self, column: &str) -> Option<&str> {
        self.get(column).filter(|v| stated(v))
    }

    fn as_pair(&self) -> Option<(String, String)> {
        let key = self.get("Property").or_else(|| self.get("Ctrl_Prop"))?;
        Some((key.to_owned(), self.get("Value")?.to_owned()))
    }
}

/// "N/A", "NA", "-" and blanks are not values.
pub fn stated(value: &str) -> bool {
    !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "-" | "n/a" | "na")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_text_give_the_same_tree() {
        let json = "Banner\n{\"Controllers\":[{\"Command Status\":{\"Controller\":0,\"Status\":\"Success\",\"Description\":\"None\"},\
            \"Response Data\":{\"VD LIST\":[{\"DG/VD\":\"0/0\",\"State\":\"Optl\"}],\"Virtual Drives\":1}}]}";
        let text = "Controller = 0\nStatus = Success\nDescription = None\n\nVirtual Drives = 1\n\nVD LIST :\n=======\n\n\
            -----------\nDG/VD State\n-----------\n0/0   Optl\n-----------\nDG=Drive Group|Dgrd=Degraded\n";
        let (json, text) = (parse(json), parse(text));
        for document in [&json, &text] {
            let reply = &document.replies[0];
            assert_eq!((reply.controller.as_deref(), reply.property("Virtual Drives")), (Some("0"), Some("1")));
            let states: Vec<_> = reply.rows_with("DG/VD").map(|(_, r)| r.get("State")).collect();
            assert_eq!(states, [Some("Optl")]);
        }
        assert!(json.whole && !text.whole);
    }

    #[test]
    fn broken_json_is_not_text() {
        let document = parse("{\n\"Controllers\":[\n{\n\"Command Status\" : {\n");
        assert!(document.broken_json && document.replies.is_empty());
    }
}
