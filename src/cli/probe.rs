//! `raidmond probe`: asks every tool here once, as the daemon would, and shows what it makes of the
//! answers.
//!
//! It only reads. `--explain` lists each question with its time; `--record` keeps questions and answers
//! as a transcript that `raidmond inspect` judges again, elsewhere and later.

use super::Problem;
use super::inspect;
use super::paint::{columns, visible};
use super::problem::io_words;
use crate::discover::{self, Inventory, Watch};
use crate::poll::{self, Exchange, Spoken};
use crate::run::Runner;
use crate::{assess, clock, store};
use raidmond_adapters::registry;
use raidmond_core::severity::Severity;
use raidmond_core::survey::{Known, Poll, Scope, Transcript};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// List every question asked, with the time it took and why it was asked
    #[arg(long)]
    explain: bool,
    /// Write the conversation to FILE, for `raidmond inspect FILE` or a bug report
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Ask only this family (storcli, tw_cli, …)
    #[arg(long, value_name = "FAMILY")]
    only: Option<String>,
    /// Ask the machine whose /proc, /sys and tools are below DIR
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
    /// Print one JSON document
    #[arg(long, conflicts_with = "explain")]
    json: bool,
}

pub fn run(args: &Args, tool_dirs: &[PathBuf]) -> Result<u8, Problem> {
    check(args)?;
    let inventory = discover::discover(&args.root, tool_dirs);
    let spoken = ask(args, tool_dirs, &inventory)?;
    if spoken.is_empty() {
        return nothing_to_ask(args, &inventory);
    }
    let transcript = transcript(&spoken, &inventory);
    if let Some(file) = &args.record {
        record(file, &transcript)?;
    }
    if args.explain {
        say_part!("{}", explain(&spoken));
    }
    let assessments = assess::assess(&transcript, clock::now());
    inspect::print(&assessments, args.json)?;
    print_blind(args, &inventory);
    let blind = args.only.is_none() && inventory.blind().next().is_some();
    let worst = assess::worst(&assessments);
    Ok(if blind { worst.max(Severity::Blind) } else { worst }.exit_code())
}

fn check(args: &Args) -> Result<(), Problem> {
    if let Some(family) = args.only.as_deref().filter(|f| registry::by_family(f).is_none()) {
        let known: Vec<&str> = registry::ADAPTERS.iter().map(|a| a.family()).collect();
        return Err(Problem::usage(format!("unknown family `{family}`"), format!("one of: {}", known.join(", "))));
    }
    if !args.root.is_dir() {
        let help = "--root takes the directory that stands for / of the machine";
        return Err(Problem::usage(format!("{} is not a directory", args.root.display()), help));
    }
    Ok(())
}

fn ask(args: &Args, tool_dirs: &[PathBuf], inventory: &Inventory) -> Result<Vec<Spoken>, Problem> {
    let failed = |e: std::io::Error| Problem::failed(format!("cannot ask the tools: {}", io_words(&e)));
    let runner = Runner::new(&args.root, tool_dirs.to_vec(), lock_dir(&args.root));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    Ok(runtime.block_on(poll::survey(&runner, inventory, args.only.as_deref())))
}

/// The daemon's own, so that a probe and the daemon never ask one controller at a time; a private one for
/// those who may not write there.
fn lock_dir(root: &Path) -> PathBuf {
    let shared = root.join("run/raidmond");
    match std::fs::create_dir_all(&shared) {
        Ok(()) if rustix::fs::access(&shared, rustix::fs::Access::WRITE_OK).is_ok() => shared,
        _ => std::env::temp_dir().join(format!("raidmond-probe-{}", rustix::process::geteuid().as_raw())),
    }
}

/// One poll for one machine: what was known, then all answers, each once.
pub fn transcript(spoken: &[Spoken], inventory: &Inventory) -> Transcript {
    let mut answers = Vec::new();
    for exchange in spoken.iter().flat_map(|s| &s.exchanges) {
        if !answers.iter().any(|a: &raidmond_core::survey::Answer| a.asked == exchange.answer.asked) {
            answers.push(exchange.answer.clone());
        }
    }
    let known = Known { scope: Scope::Everything, ..poll::known_for(inventory, None, Scope::Everything, None) };
    Transcript { escaped: true, polls: vec![Poll { known: Some(known), answers, ..Poll::default() }] }
}

fn record(file: &Path, transcript: &Transcript) -> Result<(), Problem> {
    store::write_atomically(file, &transcript.write()).map_err(|e| {
        Problem::data(format!("cannot write {}: {}", file.display(), io_words(&e)), "choose another place")
    })
}

pub fn explain(spoken: &[Spoken]) -> String {
    let mut lines = Vec::new();
    for conversation in spoken {
        lines.push(visible(&title(conversation)));
        let rows: Vec<Vec<String>> = conversation.exchanges.iter().map(row).collect();
        lines.extend(columns(&rows).iter().map(|l| format!("  {l}")));
    }
    lines.iter().map(|l| format!("{l}\n")).collect()
}

fn title(conversation: &Spoken) -> String {
    let tool = conversation.known.tool.as_ref();
    let through = tool.map_or("the driver's files".to_owned(), |t| format!("{} ({})", t.name, t.path));
    match conversation.about().as_str() {
        "" => format!("{}: which controllers are there? through {through}", conversation.family),
        about => format!("{} {about}: how are they? through {through}", conversation.family),
    }
}

/// Time, how it ended, why it was asked, the question.
fn row(exchange: &Exchange) -> Vec<String> {
    use raidmond_core::survey::Freshness;
    let outcome = &exchange.answer.outcome;
    let time = match (exchange.age, outcome.took_seconds) {
        (Some(age), _) => format!("{} s old", age.as_secs()),
        (None, Some(took)) => format!("{took:.2} s"),
        (None, None) => "-".to_owned(),
    };
    let often = match exchange.query.freshness {
        Freshness::Fast => "every poll",
        Freshness::Slow => "every 15 min",
        Freshness::Daily => "daily",
    };
    let why = format!("for {}, {often}", exchange.query.kind.0);
    vec![time, visible(&outcome.words()), why, visible(&exchange.query.asked.to_string())]
}

/// A machine without RAID is no blind spot.
fn nothing_to_ask(args: &Args, inventory: &Inventory) -> Result<u8, Problem> {
    let has_raid = inventory.controllers.iter().any(|c| !matches!(c.watch, Watch::Plain { .. }));
    let verdict = if has_raid { Severity::Blind } else { Severity::Ok };
    if args.json {
        inspect::print_nothing(verdict)?;
        return Ok(verdict.exit_code());
    }
    match args.only.as_deref() {
        Some(family) => say!("nothing here is read by {family}"),
        None => say!("no RAID controller here that raidmond could ask"),
    }
    print_blind(args, inventory);
    Ok(verdict.exit_code())
}

fn print_blind(args: &Args, inventory: &Inventory) {
    if args.json || args.only.is_some() {
        return;
    }
    for found in inventory.blind() {
        say!("  BLIND: {}; raidmond doctor tells the next step", visible(&found.title()));
    }
}
