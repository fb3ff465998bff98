use super::*;
use crate::corpus_kit::{case, corpus_rows, unhealthy};
use crate::testkit;
use raidmond_core::model::{ArrayState, DiskState, SpareScope, WriteCache};
use raidmond_core::survey::{Answer, NoteKind, Outcome, Reading, Transcript};

#[test]
fn fixtures() {
    testkit::check_cases(&Storcli2);
}

#[test]
fn robust() {
    testkit::check_robustness(&Storcli2);
}

fn row(state: &str, status: &str) -> Reading {
    let text = format!(
        "CLI Version = 008.0004.0000.0022\nController = 0\nStatus = Success\nDescription = None\n\nPhysical Drives = 1\n\n\
         PD LIST :\n=======\n\n--------------------------\nEID:Slt PID {:<9} {:<8} DG\n--------------------------\n\
         268:1   258 {state:<9} {status:<8} 0\n--------------------------\n",
        "State", "Status"
    );
    testkit::read_command(&Storcli2, "perccli2 /c0 show", &text)
}

#[test]
fn a_disk_has_two_words_and_both_count() {
    let state = |state: &str, status: &str| {
        let reading = row(state, status);
        let unknown = reading.notes.iter().any(|n| n.kind == NoteKind::UnknownWord);
        (reading.disks[0].state.as_ref().unwrap().state, unknown)
    };
    assert_eq!(state("Conf", "Online"), (DiskState::Online, false));
    assert_eq!(state("Conf", "Failed"), (DiskState::Failed, false));
    assert_eq!(state("Conf", "Rebuild"), (DiskState::Rebuilding, false));
    assert_eq!(state("UConf", "Good"), (DiskState::UnconfiguredGood, false));
    assert_eq!(state("UConf", "Bad"), (DiskState::UnconfiguredBad, false));
    for (use_, health) in [("Conf", "Good"), ("UConf", "Online"), ("ConfDgrd", "Online"), ("Conf", "Various")] {
        assert_eq!(state(use_, health), (DiskState::Unknown, true), "{use_} {health}");
    }
    assert_eq!(row("DHS", "Good").disks[0].spare, Some(SpareScope::Dedicated));
}

#[test]
fn case_063() {
    let Some(bytes) = case("063-perccli2-format") else { return };
    let reading = testkit::read(&Storcli2, &Transcript::parse(&bytes).unwrap().polls[0].answers);
    let array = &reading.arrays[0];
    assert_eq!(array.state.as_ref().unwrap().state, ArrayState::Degraded);
    let cache = &array.cache;
    assert_eq!(
        (cache.current_write, cache.default_write),
        (Some(WriteCache::WriteThrough), Some(WriteCache::WriteBack))
    );
    let states: Vec<DiskState> = reading.disks.iter().map(|d| d.state.as_ref().unwrap().state).collect();
    assert_eq!(states, [DiskState::Online, DiskState::Failed, DiskState::HotSpare]);
    assert!(reading.caches.is_empty());
}

#[test]
fn captures() {
    let Some(rows) = corpus_rows("storcli2/") else { return };
    for row in &rows {
        let asked = Asked::Cmd(row.command.split_whitespace().map(str::to_owned).collect());
        assert!(Storcli2.recognise(&asked, &row.bytes).is_some(), "{}", row.path);
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let reading = testkit::read(&Storcli2, &[answer]);
        let unknown: Vec<_> = reading.notes.iter().filter(|n| n.kind == NoteKind::UnknownWord).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", row.path);
        let states = reading.arrays.iter().filter(|a| a.state.is_some()).count();
        let disks = reading.disks.iter().filter(|d| d.state.is_some()).count();
        println!("{}: {states} arrays, {disks} disks, {:?}", row.path, unhealthy(&reading));
    }
}
