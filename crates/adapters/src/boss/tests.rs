//! Fixtures and captures.

use super::*;
use crate::corpus_kit::{corpus_rows, unhealthy};
use crate::testkit;
use raidmond_core::survey::{Answer, Covers, Outcome, split_words};

#[test]
fn fixtures() {
    testkit::check_cases(&Boss);
}

#[test]
fn robust() {
    testkit::check_robustness(&Boss);
}

#[test]
fn captures() {
    let Some(rows) = corpus_rows("boss/") else { return };
    for row in &rows {
        let asked = Asked::Cmd(split_words(&row.command).unwrap());
        assert!(Boss.recognise(&asked, &row.bytes).is_some(), "{}", row.path);
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let found = unhealthy(&testkit::read(&Boss, &[answer]));
        assert!(found.is_empty(), "{}: {found:?}", row.path);
    }
    println!("boss corpus: {} files", rows.len());
}

/// The noise before the data is no data, and the count behind it proves the list whole.
#[test]
fn the_end_of_a_list_proves_it() {
    let text =
        "Virtual Disk Information\nid: 0\nstatus: functional\nRAID mode: RAID1\n# of PDs: 2\nPD RAID setup: 0 1\n";
    let cut = testkit::read_command(&Boss, "mvcli info -o vd", text);
    assert!(!cut.coverage.has(&Path::controller(0), Covers::Arrays) && !unhealthy(&cut).is_empty());
    let whole = testkit::read_command(&Boss, "mvcli info -o vd", &format!("{text}\nTotal # of VD: 1\n"));
    assert!(whole.coverage.has(&Path::controller(0), Covers::Arrays) && unhealthy(&whole).is_empty());
    let none = testkit::read_command(&Boss, "mvcli info -o vd", "SG driver version 3.5.36.\nTotal # of VD: 0\n");
    assert!(none.coverage.has(&Path::controller(0), Covers::Arrays) && unhealthy(&none).is_empty());
}
