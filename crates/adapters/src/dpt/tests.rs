//! Fixtures, and the capture of the driver's file.

use super::*;
use crate::corpus_kit::corpus_rows;
use crate::testkit;
use raidmond_core::survey::{Answer, NoteKind, Outcome};

#[test]
fn fixtures() {
    testkit::check_cases(&Dpt);
}

#[test]
fn robust() {
    testkit::check_robustness(&Dpt);
}

/// "online" of the driver is no health: an array without a state, and a note that says who knows.
#[test]
fn the_drivers_online_is_not_taken_for_health() {
    let Some(rows) = corpus_rows("other/check_raid/dpt_i2o") else { return };
    for row in &rows {
        let asked = Asked::File("/proc/scsi/dpt_i2o/0".to_owned());
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let reading = testkit::read(&Dpt, &[answer]);
        assert!(reading.arrays.len() == 1 && reading.arrays[0].state.is_none(), "{:?}", reading.arrays);
        assert_eq!(reading.notes[0].kind, NoteKind::Partial);
    }
}
