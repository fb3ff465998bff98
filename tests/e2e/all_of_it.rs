//! `raidmond demo --fast`, as a newcomer runs it.

use crate::harness::{RAIDMOND, Said, turn};
use std::process::Command;

#[test]
fn the_demo_plays_to_its_end() {
    let _turn = turn();
    let mut demo = Command::new(RAIDMOND);
    demo.args(["demo", "--fast"]);
    let said = Said::of(demo);
    assert_eq!(said.code, 0, "{said:?}");
    let subjects: Vec<&str> = said.out.lines().filter_map(|l| l.strip_prefix("Subject: ")).collect();
    let story = [
        ("WARNING", "disk 32:5 will fail soon"),
        ("CRITICAL", "RAID 5 data"),
        ("WARNING", "hot spare"),
        ("RESOLVED", "RAID 5 data is whole again"),
        ("WARNING", "c1"),
        ("CRITICAL", "c0/v0"),
    ];
    for (severity, words) in story {
        let told = subjects.iter().any(|s| s.contains(severity) && s.contains(words));
        assert!(told, "no {severity} with \"{words}\" among {subjects:#?}");
    }
    assert!(said.out.contains("perccli64 /c0/e32/s5 start locate"), "the mail says what to do");
    assert!(said.out.trim_end().ends_with("mails were sent and accepted."), "{}", said.out);
}
