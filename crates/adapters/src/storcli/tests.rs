//! Fixtures of our own, conversations, and the shared captures in place (read where they are, never
//! copied).

use super::Storcli;
use crate::corpus_kit::{Row, corpus_rows, unhealthy};
use crate::testkit;
use crate::{Adapter, Step};
use raidmond_core::model::CacheState;
use raidmond_core::survey::{Answer, Asked, Covers, Heard, Known, NoteKind, Outcome, Query, Reading, Scope, ToolFound};

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

fn captures() -> Vec<Row> {
    ["storcli/", "perccli/"].iter().filter_map(|family| corpus_rows(family)).flatten().collect()
}

fn read_capture(row: &Row, bytes: &[u8]) -> Option<Reading> {
    let words = row.command.split_whitespace().map(str::to_owned).collect();
    let head = bytes.get(..crate::capture::HEAD_BYTES).unwrap_or(bytes);
    let asked = Asked::Cmd(words);
    Storcli.recognise(&asked, head)?;
    let answer = Answer { asked, stdout: bytes.to_vec(), stderr: Vec::new(), outcome: Outcome::default() };
    Some(testkit::read(&Storcli, &[answer]))
}

#[test]
fn captures_are_recognised_and_no_fault_is_missed() {
    let (mut read, mut faults, mut well) = (0, 0, 0);
    for row in captures() {
        let reading = read_capture(&row, &row.bytes).unwrap_or_else(|| panic!("{} not recognised", row.path));
        let foreign = reading.disks.iter().any(|d| d.foreign == Some(true));
        let troubled = foreign || !unhealthy(&reading).is_empty();
        read += 1;
        well += u32::from(!troubled);
        if matches!(row.verdict.as_str(), "warning" | "critical") {
            faults += 1;
            assert!(troubled, "{} is {} and reads as well", row.path, row.verdict);
        }
    }
    println!("storcli: {read} captures read, {faults} with faults, {well} well");
}

#[test]
fn healthy_captures_hold_no_word_raidmond_does_not_know() {
    for row in captures().iter().filter(|r| r.verdict == "ok") {
        let reading = read_capture(row, &row.bytes).unwrap();
        let unknown: Vec<_> = reading.notes.iter().filter(|n| n.kind == NoteKind::UnknownWord).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", row.path);
    }
}

/// Cut off anywhere: no panic, and a list that is shorter than the whole one never covers its kind.
#[test]
fn captures_cut_off_cover_nothing_they_lost() {
    let mut cuts = 0;
    for row in captures() {
        let whole = read_capture(&row, &row.bytes).unwrap();
        for cut in (0..row.bytes.len()).step_by(row.bytes.len() / 15 + 1) {
            let reading = read_capture(&row, &row.bytes[..cut]).unwrap();
            for (at, _) in reading.coverage.iter().filter(|(_, what)| *what == Covers::Disks) {
                let count = |r: &Reading| r.disks.iter().filter(|d| d.at.root() == *at).count();
                assert_eq!(count(&reading), count(&whole), "{} cut at {cut}", row.path);
            }
            cuts += 1;
        }
    }
    println!("storcli: {cuts} cuts");
}
