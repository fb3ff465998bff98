//! One log rule, and how a match becomes an observation.
//!
//! Group names carry meaning, here and in users' rules: `dev`, `md`, `ctrl`, `ioc`, `hctl`, `pci`,
//! `host`, `maj`+`min` and `h`+`c`+`t`+`l` name objects (see `device`); trailing digits are dropped
//! so that alternatives of one pattern can share a name (`dev`, `dev2`). Everything lands in
//! `About::fields`. A rule does not judge how bad its line is.

use super::{About, Observation, Sign, device};
use crate::model::Space;
use regex::bytes::Captures;

type Refine = fn(&mut Observation);

#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub id: &'static str,
    pub sign: Sign,
    pub space: Option<Space>,
    /// What the text of the line begins with, one of them. Empty: `has` is looked for everywhere.
    pub begins: &'static [&'static str],
    /// A matching line contains one of these. Empty: the beginning is enough to try the pattern.
    pub has: &'static [&'static str],
    pub pattern: &'static str,
    pub(super) refine: Option<Refine>,
    only_if: Option<fn(&str) -> bool>,
    pub(super) inherits: bool,
}

pub(super) const fn rule(
    id: &'static str,
    sign: Sign,
    begins: &'static [&'static str],
    has: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule { id, sign, space: None, begins, has, pattern, refine: None, only_if: None, inherits: false }
}

impl Rule {
    pub(super) const fn space(self, space: Space) -> Self {
        Self { space: Some(space), ..self }
    }

    pub(super) const fn refine(self, refine: Refine) -> Self {
        Self { refine: Some(refine), ..self }
    }

    /// For what a pattern says badly.
    pub(super) const fn only_if(self, accepts: fn(&str) -> bool) -> Self {
        Self { only_if: Some(accepts), ..self }
    }

    /// A line that names no object speaks of the object of the line of its family just before.
    pub(super) const fn inherits(self) -> Self {
        Self { inherits: true, ..self }
    }

    /// `blk` of `blk.plain`.
    pub fn family(&self) -> &'static str {
        self.id.split('.').next().unwrap_or(self.id)
    }

    pub(super) fn observe(&self, names: &[Option<String>], found: &Captures<'_>, text: &[u8]) -> Option<Observation> {
        let text = String::from_utf8_lossy(text);
        if self.only_if.is_some_and(|accepts| !accepts(&text)) {
            return None;
        }
        let mut seen = Observation::new(self.sign, self.id, text.trim());
        seen.about = about(names, found);
        seen.about.space = self.space;
        if let Some(refine) = self.refine {
            refine(&mut seen);
        }
        Some(seen)
    }
}

/// Group names without their trailing digits, in the order of the groups.
pub(super) fn group_names(pattern: &regex::bytes::Regex) -> Vec<Option<String>> {
    pattern.capture_names().map(|n| n.map(|n| n.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned())).collect()
}

pub(super) fn about(names: &[Option<String>], found: &Captures<'_>) -> About {
    let mut about = About::default();
    for (group, name) in found.iter().zip(names) {
        let (Some(group), Some(name)) = (group, name) else { continue };
        about.set(name, String::from_utf8_lossy(group.as_bytes()).trim());
    }
    device::name_objects(&mut about);
    about
}

impl About {
    /// Value of a field, empty where the line has none.
    pub fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v)
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.fields.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name.to_owned(), value)),
        }
    }

    pub(super) fn add_alias(&mut self, alias: crate::model::Alias) {
        if !self.aliases.contains(&alias) {
            self.aliases.push(alias);
        }
    }
}
