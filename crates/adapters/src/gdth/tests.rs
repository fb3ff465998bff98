//! Fixtures and captures.

use super::*;
use crate::corpus_kit::{corpus_rows, unhealthy};
use crate::testkit;
use raidmond_core::survey::{Answer, Outcome};

#[test]
fn fixtures() {
    testkit::check_cases(&Gdth);
}

#[test]
fn robust() {
    testkit::check_robustness(&Gdth);
}

#[test]
fn captures() {
    let Some(rows) = corpus_rows("gdth/") else { return };
    for row in &rows {
        assert!(Gdth.recognise(&Asked::Cmd(Vec::new()), &row.bytes).is_some(), "{} nameless", row.path);
        let asked = Asked::File(format!("{FOLDER}/0"));
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let found = unhealthy(&testkit::read(&Gdth, &[answer]));
        assert_eq!(found.is_empty(), row.verdict == "ok", "{}: {found:?}", row.path);
    }
    println!("gdth corpus: {} files", rows.len());
}
