//! Fixtures, captures and cases; what a card without volumes is.

use super::*;
use crate::corpus_kit::{case, corpus_rows, unhealthy};
use crate::testkit::{self, read_command};
use raidmond_core::model::{ArrayState, DiskState};
use raidmond_core::survey::{Covers, Outcome, Transcript, split_words};

#[test]
fn fixtures() {
    testkit::check_cases(&LsiIr);
}

#[test]
fn robust() {
    testkit::check_robustness(&LsiIr);
}

#[test]
fn captures() {
    for prefix in ["sasircu/", "mpt/"] {
        let Some(rows) = corpus_rows(prefix) else { return };
        for row in &rows {
            let asked = Asked::Cmd(split_words(&row.command).unwrap());
            let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
            let nameless = LsiIr.recognise(&Asked::Cmd(Vec::new()), &row.bytes);
            assert!(nameless.is_some() || row.path.ends_with("-status-p"), "{} nameless", row.path);
            let reading = testkit::read(&LsiIr, &[answer]);
            let found = unhealthy(&reading);
            assert_eq!(found.is_empty(), row.verdict == "ok", "{}: {found:?}", row.path);
        }
        println!("lsi_ir corpus {prefix}: {} files", rows.len());
    }
}

fn read_case(name: &str) -> Option<Reading> {
    let bytes = case(name)?;
    Some(testkit::read(&LsiIr, &Transcript::parse(&bytes).unwrap().polls[0].answers))
}

#[test]
fn cases() {
    let Some(spare) = read_case("033-sas2ircu-hotspare-and-ses") else { return };
    let states: Vec<DiskState> = spare.disks.iter().map(|d| d.state.as_ref().unwrap().state).collect();
    assert_eq!(states, [DiskState::Online, DiskState::HotSpare]);
    let none = read_case("034-sas2ircu-no-volumes").unwrap();
    assert_eq!(none.controllers[0].arrays_counted, Some(0));
    assert!(none.coverage.has(&Path::controller(0), Covers::Arrays) && unhealthy(&none).is_empty());
    let resync = read_case("071-mpt-resync-out-of-sync").unwrap();
    assert_eq!(resync.arrays[0].state.as_ref().unwrap().state, ArrayState::Rebuilding);
    assert_eq!(resync.disks[1].state.as_ref().unwrap().state, DiskState::Rebuilding);
}

#[test]
fn an_answer_without_its_end_covers_nothing() {
    let text = "IR Volume 1\n  Volume ID  : 79\n  Current operation : None\n  Volume status : Enabled\n  Volume state : Optimal\n";
    let reading = read_command(&LsiIr, "sas2ircu 0 STATUS", text);
    assert!(reading.coverage.is_empty() && !unhealthy(&reading).is_empty());
}

#[test]
fn what_is_asked() {
    let tool = |name: &str| raidmond_core::survey::ToolFound { name: name.into(), path: name.into(), version: None };
    let asks = |scope: Scope, name: Option<&str>| {
        let known = Known { scope, tool: name.map(tool), ..Known::default() };
        match LsiIr.step(&known, &Heard::default()) {
            Step::Ask { queries, .. } => queries.iter().map(|q| q.asked.to_string()).collect::<Vec<_>>(),
            Step::Done(_) => Vec::new(),
        }
    };
    assert_eq!(asks(Scope::Discover, None), ["/sys/class/raid_devices"]);
    assert_eq!(asks(Scope::Discover, Some("sas2ircu")), ["sas2ircu LIST"]);
    assert_eq!(asks(Scope::Discover, Some("mpt-status")), ["mpt-status -p"]);
    assert_eq!(asks(Scope::Controller("host6".into()), None), ["/sys/class/raid_devices"]);
    assert_eq!(asks(Scope::Controller("0".into()), Some("sas2ircu")), ["sas2ircu 0 STATUS", "sas2ircu 0 DISPLAY"]);
}
