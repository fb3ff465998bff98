//! `raidmond check list` and `history`: when checks come, how they ended. In words, or as JSON.

use super::paint::{columns, visible};
use super::place::Place;
use super::{Problem, status};
use crate::clock;
use crate::serve::checks::{CheckDoc, ResultDoc, RunDoc};
use jiff::{SignedDuration, Timestamp};
use raidmond_core::tell::duration;

#[derive(clap::Args)]
pub struct Args {
    /// Only this array
    array: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub fn list(args: &Args) -> Result<u8, Problem> {
    show(args, |docs| {
        let now = clock::now();
        for doc in docs {
            say!("{}  {}", visible(&doc.array), schedule(doc));
            plan(doc, now).iter().for_each(|line| say!("    {}", visible(line)));
        }
    })
}

pub fn history(args: &Args) -> Result<u8, Problem> {
    show(args, |docs| {
        let rows: Vec<Vec<String>> =
            docs.iter().flat_map(|doc| doc.results.iter().map(|r| row(&doc.array, r))).collect();
        if rows.is_empty() {
            say!("no check has been seen to end yet");
        }
        columns(&rows).iter().for_each(|line| say!("{line}"));
    })
}

fn show(args: &Args, print: impl FnOnce(&[CheckDoc])) -> Result<u8, Problem> {
    let (status, _) = status::fetch(&args.place)?;
    let mut docs = status.checks;
    if let Some(array) = &args.array {
        docs.retain(|doc| doc.array == *array);
        if docs.is_empty() {
            let help = "raidmond check list shows the arrays that can be checked";
            return Err(Problem::data(format!("there is no array \"{array}\" to check"), help));
        }
    }
    if args.json {
        let json = serde_json::to_string_pretty(&docs).map_err(|e| Problem::failed(e.to_string()))?;
        say!("{json}");
    } else if docs.is_empty() {
        say!("no array has been read that could be checked");
    } else {
        print(&docs);
    }
    Ok(0)
}

fn schedule(doc: &CheckDoc) -> String {
    match (doc.policy.as_str(), doc.runs) {
        ("raidmond", true) => format!("{}, started by raidmond", doc.schedule),
        ("raidmond", false) => {
            format!("nothing is started; with `run = true` in [checks]: {}", doc.schedule)
        }
        ("external", _) => "started by others; raidmond sees to it that they are".to_owned(),
        _ => "no checks wanted".to_owned(),
    }
}

fn plan(doc: &CheckDoc, now: Timestamp) -> Vec<String> {
    let mut lines = vec![state(doc, now)];
    if !doc.next_local.is_empty() {
        lines.push(format!("next: {}", doc.next_local.join(", ")));
    }
    if doc.running.is_none() && !doc.why_not.is_empty() {
        lines.push(format!("not now: {}", doc.why_not.join("; ")));
    }
    lines.extend(doc.others.iter().map(|other| format!("others: {other}")));
    lines
}

/// What goes on, else how the last one ended.
pub fn state(doc: &CheckDoc, now: Timestamp) -> String {
    let due = doc.due.map(|at| format!("; due since {}", local(at))).unwrap_or_default();
    match (&doc.running, doc.results.first()) {
        (Some(run), _) => running(run, now),
        (None, Some(last)) => format!("last: {}{due}", ended(last)),
        (None, None) => format!("none seen yet{due}"),
    }
}

fn running(run: &RunDoc, now: Timestamp) -> String {
    let since = duration(now.duration_since(run.started_at));
    let percent = run.percent.map(|p| format!(" {p:.0} %")).unwrap_or_default();
    let rate = run.percent_per_hour.map(|r| format!(", {r:.1} %/h")).unwrap_or_default();
    let left = run.seconds_left.map(|s| format!(", {} left", duration(SignedDuration::from_secs(s))));
    let word = if run.paused { "paused at" } else { "running:" };
    format!("{word}{percent}{rate}{}, for {since}, started by {}", left.unwrap_or_default(), run.by)
}

fn ended(result: &ResultDoc) -> String {
    let took = result.seconds.map(|s| format!(" after {}", duration(SignedDuration::from_secs(s)))).unwrap_or_default();
    let percent =
        result.percent.filter(|_| result.how != "completed").map(|p| format!(" at {p:.0} %")).unwrap_or_default();
    let found = match result.found {
        Some(1) => ", 1 inconsistency".to_owned(),
        Some(n) => format!(", {n} inconsistencies"),
        None => String::new(),
    };
    format!("{}{percent} {}{took}{found}, started by {}", result.how, local(result.ended_at), result.by)
}

fn row(array: &str, result: &ResultDoc) -> Vec<String> {
    let found = result.found.map_or("not said".to_owned(), |n| format!("{n} found"));
    let took = result.seconds.map_or(String::new(), |s| duration(SignedDuration::from_secs(s)));
    let percent = result.percent.map_or(String::new(), |p| format!("{p:.0} %"));
    let cells = [local(result.ended_at), array.to_owned(), result.how.clone(), percent, took, found, result.by.clone()];
    cells.iter().map(|cell| visible(cell)).collect()
}

fn local(at: Timestamp) -> String {
    at.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}
