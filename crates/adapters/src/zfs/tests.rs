use super::Zfs;
use crate::corpus_kit::{corpus_rows, unhealthy};
use crate::testkit::{check_cases, check_robustness, read_command};
use crate::{Adapter, Step};
use raidmond_core::survey::{Answer, Asked, Heard, Known, Outcome, Scope, ToolFound};

#[test]
fn cases() {
    check_cases(&Zfs);
}

#[test]
fn robustness() {
    check_robustness(&Zfs);
}

#[test]
fn corpus() {
    let Some(rows) = corpus_rows("zfs/") else { return };
    let mut pools = 0;
    for row in &rows {
        let reading = read_command(&Zfs, &row.command, &String::from_utf8_lossy(&row.bytes));
        pools += reading.arrays.len();
        assert!(!reading.arrays.is_empty(), "{}: {reading:#?}", row.path);
        let well = unhealthy(&reading).is_empty();
        assert!(!well || row.verdict == "ok" || row.verdict.is_empty(), "{}: {reading:#?}", row.path);
    }
    println!("zfs corpus: {} files, {pools} pools", rows.len());
    assert!(!rows.is_empty());
}

/// What is asked of a host whose zpool answers so.
fn asked(exit: i32, stderr: &str) -> Vec<String> {
    let tool = ToolFound { name: "zpool".into(), path: "/sbin/zpool".into(), version: None };
    let known = Known { scope: Scope::Discover, tool: Some(tool), ..Known::default() };
    let (mut heard, mut asked) = (Heard::default(), Vec::new());
    while let Step::Ask { queries, .. } = Zfs.step(&known, &heard) {
        for query in queries {
            let (stdout, stderr, exit) = match &query.asked {
                Asked::Dir(_) => ("arcstats\ntank\n", "", 0),
                Asked::Cmd(_) => ("", stderr, exit),
                _ => ("ONLINE\n", "", 0),
            };
            asked.push(query.asked.to_string());
            let outcome = Outcome { exit, ..Outcome::default() };
            let answer = Answer { asked: query.asked, stdout: stdout.into(), stderr: stderr.into(), outcome };
            heard.push(query.kind, answer);
        }
    }
    asked
}

#[test]
fn an_old_zpool_is_asked_without_the_new_options() {
    let kernel = "/proc/spl/kstat/zfs";
    let state = format!("{kernel}/tank/state");
    let new = [kernel, "zpool status -s -P -p", &state];
    assert_eq!(asked(0, ""), new);
    let old = asked(2, "invalid option 's'\nusage:\n\tstatus [-vx] [pool] ...\n");
    assert_eq!(old, [kernel, "zpool status -s -P -p", "zpool status", &state]);
}
