//! Fixtures of our own, conversations, and the shared captures in place (read where they are, never
//! copied).

use super::Storcli;
use crate::testkit;
use crate::{Adapter, Step};
use raidmond_core::model::{ArrayState, CacheState, ControllerState, DiskState};
use raidmond_core::survey::{Answer, Asked, Heard, Known, NoteKind, Outcome, Query, Reading, Scope, ToolFound};
use std::path::PathBuf;

#[test]
fn fixtures() {
    testkit::check_cases(&Storcli);
}

#[test]
fn robust() {
    testkit::check_robustness(&Storcli);
}

fn known(cursor: Option<&str>) -> Known {
    Known {
        scope: Scope::Controller("0".to_owned()),
        tool: Some(ToolFound { name: "perccli64".to_owned(), path: String::new(), version: None }),
        cursor: cursor.map(str::to_owned),
        ..Known::default()
    }
}

/// Runs a conversation; the machine is a function from command to (output, signal).
fn converse(known: &Known, machine: impl Fn(&str) -> (String, Option<&'static str>)) -> (Vec<String>, Reading) {
    let (mut heard, mut asked) = (Heard::default(), Vec::new());
    for _ in 0..crate::MAX_ROUNDS {
        match Storcli.step(known, &heard) {
            Step::Done(reading) => return (asked, *reading),
            Step::Ask { queries, .. } => queries.iter().for_each(|q| {
                asked.push(q.asked.to_string());
                heard.push(q.kind, answer(q, &machine));
            }),
        }
    }
    panic!("no end after {asked:?}");
}

fn answer(query: &Query, machine: &impl Fn(&str) -> (String, Option<&'static str>)) -> Answer {
    let (text, signal) = machine(&query.asked.to_string());
    let outcome = Outcome { signal: signal.map(str::to_owned), ..Outcome::default() };
    Answer { asked: query.asked.clone(), stdout: text.into_bytes(), stderr: Vec::new(), outcome }
}

fn json(data: &str) -> String {
    let head =
        "{\"Controllers\":[{\"Command Status\":{\"Controller\":0,\"Status\":\"Success\",\"Description\":\"None\"},";
    format!("{head}\"Response Data\":{{{data}}}}}]}}")
}

fn summary(state: &str) -> String {
    json(&format!(
        "\"Product Name\":\"T\",\"Virtual Drives\":1,\"VD LIST\":[{{\"DG/VD\":\"0/0\",\"TYPE\":\"RAID1\",\"State\":\"Dgrd\",\"Cache\":\"RWTD\"}}],\
         \"Physical Drives\":1,\"PD LIST\":[{{\"EID:Slt\":\"8:1\",\"DID\":1,\"State\":\"{state}\",\"DG\":0}}],\
         \"Cachevault_Info\":[{{\"Model\":\"CV\",\"State\":\"Optimal\",\"Temp\":\"30C\"}}]"
    ))
}

#[test]
fn further_questions_follow_from_the_first_answers() {
    let (asked, reading) = converse(&known(None), |command| match command {
        "perccli64 /c0 show J nolog" => (summary("Rbld"), None),
        "perccli64 /c0/eall/sall show all J nolog" => ("Illegal instruction\n".to_owned(), Some("SIGILL")),
        "perccli64 /c0/vall show all J nolog" => ("{ \"Controllers\" : [ {".to_owned(), None),
        _ => (json(""), None),
    });
    for command in [
        "perccli64 /c0/eall/sall show rebuild J nolog",
        "perccli64 /c0/eall/sall show J nolog",
        "perccli64 /c0/cv show all J nolog",
        "perccli64 /c0/vall show all nolog",
    ] {
        assert!(asked.iter().any(|a| a == command), "{command} not in {asked:?}");
    }
    assert!(!asked.iter().any(|a| a.contains("bbu") || a.contains("copyback")));
    assert!(reading.notes.iter().any(|n| n.kind == NoteKind::ToolFailed));
}

#[test]
fn a_disk_that_left_the_summary_is_not_kept_by_an_older_list() {
    let list = json("\"Drive /c0/e8/s2\":[{\"EID:Slt\":\"8:2\",\"DID\":2,\"State\":\"Onln\",\"DG\":0}]");
    let (_, reading) = converse(&known(None), |command| match command {
        "perccli64 /c0 show J nolog" => (summary("Onln"), None),
        "perccli64 /c0/eall/sall show all J nolog" => (list.clone(), None),
        _ => (json(""), None),
    });
    let paths: Vec<&str> = reading.disks.iter().map(|d| d.at.as_str()).collect();
    assert_eq!(paths, ["c0/8:1"]);
}

#[test]
fn only_events_after_the_cursor_are_news() {
    let log = "seqNum: 0x0a\nCode: 0x60\nClass: 1\nEvent Description: Predictive failure on PD 01(e0x08/s1)\n\n\
               seqNum: 0x0b\nCode: 0x61\nClass: 3\nEvent Description: Puncturing bad block on PD 01(e0x08/s1)\n";
    let with = |cursor: Option<&str>| {
        let (_, reading) = converse(&known(cursor), |command| match command {
            "perccli64 /c0 show events type=latest=50 nolog" => (log.to_owned(), None),
            _ => (json(""), None),
        });
        let sequences: Vec<Option<u64>> = reading.events.iter().map(|e| e.sequence).collect();
        (sequences, reading.cursor)
    };
    assert_eq!(with(None), (vec![], Some("11".to_owned())));
    assert_eq!(with(Some("10")), (vec![Some(11)], Some("11".to_owned())));
    assert_eq!(with(Some("11")), (vec![], Some("11".to_owned())));
    // Cleared, or another card: the whole log is new.
    assert_eq!(with(Some("900")).0, [Some(10), Some(11)]);
}

#[test]
fn attention_without_a_reason_is_reported() {
    let status = |extra: &str| {
        let data = format!(
            "\"Basics\":{{\"Controller\":0,\"Model\":\"T\"}},\"Status\":{{\"Controller Status\":\"Needs Attention\"{extra}}}"
        );
        testkit::read_command(&Storcli, "storcli64 /c0 show all J", &json(&data))
    };
    let alone = status("");
    assert!(alone.findings.iter().any(|f| f.what.said.contains("Needs Attention")));
    assert!(alone.controllers[0].state.is_none());
    assert!(status(",\"BBU Status\":32").findings.is_empty(), "the battery explains it");
}

#[test]
fn a_learning_battery_may_be_unknown_and_low() {
    let text = "BBU_Info :\n========\n\n-------------\nProperty Value\n-------------\nType     iBBU\nBattery State Unknown\n-------------\n\n\
                BBU_Firmware_Status :\n===================\n\n----------------------------\nProperty               Value\n----------------------------\n\
                Learn Cycle Active     Yes\nRemaining Capacity Low Yes\n----------------------------\n";
    let state = |text: &str| {
        let reading = testkit::read_command(&Storcli, "storcli64 /c0/bbu show all", text);
        assert!(reading.notes.is_empty(), "{:?}", reading.notes);
        reading.caches[0].state.as_ref().map(|s| s.state)
    };
    assert_eq!(state(text), Some(CacheState::Learning));
    assert_eq!(state(&text.replace("Active     Yes", "Active     No ")), Some(CacheState::Weak));
}

#[test]
fn names_decide_and_na_is_no_value() {
    let text = "BBU_Info :\n========\n\n---------------------\nProperty      Value\n---------------------\nBattery State Optimal\n\
                ---------------------\n\nFirmware_Status :\n===============\n\n-------------------------------\n\
                Property                  Value\n-------------------------------\nNVCache State             OK\n\
                Replacement required      N/A\nNo space to cache offload N/A\n-------------------------------\n";
    let reading = testkit::read_command(&Storcli, "storcli64 /c0/bbu show all", text);
    let pack = &reading.caches[0];
    assert_eq!((pack.state.as_ref().map(|s| s.state), &pack.replace), (Some(CacheState::Optimal), &None));
}

fn shared() -> Option<PathBuf> {
    let fixed = std::env::var_os("RAIDMOND_SHARED").map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = Some(fixed.unwrap_or_else(beside)).filter(|p| p.join("corpus/MANIFEST.tsv").exists());
    if found.is_none() {
        println!("SKIPPED: shared corpus not found, 0 captures read");
    }
    found
}

/// Rows of the manifest for this family: (path, command, verdict).
fn captures() -> Vec<(PathBuf, String, String)> {
    let Some(shared) = shared() else { return Vec::new() };
    let corpus = shared.join("corpus");
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let ours = cells[0].starts_with("storcli/") || cells[0].starts_with("perccli/");
        ours.then(|| (corpus.join(cells[0]), cells[6].to_owned(), cells[7].to_owned()))
    };
    manifest.lines().skip(1).filter_map(row).collect()
}

fn read_capture(path: &PathBuf, command: &str) -> Option<Reading> {
    let words = command.split_whitespace().map(str::to_owned).collect();
    let stdout = std::fs::read(path).unwrap();
    let head = stdout[..stdout.len().min(crate::capture::HEAD_BYTES)].to_vec();
    let answer = Answer { asked: Asked::Cmd(words), stdout, stderr: Vec::new(), outcome: Outcome::default() };
    Storcli.recognise(&answer.asked, &head).map(|_| testkit::read(&Storcli, &[answer]))
}

fn is_well(reading: &Reading) -> bool {
    let array = |s: ArrayState| matches!(s, ArrayState::Optimal);
    let disk = |s: DiskState| {
        !matches!(
            s,
            DiskState::Failed
                | DiskState::Offline
                | DiskState::Missing
                | DiskState::UnconfiguredBad
                | DiskState::Foreign
                | DiskState::Unknown
        )
    };
    let foreign = reading.disks.iter().any(|d| d.foreign == Some(true));
    reading.arrays.iter().filter_map(|a| a.state.as_ref()).all(|s| array(s.state))
        && reading.disks.iter().filter_map(|d| d.state.as_ref()).all(|s| disk(s.state))
        && !foreign
        && reading.controllers.iter().filter_map(|c| c.state.as_ref()).all(|s| s.state == ControllerState::Optimal)
        && reading.findings.is_empty()
        && reading.notes.iter().all(|n| n.kind == NoteKind::Remark)
}

#[test]
fn captures_are_recognised_and_no_fault_is_missed() {
    let (mut read, mut faults, mut well) = (0, 0, 0);
    for (path, command, verdict) in captures() {
        let reading = read_capture(&path, &command).unwrap_or_else(|| panic!("{} not recognised", path.display()));
        read += 1;
        well += u32::from(is_well(&reading));
        if matches!(verdict.as_str(), "warning" | "critical") {
            faults += 1;
            assert!(!is_well(&reading), "{} is {verdict} and reads as well", path.display());
        }
    }
    println!("storcli: {read} captures read, {faults} with faults, {well} well");
}

#[test]
fn healthy_captures_hold_no_word_raidmond_does_not_know() {
    for (path, command, verdict) in captures() {
        let reading = read_capture(&path, &command).unwrap();
        let unknown: Vec<_> = reading.notes.iter().filter(|n| n.kind == NoteKind::UnknownWord).collect();
        assert!(verdict != "ok" || unknown.is_empty(), "{}: {unknown:?}", path.display());
    }
}

/// No answer cut off anywhere reads as a covered, healthy whole when it was not.
#[test]
fn truncated_captures_do_not_panic() {
    for (path, command, _) in captures() {
        let whole = std::fs::read(&path).unwrap();
        for cut in (0..whole.len()).step_by(whole.len() / 40 + 1) {
            let words = command.split_whitespace().map(str::to_owned).collect();
            let outcome = Outcome::default();
            let answer =
                Answer { asked: Asked::Cmd(words), stdout: whole[..cut].to_vec(), stderr: Vec::new(), outcome };
            testkit::read(&Storcli, &[answer]);
        }
    }
}
