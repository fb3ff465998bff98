//! A number over time as a drawing: a band from lowest to highest, a curve of the last, gaps where nothing
//! was read.

use crate::history::HistoryDoc;
use crate::store::samples::{Point, Track};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

const LEFT: f64 = 50.0;
const RIGHT: f64 = 635.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 105.0;

#[derive(Debug, Serialize)]
pub struct Plot {
    title: String,
    last: String,
    low: String,
    high: String,
    /// It never moved: a line of text says it all.
    steady: bool,
    from: String,
    to: String,
    pieces: Vec<Piece>,
}

/// Points without a gap between them.
#[derive(Debug, Serialize)]
pub struct Piece {
    band: String,
    line: String,
    /// A single point has no line.
    dot: Option<(String, String)>,
}

struct Frame {
    from: f64,
    to: f64,
    low: f64,
    high: f64,
}

/// Those that moved stand first; the others are a line each.
pub fn plots(doc: &HistoryDoc) -> Vec<Plot> {
    let mut plots: Vec<Plot> = doc.tracks.iter().filter_map(|track| plot(track, doc)).collect();
    plots.sort_by_key(|p| p.steady);
    plots
}

fn plot(track: &Track, doc: &HistoryDoc) -> Option<Plot> {
    let last = track.points.last()?;
    let low = track.points.iter().map(|p| p.low).fold(f64::INFINITY, f64::min);
    let high = track.points.iter().map(|p| p.high).fold(f64::NEG_INFINITY, f64::max);
    let first = track.points.first()?.at.max(doc.from);
    let frame = Frame { from: seconds(first), to: seconds(doc.to), low, high };
    Some(Plot {
        title: title(&track.metric),
        last: number(last.last, &track.metric),
        low: number(low, &track.metric),
        high: number(high, &track.metric),
        steady: low >= high,
        from: local(first),
        to: local(doc.to),
        pieces: pieces(&track.points).map(|p| frame.piece(p)).collect(),
    })
}

/// Split where the next point is much later than is usual.
fn pieces(points: &[Point]) -> impl Iterator<Item = &[Point]> {
    let mut steps: Vec<f64> = points.windows(2).map(|w| seconds(w[1].at) - seconds(w[0].at)).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
    points.chunk_by(move |a, b| seconds(b.at) - seconds(a.at) <= usual * 3.0 + 1.0)
}

impl Frame {
    fn x(&self, at: Timestamp) -> String {
        let share = (seconds(at) - self.from) / (self.to - self.from).max(1.0);
        format!("{:.1}", LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT))
    }

    fn y(&self, value: f64) -> String {
        let share = (value - self.low) / (self.high - self.low).max(f64::EPSILON);
        format!("{:.1}", BOTTOM - share.clamp(0.0, 1.0) * (BOTTOM - TOP))
    }

    fn piece(&self, points: &[Point]) -> Piece {
        let at = |p: &Point, value: f64| format!("{},{}", self.x(p.at), self.y(value));
        let up = points.iter().map(|p| at(p, p.high));
        let down = points.iter().rev().map(|p| at(p, p.low));
        let line: Vec<String> = points.iter().map(|p| at(p, p.last)).collect();
        let dot = match points {
            [only] => Some((self.x(only.at), self.y(only.last))),
            _ => None,
        };
        Piece { band: up.chain(down).collect::<Vec<_>>().join(" "), line: line.join(" "), dot }
    }
}

fn seconds(at: Timestamp) -> f64 {
    at.as_second() as f64
}

fn local(at: Timestamp) -> String {
    at.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

fn title(metric: &str) -> String {
    let words = metric.trim_end_matches("_percent").replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn number(value: f64, metric: &str) -> String {
    let text = if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") };
    match metric {
        "temperature" => format!("{text} °C"),
        m if m.ends_with("_percent") => format!("{text} %"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(minute: i64, value: f64) -> Point {
        Point { at: Timestamp::from_second(60 * minute).unwrap(), low: value, high: value, last: value }
    }

    #[test]
    fn where_nothing_was_read_there_is_no_curve() {
        let points: Vec<Point> = [0, 10, 20, 90, 100].map(|m| point(m, 30.0)).into();
        let lengths: Vec<usize> = pieces(&points).map(<[Point]>::len).collect();
        assert_eq!(lengths, [3, 2]);
    }

    #[test]
    fn the_highest_is_on_top_and_the_newest_on_the_right() {
        let frame = Frame { from: 0.0, to: 6000.0, low: 30.0, high: 60.0 };
        let piece = frame.piece(&[point(0, 30.0), point(100, 60.0)]);
        assert_eq!(piece.line, "50.0,105.0 635.0,10.0");
    }
}
