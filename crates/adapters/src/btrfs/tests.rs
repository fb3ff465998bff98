use super::Btrfs;
use crate::corpus_kit::{corpus_rows, unhealthy};
use crate::testkit::{check_cases, check_robustness, read_command};
use crate::{Adapter, Step};
use raidmond_core::survey::{Answer, Heard, Known, Outcome, Scope, ToolFound};

#[test]
fn cases() {
    check_cases(&Btrfs);
}

#[test]
fn robustness() {
    check_robustness(&Btrfs);
}

#[test]
fn corpus() {
    let Some(rows) = corpus_rows("btrfs/") else { return };
    let mut devices = 0;
    for row in &rows {
        let reading = read_command(&Btrfs, &row.command, &String::from_utf8_lossy(&row.bytes));
        devices += reading.disks.len();
        // A device without a path is missing, whatever its counters; one counter alone looks like a cut answer.
        let alone = String::from_utf8_lossy(&row.bytes).lines().count() < 5;
        if alone || reading.disks.iter().any(|d| d.at.leaf().starts_with("devid")) {
            assert!(!unhealthy(&reading).is_empty(), "{}: {reading:#?}", row.path);
            continue;
        }
        assert_eq!(unhealthy(&reading).is_empty(), row.verdict == "ok", "{}: {reading:#?}", row.path);
    }
    println!("btrfs corpus: {} files, {devices} devices", rows.len());
    assert!(!rows.is_empty());
}

const UUID: &str = "1b2c3d4e-0000-4000-8000-000000000001";

/// What is asked of a host with one file system; old kernels have no `devinfo`.
fn asked(is_new: bool) -> Vec<String> {
    let tool = ToolFound { name: "btrfs".into(), path: "/bin/btrfs".into(), version: None };
    let known = Known { scope: Scope::Discover, tool: Some(tool), ..Known::default() };
    let (mut heard, mut asked) = (Heard::default(), Vec::new());
    while let Step::Ask { queries, .. } = Btrfs.step(&known, &heard) {
        for query in queries {
            let text = match query.asked.to_string() {
                a if a.ends_with("/btrfs") => format!("{UUID}\nfeatures\n"),
                a if a.ends_with("/devinfo") => "1\n".to_owned(),
                a if a.ends_with("/allocation/data") => "bytes_used\nraid1\n".to_owned(),
                a if a.ends_with("/mounts") => "/dev/sda /data btrfs rw 0 0\n/dev/sdb / ext4 rw 0 0\n".to_owned(),
                _ => String::new(),
            };
            let absent = !is_new && query.asked.path().contains("/devinfo");
            asked.push(query.asked.to_string());
            let outcome = Outcome { absent, ..Outcome::default() };
            let stdout = if absent { Vec::new() } else { text.into_bytes() };
            let answer = Answer { asked: query.asked, stdout, stderr: Vec::new(), outcome };
            heard.push(query.kind, answer);
        }
    }
    asked
}

#[test]
fn the_tool_is_asked_for_what_the_kernel_keeps_to_itself() {
    let commands = |all: Vec<String>| all.into_iter().filter(|a| a.starts_with("btrfs")).collect::<Vec<_>>();
    let (show, scrub) = ("btrfs filesystem show --mounted", "btrfs scrub status /data");
    let new = asked(true);
    for file in ["devinfo/1/missing", "devinfo/1/error_stats", "allocation/data/raid1/used_bytes"] {
        assert!(new.contains(&format!("/sys/fs/btrfs/{UUID}/{file}")), "{file}: {new:?}");
    }
    assert_eq!(commands(new), [show, scrub]);
    assert_eq!(commands(asked(false)), [show, scrub, "btrfs device stats /data"]);
}
