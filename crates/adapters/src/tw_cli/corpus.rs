//! Real captures in the shared corpus: sets of one host must read, and say sick or well as judged.

use super::TwCli;
use crate::Adapter;
use crate::corpus_kit::{case, corpus_rows, unhealthy};
use crate::testkit::read;
use raidmond_core::survey::{Answer, Asked, Outcome, Transcript, split_words};
use std::collections::BTreeMap;

/// Stands in for answers the source did not have: no output of the tool, so its verdict is not about it.
const PLACEHOLDER: &str = "tw_cli/check_raid/tw_cli__empty";

#[test]
fn corpus() {
    let Some(rows) = corpus_rows("tw_cli/") else { return };
    let mut sets: BTreeMap<String, (Vec<Answer>, String)> = BTreeMap::new();
    for row in &rows {
        let asked = Asked::Cmd(split_words(&row.command).unwrap());
        let head = &row.bytes[..row.bytes.len().min(crate::capture::HEAD_BYTES)];
        assert!(TwCli.recognise(&asked, head).is_some(), "{} is not recognised as {}", row.path, row.command);
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        read(&TwCli, std::slice::from_ref(&answer));
        if row.path == PLACEHOLDER {
            continue;
        }
        let set = sets.entry(set_of(&row.path)).or_default();
        set.0.push(answer);
        if row.basis.starts_with("source_test") || row.basis == "text" {
            set.1 = worse(&set.1, &row.verdict);
        }
    }
    let (mut well, mut sick) = (0, 0);
    for (name, (answers, verdict)) in &sets {
        let reading = read(&TwCli, answers);
        let found = unhealthy(&reading);
        match verdict.as_str() {
            "ok" => {
                assert!(found.is_empty(), "{name} is well: {found:#?}");
                well += 1;
            }
            "warning" | "critical" => {
                assert!(!found.is_empty(), "{name} is {verdict} and nothing says so");
                sick += 1;
            }
            _ => {}
        }
    }
    println!("tw_cli corpus: {} files, {} sets: {well} well, {sick} sick, as judged", rows.len(), sets.len());
    assert!(well >= 8 && sick >= 3);
}

/// `tw_cli__black__info` → `tw_cli__black`.
fn set_of(path: &str) -> String {
    match path.rsplit_once("__") {
        Some((set, _)) => set.to_owned(),
        None => path.to_owned(),
    }
}

fn worse(a: &str, b: &str) -> String {
    let rank = |v: &str| ["", "ok", "warning", "critical"].iter().position(|w| *w == v).unwrap_or(0);
    if rank(a) >= rank(b) { a.to_owned() } else { b.to_owned() }
}

/// What the cases say is right, as lines of canonical text.
#[test]
fn cases() {
    const RIGHT: [(&str, &[&str], bool); 3] = [
        (
            "037-tw-verify-paused",
            &[
                "task c0/u0 Check Running(\"VERIFYING\") percent=25",
                "task c0/u1 Check Paused(\"VERIFY-PAUSED\") percent=0",
                "HotSpare(\"VERIFYING\")",
            ],
            true,
        ),
        (
            "067-tw-rebuilding-port-degraded",
            &[
                "task c0/u0 Rebuild Running(\"REBUILDING\") percent=98",
                "Rebuilding(\"DEGRADED\") array=c0/u0",
                "disk c0/p2 Empty(\"NOT-PRESENT\")",
            ],
            false,
        ),
        ("093-tw-one-disk-stalls-raid10", &["Optimal(\"OK\")"], true),
    ];
    for (name, lines, well) in RIGHT {
        let Some(bytes) = case(name) else { continue };
        let answers = Transcript::parse(&bytes).unwrap().polls.remove(0).answers;
        let ours: Vec<Answer> =
            answers.into_iter().filter(|a| TwCli.recognise(&a.asked, &a.stdout).is_some()).collect();
        let reading = read(&TwCli, &ours);
        let text = crate::canonical::text(&reading);
        for line in lines {
            assert!(text.contains(line), "{name}: no {line:?} in\n{text}");
        }
        assert_eq!(unhealthy(&reading).is_empty(), well, "{name}\n{text}");
    }
}
