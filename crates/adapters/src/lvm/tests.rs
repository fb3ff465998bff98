use super::Lvm;
use crate::corpus_kit::{corpus_rows, unhealthy};
use crate::testkit::{check_cases, check_robustness, read_command};
use crate::{Adapter, Step};
use raidmond_core::survey::{Answer, Asked, Heard, Known, Outcome, Scope, ToolFound};

#[test]
fn cases() {
    check_cases(&Lvm);
}

#[test]
fn robustness() {
    check_robustness(&Lvm);
}

#[test]
fn corpus() {
    let (Some(mut rows), Some(more)) = (corpus_rows("lvm/"), corpus_rows("dmraid/")) else { return };
    rows.extend(more);
    let mut arrays = 0;
    for row in &rows {
        let reading = read_command(&Lvm, &row.command, &String::from_utf8_lossy(&row.bytes));
        arrays += reading.arrays.len();
        if row.basis == "source_test" && row.verdict == "ok" {
            assert!(unhealthy(&reading).iter().all(|u| u.contains("Rebuilding")), "{}: {reading:#?}", row.path);
            assert!(!reading.arrays.is_empty() || !reading.disks.is_empty(), "{}: {reading:#?}", row.path);
        }
    }
    println!("lvm corpus: {} files, {arrays} arrays", rows.len());
    assert!(!rows.is_empty());
}

/// What is asked of a host whose first mapped device has this owner, and whose lvs answers so.
fn asked(owner: &str, lvs_stderr: &str) -> Vec<String> {
    let tool = ToolFound { name: "dmsetup".into(), path: "/sbin/dmsetup".into(), version: None };
    let known = Known { scope: Scope::Discover, tool: Some(tool), ..Known::default() };
    let (mut heard, mut asked) = (Heard::default(), Vec::new());
    while let Step::Ask { queries, .. } = Lvm.step(&known, &heard) {
        for query in queries {
            let (stdout, stderr) = match &query.asked {
                Asked::Dir(_) => ("dm-0\nsda\n", ""),
                Asked::File(_) => (owner, ""),
                asked if asked.tool() == "lvs" => ("", lvs_stderr),
                _ => ("a: 0 1 linear\n", ""),
            };
            asked.push(query.asked.to_string());
            let answer = Answer {
                asked: query.asked,
                stdout: stdout.into(),
                stderr: stderr.into(),
                outcome: Outcome { exit: i32::from(!stderr.is_empty()), ..Outcome::default() },
            };
            heard.push(query.kind, answer);
        }
    }
    asked
}

#[test]
fn lvs_is_asked_only_where_there_is_lvm() {
    assert_eq!(asked("CRYPT-LUKS2-x\n", "").len(), 3);
    let new = asked("LVM-x\n", "");
    assert_eq!(new[..3], ["dmsetup status", "/sys/block", "/sys/block/dm-0/dm/uuid"]);
    assert!(new.len() == 4 && new[3].starts_with("lvs -a --reportformat json"), "{new:?}");
    let old = asked("LVM-x\n", "lvs: unrecognized option '--reportformat'\n");
    assert!(old.len() == 5 && old[4].starts_with("lvs -a --noheadings --nameprefixes"), "{old:?}");
}
