//! Real captures in the shared corpus: sets of one host must read, and say sick or well as judged.

use super::Hp;
use crate::Adapter;
use crate::corpus_kit::{case, corpus_rows, unhealthy};
use crate::testkit::read;
use raidmond_core::survey::{Answer, Asked, Outcome, Transcript, split_words};
use std::collections::BTreeMap;

/// Sets where we know better than the manifest; the verdicts are in tests/corpus_disagreements.tsv.
const OTHERWISE: [(&str, &str); 4] = [
    ("cciss/check_raid/cciss__issue100", "its test overlooks the failed spare that it was opened about"),
    ("hp/check_raid/hpacucli__145__logicaldrive.slot1", "a card without logical drives is well"),
    ("hp/prometheus-hardware-exporter/CTRL_LD_ALL_SHOW_STATUS_ABSENT.txt", "a card without logical drives is well"),
    ("hp/prometheus-hardware-exporter/CTRL_PD_ALL_SHOW_STATUS_ABSENT.txt", "a card without drives is well"),
];

#[test]
fn corpus() {
    let Some(mut rows) = corpus_rows("hp/") else { return };
    rows.extend(corpus_rows("cciss/").unwrap_or_default());
    let mut sets: BTreeMap<String, (Vec<Answer>, String)> = BTreeMap::new();
    for row in rows.iter().filter(|r| !r.command.contains("/proc/")) {
        let asked = Asked::Cmd(split_words(&row.command).unwrap());
        let head = &row.bytes[..row.bytes.len().min(crate::capture::HEAD_BYTES)];
        assert!(Hp.recognise(&asked, head).is_some(), "{} is not recognised as {}", row.path, row.command);
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        read(&Hp, std::slice::from_ref(&answer));
        let set = sets.entry(set_of(&row.path)).or_default();
        set.0.push(answer);
        set.1 = worse(&set.1, &row.verdict);
    }
    let (mut well, mut sick) = (0, 0);
    for (name, (answers, verdict)) in &sets {
        let found = unhealthy(&read(&Hp, answers));
        match verdict.as_str() {
            _ if OTHERWISE.iter().any(|(set, _)| set == name) => {
                assert_eq!(found.is_empty(), verdict != "ok", "{name} agrees now: {found:#?}");
            }
            "ok" => {
                assert!(found.is_empty(), "{name} is well: {found:#?}");
                well += 1;
            }
            "" => {}
            _ => {
                assert!(!found.is_empty(), "{name} is {verdict} and nothing says so");
                sick += 1;
            }
        }
    }
    println!("hp corpus: {} files, {} sets: {well} well, {sick} sick or unreadable, as judged", rows.len(), sets.len());
    assert!(well >= 30 && sick >= 8);
}

/// The answers of one test of check_raid; other files stand alone.
fn set_of(path: &str) -> String {
    let parts: Vec<&str> = path.split("__").collect();
    let hosts = ["145", "151", "154", "hpacucli"];
    // Several machines in one folder, or one machine whose second card has its own verdict.
    let alone = parts.len() < 3 || hosts.contains(&parts[1]) || parts[1] == "cciss";
    if alone { path.to_owned() } else { parts[..2].join("__") }
}

fn worse(a: &str, b: &str) -> String {
    let rank = |v: &str| ["", "ok", "unknown", "warning", "critical"].iter().position(|w| *w == v).unwrap_or(0);
    if rank(a) >= rank(b) { a.to_owned() } else { b.to_owned() }
}

/// What the cases say is right, as pieces of canonical text.
#[test]
fn cases() {
    const RIGHT: [(&str, &[&str], bool); 6] = [
        (
            "003-hpssacli-pd-predictive-and-batteries",
            &[
                "disk c1/4I:1:4 bytes=1000000000000 Online(\"OK\")\n",
                "disk c1/4I:1:5 bytes=1000000000000 Online(\"Predictive Failure\") predictive=true",
                "disk c1/4I:1:11 bytes=1000000000000 Online(\"Predictive Failure\") predictive=true",
                "cache c1/battery Battery Failed(\"Failed (Replace Batteries)\") replace=true",
            ],
            false,
        ),
        (
            "007-cciss-ok-but-spare-failed",
            &["array csg0/v0 level=Raid5 Optimal(\"OK\")", "serial=SER0004 Failed(\"Failed drives\") spare=Dedicated"],
            false,
        ),
        ("035-hpacucli-no-logical-drives", &["covers Arrays of c3"], true),
        (
            "044-hp-firmware-notice-noise",
            &["array c0b/v1 level=Raid5 bytes=11984676742758 Optimal(\"OK\")", "finding c0b ToolReportsNotice"],
            true,
        ),
        ("050-cciss-cache-disabled-code-30", &["finding csg1 WriteBackLost", "Unknown cache disable code: 30"], false),
        (
            "102-cciss-stray-bytes-replacement",
            &["disk c0/2I:1:1", "task c0/v0 Rebuild Queued", "array c0/v1 level=Raid5 Optimal(\"OK\")"],
            false,
        ),
    ];
    for (name, pieces, well) in RIGHT {
        let Some(bytes) = case(name) else { continue };
        let answers = Transcript::parse(&bytes).unwrap().polls.remove(0).answers;
        let reading = read(&Hp, &answers);
        let text = crate::canonical::text(&reading);
        for piece in pieces {
            assert!(text.contains(piece), "{name}: no {piece:?} in\n{text}");
        }
        assert_eq!(unhealthy(&reading).is_empty(), well, "{name}\n{text}");
    }
}
