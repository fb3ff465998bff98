//! `raidmond incidents` and `raidmond events`: what was told, what happened.

use super::operate::local_times;
use super::paint::{Paint, columns, visible};
use super::place::Place;
use super::{Problem, client, status};
use crate::clock;
use crate::serve::status::{IncidentDoc, StatusDoc};
use crate::store::Reader;
use raidmond_core::tell::duration;

#[derive(clap::Args)]
pub struct IncidentsArgs {
    /// Also those that are closed
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Only this one, with its evidence
    #[arg(value_name = "ID", value_parser = number)]
    id: Option<u64>,
    #[command(flatten)]
    place: Place,
}

pub fn incidents(args: &IncidentsArgs) -> Result<u8, Problem> {
    let (doc, from_file) = status::fetch(&args.place).map_err(status::blind)?;
    let wanted = |i: &&IncidentDoc| args.id.map_or(args.all || i.closed_at.is_none(), |id| i.id == id);
    let chosen: Vec<&IncidentDoc> = doc.incidents.iter().filter(wanted).collect();
    if let (Some(id), true) = (args.id, chosen.is_empty()) {
        return Err(Problem {
            what: format!("there is no incident {id}"),
            help: Some("raidmond incidents --all lists them".into()),
            code: 1,
        });
    }
    if args.json {
        let json = serde_json::to_string_pretty(&chosen).map_err(|e| Problem::failed(e.to_string()))?;
        say!("{json}");
        return Ok(code(&doc, from_file));
    }
    if from_file {
        say!("{}", Paint::detect().red(&status::no_daemon(&doc, clock::now())));
    }
    if chosen.is_empty() {
        let then = if from_file { " then" } else { "" };
        let more = if args.all { ", and none closed lately" } else { "; closed ones: raidmond incidents --all" };
        say!("no open incident{then}{more}");
    }
    let rows: Vec<Vec<String>> = chosen.iter().map(|i| row(i)).collect();
    for (line, incident) in columns(&rows).iter().zip(&chosen) {
        say!(
            "{}",
            Paint::detect().severity(if incident.closed_at.is_some() { "ok" } else { &incident.severity }, line)
        );
        if args.id.is_some() {
            details(incident);
        }
    }
    Ok(code(&doc, from_file))
}

/// A list that was read is no verdict; one that nobody keeps any more is.
fn code(doc: &StatusDoc, from_file: bool) -> u8 {
    if from_file { status::exit_code(doc, from_file) } else { 0 }
}

fn row(i: &IncidentDoc) -> Vec<String> {
    let now = clock::now();
    let state = match (i.closed_at, &i.acknowledged_by) {
        (Some(at), _) => format!("closed {} ago", duration(now.duration_since(at))),
        (None, Some(by)) => {
            format!("open {}, acknowledged by {}", duration(now.duration_since(i.opened_at)), visible(by))
        }
        (None, None) => format!("open {}", duration(now.duration_since(i.opened_at))),
    };
    vec![format!("#{}", i.id), i.severity.clone(), state, visible(&i.headline)]
}

fn details(i: &IncidentDoc) {
    let lines = i.evidence.iter().map(|e| visible(e)).chain(i.deliveries.iter().map(|d| visible(d)));
    let lines = lines.chain(i.closed_because.iter().map(|w| format!("closed: {}", visible(w))));
    for line in lines.chain(i.comment.iter().map(|c| format!("comment: {}", visible(c)))) {
        say!("    {line}");
    }
}

/// "12" or "#12".
pub fn number(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits.parse().map_err(|_| "an incident is a number: raidmond incidents lists them".to_owned())
}

pub fn at_least_one(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "ask for at least 1".to_owned())
}

#[derive(clap::Args)]
pub struct EventsArgs {
    /// How many, newest first
    #[arg(long, short = 'n', default_value_t = 50, value_parser = at_least_one)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub fn events(args: &EventsArgs) -> Result<u8, Problem> {
    let entries = match client::events(&args.place.socket, args.limit) {
        Ok(entries) => entries,
        Err(problem) => {
            Reader::open(&args.place.state_dir).and_then(|r| r.history(None, args.limit)).map_err(|_| problem)?
        }
    };
    if args.json {
        let json = serde_json::to_string_pretty(&entries).map_err(|e| Problem::failed(e.to_string()))?;
        say!("{json}");
        return Ok(0);
    }
    if entries.is_empty() {
        say!("nothing has happened yet");
    }
    let row = |e: &raidmond_core::changes::HistoryEntry| {
        let local = e.at.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string();
        vec![local, visible(&e.kind), visible(&e.path), visible(&local_times(&e.said))]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| say!("{line}"));
    Ok(0)
}
