//! Text and HTML of a message, through templates.

use super::RenderError;
use super::subject::word;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use raidmond_core::notice::{EvidenceLine, Notice, NoticeEvent};
use raidmond_core::severity::Severity;
use serde::Serialize;

const TEXT: &str = "mail.txt";
const HTML: &str = "mail.html";

#[derive(Serialize)]
struct View {
    host: String,
    word: String,
    headline: String,
    color: &'static str,
    drill: bool,
    sections: Vec<Section>,
    footer: Vec<String>,
}

#[derive(Serialize)]
struct Section {
    title: &'static str,
    lines: Vec<String>,
    /// Columns that line up, also in HTML.
    exact: bool,
}

pub fn text(notice: &Notice) -> Result<String, RenderError> {
    render(TEXT, notice)
}

pub fn html(notice: &Notice) -> Result<String, RenderError> {
    render(HTML, notice)
}

fn render(template: &str, notice: &Notice) -> Result<String, RenderError> {
    let view = view(&super::clean(notice));
    Ok(environment()?.get_template(template)?.render(Serde(&view))?)
}

/// Values are escaped in templates whose name ends in `.html`.
fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template(TEXT, include_str!("templates/mail.txt"))?;
    environment.add_template(HTML, include_str!("templates/mail.html"))?;
    Ok(environment)
}

fn view(notice: &Notice) -> View {
    let zone = zone(&notice.time_zone);
    let sections = [
        ("WHAT HAPPENED", notice.happened.clone(), false),
        ("WHAT IT MEANS", notice.means.clone(), false),
        ("WHAT TO DO", numbered(&notice.to_do), false),
        ("WHY I BELIEVE IT", evidence(notice, &zone), true),
    ];
    let sections = sections.into_iter().filter(|(_, lines, _)| !lines.is_empty());
    View {
        host: notice.host.clone(),
        word: word(notice),
        headline: notice.headline.clone(),
        color: color(notice),
        drill: notice.drill,
        sections: sections.map(|(title, lines, exact)| Section { title, lines, exact }).collect(),
        footer: notice.footer.clone(),
    }
}

fn numbered(steps: &[String]) -> Vec<String> {
    (1..).zip(steps).map(|(n, step)| format!("{n}. {step}")).collect()
}

/// `03:12:41 kernel     what it said`, the sayings in one column.
fn evidence(notice: &Notice, zone: &TimeZone) -> Vec<String> {
    let today = notice.at.to_zoned_datetime(zone.clone()).date();
    let labels: Vec<String> = notice.evidence.iter().map(|line| label(line, today, zone)).collect();
    let width = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    labels.iter().zip(&notice.evidence).map(|(label, line)| format!("{label:<width$}  {}", line.said)).collect()
}

fn label(line: &EvidenceLine, today: Date, zone: &TimeZone) -> String {
    let Some(at) = line.at else { return line.source.clone() };
    match line.source.as_str() {
        "now" => format!("now ({})", clock(at, today, zone)),
        source => format!("{} {source}", clock(at, today, zone)),
    }
}

/// The day is said when it is another one.
fn clock(at: Timestamp, today: Date, zone: &TimeZone) -> String {
    let at = at.to_zoned_datetime(zone.clone());
    let form = if at.date() == today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    at.strftime(form).to_string()
}

/// An IANA name or a fixed offset; what is neither is shown in UTC.
pub(super) fn zone(name: &str) -> TimeZone {
    let named = TimeZone::get(name).ok();
    named.or_else(|| offset(name).map(TimeZone::fixed)).unwrap_or(TimeZone::UTC)
}

fn offset(text: &str) -> Option<Offset> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = text.strip_prefix(['+', '-'])?.split_once(':')?;
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

fn color(notice: &Notice) -> &'static str {
    match (notice.event, notice.severity) {
        (NoticeEvent::Resolved, _) | (_, Severity::Ok) => "#1a7f37",
        (_, Severity::Emergency | Severity::Critical) => "#b42318",
        (_, Severity::Warning | Severity::Blind) => "#9a6700",
        (_, Severity::Info | Severity::Notice) => "#57606a",
    }
}
