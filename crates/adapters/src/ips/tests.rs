//! Fixtures, the capture, and case 015.

use super::*;
use crate::corpus_kit::{case, corpus_rows, unhealthy};
use crate::testkit;
use raidmond_core::model::ArrayState;
use raidmond_core::survey::{Answer, Outcome, Reading, Transcript, split_words};

#[test]
fn fixtures() {
    testkit::check_cases(&Ips);
}

#[test]
fn robust() {
    testkit::check_robustness(&Ips);
}

/// "Critical" is degraded, and data is there.
fn okay_and_critical(reading: &Reading) {
    let states: Vec<ArrayState> = reading.arrays.iter().map(|a| a.state.as_ref().unwrap().state).collect();
    assert_eq!(states, [ArrayState::Optimal, ArrayState::Degraded]);
    assert!(reading.notes.is_empty() && unhealthy(reading).len() == 1, "{:?}", reading.notes);
}

#[test]
fn captures_and_the_case() {
    let Some(rows) = corpus_rows("ips/") else { return };
    for row in &rows {
        assert!(Ips.recognise(&Asked::Cmd(Vec::new()), &row.bytes).is_some());
        let asked = Asked::Cmd(split_words(&row.command).unwrap());
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        okay_and_critical(&testkit::read(&Ips, &[answer]));
    }
    let bytes = case("015-ips-critical-means-degraded").unwrap();
    okay_and_critical(&testkit::read(&Ips, &Transcript::parse(&bytes).unwrap().polls[0].answers));
}
