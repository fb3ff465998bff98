//! The file as TOML with places, and the collecting of what is wrong in it.
//!
//! Serde's derived readers stop at the first mistake; here every value is asked for by name, each mistake
//! is noted with its place, and what nobody asked for is unknown. Knows no key by itself.

use super::problem::{Basis, Problem};
use super::suggest::nearest;
use super::values::{self, Wrong, written};
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What was noted while the sections were read.
#[derive(Debug, Default)]
pub struct Sheet {
    problems: RefCell<Vec<Problem>>,
    /// Every key that means something, for tests of the documentation.
    known: RefCell<Vec<(&'static str, &'static str)>>,
}

impl Sheet {
    pub fn note(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    pub fn error(&self, what: impl Into<String>, at: Range<usize>, hint: impl Into<String>) {
        self.note(Problem::error(what, at, hint));
    }

    pub fn wrong(&self, wrong: Wrong, at: Range<usize>) {
        self.error(wrong.what, at, wrong.hint);
    }

    pub fn missing(&self, what: impl Into<String>, at: Range<usize>, hint: impl Into<String>) {
        self.note(Problem { rests_on: Basis::Missing, ..Problem::error(what, at, hint) });
    }

    /// The same again: both places are shown.
    pub fn twice(&self, what: impl Into<String>, at: Range<usize>, hint: &str, first: Range<usize>) {
        let also = Some((first, "first here".to_owned()));
        self.note(Problem { also, ..Problem::error(what, at, hint) });
    }

    pub fn take(&self) -> Vec<Problem> {
        self.problems.take()
    }

    #[cfg(test)]
    pub fn known(&self) -> Vec<(&'static str, &'static str)> {
        self.known.borrow().clone()
    }
}

/// One table of the file.
pub struct Section<'a> {
    /// `[mail]`; empty for the top of the file.
    pub name: &'static str,
    pub at: Range<usize>,
    table: &'a DeTable<'a>,
    pub sheet: &'a Sheet,
    asked: RefCell<Vec<&'static str>>,
}

#[derive(Debug, Clone)]
pub struct Entry<'a> {
    pub key: Range<usize>,
    pub value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Section<'a> {
    pub fn new(name: &'static str, at: Range<usize>, table: &'a DeTable<'a>, sheet: &'a Sheet) -> Self {
        Self { name, at, table, sheet, asked: RefCell::default() }
    }

    /// What is left was never asked for.
    pub fn finish(self) {
        let asked = self.asked.borrow();
        for key in self.table.keys().filter(|k| !asked.contains(&k.get_ref().as_ref())) {
            self.unknown(key.get_ref(), key.span(), &asked);
        }
        self.sheet.known.borrow_mut().extend(asked.iter().map(|key| (self.name, *key)));
    }

    fn unknown(&self, key: &str, at: Range<usize>, asked: &[&'static str]) {
        let hint = match nearest(key, asked.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known here: {}", asked.join(", ")),
        };
        let problem = Problem::error(format!("unknown key `{key}`"), at, hint);
        self.sheet.note(Problem { rests_on: Basis::Unknown, ..problem });
    }

    pub fn entry(&self, key: &'static str) -> Option<Entry<'a>> {
        self.asked.borrow_mut().push(key);
        let found = self.table.iter().find(|(k, _)| k.get_ref().as_ref() == key)?;
        Some(Entry { key: found.0.span(), value: found.1 })
    }

    /// Keys and values of a table whose keys are data.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Entry<'a>)> {
        self.table.iter().map(|(k, value)| (k.get_ref().as_ref(), Entry { key: k.span(), value }))
    }

    fn wrong_type(&self, key: &str, value: &Spanned<DeValue>, wanted: &str) {
        let is = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a section",
        };
        self.sheet.error(format!("`{key}` is {is}"), value.span(), format!("write {wanted}"));
    }

    pub fn string(&self, key: &str, value: &Spanned<DeValue>, wanted: &str) -> Option<Spanned<String>> {
        match value.get_ref().as_str() {
            None => self.wrong_type(key, value, wanted),
            Some("") => self.sheet.error(format!("`{key}` is empty"), value.span(), format!("write {wanted}")),
            Some(text) => return Some(Spanned::new(value.span(), text.to_owned())),
        }
        None
    }

    pub fn text(&self, key: &'static str) -> Option<Spanned<String>> {
        self.string(key, self.entry(key)?.value, "a text: \"…\"")
    }

    /// A text that stands for something; `wanted` is shown when it is no text at all.
    pub fn parsed<T>(
        &self,
        key: &'static str,
        wanted: &str,
        parse: impl Fn(&str) -> Result<T, Wrong>,
    ) -> Option<Spanned<T>> {
        let text = self.string(key, self.entry(key)?.value, wanted)?;
        self.understand(&text, parse)
    }

    pub fn understand<T>(
        &self,
        text: &Spanned<String>,
        parse: impl Fn(&str) -> Result<T, Wrong>,
    ) -> Option<Spanned<T>> {
        match parse(text.get_ref()) {
            Ok(value) => Some(Spanned::new(text.span(), value)),
            Err(wrong) => {
                self.sheet.wrong(wrong, text.span());
                None
            }
        }
    }

    /// A list of texts; one alone needs no brackets.
    pub fn texts(&self, key: &'static str, example: &str) -> Option<Spanned<Vec<Spanned<String>>>> {
        let value = self.entry(key)?.value;
        let wanted = format!("a list: [{example}]");
        let list = match value.get_ref() {
            DeValue::String(_) => vec![self.string(key, value, &wanted)?],
            DeValue::Array(array) => {
                array.iter().filter_map(|v| self.string(key, v, &format!("a text: {example}"))).collect()
            }
            _ => {
                self.wrong_type(key, value, &wanted);
                return None;
            }
        };
        Some(Spanned::new(value.span(), list))
    }

    pub fn each<T>(&self, key: &'static str, example: &str, parse: impl Fn(&str) -> Result<T, Wrong>) -> Vec<T> {
        let texts = self.texts(key, example).map(Spanned::into_inner).unwrap_or_default();
        texts.iter().filter_map(|t| self.understand(t, &parse)).map(Spanned::into_inner).collect()
    }

    pub fn flag(&self, key: &'static str) -> Option<bool> {
        let value = self.entry(key)?.value;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong_type(key, value, "true or false");
        }
        flag
    }

    pub fn whole(&self, key: &'static str, range: RangeInclusive<i64>) -> Option<Spanned<i64>> {
        let value = self.entry(key)?.value;
        let (low, high) = (range.start(), range.end());
        let wanted = format!("a whole number from {low} to {high}");
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(key, value, &wanted);
            return None;
        };
        let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|n| range.contains(n));
        if number.is_none() {
            self.sheet.error(format!("`{key}` is out of range"), value.span(), format!("write {wanted}"));
        }
        number.map(|n| Spanned::new(value.span(), n))
    }

    pub fn duration(&self, key: &'static str, range: RangeInclusive<Duration>) -> Option<Duration> {
        let found = self.parsed(key, "a duration: \"90s\", \"4h\", \"3d\"", values::duration)?;
        if !range.contains(found.get_ref()) {
            let hint = format!("from \"{}\" to \"{}\"", written(*range.start()), written(*range.end()));
            self.sheet.error(format!("`{key}` is out of range"), found.span(), hint);
            return None;
        }
        Some(found.into_inner())
    }

    pub fn section(&self, key: &'static str, name: &'static str) -> Option<Section<'a>> {
        let entry = self.entry(key)?;
        match entry.value.get_ref() {
            DeValue::Table(table) => Some(Section::new(name, entry.value.span(), table, self.sheet)),
            DeValue::Array(array) if array.iter().any(|v| v.get_ref().is_table()) => {
                self.sheet.error(format!("{name} can be there only once"), entry.key, format!("write {name}"));
                None
            }
            _ => {
                self.wrong_type(key, entry.value, &format!("{name} on a line of its own"));
                None
            }
        }
    }

    /// Sections that can be there several times. `[name]` instead of `[[name]]` is taken as one, and said.
    pub fn sections(&self, key: &'static str, name: &'static str) -> Vec<Section<'a>> {
        let Some(entry) = self.entry(key) else { return Vec::new() };
        match entry.value.get_ref() {
            DeValue::Array(array) => array.iter().filter_map(|v| self.member(key, name, v)).collect(),
            DeValue::Table(table) => {
                let hint = format!("write {name}: there can be several");
                self.sheet.error(format!("`{key}` has single brackets"), entry.key, hint);
                vec![Section::new(name, entry.value.span(), table, self.sheet)]
            }
            _ => {
                self.wrong_type(key, entry.value, &format!("{name} on a line of its own"));
                Vec::new()
            }
        }
    }

    fn member(&self, key: &str, name: &'static str, value: &'a Spanned<DeValue<'a>>) -> Option<Section<'a>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(key, value, &format!("{name} on a line of its own"));
        }
        table.map(|table| Section::new(name, value.span(), table, self.sheet))
    }

    pub fn place(&self, key: &str) -> Option<Range<usize>> {
        self.table.keys().find(|k| k.get_ref().as_ref() == key).map(Spanned::span)
    }

    pub fn has(&self, key: &str) -> bool {
        self.table.keys().any(|k| k.get_ref().as_ref() == key)
    }

    pub fn required<T>(&self, key: &str, value: Option<T>, example: &str) -> Option<T> {
        if value.is_none() && !self.has(key) {
            self.sheet.missing(
                format!("`{key}` is missing in {}", self.name),
                self.at.clone(),
                format!("add {example}"),
            );
        }
        value
    }
}
