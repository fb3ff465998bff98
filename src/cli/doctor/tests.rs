//! What an admin reads on three machines, word for word.

use super::*;
use crate::discover::tests::{adaptec, perc, plain_hba};
use crate::serve::status::SourceDoc;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

/// Rights differ with who runs the test.
fn read(mut inventory: Inventory, context: &Context, others: bool) -> String {
    inventory.rights.retain(|r| r.what == "/dev/kmsg");
    text(&report(&inventory, context, at(0)), others, Paint::plain())
}

fn told() -> Context {
    Context { dead_man: true, ..Context::default() }
}

fn golden(actual: &str, expected: &str) {
    assert_eq!(actual, expected, "\n{actual}");
}

#[test]
fn a_perc_with_its_tool() {
    let tree = perc();
    tree.tool("opt/MegaRAID/perccli/perccli64").file("dev/kmsg", "");
    golden(&read(tree.inventory(), &told(), false), include_str!("golden/perc.txt"));
}

#[test]
fn an_adaptec_without_arcconf_and_nobody_to_tell() {
    let tree = adaptec();
    tree.file("proc/812/cmdline", "mdadm\0--monitor\0");
    let nobody = Some("no recipient and no local MTA; raidmond setup --mail ADDRESS".to_owned());
    let context = Context { nobody_told: nobody, ..Context::default() };
    golden(&read(tree.inventory(), &context, false), include_str!("golden/adaptec.txt"));
    assert_eq!(report(&tree.inventory(), &context, at(0)).verdict(), Severity::Blind);
}

#[test]
fn a_plain_hba_with_others_on_watch() {
    let tree = plain_hba();
    tree.file("dev/kmsg", "").file("proc/812/cmdline", "/usr/sbin/smartd\0-n\0");
    tree.file("proc/813/cmdline", "/usr/local/sbin/3dm2\0");
    let context = Context { local_mta: true, ..Context::default() };
    golden(&read(tree.inventory(), &context, true), include_str!("golden/hba.txt"));
    assert_eq!(report(&tree.inventory(), &context, at(0)).verdict(), Severity::Ok);
}

#[test]
fn with_a_daemon_the_age_of_the_oldest_reading_is_shown() {
    let tree = perc();
    tree.tool("usr/sbin/perccli64");
    let source = |name: &str, state: &str, seconds| SourceDoc {
        name: name.into(),
        state: state.into(),
        at: Some(at(seconds)),
        said: Some("no answer in time".into()),
        asking: None,
    };
    let said = |watching: Vec<SourceDoc>| {
        let around = crate::serve::status::Surroundings { sources: watching, ..Default::default() };
        let status = crate::serve::status::document(&Default::default(), &around, at(0));
        let context = Context { status: Some(status), ..told() };
        report(&tree.inventory(), &context, at(0)).controllers[0].said.clone()
    };
    assert_eq!(said(vec![]), "through perccli64 (not read yet)");
    let good =
        vec![source("storcli", "read", -7000), source("storcli c0", "read", -4), source("megacli", "failing", 0)];
    assert_eq!(said(good), "through perccli64 (read 4 s ago)");
    let failing = vec![source("storcli", "read", -4), source("storcli c0", "failing", -4)];
    assert_eq!(said(failing), "through perccli64 (failing: no answer in time)");
}

#[test]
fn a_log_that_is_not_read_is_a_blind_spot() {
    let tree = plain_hba();
    let log = SourceDoc {
        name: "/var/log/x.log".into(),
        state: "blind".into(),
        at: None,
        said: Some("the log is not there".into()),
        asking: None,
    };
    let around = crate::serve::status::Surroundings { sources: vec![log], ..Default::default() };
    let status = crate::serve::status::document(&Default::default(), &around, at(0));
    let with_daemon = Context { status: Some(status), ..told() };
    let without = Context { dark_logs: vec![("/var/log/x.log".into(), "the log is not there".into())], ..told() };
    for context in [with_daemon, without] {
        let said = read(tree.inventory(), &context, false);
        assert!(
            said.contains("1 BLIND SPOT") && said.contains("/var/log/x.log  BLIND: the log is not there"),
            "{said}"
        );
        assert!(said.contains("next: make the log readable"), "{said}");
        assert_eq!(report(&tree.inventory(), &context, at(0)).verdict(), Severity::Blind);
    }
}

#[test]
fn tools_that_will_refuse_are_blind_spots() {
    let tree = perc();
    tree.tool("usr/sbin/perccli64");
    let context = Context { may_ask: false, ..told() };
    let report = report(&tree.inventory(), &context, at(0));
    assert_eq!((report.controllers[0].state, report.blind()), ("refused", 1));
}

#[test]
fn software_raid_nobody_reads_is_a_blind_spot() {
    let tree = plain_hba();
    tree.file("sys/devices/virtual/block/md0/size", "8\n").link("sys/block/md0", "../devices/virtual/block/md0");
    let unread = report(&tree.inventory(), &told(), at(0));
    assert_eq!((unread.software[0].name.as_str(), unread.blind()), ("md0", 1));
    tree.file("proc/mdstat", "Personalities :\n");
    let read = report(&tree.inventory(), &told(), at(0));
    assert_eq!((read.software[0].state, read.blind()), ("watched", 0));
    assert!(read.notice.iter().any(|s| s.name == "md"), "{:?}", read.notice);
}
