//! Fixtures of our own, the public captures in place, and the conversation.

use super::MegaCli;
use crate::testkit;
use crate::{Adapter, Mutation, Step, Verdict};
use raidmond_core::model::{ArrayState, CacheState, DiskState, WriteCache};
use raidmond_core::survey::{
    Answer, Asked, Heard, Known, NoteKind, Outcome, PciDevice, Reading, Scope, ToolFound, Transcript,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[test]
fn fixtures() {
    testkit::check_cases(&MegaCli);
}

#[test]
fn nothing_breaks_it() {
    testkit::check_robustness(&MegaCli);
}

fn shared() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("RAIDMOND_SHARED").map_or_else(beside, PathBuf::from);
    folder.join("corpus/MANIFEST.tsv").is_file().then_some(folder)
}

struct Row {
    path: String,
    command: String,
    verdict: String,
    /// Files of one test of the source carry the same words before "##".
    set: String,
    basis: String,
    whole_set: bool,
    bytes: Vec<u8>,
}

impl Row {
    fn answer(&self, with_command: bool) -> Answer {
        let words = if with_command { &self.command } else { "" };
        let argv = words.split_whitespace().map(str::to_owned).collect();
        let stderr = Vec::new();
        Answer { asked: Asked::Cmd(argv), stdout: self.bytes.clone(), stderr, outcome: Outcome::default() }
    }
}

fn rows() -> Vec<Row> {
    let Some(shared) = shared() else { return Vec::new() };
    let corpus = shared.join("corpus");
    let manifest = std::fs::read(corpus.join("MANIFEST.tsv")).unwrap();
    let manifest = String::from_utf8_lossy(&manifest).into_owned();
    let ours = manifest.lines().filter(|l| l.starts_with("megacli/"));
    ours.map(|line| {
        let column: Vec<&str> = line.split('\t').collect();
        let set = match column[8].split_once(" ## ") {
            Some((words, _)) => words.to_owned(),
            None => column[0].to_owned(),
        };
        Row {
            path: column[0].to_owned(),
            command: column[6].to_owned(),
            verdict: column[7].to_owned(),
            set,
            basis: column[9].to_owned(),
            whole_set: column.get(10).is_some_and(|n| n.contains("whole companion set")),
            bytes: std::fs::read(corpus.join(column[0])).unwrap(),
        }
    })
    .collect()
}

/// What a person would want to look at, without asking how bad it is.
fn troubles(reading: &Reading) -> Vec<String> {
    let mut found = Vec::new();
    for a in &reading.arrays {
        let lost = (a.cache.default_write, a.cache.current_write);
        let state = a.state.as_ref().map(|s| s.state);
        if state.is_some_and(|s| s != ArrayState::Optimal) || a.bad_blocks == Some(true) {
            found.push(format!("array {} {state:?}", a.at));
        }
        if lost == (Some(WriteCache::WriteBack), Some(WriteCache::WriteThrough)) {
            found.push(format!("array {} write-back lost", a.at));
        }
    }
    for d in &reading.disks {
        let good = [
            DiskState::Online,
            DiskState::HotSpare,
            DiskState::Jbod,
            DiskState::UnconfiguredGood,
            DiskState::CopyingBack,
        ];
        let bad = d.state.as_ref().is_some_and(|s| !good.contains(&s.state));
        if bad || d.foreign == Some(true) || d.predictive.as_ref().is_some_and(|p| p.state) {
            found.push(format!("disk {} {:?} predictive {:?}", d.at, d.state, d.predictive));
        }
    }
    for c in &reading.caches {
        let good = [CacheState::Optimal, CacheState::Learning, CacheState::Charging, CacheState::NotFitted];
        let bad = c.state.as_ref().is_some_and(|s| !good.contains(&s.state));
        if bad || c.replace.as_ref().is_some_and(|r| r.state) {
            found.push(format!("cache {} {:?} replace {:?}", c.at, c.state, c.replace));
        }
    }
    found.extend(reading.findings.iter().map(|f| format!("finding {f:?}")));
    found.extend(reading.notes.iter().filter(|n| n.kind != NoteKind::Remark).map(|n| format!("note {n:?}")));
    found
}

#[test]
fn corpus_is_recognised_with_and_without_its_command() {
    let rows = rows();
    println!("corpus: {} files{}", rows.len(), if rows.is_empty() { ", SKIPPED: no shared material" } else { "" });
    let mut by_command = 0;
    let mut by_head = 0;
    for row in &rows {
        let head = &row.bytes[..row.bytes.len().min(crate::capture::HEAD_BYTES)];
        let kind = MegaCli.recognise(&row.answer(true).asked, head);
        let guessed = MegaCli.recognise(&Asked::Cmd(Vec::new()), head);
        assert!(kind.is_some(), "{} ({})", row.path, row.command);
        assert!(guessed.is_some(), "{} by its head", row.path);
        by_command += 1;
        by_head += usize::from(kind == guessed);
        testkit::read(&MegaCli, &[row.answer(true)]);
        testkit::read(&MegaCli, &[row.answer(false)]);
    }
    println!("corpus: {by_command} by command, {by_head} by head as the same kind");
}

/// Files whose verdict rests on a companion that is not in the corpus (the battery answers of issue39).
const COMPANION_ABSENT: [&str; 2] = [
    "megacli/check_raid/megacli__issue39__batteries.ldinfo.2",
    "megacli/check_raid/megacli__issue39__batteries.ldinfo.3",
];

#[test]
fn corpus_faults_are_seen_and_health_is_not_doubted() {
    let rows = rows();
    let mut sets: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|r| !COMPANION_ABSENT.contains(&r.path.as_str())) {
        sets.entry(if row.whole_set { &row.set } else { &row.path }).or_default().push(row);
    }
    let (mut faults, mut healthy) = (0, 0);
    for set in sets.values() {
        let answers: Vec<Answer> = set.iter().map(|r| r.answer(true)).collect();
        let reading = testkit::read(&MegaCli, &answers);
        let troubles = troubles(&reading);
        let first = set[0];
        match first.verdict.as_str() {
            "warning" | "critical" if ["source_test", "text"].contains(&first.basis.as_str()) => {
                assert!(!troubles.is_empty(), "nothing wrong seen in the set of {}", first.path);
                faults += 1;
            }
            "ok" => {
                assert!(troubles.is_empty(), "false alarm in the set of {}: {troubles:#?}", first.path);
                assert!(!reading.bears_no_health(), "no health read in {}", first.path);
                healthy += 1;
            }
            "unknown" => assert!(reading.bears_no_health(), "health out of nothing in {}", first.path),
            _ => {}
        }
    }
    println!("corpus: {faults} sets with faults, {healthy} healthy sets");
}

fn case(name: &str) -> Option<Reading> {
    let folder = std::fs::read_dir(shared()?.join("cases")).unwrap().flatten();
    let folder =
        folder.map(|e| e.path()).find(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(name)));
    let bytes = std::fs::read(folder.unwrap().join("input.txt")).unwrap();
    Some(testkit::read(&MegaCli, &Transcript::parse(&bytes).unwrap().polls[0].answers))
}

#[test]
fn real_situations() {
    let faults = ["001", "014", "016", "049", "053", "057", "073"];
    let healthy = ["031", "054", "101"];
    for name in faults {
        let Some(reading) = case(name) else { return println!("cases: SKIPPED, no shared material") };
        assert!(!troubles(&reading).is_empty(), "case {name}");
    }
    for name in healthy {
        let Some(reading) = case(name) else { return };
        assert_eq!(troubles(&reading), Vec::<String>::new(), "case {name}");
    }
    println!("cases: {} read", faults.len() + healthy.len());
}

fn known(scope: Scope) -> Known {
    let tool = ToolFound { name: "MegaCli64".into(), path: "/opt/MegaRAID/MegaCli/MegaCli64".into(), version: None };
    Known { scope, tool: Some(tool), ..Known::default() }
}

fn asked(step: &Step) -> Vec<String> {
    match step {
        Step::Ask { queries, .. } => queries.iter().map(|q| q.asked.to_string()).collect(),
        Step::Done(_) => Vec::new(),
    }
}

/// Answers every question by its words, until the adapter is done.
fn converse(known: &Known, answer: impl Fn(&str) -> &'static str) -> (Reading, Vec<String>) {
    let mut heard = Heard::default();
    let mut all = Vec::new();
    loop {
        let step = MegaCli.step(known, &heard);
        all.extend(asked(&step));
        match step {
            Step::Done(reading) => return (*reading, all),
            Step::Ask { queries, .. } => {
                assert!(!queries.is_empty() && all.len() < 50, "does not come to an end: {all:?}");
                for q in queries {
                    let stdout = answer(&q.asked.to_string()).as_bytes().to_vec();
                    let answer = Answer { asked: q.asked, stdout, stderr: Vec::new(), outcome: Outcome::default() };
                    heard.push(q.kind, answer);
                }
            }
        }
    }
}

#[test]
fn a_live_answer_without_its_trailer_fails() {
    let disks = "Adapter #0\n\nEnclosure Device ID: 8\nSlot Number: 0\nDevice Id: 9\nFirmware state: Online, Spun Up\n\
                 Inquiry Data: TEST\n";
    let (reading, _) = converse(&known(Scope::Controller("0".into())), |q| match q {
        q if q.contains("-PDList") => disks,
        _ => "Adapter 0: No Virtual Drive Configured.\n\nExit Code: 0x00\n",
    });
    let cut = |n: &&raidmond_core::survey::Note| n.kind == NoteKind::Unreadable && n.said.contains("-PDList");
    assert_eq!(reading.notes.iter().filter(cut).count(), 1, "{:#?}", reading.notes);
    assert!(!reading.coverage.has(&raidmond_core::model::Path::controller(0), raidmond_core::survey::Covers::Disks));
}

#[test]
fn discovery_counts_before_it_looks() {
    let (reading, asked) = converse(&known(Scope::Discover), |q| match q {
        q if q.contains("AdpCount") => "\nController Count: 2.\n\nExit Code: 0x02\n",
        q if q.contains("PciInfo") => {
            "\nPCI information for Controller 1\n--------\nBus Number      : 3\nDevice Number   : 0\n\
             Function Number : 0\n\nExit Code: 0x00\n"
        }
        _ => {
            "\nAdapter #0\n\nProduct Name    : Card A\nSerial No       : SVA0001\n\nAdapter #1\n\n\
              Product Name    : Card B\nSerial No       : SVB0002\n\nExit Code: 0x00\n"
        }
    });
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked.iter().all(|a| a.ends_with("-NoLog")));
    let serials: Vec<_> = reading.controllers.iter().map(|c| c.serial.as_deref()).collect();
    assert_eq!(serials, [Some("SVA0001"), Some("SVB0002")]);
    assert!(reading.controllers[1].aliases.iter().any(|a| a.value() == "0000:03:00.0"));
}

#[test]
fn it_is_not_run_against_firmware_it_crashes() {
    let card = PciDevice { address: "0000:5e:00.0".into(), vendor: 0x1000, device: 0x10e2, ..PciDevice::default() };
    for scope in [Scope::Discover, Scope::Controller("0".into())] {
        let known = Known { pci: vec![card.clone()], ..known(scope) };
        let step = MegaCli.step(&known, &Heard::default());
        let Step::Done(reading) = step else { panic!("asks {:?}", asked(&step)) };
        assert!(reading.notes.iter().any(|n| n.remedy.as_ref().is_some_and(|r| r.contains("storcli"))));
        assert!(reading.coverage.is_empty());
    }
    let old = PciDevice { device: 0x005b, ..card };
    let known = Known { pci: vec![old], ..known(Scope::Discover) };
    assert_eq!(asked(&MegaCli.step(&known, &Heard::default())), ["MegaCli64 -AdpCount -NoLog"]);
}

const REBUILDING: &str = "\nAdapter #0\n\nEnclosure Device ID: 32\nSlot Number: 4\nDevice Id: 4\nFirmware state: \
                          Rebuild\n\nExit Code: 0x00\n";

#[test]
fn progress_is_asked_only_of_disks_that_rebuild_and_arrays_only_once() {
    let (reading, asked) = converse(&known(Scope::Controller("0".into())), |q| match q {
        q if q.contains("-PDRbld") => {
            "\nRebuild Progress on Device at Enclosure 32, Slot 4 Completed 12% in 5 Minutes.\n\nExit Code: 0x00\n"
        }
        q if q.contains("-PDList") => REBUILDING,
        q if q.contains("-LdPdInfo") => "\nAdapter #0\n\nNumber of Virtual Disks: 0\n\nExit Code: 0x00\n",
        _ => "\nExit Code: 0x00\n",
    });
    assert!(asked.contains(&"MegaCli64 -PDRbld -ShowProg -PhysDrv[32:4] -a0 -NoLog".to_owned()), "{asked:?}");
    assert!(!asked.iter().any(|a| a.contains("-LDInfo")), "{asked:?}");
    assert_eq!(reading.tasks.iter().map(|t| t.percent).collect::<Vec<_>>(), [Some(12.0)]);
}

#[test]
fn a_version_without_member_lists_is_asked_for_arrays() {
    let (reading, asked) = converse(&known(Scope::Controller("0".into())), |q| match q {
        q if q.contains("-LdPdInfo") => "\nInvalid input at or near token -LdPdInfo\n\nExit Code: 0x01\n",
        q if q.contains("-LDInfo") => {
            "\nAdapter 0 -- Virtual Drive Information:\nVirtual Disk: 0 (target id: 0)\nState: Degraded\n\
             RAID Level: Primary-5, Secondary-0, RAID Level Qualifier-3\n"
        }
        _ => "\nExit Code: 0x00\n",
    });
    assert!(asked.iter().any(|a| a.contains("-LDInfo -LALL")));
    assert_eq!(reading.arrays[0].state.as_ref().unwrap().state, ArrayState::Degraded);
    assert!(!reading.notes.iter().any(|n| n.kind == NoteKind::CommandRefused), "{:#?}", reading.notes);
}

fn entry(sequence: u32) -> String {
    format!(
        "seqNum: 0x{sequence:08x}\nTime: Sat Jan  3 01:02:03 2026\n\nCode: 0x000000fb\nClass: 2\nLocale: 0x01\n\
         Event Description: VD 00/0 is now DEGRADED\nEvent Data:\n===========\nTarget Id: 0\n\n\n"
    )
}

fn events_after(cursor: Option<&str>, sequences: std::ops::Range<u32>) -> (Reading, Vec<String>) {
    let known = Known { cursor: cursor.map(str::to_owned), ..known(Scope::Controller("0".into())) };
    let text: String = sequences.map(entry).collect();
    let text: &'static str = Box::leak(text.into_boxed_str());
    converse(&known, |q| if q.contains("AdpEventLog") { text } else { "\nExit Code: 0x00\n" })
}

#[test]
fn only_new_log_entries_are_told_and_old_ones_are_history() {
    let told = |(reading, _): (Reading, Vec<String>)| (reading.events.len(), reading.cursor);
    assert_eq!(told(events_after(None, 10..20)), (0, Some("19".to_owned())));
    assert_eq!(told(events_after(Some("15"), 10..20)), (4, Some("19".to_owned())));
    assert_eq!(told(events_after(Some("19"), 10..20)), (0, Some("19".to_owned())));
    // A cleared log starts over.
    assert_eq!(told(events_after(Some("5000"), 1..4)), (3, Some("3".to_owned())));
}

#[test]
fn a_gap_in_the_log_is_asked_for_once_more() {
    let (_, asked) = events_after(Some("100"), 900..1000);
    assert!(asked.iter().any(|a| a.contains("-GetLatest 899")), "{asked:?}");
    let (_, asked) = events_after(Some("950"), 900..1000);
    assert_eq!(asked.iter().filter(|a| a.contains("GetLatest")).count(), 1);
}

#[test]
fn maintenance_names_adapter_and_object() {
    let m = MegaCli.maintenance().unwrap();
    let command = |mutation| m.command("MegaCli64", &mutation).ok().map(|act| act.to_string());
    let start = Mutation::StartCheck { array: "c1/v3".into() };
    assert_eq!(command(start.clone()).as_deref(), Some("MegaCli64 -LDCC -Start -L3 -a1 -NoLog"));
    let stop = Mutation::StopCheck { array: "c0/v0".into() };
    assert_eq!(command(stop).as_deref(), Some("MegaCli64 -LDCC -Abort -L0 -a0 -NoLog"));
    let pause = Mutation::PauseCheck { array: "c0/v0".into() };
    assert_eq!(command(pause).as_deref(), Some("MegaCli64 -LDCC -Suspend -L0 -a0 -NoLog"));
    let resume = Mutation::ResumeCheck { array: "c0/v0".into() };
    assert_eq!(command(resume).as_deref(), Some("MegaCli64 -LDCC -Resume -L0 -a0 -NoLog"));
    assert_eq!(command(Mutation::VerifyFix { array: "c0/v0".into() }), None);
    let locate = Mutation::Locate { disk: "c0/32:5".into(), on: true };
    assert_eq!(command(locate).as_deref(), Some("MegaCli64 -PdLocate -Start -PhysDrv[32:5] -a0 -NoLog"));
    let by_id = Mutation::Locate { disk: "c0/d21".into(), on: true };
    assert_eq!(command(by_id), None);
    let hostile = Mutation::StartCheck { array: "c0/v0 -CfgClr".into() };
    assert_eq!(command(hostile), None);
    let judge = |text: &str, timed_out| {
        let outcome = Outcome { timed_out, ..Outcome::default() };
        let answer = Answer { asked: Asked::cmd(&["x"]), stdout: text.into(), stderr: Vec::new(), outcome };
        m.judge(&start, &answer)
    };
    assert_eq!(judge("\nConsistency Check started on VD 3\n\nExit Code: 0x00\n", false), Verdict::Started);
    assert!(
        matches!(judge("\nVD 3 is not found\n\nExit Code: 0x01\n", false), Verdict::Refused(s) if s.contains("not found"))
    );
    assert_eq!(judge("\nExit Code: 0x00\n", false), Verdict::Unknown);
    assert_eq!(judge("", true), Verdict::Unknown);
}

#[test]
fn commands_that_change_something_are_named_and_not_judged() {
    let words =
        ["-PDOffline -PhysDrv[32:1] -a0", "-CfgForeign -Clear -aALL", "-LDSetProp WB -L0 -a0", "LDSetProp WB -L0"];
    for words in words {
        let reading =
            testkit::read_command(&MegaCli, &format!("MegaCli64 {words}"), "\nAdapter: 0: done\n\nExit Code: 0x00\n");
        assert_eq!(reading.notes.iter().map(|n| n.kind).collect::<Vec<_>>(), [NoteKind::Mutation], "{words}");
        assert!(reading.bears_no_health());
    }
}

#[test]
fn a_list_of_one_object_does_not_stand_for_all() {
    let text = "\nVirtual Drive: 1 (Target Id: 1)\nState               : Optimal\n\nExit Code: 0x00\n";
    assert!(testkit::read_command(&MegaCli, "megacli -LDInfo -L1 -a0", text).coverage.is_empty());
    assert!(!testkit::read_command(&MegaCli, "megacli -LDInfo -Lall -a0", text).coverage.is_empty());
}

#[test]
fn an_empty_disk_list_is_believed_only_beside_a_count_of_none() {
    let read = |disks: &'static str| {
        let counted =
            format!("\nAdapter #0\n\nProduct Name    : Card\n  Disks           : {disks} \n\nExit Code: 0x00\n");
        let counted: &'static str = Box::leak(counted.into_boxed_str());
        let (reading, _) = converse(&known(Scope::Controller("0".into())), |q| match q {
            q if q.contains("-AdpAllInfo") => counted,
            q if q.contains("-PDList") => "\nAdapter #0\n\nExit Code: 0x00\n",
            _ => "\nAdapter #0\n\nNumber of Virtual Disks: 0\n\nExit Code: 0x00\n",
        });
        reading.notes.iter().any(|n| n.said.contains("-PDList"))
    };
    assert!(read("4"));
    assert!(!read("0"));
}
