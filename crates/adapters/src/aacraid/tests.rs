//! Fixtures, robustness, the kernel's part of the conversation, and the corpus read in place.

use super::{AACRAID, kernel, recognise};
use crate::{Adapter, Step, canonical, capture, testkit};
use raidmond_core::model::{ArrayState, CacheState, ControllerState, DiskState, FindingKind, PartState, TaskKind};
use raidmond_core::survey::{Answer, Asked, Heard, Known, NoteKind, Outcome, Reading, Scope};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[test]
fn fixtures() {
    testkit::check_cases(&AACRAID);
}

#[test]
fn robust() {
    testkit::check_robustness(&AACRAID);
}

fn answer(asked: Asked, text: &str) -> Answer {
    Answer { asked, stdout: text.as_bytes().to_vec(), stderr: Vec::new(), outcome: Outcome::default() }
}

fn host_file(name: &str, text: &str) -> Answer {
    answer(Asked::File(format!("/sys/class/scsi_host/host4/{name}")), text)
}

fn queries(known: &Known, heard: &Heard) -> Vec<String> {
    match AACRAID.step(known, heard) {
        Step::Ask { queries, .. } => queries.iter().map(|q| q.asked.to_string()).collect(),
        Step::Done(_) => Vec::new(),
    }
}

#[test]
fn an_arcconf_without_list_is_asked_for_versions() {
    let known = Known { scope: Scope::Discover, ..Known::default() };
    let mut heard = Heard::default();
    assert_eq!(queries(&known, &heard), ["arcconf LIST"]);
    heard.push(recognise::LIST, answer(Asked::cmd(&["arcconf", "LIST"]), " COPYBACK  | toggles copy back\n"));
    assert_eq!(queries(&known, &heard), ["arcconf GETVERSION"]);
    let version = "Controllers found: 1\nController #1\n==============\nFirmware : 5.2-0 (1)\n\nCommand completed successfully.\n";
    heard.push(recognise::VERSION, answer(Asked::cmd(&["arcconf", "GETVERSION"]), version));
    let Step::Done(reading) = AACRAID.step(&known, &heard) else { panic!("asks on") };
    assert_eq!(canonical::text(&reading), "controller c1 firmware=\"5.2-0 (1)\"\ncovers Controllers of \n");
}

#[test]
fn a_controller_is_asked_all_at_once_and_nothing_is_written() {
    let scsi_hosts = vec![(4, "aacraid".to_owned()), (0, "ahci".to_owned())];
    let known = Known { scope: Scope::Controller("2".to_owned()), scsi_hosts, ..Known::default() };
    let asked = queries(&known, &Heard::default());
    assert_eq!(asked[..2], ["arcconf GETCONFIG 2 AL", "arcconf GETSTATUS 2"]);
    assert!(asked.contains(&"/sys/class/scsi_host/host4/reset_host".to_owned()), "{asked:?}");
    assert!(!asked.iter().any(|a| a.contains("host0")));
}

#[test]
fn the_driver_and_arcconf_speak_of_one_card() {
    let scsi_hosts = vec![(4, "aacraid".to_owned()), (5, "aacraid".to_owned())];
    let known = Known { scope: Scope::Controller("2".to_owned()), scsi_hosts, ..Known::default() };
    let config = "Controllers found: 2\n---\nController information\n---\nController Status : Optimal\n\
                  Controller Serial Number : 00ab12cd\n";
    let mut heard = Heard::default();
    heard.push(recognise::CONFIG, answer(Asked::cmd(&["arcconf", "GETCONFIG", "2", "AL"]), config));
    heard.push(kernel::HOST, host_file("serial_number", "AB12CD\n"));
    heard.push(kernel::HOST, host_file("reset_host", "0x1234\n"));
    let other = Asked::File("/sys/class/scsi_host/host5/reset_host".to_owned());
    heard.push(kernel::HOST, answer(other, "0x99\n"));
    let Step::Done(reading) = AACRAID.step(&known, &heard) else { panic!("asks on") };
    let faults: Vec<_> = reading.findings.iter().map(|f| (f.at.as_str(), f.what.state)).collect();
    assert_eq!(faults, [("c2", FindingKind::FirmwareFault)]);
    assert_eq!(reading.controllers.len(), 1);
}

#[test]
fn a_card_without_an_error_log_is_no_blindness() {
    let kinds = |text: &str| {
        let reading = testkit::read_command(&AACRAID, "arcconf GETLOGS 1 DEVICE TABULAR", text);
        reading.notes.iter().map(|n| n.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("Controllers found: 1\nCommand aborted.\n"), [NoteKind::Remark]);
    assert_eq!(kinds(""), [NoteKind::Unreadable]);
}

#[test]
fn a_list_of_one_device_is_not_all_of_them() {
    let one = "Controllers found: 1\n---\nPhysical Device information\n---\nDevice #8\nDevice is a Hard drive\n\
               State : Ready\nReported Channel,Device(T:L) : 0,8(8:0)\nCommand completed successfully.\n";
    let covers = |command: &str| !testkit::read_command(&AACRAID, command, one).coverage.is_empty();
    assert!(covers("arcconf GETCONFIG 1 PD") && !covers("arcconf GETCONFIG 1 PD 0 8"));
}

#[test]
fn what_is_cut_off_covers_nothing() {
    let cut = "Controllers found: 1\n---\nController information\n---\nController Status : Optimal\n\
               Logical devices/Failed/Degraded : 2/0/0\n";
    let reading = testkit::read_command(&AACRAID, "arcconf GETCONFIG 1 AL", cut);
    assert!(reading.coverage.is_empty());
    assert!(reading.notes.iter().any(|n| n.kind == NoteKind::FewerThanCounted), "{:?}", reading.notes);
}

/// Not fine: a state that is not good, a finding, a prediction, or a note of more than a remark.
fn unhealthy(reading: &Reading) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |bad: bool, what: String| {
        if bad {
            found.push(what);
        }
    };
    for c in reading.controllers.iter().filter_map(|c| c.state.as_ref()) {
        add(c.state != ControllerState::Optimal, format!("controller {}", c.said));
    }
    for c in &reading.controllers {
        add(c.disks_failed_counted.unwrap_or(0) > 0, format!("{:?} defunct disks", c.disks_failed_counted));
    }
    for a in &reading.arrays {
        add(a.state.as_ref().is_some_and(|s| s.state != ArrayState::Optimal), format!("{} {:?}", a.at, a.state));
        add(a.bad_blocks == Some(true), format!("{} bad blocks", a.at));
    }
    let good = |s: DiskState| {
        use DiskState::{Busy, HotSpare, Jbod, Online, UnconfiguredGood};
        matches!(s, Busy | HotSpare | Jbod | Online | UnconfiguredGood)
    };
    for d in &reading.disks {
        add(d.state.as_ref().is_some_and(|s| !good(s.state)), format!("{} {:?}", d.at, d.state));
        add(d.predictive.as_ref().is_some_and(|p| p.state), format!("{} {:?}", d.at, d.predictive));
    }
    for c in reading.caches.iter().filter_map(|c| c.state.as_ref()) {
        add(!matches!(c.state, CacheState::Optimal | CacheState::NotFitted), format!("cache {}", c.said));
    }
    for p in reading.enclosures.iter().flat_map(|e| &e.parts) {
        let bad = !matches!(p.state.state, PartState::Ok | PartState::NotInstalled);
        add(bad, format!("{} {:?}", p.name, p.state));
    }
    let rebuilds = reading.tasks.iter().filter(|t| t.kind == TaskKind::Rebuild);
    found.extend(rebuilds.map(|t| t.state.said.clone()));
    found.extend(reading.findings.iter().map(|f| format!("{:?} {}", f.what.state, f.what.said)));
    let notes = reading.notes.iter().filter(|n| n.kind != NoteKind::Remark);
    found.extend(notes.map(|n| format!("note {:?} {}", n.kind, n.said)));
    found
}

struct Row {
    path: String,
    command: String,
    verdict: String,
    judged: bool,
}

fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("RAIDMOND_SHARED").map_or(beside, PathBuf::from);
    root.join("corpus/MANIFEST.tsv").exists().then_some(root)
}

fn rows(root: &Path) -> Vec<Row> {
    let manifest = std::fs::read_to_string(root.join("corpus/MANIFEST.tsv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let text = |index: usize| cells.get(index).copied().unwrap_or("").to_owned();
        let judged = ["source_test", "text"].contains(&text(9).as_str());
        Row { path: text(0), command: text(6), verdict: text(7), judged }
    };
    let rows = manifest.lines().map(row);
    rows.filter(|r| r.path.starts_with("arcconf/") || r.path.starts_with("aacraid/")).collect()
}

/// "arcconf getconfig/list 1" and "aaccli: open aac0; …" as the manifest writes them.
fn asked(command: &str) -> Asked {
    Asked::Cmd(command.split_whitespace().map(str::to_owned).collect())
}

/// check_raid's verdict is of all files of one test together.
fn set(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parts: Vec<&str> = name.split("__").collect();
    if folder.ends_with("arcconf/check_raid") { format!("{folder}/{}", parts[1]) } else { path.to_owned() }
}

/// Files whose verdict does not follow from what they say, with the reason.
const DISAGREEMENTS: [(&str, &str); 6] = [
    ("arcconf/netdata/getconfig-ld-current.txt", "cleaned of its last lines: nothing tells it from a cut"),
    ("arcconf/check_raid/issue110", "only GETSTATUS is in the corpus; the fault is in GETCONFIG"),
    ("arcconf/check_raid/issue190", "only GETSTATUS is in the corpus; a verify runs"),
    ("arcconf/check_raid/issue90", "only GETSTATUS is in the corpus; the fault is in GETCONFIG"),
    ("arcconf/check_raid/issue75", "the enclosure's temperature is Abnormal and its alarm is on"),
    ("arcconf/disko/smartpqi__arcConfGetConfig.txt", "the cache is Temporarily Disabled, the capacitor not charged"),
];

#[test]
fn corpus() {
    let Some(root) = shared() else {
        println!("aacraid corpus: SKIPPED, 0 files read (set RAIDMOND_SHARED)");
        return;
    };
    let mut sets: BTreeMap<String, (Vec<Answer>, String, bool)> = BTreeMap::new();
    let (mut by_command, mut by_look, mut files) = (0, 0, 0);
    for row in rows(&root) {
        let text = std::fs::read(root.join("corpus").join(&row.path)).unwrap();
        let asked = asked(&row.command);
        let head = &text[..text.len().min(capture::HEAD_BYTES)];
        files += 1;
        by_command += usize::from(AACRAID.recognise(&asked, head).is_some());
        by_look += usize::from(AACRAID.recognise(&Asked::Cmd(Vec::new()), head).is_some());
        let entry = sets.entry(set(&row.path)).or_default();
        entry.0.push(Answer { asked, stdout: text, stderr: Vec::new(), outcome: Outcome::default() });
        if !row.verdict.is_empty() && row.verdict != "ok" || entry.1.is_empty() {
            entry.1 = row.verdict;
        }
        entry.2 |= row.judged;
    }
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<(String, bool), usize> = BTreeMap::new();
    for (name, (answers, verdict, judged)) in &sets {
        let reading = testkit::read(&AACRAID, answers);
        let found = unhealthy(&reading);
        *counts.entry((verdict.clone(), found.is_empty())).or_default() += 1;
        let mismatch = match verdict.as_str() {
            "ok" => !found.is_empty(),
            "warning" | "critical" => found.is_empty(),
            _ => false,
        };
        if mismatch {
            wrong.push(format!("{name}: {verdict} judged={judged}: {found:?}"));
        }
    }
    println!("aacraid corpus: {files} files, {by_command} by command, {by_look} by look; {} sets", sets.len());
    println!("(verdict, nothing unhealthy): {counts:?}");
    let known = |w: &&String| DISAGREEMENTS.iter().any(|(name, _)| w.starts_with(&format!("{name}:")));
    let (known, new): (Vec<_>, Vec<_>) = wrong.iter().partition(known);
    println!("known disagreements: {}", known.len());
    assert!(new.is_empty(), "{new:#?}");
    assert_eq!((by_command, by_look), (files, files));
}
