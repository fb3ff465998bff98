//! Orders carried out with real processes and a real database: what is written down, when, and what is
//! never run.
#![allow(clippy::unwrap_used)]

use raidmond::act::{By, Done, Order, carry};
use raidmond::run::{Limits, Runner};
use raidmond::store::{AuditEntry, Reader, Store};
use raidmond_adapters::{Act, Mutation, Verdict, registry};
use raidmond_core::host::{Host, SourceKey};
use raidmond_core::identity::ObjectId;
use raidmond_core::model::{Array, ArrayState, Controller, Observed, Path, Space};
use raidmond_core::survey::{Reading, ToolFound};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

struct Bench {
    dir: tempfile::TempDir,
    runner: Runner,
    store: Store,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (store, warnings) = Store::open(&dir.path().join("state"), jiff::Timestamp::UNIX_EPOCH);
        assert!(warnings.is_empty(), "{warnings:?}");
        let limits = Limits { normal: Duration::from_secs(20), grace: Duration::from_millis(200), ..Limits::default() };
        let runner = Runner::new(dir.path(), Vec::new(), dir.path().join("run")).with_limits(limits);
        Self { dir, runner, store }
    }

    /// Written by another process: a descriptor open for writing here could leak into a child.
    fn tool(name: &str, body: &str) -> Self {
        let bench = Self::new();
        let path = bench.dir.path().join("usr/sbin").join(name);
        let mut writer = Command::new("sh");
        writer.args(["-c", "mkdir -p \"$(dirname \"$1\")\" && cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(path);
        let mut writer = writer.stdin(Stdio::piped()).spawn().unwrap();
        let text = format!("#!/bin/sh\nROOT='{}'\n{body}\n", bench.dir.path().display());
        writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
        bench
    }

    fn file(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap_or_default()
    }

    /// Oldest first.
    fn audit(&self) -> Vec<AuditEntry> {
        let mut rows = Reader::open(&self.dir.path().join("state")).unwrap().audit(100).unwrap();
        rows.reverse();
        rows
    }

    async fn carry(&self, order: Order) -> Done {
        carry::carry_out(&self.runner, &self.store, order).await
    }
}

/// An id as the registry gives them.
fn some_object() -> ObjectId {
    let mut reading = Reading::new("storcli", Space::Megaraid);
    reading.controllers.push(Controller { at: Path::new("c0"), ..Controller::default() });
    let state = Some(Observed::new(ArrayState::Optimal, "Optl"));
    let (at, controller) = (Path::new("c0/v0"), Some(Path::new("c0")));
    reading.arrays.push(Array { at, controller, state, ..Array::default() });
    let mut host = Host::default();
    let key = SourceKey { family: "storcli".into(), about: "c0".into() };
    host.apply(&key, &reading, jiff::Timestamp::UNIX_EPOCH);
    host.view().arrays[0].id
}

fn order(family: &str, tool: Option<&str>, mutation: Mutation) -> Order {
    let maintenance = registry::by_family(family).unwrap().maintenance().unwrap();
    let act = maintenance.command(tool.unwrap_or(""), &mutation).unwrap();
    let found = |name: &str| ToolFound { name: name.into(), path: format!("/usr/sbin/{name}"), version: None };
    let (by, why, name) = (By::Person("root".into()), "by hand: weekly round".into(), mutation.on().to_owned());
    let (family, tool) = (family.to_owned(), tool.map(found));
    Order { by, why, object: some_object(), name, family, space: Space::Megaraid, tool, mutation, act }
}

fn start(array: &str) -> Mutation {
    Mutation::StartCheck { array: array.to_owned() }
}

const SUCCESS: &str = "echo 'Controller = 0'; echo 'Status = Success'; echo 'Description = Start CC Operation Success'";

#[tokio::test]
async fn the_row_is_there_before_the_tool_runs_and_its_answer_after() {
    // The tool itself looks into the database: as a power cut at this moment would leave it.
    let copy = "cp \"$ROOT\"/state/raidmond.db* \"$ROOT\"/seen/ && echo \"$@\" > \"$ROOT\"/words";
    let bench = Bench::tool("storcli64", &format!("mkdir -p \"$ROOT\"/seen; {copy}; {SUCCESS}"));
    let done = bench.carry(order("storcli", Some("storcli64"), start("c0/v0"))).await;
    assert_eq!(done.verdict, Verdict::Started);
    assert_eq!(bench.file("words"), "/c0/v0 start cc J nolog\n");
    let before = Reader::open(&bench.dir.path().join("seen")).unwrap().audit(10).unwrap();
    assert_eq!(before.len(), 1, "{before:?}");
    let (who, what) = (before[0].who.as_str(), before[0].what.as_str());
    assert_eq!((who, what), ("root", "start check c0/v0"));
    assert_eq!(before[0].said, "by hand: weekly round; about to run: storcli64 /c0/v0 start cc J nolog");
    let rows = bench.audit();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows[1].said.starts_with("done; exit 0; answer: Controller = 0 Status = Success"), "{}", rows[1].said);
}

#[tokio::test]
async fn what_cannot_be_written_down_is_not_done() {
    let bench = Bench::tool("storcli64", &format!("echo ran > \"$ROOT\"/ran; {SUCCESS}"));
    let (nowhere, _) = Store::open(std::path::Path::new("/dev/null/raidmond"), jiff::Timestamp::UNIX_EPOCH);
    let order = order("storcli", Some("storcli64"), start("c0/v0"));
    let done = carry::carry_out(&bench.runner, &nowhere, order).await;
    assert!(matches!(&done.verdict, Verdict::Refused(why) if why.contains("nothing was done")), "{done:?}");
    assert_eq!(bench.file("ran"), "");
}

#[tokio::test]
async fn a_refusal_is_told_in_the_tools_words_and_silence_is_unknown() {
    let refusal =
        "echo 'Controller = 0'; echo 'Status = Failure'; echo 'Description = Start CC Operation Failed'; exit 1";
    let bench = Bench::tool("storcli64", refusal);
    let done = bench.carry(order("storcli", Some("storcli64"), start("c0/v0"))).await;
    assert_eq!(done.verdict, Verdict::Refused("Start CC Operation Failed".into()));
    assert!(bench.audit()[1].said.starts_with("refused: Start CC Operation Failed; exit 1"));
    let bench = Bench::tool("storcli64", "exit 0");
    let done = bench.carry(order("storcli", Some("storcli64"), start("c0/v0"))).await;
    assert_eq!(done.verdict, Verdict::Unknown);
    assert!(done.words().contains("not known what became of it"), "{}", done.words());
}

#[tokio::test]
async fn a_tool_that_is_not_there_was_not_run() {
    let bench = Bench::new();
    let done = bench.carry(order("storcli", Some("storcli64"), start("c0/v0"))).await;
    assert!(matches!(&done.verdict, Verdict::Refused(why) if why.starts_with("it was not run")), "{done:?}");
}

#[tokio::test]
async fn an_order_waits_for_the_question_under_way() {
    let body = format!(
        "case \"$*\" in *slow*) sleep 1; echo asked >> \"$ROOT\"/log;; *) echo acted >> \"$ROOT\"/log; {SUCCESS};; esac"
    );
    let bench = Bench::tool("storcli64", &body);
    let query = raidmond_core::survey::Query::cmd(raidmond_core::survey::AnswerKind("x"), &["storcli64", "slow"]);
    let (_, done) = tokio::join!(bench.runner.ask(&query, "storcli64-c0"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        bench.carry(order("storcli", Some("storcli64"), start("c0/v0"))).await
    });
    assert_eq!(done.verdict, Verdict::Started);
    assert_eq!(bench.file("log"), "asked\nacted\n");
}

#[tokio::test]
async fn an_old_tool_is_asked_in_its_old_words_and_both_are_written_down() {
    let body = "case \"$1\" in maint) echo 'Sending start verify message to /c0/u0 ... Done.';; *) echo 'Error: Invalid command'; exit 1;; esac";
    let bench = Bench::tool("tw_cli", body);
    let done = bench.carry(order("tw_cli", Some("tw_cli"), start("c0/u0"))).await;
    assert_eq!(done.verdict, Verdict::Started);
    assert_eq!(done.order.act, Act::command(&["tw_cli", "maint", "verify", "c0", "u0"]));
    let said: Vec<String> = bench.audit().into_iter().map(|e| e.said).collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(said[2].ends_with("about to run: tw_cli maint verify c0 u0"), "{said:?}");
}

#[tokio::test]
async fn md_is_told_through_its_files_and_the_kernels_no_is_heard() {
    let bench = Bench::new();
    let folder = bench.dir.path().join("sys/block/md0/md");
    fs::create_dir_all(&folder).unwrap();
    let none = bench.carry(order("md", None, start("md0"))).await;
    assert!(matches!(&none.verdict, Verdict::Refused(why) if why.contains("no such file")), "{none:?}");
    fs::write(folder.join("sync_min"), "4096\n").unwrap();
    fs::write(folder.join("sync_action"), "idle\n").unwrap();
    let done = bench.carry(order("md", None, start("md0"))).await;
    assert_eq!(done.verdict, Verdict::Started);
    assert_eq!(
        (bench.file("sys/block/md0/md/sync_min"), bench.file("sys/block/md0/md/sync_action")),
        ("0\n".into(), "check\n".into())
    );
    let intent = "by hand: weekly round; about to run: echo 0 > /sys/block/md0/md/sync_min && echo check > /sys/block/md0/md/sync_action";
    assert_eq!(bench.audit()[2].said, intent);
}

#[tokio::test]
async fn only_listed_files_are_written_whatever_the_order_says() {
    let bench = Bench::new();
    fs::write(bench.dir.path().join("victim"), "whole").unwrap();
    let write = raidmond_adapters::Write { path: "/victim".into(), text: "check" };
    let mut order = order("md", None, start("md0"));
    order.act = Act::Write(vec![write]);
    let done = bench.carry(order).await;
    assert!(matches!(&done.verdict, Verdict::Refused(why) if why.contains("does not write that")), "{done:?}");
    assert_eq!(bench.file("victim"), "whole");
}
