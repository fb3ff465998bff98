//! `raidmond history`: how a disk, array, controller or battery developed, drawn in the terminal.

use super::operate::local_times;
use super::paint::{columns, cut, visible};
use super::place::Place;
use super::{Problem, client};
use crate::clock;
use crate::history::{HistoryDoc, look};
use crate::store::samples::{Point, Track};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use raidmond_core::tell::duration;

#[derive(clap::Args)]
pub struct Args {
    /// Path (c0/32:5), slot (32:5), serial number or id
    #[arg(value_name = "DISK")]
    what: String,
    /// How far back: 24h, 30d, 52w
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = span)]
    since: SignedDuration,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the numbers as comma separated values
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    place: Place,
}

fn span(text: &str) -> Result<SignedDuration, String> {
    let parsed = crate::config::duration(text)?;
    SignedDuration::try_from(parsed).ok().filter(|s| s.is_positive()).ok_or_else(|| "more than nothing".to_owned())
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let doc = fetch(args)?;
    if args.json {
        let json = serde_json::to_string_pretty(&doc).map_err(|e| Problem::failed(e.to_string()))?;
        say!("{json}");
    } else if args.csv {
        say!("{}", csv(&doc).trim_end());
    } else {
        let width = super::status::width().clamp(40, 160);
        say!("{}", drawn(&doc, width).trim_end());
    }
    Ok(0)
}

fn fetch(args: &Args) -> Result<HistoryDoc, Problem> {
    match client::history(&args.place.socket, &args.what, args.since) {
        Ok(doc) => Ok(doc),
        Err(client::NoHistory::Said(said)) => Err(Problem { what: said, help: Some(help()), code: 1 }),
        Err(client::NoHistory::Silent(problem)) => look(&args.place.state_dir, &args.what, args.since, clock::now())
            .map_err(|e| match e {
                crate::history::LookError::Nothing(_) => problem,
                other => Problem { what: other.to_string(), help: Some(help()), code: 1 },
            }),
    }
}

fn help() -> String {
    "name a disk as raidmond status shows it (c0/32:5), or by its serial number".to_owned()
}

/// One line per point; a reader in a spreadsheet wants nothing else.
fn csv(doc: &HistoryDoc) -> String {
    let mut text = String::from("at,object,serial,metric,low,high,last\n");
    for track in &doc.tracks {
        for p in &track.points {
            let cells = [p.at.to_string(), quoted(&doc.name), quoted(&doc.serial), track.metric.clone()];
            text.push_str(&format!("{},{},{},{}\n", cells.join(","), p.low, p.high, p.last));
        }
    }
    text
}

/// Quoted, and never read as a formula.
fn quoted(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("\"{guard}{}\"", visible(text).replace('"', "\"\""))
}

fn drawn(doc: &HistoryDoc, width: usize) -> String {
    let mut lines = vec![head(doc)];
    for track in &doc.tracks {
        lines.push(String::new());
        lines.extend(chart(track, doc, width));
    }
    if doc.tracks.is_empty() {
        lines.push("no numbers in this time".to_owned());
    }
    if !doc.states.is_empty() {
        let row = |t: &crate::store::samples::Turned| vec![local(t.at), t.what.replace('-', " "), visible(&t.said)];
        lines.push(String::new());
        lines.extend(columns(&doc.states.iter().map(row).collect::<Vec<_>>()));
    }
    if !doc.events.is_empty() {
        let row = |e: &raidmond_core::changes::HistoryEntry| {
            vec![local(e.at), visible(&e.kind), visible(&local_times(&e.said))]
        };
        lines.push(String::new());
        lines.extend(columns(&doc.events.iter().map(row).collect::<Vec<_>>()).iter().map(|l| cut(l, width)));
    }
    lines.extend(doc.before.iter().map(|b| format!("\nbefore it: {}", visible(b))));
    lines.iter().map(|l| format!("{l}\n")).collect()
}

fn head(doc: &HistoryDoc) -> String {
    let serial = if doc.serial.is_empty() { String::new() } else { format!("  serial {}", visible(&doc.serial)) };
    let span = duration(doc.to.duration_since(doc.from));
    format!("{}{serial}  the last {span}", visible(&doc.name))
}

fn local(at: Timestamp) -> String {
    at.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

const ROWS: usize = 4;
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A number that never moved is a line of text; else a curve of the highest in each column.
fn chart(track: &Track, doc: &HistoryDoc, width: usize) -> Vec<String> {
    let low = track.points.iter().map(|p| p.low).fold(f64::INFINITY, f64::min);
    let high = track.points.iter().map(|p| p.high).fold(f64::NEG_INFINITY, f64::max);
    let Some(last) = track.points.last() else { return Vec::new() };
    let title = track.metric.replace('_', " ");
    if low >= high {
        return vec![format!("{title}: {} the whole time", number(last.last))];
    }
    let margin = number(high).len().max(number(low).len());
    let room = width.saturating_sub(margin + 2).max(20);
    let heights = columns_of(&track.points, doc, room);
    let mut lines = vec![format!("{title}: {} now, {} to {}", number(last.last), number(low), number(high))];
    for row in (0..ROWS).rev() {
        let label = match row {
            r if r == ROWS - 1 => number(high),
            0 => number(low),
            _ => String::new(),
        };
        let bars: String = heights.iter().map(|h| h.map_or(' ', |v| bar(v, low, high, row))).collect();
        lines.push(format!("{label:>margin$} ┤{}", bars.trim_end()));
    }
    let gap = " ".repeat(room.saturating_sub(32));
    lines.push(format!("{:margin$}  {}{gap}{}", "", local(doc.from), local(doc.to)));
    lines
}

/// The part of the bar of this value that stands in this row; the lowest value still shows.
fn bar(value: f64, low: f64, high: f64, row: usize) -> char {
    let steps = (ROWS * 8 - 1) as f64;
    let height = 1 + ((value - low) / (high - low) * steps).round() as usize;
    BARS[height.saturating_sub(row * 8).min(8)]
}

/// The highest value of each column of the picture; none where nothing was read.
fn columns_of(points: &[Point], doc: &HistoryDoc, room: usize) -> Vec<Option<f64>> {
    let span = doc.to.duration_since(doc.from).as_secs_f64().max(1.0);
    let mut heights: Vec<Option<f64>> = vec![None; room];
    for p in points {
        let share = p.at.duration_since(doc.from).as_secs_f64() / span;
        let column = (share.clamp(0.0, 1.0) * (room - 1) as f64).round() as usize;
        if let Some(height) = heights.get_mut(column) {
            *height = Some(height.map_or(p.high, |h| h.max(p.high)));
        }
    }
    heights
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc(values: &[f64]) -> HistoryDoc {
        let to: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        let from = to - SignedDuration::from_hours(values.len() as i64 - 1);
        let point = |(n, v): (usize, &f64)| Point {
            at: from + SignedDuration::from_hours(n as i64),
            low: *v,
            high: *v,
            last: *v,
        };
        let points = values.iter().enumerate().map(point).collect();
        let tracks = vec![Track { metric: "temperature".to_owned(), points }];
        let (name, serial) = ("c0/32:5".to_owned(), "=Z\"5".to_owned());
        let (states, events, before) = (Vec::new(), Vec::new(), Vec::new());
        HistoryDoc { object: 5, name, serial, from, to, tracks, states, events, before }
    }

    #[test]
    fn a_rise_is_seen_as_a_rise() {
        let text = drawn(&doc(&[30.0, 30.0, 35.0, 61.0]), 40);
        assert!(text.contains("temperature: 61 now, 30 to 61"), "{text}");
        let rows: Vec<&str> = text.lines().filter(|l| l.contains('┤')).collect();
        assert!(rows[0].ends_with('█') && rows[0].starts_with("61 ┤"), "{text}");
        assert!(rows[3].starts_with("30 ┤▁") && rows[3].ends_with('█'), "{text}");
        assert!(text.lines().all(|l| l.chars().count() <= 40), "{text}");
    }

    #[test]
    fn what_never_moved_is_said_in_words() {
        assert!(drawn(&doc(&[0.0, 0.0]), 80).contains("temperature: 0 the whole time"));
    }

    #[test]
    fn a_spreadsheet_gets_no_formula() {
        let text = csv(&doc(&[30.5]));
        assert_eq!(
            text.lines().nth(1),
            Some("2026-11-30T12:00:00Z,\"c0/32:5\",\"'=Z\"\"5\",temperature,30.5,30.5,30.5")
        );
    }
}
