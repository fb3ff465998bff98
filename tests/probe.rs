//! `doctor` and `probe` as programs, on the simulated host: real processes, real files.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

use raidmond_sim::{Sim, presets, script};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RAIDMOND: &str = env!("CARGO_BIN_EXE_raidmond");

struct Machine {
    dir: tempfile::TempDir,
    sim: Sim,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path().join("root");
        let sim = Sim::create(&root, Path::new(RAIDMOND), presets::demo()).expect("a simulated host");
        Self { dir, sim }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(RAIDMOND);
        command.args(words).env("NO_COLOR", "1").env("PATH", "/usr/bin:/bin");
        command.env("RAIDMOND_SOCKET", self.dir.path().join("none")).env("RAIDMOND_STATE_DIR", self.dir.path());
        command.output().expect("runs")
    }

    fn on_root(&self, words: &[&str]) -> Output {
        let root = self.root();
        let root = root.to_str().expect("a path");
        self.run(&[words, &["--root", root]].concat())
    }

    fn fault(&self, text: &str) {
        self.sim.apply(&script::fault(text).expect("a fault")).expect("applied");
    }
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}")
}

#[test]
fn doctor_names_the_tool_of_each_card_and_what_a_missing_one_costs() {
    let machine = Machine::new();
    let well = text(&machine.on_root(&["doctor"]));
    assert!(well.contains("watched through perccli64"), "{well}");
    assert!(!well.contains("BLIND"), "{well}");
    assert!(well.contains("watched through the driver's files in /proc"), "megarc is the second way: {well}");
    for tool in ["storcli64", "perccli64", "MegaCli64"] {
        machine.fault(&format!("tool {tool} absent"));
    }
    let output = machine.on_root(&["doctor"]);
    let blind = text(&output);
    assert!(blind.contains("BLIND: arrays not readable, perccli64 is missing"), "{blind}");
    assert!(blind.contains("docs/adapters/storcli.md"), "{blind}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn what_probe_records_inspect_judges_alike() {
    let machine = Machine::new();
    let record = machine.dir.path().join("record.txt");
    let record = record.to_str().expect("a path");
    let well = machine.on_root(&["probe", "--record", record]);
    assert!(text(&well).contains("read: 4 controllers"), "{}", text(&well));
    assert!(!text(&well).contains("not recognised"), "{}", text(&well));
    let again = machine.run(&["inspect", record]);
    assert_eq!(again.status.code(), well.status.code(), "{}\n{}", text(&well), text(&again));
    assert_eq!(text(&again), text(&well));

    machine.fault("disk c0 32:8 fails");
    let broken = machine.on_root(&["probe", "--record", record]);
    assert!(text(&broken).contains("32:8"), "{}", text(&broken));
    assert_eq!(broken.status.code(), Some(2), "{}", text(&broken));
    assert_eq!(text(&machine.run(&["inspect", record])), text(&broken));
}

#[test]
fn explain_lists_the_questions_and_only_keeps_to_one_family() {
    let machine = Machine::new();
    let explained = text(&machine.on_root(&["probe", "--explain", "--only", "storcli"]));
    assert!(explained.contains("perccli64 /c0 show J nolog"), "{explained}");
    assert!(explained.contains("every 15 min") && explained.contains("exit 0"), "{explained}");
    assert!(!explained.contains("MegaCli"), "{explained}");
    let wrong = machine.on_root(&["probe", "--only", "storclii"]);
    assert_eq!(wrong.status.code(), Some(64));
    assert!(text(&wrong).contains("storcli,"), "{}", text(&wrong));
}

#[test]
fn a_machine_without_raid_is_no_blind_spot() {
    let machine = Machine::new();
    let empty = machine.dir.path().join("empty");
    std::fs::create_dir_all(&empty).expect("a folder");
    let output = machine.run(&["probe", "--root", empty.to_str().expect("a path")]);
    assert_eq!((output.status.code(), text(&output).lines().count()), (Some(0), 1), "{}", text(&output));
}

#[test]
fn probe_of_nothing_is_a_document_too() {
    let machine = Machine::new();
    let empty = machine.dir.path().join("empty");
    std::fs::create_dir_all(&empty).expect("a folder");
    let output = machine.run(&["probe", "--json", "--root", empty.to_str().expect("a path")]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), document["verdict"].as_str()), (Some(0), Some("ok")));
}

#[test]
fn without_daemon_and_state_file_status_cannot_say() {
    let machine = Machine::new();
    assert_eq!(machine.run(&["status"]).status.code(), Some(3));
    std::fs::write(machine.dir.path().join("status.json"), "{").expect("written");
    assert_eq!(machine.run(&["status"]).status.code(), Some(3));
    let long = "x".repeat(120);
    let said = text(&machine.run(&["status", "--socket", &long, "--state-dir", "/nonexistent"]));
    assert!(said.contains("too long (at most 107 bytes)") && said.contains("--socket"), "{said}");
    let demo = machine.run(&["demo", "--dir", machine.dir.path().join(&long).to_str().expect("a path")]);
    assert_eq!(demo.status.code(), Some(1), "{}", text(&demo));
    assert!(text(&demo).contains("too long"), "{}", text(&demo));
}

#[test]
fn what_is_typed_wrong_is_answered_with_what_is_right() {
    let machine = Machine::new();
    assert!(text(&machine.run(&["incidents", "abc"])).contains("an incident is a number"));
    let none = machine.run(&["events", "-n", "0"]);
    assert_eq!(none.status.code(), Some(64), "{}", text(&none));
    let run = machine.run(&["run", "--root", "/nonexistent"]);
    assert_eq!(run.status.code(), Some(64), "{}", text(&run));
}

#[test]
fn a_capture_cannot_steer_the_terminal() {
    let machine = Machine::new();
    let file = machine.dir.path().join("evil\u{1b}[2J.txt");
    std::fs::write(
        &file,
        "#@ cmd: storcli64 /c0 show all
\u{1b}[2J\u{7}nonsense
",
    )
    .expect("written");
    let said = text(&machine.run(&["inspect", file.to_str().expect("a path")]));
    assert!(!said.is_empty() && !said.contains(['\u{1b}', '\u{7}']), "{said:?}");
}

#[test]
fn a_crashing_tool_blinds_its_own_card_only() {
    let machine = Machine::new();
    machine.fault("tool tw_cli killed");
    let output = machine.on_root(&["probe"]);
    let said = text(&output);
    assert!(said.contains("cannot read tw_cli") && said.contains("3 controllers"), "{said}");
    assert_eq!(output.status.code(), Some(3), "{said}");
}

/// The second conversation asks the tool only for what must be fresh.
#[tokio::test(flavor = "current_thread")]
async fn slow_questions_are_answered_from_the_cache_with_their_age() {
    use raidmond::{discover, poll, run::Runner};
    use raidmond_core::survey::{Freshness, Scope};
    let machine = Machine::new();
    let (old, odd) = (machine.root().join("usr/sbin/tw_cli"), machine.root().join("opt/3ware/CLI/tw_cli"));
    std::fs::create_dir_all(odd.parent().expect("a folder")).expect("made");
    std::fs::rename(old, odd).expect("moved where only the adapter looks");
    let inventory = discover::discover(&machine.root(), &[]);
    let runner = Runner::new(machine.root(), Vec::new(), machine.dir.path().join("locks"));
    let talks = poll::talks(&inventory, |_| false);
    let talk = talks.iter().find(|t| t.family() == "tw_cli").expect("the 3ware card is read");
    let known = poll::known_for(&inventory, talk.tool.as_ref(), Scope::Controller("1".into()), None);
    let mut cache = poll::AnswerCache::default();
    let first = poll::converse(&runner, talk.adapter, known.clone(), &mut cache).await;
    assert!(first.exchanges.iter().all(|e| e.age.is_none() && e.answer.outcome.ended()), "{first:?}");
    let second = poll::converse(&runner, talk.adapter, known, &mut cache).await;
    let fresh = second.exchanges.iter().all(|e| e.age.is_none() == (e.query.freshness == Freshness::Fast));
    assert!(fresh, "{:?}", second.exchanges);
    assert_eq!(first.reading.arrays, second.reading.arrays);
    assert_eq!((second.about().as_str(), second.reading.arrays.len()), ("c1", 1));
}

/// smartctl follows the controllers' own tools: behind every card it reads each disk that card lists, with one
/// child for each, and none again for a quarter of an hour.
#[tokio::test(flavor = "current_thread")]
async fn smartctl_reads_the_disks_each_card_lists_and_asks_seldom() {
    use raidmond::{discover, poll, run::Runner};
    use raidmond_core::survey::{Asked, Scope};
    let machine = Machine::new();
    let inventory = discover::discover(&machine.root(), &[]);
    let runner = Runner::new(machine.root(), Vec::new(), machine.dir.path().join("locks"));
    let spoken = poll::survey(&runner, &inventory, None).await;
    let disks: Vec<_> =
        spoken.iter().filter(|s| s.family != "smart").flat_map(|s| poll::disks_listed(&s.reading)).collect();
    for about in ["megaraid:c0", "3ware:c1", "aacraid:c1"] {
        let smart = spoken.iter().find(|s| s.family == "smart" && s.about() == about).expect(about);
        let space = smart.known.space.expect("a space");
        let Scope::Controller(number) = &smart.known.scope else { panic!("{about}") };
        let mut listed: Vec<_> = disks
            .iter()
            .filter(|d| poll::followed(&[(*d).clone()]).contains(&(space, number.clone())))
            .map(|d| d.at.clone())
            .collect();
        let mut read: Vec<_> = smart.reading.disks.iter().map(|d| d.at.clone()).collect();
        read.sort();
        listed.sort();
        listed.dedup();
        assert!(!read.is_empty() && read == listed, "{about}: {read:?}, listed {listed:?}: {:?}", smart.reading.notes);

        let talks = poll::talks(&inventory, |_| false);
        let talk = talks.iter().find(|t| t.family() == "smart").expect("smartctl is there");
        let mut cache = poll::AnswerCache::default();
        let mut children = Vec::new();
        for _ in 0..2 {
            let begun = std::time::Instant::now();
            let spoken = poll::converse(&runner, talk.adapter, smart.known.clone(), &mut cache).await;
            let asked = spoken.exchanges.iter().filter(|e| e.age.is_none() && matches!(e.query.asked, Asked::Cmd(_)));
            children.push(asked.count());
            println!("{about}: {} disks, {} children, {:?}", read.len(), children[children.len() - 1], begun.elapsed());
        }
        let recovery = smart.reading.disks.iter().filter(|d| d.error_recovery.is_some()).count();
        assert_eq!(children, [1 + read.len() + recovery, 0], "{about}");
    }
}
