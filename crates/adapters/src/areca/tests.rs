//! Fixtures, captures, and what the tool must not talk raidmond into.

use super::*;
use crate::corpus_kit::{case, corpus_rows, unhealthy};
use crate::testkit::{self, read_command};
use raidmond_core::model::{CacheState, DiskState};
use raidmond_core::survey::{Answer, NoteKind, Outcome, Transcript, split_words};

#[test]
fn fixtures() {
    testkit::check_cases(&Areca);
}

#[test]
fn robust() {
    testkit::check_robustness(&Areca);
}

const DISK_HEADER: &str = "  # Ch# ModelName                       Capacity  Usage\n=====\n";
const END: &str = "=====\nGuiErrMsg<0x00>: Success.\n";

fn disk_state(row: &str) -> (DiskState, usize) {
    let reading = read_command(&Areca, "cli64 disk info", &format!("{DISK_HEADER}{row}\n{END}"));
    (reading.disks[0].state.as_ref().unwrap().state, reading.notes.len())
}

#[test]
fn a_word_one_disk_has_is_no_name() {
    assert_eq!(disk_state("  1  1  EX1000    1000.2GB  Dying"), (DiskState::Unknown, 1));
    assert_eq!(disk_state("  1  1  EX1000    1000.2GB  N.A."), (DiskState::Unknown, 1));
    assert_eq!(disk_state("  1  1  N.A.         0.0GB  N.A."), (DiskState::Empty, 0));
    assert_eq!(disk_state("  1  1  EX1000    1000.2GB  Raid Set # 00"), (DiskState::Online, 0));
    assert_eq!(disk_state("  1  1  EX1000    1000.2GB  Failed"), (DiskState::Failed, 0));
}

#[test]
fn success_is_no_error_and_an_error_is_no_success() {
    let of = |end: &str| read_command(&Areca, "cli64 vsf info", &format!("GuiErrMsg<{end}\n")).notes;
    assert_eq!(of("0x08>: Password Required.")[0].kind, NoteKind::CommandRefused);
    assert_eq!(of("0x00>: Success.")[0].kind, NoteKind::Unreadable);
}

#[test]
fn a_battery_is_judged_by_its_charge() {
    let state = |said: &str| {
        let text = format!(
            "The Hardware Monitor Information\n=====\n[Controller H/W Monitor]\n  Battery Status   : {said}\n{END}"
        );
        let reading = read_command(&Areca, "cli64 hw info", &text);
        (reading.caches[0].state.as_ref().unwrap().state, reading.notes.len())
    };
    assert_eq!(state("100%"), (CacheState::Optimal, 0));
    assert_eq!(state("Charging(45%)"), (CacheState::Charging, 0));
    assert_eq!(state("12%"), (CacheState::Weak, 0));
    assert_eq!(state("Not Installed"), (CacheState::NotFitted, 0));
    assert_eq!(state("Swollen"), (CacheState::Unknown, 1));
}

#[test]
fn the_second_card_is_named_in_every_question() {
    let known = |n: &str| Known { scope: Scope::Controller(n.into()), ..Known::default() };
    let asks = |n: &str| match Areca.step(&known(n), &Heard::default()) {
        Step::Ask { queries, .. } => queries.iter().map(|q| q.asked.to_string()).collect::<Vec<_>>(),
        Step::Done(_) => Vec::new(),
    };
    assert_eq!(asks("1")[0], "cli64 vsf info");
    assert!(asks("2").iter().all(|q| q.starts_with("cli64 ctrl=2 ")));
    let number = |command: &str| controller(&Known::default(), &Asked::Cmd(split_words(command).unwrap()));
    assert_eq!(number("cli64 ctrl=2 disk info").as_str(), "c2");
}

#[test]
fn captures() {
    let Some(rows) = corpus_rows("areca/") else { return };
    let mut faults = 0;
    for row in &rows {
        let asked = Asked::Cmd(split_words(&row.command).unwrap());
        assert!(Areca.recognise(&Asked::Cmd(Vec::new()), &row.bytes).is_some(), "{} nameless", row.path);
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let reading = testkit::read(&Areca, &[answer]);
        let found = unhealthy(&reading);
        match row.verdict.as_str() {
            "ok" => assert!(found.is_empty(), "{}: {found:?}", row.path),
            "" => {}
            _ => assert!(!found.is_empty(), "{}", row.path),
        }
        faults += usize::from(!found.is_empty());
    }
    println!("areca corpus: {} files, {faults} not well", rows.len());
}

#[test]
fn case_038_is_a_check() {
    let Some(bytes) = case("038-areca-checking") else { return };
    let reading = testkit::read(&Areca, &Transcript::parse(&bytes).unwrap().polls[0].answers);
    assert!(unhealthy(&reading).is_empty());
    assert_eq!(reading.tasks.len(), 1);
}
