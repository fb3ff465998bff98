//! How long reading one set of captures takes, for each adapter: its own fixtures and, where they are
//! there, real captures (`RAIDMOND_SHARED`, default `../shared`; read in place).
//!
//! A set is what one fixture holds or one captured file; the time is that of the whole conversation,
//! from bytes to facts. `cargo bench --bench parse`.

// A bench is a program of its own; what fails here should stop it.
#![allow(clippy::expect_used)]

use raidmond_adapters::capture;
use raidmond_adapters::registry::ADAPTERS;
use raidmond_core::survey::{Answer, Asked, Known, Outcome, Transcript, split_words};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

const ROUNDS: usize = 9;

/// Answers of one machine at one time.
struct Set {
    name: String,
    answers: Vec<Answer>,
}

fn main() {
    println!("{:<30} {:>5} {:>9} {:>10} {:>10} {:>8}  slowest", "sets", "n", "median us", "p95 us", "max us", "MB/s");
    for adapter in ADAPTERS {
        let folder = format!("crates/adapters/src/{}/cases", adapter.family());
        table_row(&format!("{} fixtures", adapter.family()), &fixtures(&root().join(folder)));
    }
    let shared = std::env::var_os("RAIDMOND_SHARED").map_or(root().join("../shared"), PathBuf::from);
    let corpus = shared.join("corpus");
    if !corpus.is_dir() {
        println!("SKIPPED: {} is not there (0 captures read)", corpus.display());
        return;
    }
    for family in ["megacli", "storcli", "perccli", "tw_cli", "arcconf", "aacraid", "megaraid_scsi"] {
        table_row(&format!("{family} captures"), &captures(&corpus, family));
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn fixtures(folder: &Path) -> Vec<Set> {
    let mut sets = Vec::new();
    for entry in std::fs::read_dir(folder).expect("fixtures").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "txt") {
            let transcript = Transcript::parse(&std::fs::read(&path).expect("a fixture")).expect("a transcript");
            let answers = transcript.polls.into_iter().flat_map(|p| p.answers).collect();
            sets.push(Set { name: entry.file_name().to_string_lossy().into_owned(), answers });
        }
    }
    sets
}

/// Path and command stand in the manifest.
fn captures(corpus: &Path, family: &str) -> Vec<Set> {
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).expect("the manifest");
    let rows = manifest.lines().skip(1).filter(|row| row.starts_with(&format!("{family}/")));
    rows.filter_map(|row| capture(corpus, row)).collect()
}

fn capture(corpus: &Path, row: &str) -> Option<Set> {
    let cells: Vec<&str> = row.split('\t').collect();
    let (path, command) = (cells.first()?, cells.get(6)?);
    let asked = match command.contains("/proc/") {
        true => Asked::File(command.trim_start_matches("cat ").to_owned()),
        false => Asked::Cmd(split_words(command).unwrap_or_default()),
    };
    let stdout = std::fs::read(corpus.join(path)).ok()?;
    let answer = Answer { asked, stdout, stderr: Vec::new(), outcome: Outcome::default() };
    Some(Set { name: (*path).to_owned(), answers: vec![answer] })
}

fn table_row(name: &str, sets: &[Set]) {
    if sets.is_empty() {
        return println!("{name:<30} none");
    }
    let mut times: Vec<(f64, &Set)> = sets.iter().map(|set| (micros(set), set)).collect();
    times.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].0;
    let bytes: usize = sets.iter().flat_map(|set| &set.answers).map(|a| a.stdout.len()).sum();
    let total: f64 = times.iter().map(|(t, _)| t).sum();
    let (slowest, n) = (&times[times.len() - 1].1.name, times.len());
    println!(
        "{name:<30} {n:5} {:9.0} {:10.0} {:10.0} {:8.1}  {slowest}",
        at(0.5),
        at(0.95),
        at(1.0),
        bytes as f64 / total
    );
}

/// The median of some readings.
fn micros(set: &Set) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(capture::read(black_box(&set.answers), &Known::default()));
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}
