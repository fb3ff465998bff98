//! What reads bytes from outside, as plain functions: `tests/mutate.rs` feeds them changed fixtures in every
//! test run, `fuzz/run` lets libFuzzer look for more by coverage. They must not panic, whatever comes, and
//! what they make of it must be shown without a panic too.

use jiff::Timestamp;
use raidmond::{assess, config::Config};
use raidmond_adapters::{capture, scan};
use raidmond_core::observe::{Carry, Context, LogKind, Scanner};
use raidmond_core::survey::{Answer, Asked, Known, Outcome, Transcript};
use std::path::Path;
use std::sync::LazyLock;

/// Name and function.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: [Target; 5] =
    [("transcript", transcript), ("answer", answer), ("log", log), ("kit", kit), ("config", config)];

/// Every adapter, the join of tools, identity and diagnosis: a transcript as `raidmond inspect` reads it.
pub fn transcript(data: &[u8]) {
    if let Ok(transcript) = Transcript::parse(data) {
        std::hint::black_box(format!("{:?}", assess::assess(&transcript, Timestamp::UNIX_EPOCH)));
    }
}

/// One answer without its question, read as the answer to every question it looks like.
pub fn answer(data: &[u8]) {
    for (_, command) in capture::guess(data) {
        let asked = Asked::Cmd(command.split(' ').map(str::to_owned).collect());
        let answer = Answer { asked, stdout: data.to_vec(), stderr: Vec::new(), outcome: Outcome::default() };
        std::hint::black_box(capture::read(&[answer], &Known::default()).unrecognised);
    }
}

/// All rules of every kind of log.
pub fn log(data: &[u8]) {
    static SCANNERS: LazyLock<Vec<Scanner>> =
        LazyLock::new(|| LogKind::ALL.into_iter().filter_map(|kind| Scanner::new(kind, &[]).ok()).collect());
    for scanner in SCANNERS.iter() {
        std::hint::black_box(scanner.scan(data, &Context::default(), &mut Carry::default()).observations.len());
    }
}

/// The small functions under all text formats.
pub fn kit(data: &[u8]) {
    let text = scan::clean(&String::from_utf8_lossy(data));
    for line in text.lines() {
        std::hint::black_box((scan::key_value(line, ':'), scan::number(line), scan::count(line), scan::percent(line)));
        std::hint::black_box((scan::size_bytes(line, true), scan::columns(line), scan::is_rule(line)));
    }
}

/// A configuration, with its mistakes shown.
pub fn config(data: &[u8]) {
    if let Err(errors) = Config::parse(&String::from_utf8_lossy(data), Path::new("raidmond.toml")) {
        std::hint::black_box(errors.to_string());
    }
}
