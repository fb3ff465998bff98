//! `raidmond logs test`: what each line of a log would do.

use super::Problem;
use super::paint::{columns, visible};
use super::problem::io_words;
use crate::clock;
use crate::serve::wire;
use raidmond_core::observe::{Carry, Context, LogKind, Observation, Scanner, Sign};
use std::collections::BTreeMap;

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
    let bytes = read(&test.file)?;
    let kind = test.kind.unwrap_or_else(|| LogKind::of_name(&test.file));
    let scanner = Scanner::new(kind, &[]).map_err(|e| Problem::data(e.to_string(), "see docs/logs.md"))?;
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
    say!("{} lines read as {kind:?}: {} matched ({})", counts.lines, counts.matched, signs.join(", "));
    if counts.unknown > 0 {
        say!("{} lines of this log are not understood", counts.unknown);
    }
    Ok(0)
}

fn read(file: &str) -> Result<Vec<u8>, Problem> {
    if file == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
            .map_err(|e| Problem::data(format!("cannot read standard input: {}", io_words(&e)), "give a file"))?;
        return Ok(bytes);
    }
    std::fs::read(file)
        .map_err(|e| Problem::data(format!("cannot read {file}: {}", io_words(&e)), "check the name and your rights"))
}

fn row(o: &Observation) -> Vec<String> {
    let doc = wire::observation(o);
    let times = if o.count > 1 { format!(" x{}", o.count) } else { String::new() };
    vec![format!("{}{times}", doc.sign), visible(&doc.about), doc.rule, visible(&doc.said)]
}
