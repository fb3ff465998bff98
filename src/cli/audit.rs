//! `raidmond audit`: what was done to arrays and disks, by whom, why, and what the tool answered.

use super::paint::{columns, visible};
use super::place::Place;
use super::{Problem, client};
use crate::store::{AuditEntry, Reader};

#[derive(clap::Args)]
pub struct Args {
    /// How many, newest first
    #[arg(long, short = 'n', default_value_t = 50, value_parser = super::incidents::at_least_one)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let entries = match client::audit(&args.place.socket, args.limit) {
        Ok(entries) => entries,
        Err(problem) => Reader::open(&args.place.state_dir).and_then(|r| r.audit(args.limit)).map_err(|_| problem)?,
    };
    if args.json {
        let json = serde_json::to_string_pretty(&entries).map_err(|e| Problem::failed(e.to_string()))?;
        say!("{json}");
        return Ok(0);
    }
    if entries.is_empty() {
        say!("raidmond has changed nothing on this machine yet");
    }
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| say!("{line}"));
    Ok(0)
}

fn row(e: &AuditEntry) -> Vec<String> {
    let local = e.at.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string();
    vec![local, visible(&e.who), visible(&e.what), visible(&e.said)]
}
