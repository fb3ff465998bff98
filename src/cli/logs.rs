//! `raidmond logs test`: what each line of a log would do.

use super::paint::{columns, visible};
use super::{Problem, inspect};
use crate::clock;
use crate::serve::wire;
use raidmond_core::observe::{Carry, Context, LogKind, Observation, Scanner, Sign, UserRule};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Show what raidmond makes of each line of a file
    Test(Test),
}

#[derive(clap::Args)]
struct Test {
    /// The log, or a piece of one; `-` reads standard input
    file: String,
    /// kernel, syslog, megaserv, smartd or custom; else by the file's name
    #[arg(long, value_parser = kind)]
    kind: Option<LogKind>,
    /// Try the [[log.rule]]s of this configuration too: of this log, or all when it names no such log
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Also the lines that are known and harmless
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn kind(word: &str) -> Result<LogKind, String> {
    match word {
        "kernel" => Ok(LogKind::Kernel),
        "syslog" => Ok(LogKind::Syslog),
        "megaserv" => Ok(LogKind::Megaserv),
        "smartd" => Ok(LogKind::Smartd),
        "custom" => Ok(LogKind::Custom),
        _ => Err("one of kernel, syslog, megaserv, smartd, custom".to_owned()),
    }
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let What::Test(test) = &args.what;
    let bytes = inspect::read(&test.file)?;
    let kind = test.kind.unwrap_or_else(|| LogKind::of_name(&test.file));
    let scanner = Scanner::new(kind, &rules(test)?).map_err(|e| Problem::data(e.to_string(), "see docs/logs.md"))?;
    let context = Context { latest: Some(clock::now()), zone: jiff::tz::TimeZone::system() };
    let scan = scanner.scan(&bytes, &context, &mut Carry::default());
    let shown: Vec<&Observation> = scan.observations.iter().filter(|o| test.all || o.sign != Sign::Benign).collect();
    if test.json {
        let docs: Vec<_> = shown.iter().map(|o| wire::observation(o)).collect();
        let json = serde_json::to_string_pretty(&docs).map_err(|e| Problem::failed(e.to_string()))?;
        say!("{json}");
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = shown.iter().map(|o| row(o)).collect();
    columns(&rows).iter().for_each(|line| say!("{line}"));
    let mut signs: BTreeMap<String, usize> = BTreeMap::new();
    for observation in &scan.observations {
        *signs.entry(wire::word(&observation.sign)).or_default() += 1;
    }
    let signs: Vec<String> = signs.iter().map(|(sign, n)| format!("{n} {sign}")).collect();
    let counts = scan.counts;
    let signs = if signs.is_empty() { String::new() } else { format!(" ({})", signs.join(", ")) };
    say!("{} lines read as {kind:?}: {} matched{signs}", counts.lines, counts.matched);
    if counts.unknown > 0 {
        say!("{} lines of this log are not understood", counts.unknown);
    }
    Ok(0)
}

/// A piece of a log lies elsewhere: then the rules of every configured log are tried.
fn rules(test: &Test) -> Result<Vec<UserRule>, Problem> {
    let Some(file) = &test.config else { return Ok(Vec::new()) };
    let logs = super::config::load(file)?.logs;
    let this = logs.iter().find(|log| log.path == Path::new(&test.file));
    let rules = match this {
        Some(log) => log.rules.clone(),
        None => logs.into_iter().flat_map(|log| log.rules).collect(),
    };
    Ok(rules)
}

fn row(o: &Observation) -> Vec<String> {
    let doc = wire::observation(o);
    let times = if o.count > 1 { format!(" x{}", o.count) } else { String::new() };
    vec![format!("{}{times}", doc.sign), visible(&doc.about), visible(&doc.rule), visible(&doc.said)]
}
