use super::Md;
use crate::corpus_kit::{corpus_rows, unhealthy};
use crate::testkit::{check_cases, check_robustness, read};
use crate::{Adapter, Step};
use raidmond_core::survey::{Answer, Asked, Heard, Known, Outcome, Query, Scope, ToolFound, split_words};

#[test]
fn cases() {
    check_cases(&Md);
}

#[test]
fn robustness() {
    check_robustness(&Md);
}

#[test]
fn corpus() {
    let Some(rows) = corpus_rows("mdadm/") else { return };
    let (mut arrays, mut asides) = (0, 0);
    for row in &rows {
        let asked = match row.command.strip_prefix("cat ") {
            Some(path) => Asked::File(path.to_owned()),
            None => Asked::Cmd(split_words(&row.command).unwrap()),
        };
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let reading = read(&Md, &[answer]);
        arrays += reading.arrays.len();
        asides += usize::from(reading.arrays.is_empty());
        if row.basis != "auto" && !row.verdict.is_empty() {
            assert_eq!(unhealthy(&reading).is_empty(), row.verdict == "ok", "{}: {reading:#?}", row.path);
        }
    }
    println!("md corpus: {} files, {arrays} arrays, {asides} files without one", rows.len());
    assert!(!rows.is_empty());
}

fn answer(query: &Query, text: &str) -> Answer {
    Answer { asked: query.asked.clone(), stdout: text.into(), stderr: Vec::new(), outcome: Outcome::default() }
}

#[test]
fn sysfs_is_asked_for_what_it_lists_and_mdadm_only_where_it_is() {
    for (tool, detail) in [(None, 0), (Some("mdadm"), 1)] {
        let tool = tool.map(|name| ToolFound { name: name.into(), path: "/sbin/mdadm".into(), version: None });
        let known = Known { scope: Scope::Discover, tool, ..Known::default() };
        let mut heard = Heard::default();
        let mut asked = Vec::new();
        while let Step::Ask { queries, .. } = Md.step(&known, &heard) {
            for query in queries.iter().filter(|q| !heard.has_asked(&q.asked)).cloned().collect::<Vec<_>>() {
                let text = match query.kind {
                    super::MDSTAT => {
                        "Personalities : [raid1]\nmd5 : active raid1 sda1[0]\n 5 blocks [1/1] [U]\nmd6 : inactive sdb[0](S)\n 5 blocks super external:imsm\nunused devices: <none>\n"
                    }
                    super::FILES => "sync_action\nlevel\ndev-sda1\n",
                    _ => "",
                };
                asked.push(query.asked.to_string());
                heard.push(query.kind, answer(&query, text));
            }
        }
        assert_eq!(asked.iter().filter(|a| a.starts_with("mdadm --detail /dev/md5")).count(), detail, "{asked:?}");
        let rest: Vec<&String> = asked.iter().filter(|a| !a.starts_with("mdadm")).collect();
        let folder = "/sys/block/md5/md";
        let files = ["sync_action", "dev-sda1/state", "dev-sda1/slot", "dev-sda1/errors", "dev-sda1/bad_blocks"];
        let files: Vec<String> = files.iter().map(|f| format!("{folder}/{f}")).collect();
        assert_eq!(rest[..2], ["/proc/mdstat", folder]);
        assert_eq!(rest[2..], files.iter().collect::<Vec<_>>());
    }
}
