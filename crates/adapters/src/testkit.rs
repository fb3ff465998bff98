//! Tests every adapter shares: fixtures against canonical text, and what no parser may ever do.
//!
//! A fixture is `cases/NAME.txt` (a transcript, written by us) beside `cases/NAME.expected`.
//! `RAIDMOND_BLESS=1` rewrites the expected texts: read the diff.

use crate::{Adapter, Conversation, Step, canonical};
use raidmond_core::model::{ArrayState, DiskState};
use raidmond_core::survey::{Answer, Known, Reading, Scope, Transcript};
use std::path::{Path, PathBuf};

/// Checks all fixtures of an adapter; fails when there is none.
pub fn check_cases(adapter: &dyn Adapter) {
    let mut ran = 0;
    for path in fixtures(adapter) {
        let expected_path = path.with_extension("expected");
        let actual = canonical::text(&read(adapter, &answers(&path)));
        if std::env::var_os("RAIDMOND_BLESS").is_some() {
            std::fs::write(&expected_path, &actual).unwrap();
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        assert_eq!(actual, expected, "{}", path.display());
        ran += 1;
    }
    println!("{}: {ran} fixtures", adapter.family());
    assert!(ran > 0, "{} has no fixtures", adapter.family());
}

/// Truncated at every line, CRLF, empty, garbage, doubled, reversed: no panic, and never a healthy
/// reading out of nothing.
pub fn check_robustness(adapter: &dyn Adapter) {
    for path in fixtures(adapter) {
        let whole = answers(&path);
        let plain = canonical::text(&read(adapter, &whole));
        let crlf = mutate(&whole, |t| t.replace(|b| *b == b'\n', b"\r\n"));
        assert_eq!(canonical::text(&read(adapter, &crlf)), plain, "CRLF changes the reading of {}", path.display());
        for hollow in
            [mutate(&whole, |_| Bytes(Vec::new())), mutate(&whole, |_| Bytes(b"\x00\xff garbage \xfe\n".to_vec()))]
        {
            assert_not_ok(&read(adapter, &hollow), &path);
        }
        for victim in 0..whole.len() {
            for cut in 0..=whole[victim].stdout.iter().filter(|b| **b == b'\n').count() {
                let mut cut_answers = whole.clone();
                cut_answers[victim].stdout = first_lines(&whole[victim].stdout, cut);
                read(adapter, &cut_answers);
            }
        }
        read(adapter, &mutate(&whole, |t| Bytes([t.0.clone(), t.0.clone()].concat())));
        read(
            adapter,
            &mutate(&whole, |t| Bytes(t.0.split_inclusive(|b| *b == b'\n').rev().collect::<Vec<_>>().concat())),
        );
    }
}

pub fn read(adapter: &dyn Adapter, answers: &[Answer]) -> Reading {
    let mut conversation = Conversation::new(adapter, Known { scope: Scope::Everything, ..Known::default() });
    for answer in answers {
        let head = &answer.stdout[..answer.stdout.len().min(crate::capture::HEAD_BYTES)];
        if let Some(kind) = adapter.recognise(&answer.asked, head) {
            conversation.heard_mut().push(kind, answer.clone());
        }
    }
    loop {
        // Straight to the adapter, so that a panic shows with its place.
        match adapter.step(&Known { scope: Scope::Everything, ..Known::default() }, conversation.heard()) {
            Step::Done(reading) => return *reading,
            Step::Ask { queries, so_far } => {
                let mut new = false;
                for query in queries {
                    if !conversation.heard().has_asked(&query.asked) {
                        new = true;
                        conversation.hear(&query, Answer::not_captured(query.asked.clone()));
                    }
                }
                if !new {
                    return *so_far;
                }
            }
        }
    }
}

/// One command with its output, read by an adapter.
pub fn read_command(adapter: &dyn Adapter, command: &str, output: &str) -> Reading {
    let text = format!("#@ cmd: {command}\n{output}");
    let transcript = Transcript::parse(text.as_bytes()).unwrap();
    read(adapter, &transcript.polls[0].answers)
}

fn assert_not_ok(reading: &Reading, path: &Path) {
    let healthy_array = reading.arrays.iter().any(|a| a.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal));
    let healthy_disk = reading.disks.iter().any(|d| d.state.as_ref().is_some_and(|s| s.state == DiskState::Online));
    assert!(!healthy_array && !healthy_disk, "health out of nothing in {}", path.display());
    let silent = reading.notes.is_empty();
    assert!(!silent, "nothing was readable and no note says so in {}", path.display());
}

fn fixtures(adapter: &dyn Adapter) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(adapter.family()).join("cases");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| {
            entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "txt")).collect()
        })
        .unwrap_or_default();
    found.sort();
    found
}

fn answers(path: &Path) -> Vec<Answer> {
    let bytes = std::fs::read(path).unwrap();
    let transcript = Transcript::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    transcript.polls.last().map(|p| p.answers.clone()).unwrap_or_default()
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn replace(&self, is: impl Fn(&u8) -> bool, with: &[u8]) -> Bytes {
        Bytes(self.0.iter().flat_map(|b| if is(b) { with.to_vec() } else { vec![*b] }).collect())
    }
}

fn mutate(answers: &[Answer], how: impl Fn(&Bytes) -> Bytes) -> Vec<Answer> {
    let change = |a: &Answer| Answer { stdout: how(&Bytes(a.stdout.clone())).0, ..a.clone() };
    answers.iter().map(change).collect()
}

fn first_lines(bytes: &[u8], lines: usize) -> Vec<u8> {
    bytes.split_inclusive(|b| *b == b'\n').take(lines).collect::<Vec<_>>().concat()
}
