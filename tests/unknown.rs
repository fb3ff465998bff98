//! Unknown is never OK: every word of every family for "this is well", as the simulated healthy host
//! prints it, is replaced by one nobody knows, and the verdict must not be good any more.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod simulated;

use raidmond::assess;
use raidmond_adapters::registry::ADAPTERS;
use raidmond_adapters::{Adapter, Said};
use raidmond_core::severity::Severity;
use raidmond_core::survey::{Answer, Poll, Transcript};
use std::collections::BTreeSet;

const UNKNOWN: &str = "Qwxyz";

/// Words that stand in the healthy answers only as something else than a state: (family, word, where).
const ASIDE: [(&str, &str, &str); 4] = [
    ("aacraid", "Hot-Spare", "Protected by Hot-Spare: No"),
    ("lvm", "-", "columns of a thin pool and a cache that hold nothing"),
    ("storcli", "Online", "Disable Online Controller Reset"),
    ("tw_cli", "ON", "the AVrfy column of units"),
];

#[test]
fn a_word_nobody_knows_is_never_good() {
    let mut bad = Vec::new();
    for adapter in ADAPTERS {
        let answers: Vec<Answer> = simulated::asked(*adapter).into_iter().map(|(_, answer)| answer).collect();
        let (healthy, why) = verdict(&answers);
        assert!(healthy <= Severity::Notice, "{}: the healthy host is {healthy}: {why}", adapter.family());
        let mut tried = 0;
        for word in words(*adapter) {
            let changed: Vec<Answer> = answers.iter().map(|a| replace(a, word)).collect();
            if changed == answers || ASIDE.iter().any(|(f, w, _)| (*f, *w) == (adapter.family(), word)) {
                continue;
            }
            tried += 1;
            let (verdict, why) = verdict(&changed);
            if verdict < Severity::Warning || !why.contains(UNKNOWN) {
                bad.push(format!("{} `{word}`: {verdict} {why}", adapter.family()));
            }
        }
        println!("{}: {tried} words replaced", adapter.family());
        // An enclosure has one good word, "OK".
        let least = if adapter.family() == "ses" { 1 } else { 2 };
        assert!(tried >= least, "{}: only {tried} state words in the simulated answers", adapter.family());
    }
    assert!(bad.is_empty(), "unknown words that changed nothing:\n{}", bad.join("\n"));
}

/// The words that say that something is well: on a healthy host these are the states there are.
fn words(adapter: &dyn Adapter) -> BTreeSet<&'static str> {
    use raidmond_core::model::{ArrayState, CacheState, DiskState, PartState, TaskKind, TaskState};
    let good = |said: Said| match said {
        Said::Array(state) => state == ArrayState::Optimal,
        Said::Disk(state) => matches!(state, DiskState::Online | DiskState::HotSpare),
        Said::Cache(state) => state == CacheState::Optimal,
        Said::Part(state) => state == PartState::Ok,
        Said::Health(well) => well,
        Said::Task(TaskKind::SelfTest, state) => state == TaskState::Completed,
        _ => false,
    };
    adapter.vocabulary().iter().filter(|t| good(t.means)).map(|t| t.word).collect()
}

fn verdict(answers: &[Answer]) -> (Severity, String) {
    let polls = vec![Poll { answers: answers.to_vec(), ..Poll::default() }];
    let start = "2026-11-30T12:00:00Z".parse().unwrap();
    let assessments = assess::assess(&Transcript { escaped: false, polls }, start);
    let why: Vec<String> = assessments.iter().flat_map(|a| &a.conditions).map(|c| format!("{c:?}")).collect();
    (assess::worst(&assessments), why.join("; "))
}

/// Whole words only, as the vendor writes them.
fn replace(answer: &Answer, word: &str) -> Answer {
    let text = answer.text();
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_');
    let mut out = String::new();
    let mut end = 0;
    for (at, _) in text.match_indices(word) {
        let after = text[at + word.len()..].chars().next();
        if at >= end && edge(text[..at].chars().next_back()) && edge(after) {
            out += &text[end..at];
            out += UNKNOWN;
            end = at + word.len();
        }
    }
    out += &text[end..];
    Answer { stdout: out.into_bytes(), ..answer.clone() }
}
