//! Real captured outputs against what their manifest says, read in place from the shared material.
//!
//! Rows whose verdict a person or the source's own test gave must match, or stand in
//! `corpus_disagreements.tsv` with the reason. Rows judged by rules only (`auto`) must not come out
//! less severe than warning or critical where they say so; every other difference is counted.
#![allow(clippy::expect_used)] // helpers of tests

mod shared;

use jiff::Timestamp;
use raidmond::assess;
use raidmond_core::severity::Severity;
use raidmond_core::survey::{Answer, Asked, Outcome, Poll, Transcript, split_words};
use std::collections::BTreeMap;
use std::path::Path;

const DISAGREEMENTS: &str = include_str!("corpus_disagreements.tsv");
const FAMILIES: [&str; 26] = [
    "megacli",
    "storcli",
    "perccli",
    "storcli2",
    "areca",
    "bonding",
    "boss",
    "omreport",
    "sasircu",
    "gdth",
    "ips",
    "other",
    "mpt",
    "tw_cli",
    "arcconf",
    "aacraid",
    "megaraid_scsi",
    "mdadm",
    "kernel_log",
    "hp",
    "cciss",
    "smart",
    "zfs",
    "lvm",
    "dmraid",
    "btrfs",
];

struct Row {
    path: String,
    command: String,
    verdict: String,
    facts: String,
    basis: String,
}

#[test]
fn the_corpus_is_judged_right() {
    let Some(corpus) = shared::shared("corpus") else { return };
    let rows = rows(&corpus);
    let (mut judged, mut auto, mut stricter, mut wrong) = (0, 0, 0, Vec::new());
    for (set, rows) in sets(rows) {
        let expected = rows[0].verdict.clone();
        let verdict = verdict(&corpus, &rows);
        let by_rule = rows[0].basis.contains("auto");
        if by_rule {
            auto += 1
        } else {
            judged += 1
        }
        let matches = matches(&expected, verdict);
        let too_mild = !matches && severity(&expected) > verdict;
        match (matches, by_rule && !too_mild, disagreement(&set)) {
            (true, _, None) => {}
            (true, _, Some(_)) => wrong.push(format!("{set}: agrees now; remove it from the table")),
            (false, true, _) => stricter += 1,
            (false, false, Some(ours)) if ours == verdict.word() => {}
            (false, false, _) => wrong.push(format!("{set}: ours {verdict}, manifest {expected}")),
        }
    }
    println!("corpus: {judged} judged sets, {auto} by rule ({stricter} of them come out differently, never too mild)");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn rows(corpus: &Path) -> Vec<Row> {
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).expect("MANIFEST.tsv");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |i: usize| cells.get(i).copied().unwrap_or("").to_owned();
        Row { path: cell(0), command: cell(6), verdict: cell(7), facts: cell(8), basis: cell(9) }
    };
    let ours = |r: &Row| FAMILIES.iter().any(|f| r.path.starts_with(&format!("{f}/"))) && !r.verdict.is_empty();
    manifest.lines().skip(1).map(row).filter(ours).collect()
}

/// Verdicts of a source's own tests hold for a set of companion files, which share the words of that
/// test; the others stand alone.
fn sets(rows: Vec<Row>) -> BTreeMap<String, Vec<Row>> {
    let mut tests: BTreeMap<(String, String), Vec<Row>> = BTreeMap::new();
    let mut sets: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in rows {
        let parts: Vec<&str> = row.path.split("__").collect();
        if row.basis == "source_test" && parts.len() > 2 {
            let test = row.facts.split(" ## ").next().unwrap_or("").to_owned();
            tests.entry((parts[..2].join("__"), test)).or_default().push(row);
        } else {
            sets.insert(row.path.clone(), vec![row]);
        }
    }
    for ((prefix, _), rows) in tests {
        let name = if sets.contains_key(&prefix) { rows[0].path.clone() } else { prefix };
        sets.insert(name, rows);
    }
    sets
}

fn verdict(corpus: &Path, rows: &[Row]) -> Severity {
    let answers = rows.iter().map(|row| answer(corpus, row)).collect();
    let transcript = Transcript { escaped: false, polls: vec![Poll { answers, ..Poll::default() }] };
    assess::worst(&assess::assess(&transcript, Timestamp::UNIX_EPOCH))
}

fn answer(corpus: &Path, row: &Row) -> Answer {
    let asked = match row.command.as_str() {
        log if log.starts_with("dmesg") => Asked::Log("kern.log".to_owned()),
        file if file.contains("/proc/") => Asked::File(file.trim_start_matches("cat ").to_owned()),
        command => Asked::Cmd(split_words(command).unwrap_or_default()),
    };
    let stdout = std::fs::read(corpus.join(&row.path)).expect("corpus file");
    Answer { asked, stdout, stderr: Vec::new(), outcome: Outcome::default() }
}

fn matches(expected: &str, verdict: Severity) -> bool {
    match expected {
        "ok" => verdict <= Severity::Notice,
        "warning" => verdict == Severity::Warning,
        "critical" => verdict >= Severity::Critical,
        _ => verdict != Severity::Ok,
    }
}

fn severity(expected: &str) -> Severity {
    Severity::from_word(expected).unwrap_or(Severity::Ok)
}

fn disagreement(set: &str) -> Option<&'static str> {
    let line = DISAGREEMENTS.lines().find(|l| l.split('\t').next() == Some(set))?;
    line.split('\t').nth(1)
}
