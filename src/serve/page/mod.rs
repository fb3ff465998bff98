//! The status page: what is wrong first, then where it is. Rendered here, whole without a script; with one it
//! stays live. Style and script are files of their own, so that the page may forbid everything inline.
//!
//! Every text on it may be a vendor's or a stranger's: the templates escape it, and what would turn the
//! direction of letters is taken out. Judges nothing: severities and states are those of the document.

mod front;
mod object;
mod plot;
mod shelf;

pub use front::front;
pub use object::object;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, UndefinedBehavior};
use raidmond_core::changes::HistoryEntry;
use raidmond_core::tell::duration;
use serde::Serialize;

pub const STYLE: &str = include_str!("page.css");
pub const SCRIPT: &str = include_str!("page.js");

const FRONT: &str = "front.html";
const OBJECT: &str = "object.html";

/// Values are escaped in templates whose name ends in `.html`.
fn render<T: Serialize>(template: &str, view: &T) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template(FRONT, include_str!("front.html"))?;
    environment.add_template(OBJECT, include_str!("object.html"))?;
    environment.get_template(template)?.render(Serde(view))
}

/// Text as it may be shown.
fn shown(text: &str) -> String {
    crate::cli::paint::visible(text)
}

fn maybe(text: Option<&String>) -> String {
    text.map(|t| shown(t)).unwrap_or_default()
}

fn words(state: &str) -> String {
    state.replace('-', " ")
}

fn local(at: Timestamp) -> String {
    at.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn ago(at: Timestamp, now: Timestamp) -> String {
    format!("{} ago", duration(now.duration_since(at)))
}

/// The class a severity is drawn in; it always stands beside its word.
fn class_of(severity: &str) -> &'static str {
    match severity {
        "emergency" | "critical" => "bad",
        "warning" => "warning",
        "blind" => "blind",
        _ => "good",
    }
}

#[derive(Serialize)]
struct Event {
    at: String,
    kind: String,
    path: String,
    said: String,
}

impl Event {
    fn of(e: &HistoryEntry) -> Self {
        let said = shown(&crate::cli::local_times(&e.said));
        Self { at: local(e.at), kind: shown(&e.kind), path: shown(&e.path), said }
    }
}

#[cfg(test)]
mod tests;
