//! A mistake in the configuration, shown with its place.

use super::hide;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Error,
    Warning,
}

/// How far a mistake can be believed where the file's shape is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    Value,
    /// A key is not known in its section.
    Unknown,
    /// Something is not there.
    Missing,
}

/// Not yet tied to its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub weight: Weight,
    pub what: String,
    pub at: Range<usize>,
    /// Said at the caret: what was meant, or what to write.
    pub hint: String,
    /// Another place that belongs to it.
    pub also: Option<(Range<usize>, String)>,
    pub rests_on: Basis,
}

impl Problem {
    pub fn error(what: impl Into<String>, at: Range<usize>, hint: impl Into<String>) -> Self {
        let (what, hint) = (what.into(), hint.into());
        Self { weight: Weight::Error, what, at, hint, also: None, rests_on: Basis::Value }
    }

    pub fn warning(what: impl Into<String>, at: Range<usize>, hint: impl Into<String>) -> Self {
        Self { weight: Weight::Warning, ..Self::error(what, at, hint) }
    }
}

/// A problem as a person reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    what: String,
    text: String,
}

/// With more than these the file is something else.
const MOST: usize = 50;

/// All mistakes of a file at once, in its order; the configuration is not to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors {
    pub path: PathBuf,
    /// Why the file itself could not be read.
    pub unreadable: Option<String>,
    errors: Vec<Shown>,
    pub warnings: Vec<ConfigWarning>,
}

/// Looks wrong, but the configuration can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning(Shown);

impl ConfigErrors {
    pub(super) fn new(path: &Path, text: &str, problems: &[Problem]) -> Self {
        let text = &hide::secrets(text);
        let errors = of(problems, Weight::Error).enumerate();
        let errors = errors.map(|(n, p)| if n < MOST { shown(p, path, text) } else { untold(p) }).collect();
        Self { path: path.to_owned(), unreadable: None, errors, warnings: warnings(path, text, problems) }
    }

    /// The file itself cannot be read.
    pub(super) fn unreadable(path: &Path, why: &str) -> Self {
        let what = format!("{} cannot be read: {why}", path.display());
        let text = format!("error: {what}");
        let unreadable = Some(what.clone());
        Self { path: path.to_owned(), unreadable, errors: vec![Shown { what, text }], warnings: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.errors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// One line each, without the place: for the journal and for an incident.
    pub fn headlines(&self) -> impl Iterator<Item = &str> {
        self.errors.iter().map(|e| e.what.as_str())
    }
}

impl std::fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<&str> = self.errors.iter().take(MOST).map(|e| e.text.as_str()).collect();
        f.write_str(&texts.join("\n\n"))?;
        match self.errors.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, "\n\n… and {more} more"),
        }
    }
}

impl std::error::Error for ConfigErrors {}

impl ConfigWarning {
    pub fn headline(&self) -> &str {
        &self.0.what
    }
}

impl std::fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.text)
    }
}

pub(super) fn warnings(path: &Path, text: &str, problems: &[Problem]) -> Vec<ConfigWarning> {
    let text = &hide::secrets(text);
    of(problems, Weight::Warning).map(|p| ConfigWarning(shown(p, path, text))).collect()
}

fn of(problems: &[Problem], weight: Weight) -> impl Iterator<Item = &Problem> {
    problems.iter().filter(move |p| p.weight == weight)
}

fn shown(problem: &Problem, path: &Path, text: &str) -> Shown {
    let what = visible(&problem.what);
    Shown { text: render(problem, &what, path, text), what }
}

fn untold(problem: &Problem) -> Shown {
    Shown { what: visible(&problem.what), text: String::new() }
}

fn render(problem: &Problem, what: &str, path: &Path, text: &str) -> String {
    let hint = visible(&problem.hint);
    let primary = AnnotationKind::Primary.span(inside(&problem.at, text));
    let primary = if hint.is_empty() { primary } else { primary.label(hint) };
    let mut snippet = Snippet::source(text).path(path.display().to_string()).annotation(primary);
    if let Some((at, label)) = &problem.also {
        snippet = snippet.annotation(AnnotationKind::Context.span(inside(at, text)).label(visible(label)));
    }
    let level = if problem.weight == Weight::Error { Level::ERROR } else { Level::WARNING };
    let report = [level.primary_title(what).element(snippet)];
    tight(&Renderer::plain().render(&report))
}

/// On character boundaries, within the text and within one line: a caret under a whole section helps nobody.
fn inside(at: &Range<usize>, text: &str) -> Range<usize> {
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let start = (0..=at.start.min(text.len())).rev().find(boundary).unwrap_or(0);
    let line = text.get(start..).and_then(|rest| rest.find(['\n', '\r'])).map_or(text.len(), |n| start + n);
    let end = (at.end.clamp(start, line)..=line).find(boundary).unwrap_or(line);
    start..end
}

/// Without the empty line under the arrow, which stands in line with the rule.
fn tight(rendered: &str) -> String {
    let mut lines = Vec::new();
    let mut after_arrow = false;
    for line in rendered.lines() {
        let arrow = line.trim_start().starts_with("--> ");
        if !(after_arrow && line.trim() == "|") {
            lines.push(if arrow { format!(" {line}") } else { line.to_owned() });
        }
        after_arrow = arrow;
    }
    lines.join("\n")
}

fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
