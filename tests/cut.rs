//! An answer that was cut off is never good: own fixtures of faults, cut at every line, stay at least
//! a warning or blind, and so do answers of the wrong command.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use raidmond::assess;
use raidmond_core::severity::Severity;
use raidmond_core::survey::{Answer, Asked, Outcome, Poll, Transcript};
use std::path::Path;

/// Cuts that no reader can see, with the reason: (fixture, lines kept from, to, why).
const UNSEEN: [(&str, usize, usize, &str); 4] = [
    ("aacraid/containers", 10, 10, "afacli ends its list with nothing, and logs are often stopped there"),
    ("zfs/import", 8, 12, "`zpool import` ends its list with nothing; the first pool is well"),
    ("btrfs/kernel", 1, 1, "a folder without names is a machine without btrfs"),
    ("omreport/plain", 10, 14, "the plain form has no end; it is never asked for, ssv is"),
];

#[test]
fn no_cut_makes_a_fault_good() {
    let mut bad = Vec::new();
    let mut cuts = 0;
    let families = [
        "aacraid", "areca", "boss", "btrfs", "dpt", "gdth", "ips", "lsi_ir", "lvm", "omreport", "storcli2", "tw_cli",
        "zfs",
    ];
    for family in families {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/adapters/src").join(family).join("cases");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "txt") {
                let name = format!("{family}/{}", path.file_stem().unwrap().to_string_lossy());
                let text = std::fs::read_to_string(&path).unwrap();
                cuts += cut(&name, &text, &mut bad);
            }
        }
    }
    println!("{cuts} cuts");
    assert!(cuts > 200, "only {cuts} cuts");
    assert!(bad.is_empty(), "cuts that look good:\n{}", bad.join("\n"));
}

fn cut(name: &str, text: &str, bad: &mut Vec<String>) -> usize {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if verdict(text) < Severity::Warning {
        return 0;
    }
    for kept in 1..lines.len() {
        let verdict = verdict(&lines[..kept].concat());
        let unseen = UNSEEN.iter().any(|(n, from, to, _)| *n == name && (*from..=*to).contains(&kept));
        if verdict < Severity::Warning && !unseen {
            bad.push(format!("{name}, {kept} lines: {verdict}, ends with {:?}", lines[kept - 1]));
        }
    }
    lines.len()
}

fn verdict(text: &str) -> Severity {
    judge(&Transcript::parse(text.as_bytes()).unwrap())
}

fn judge(transcript: &Transcript) -> Severity {
    assess::worst(&assess::assess(transcript, "2026-11-30T12:00:00Z".parse().unwrap()))
}

fn answer(command: &str, stdout: &str, stderr: &str) -> Severity {
    let asked = Asked::Cmd(command.split(' ').map(str::to_owned).collect());
    let (stdout, stderr) = (stdout.as_bytes().to_vec(), stderr.as_bytes().to_vec());
    let answers = vec![Answer { asked, stdout, stderr, outcome: Outcome::default() }];
    judge(&Transcript { escaped: false, polls: vec![Poll { answers, ..Poll::default() }] })
}

const CONTROLLER: &str = "Controllers found: 1\n------\nController information\n------\n   Controller Status : Optimal\n   Controller Model : Adaptec 6805\n   Logical devices/Failed/Degraded : 1/0/0\n";
const LOGICAL: &str = "------\nLogical device information\n------\nLogical device number 0\n   RAID level : 1\n   Status of logical device : Optimal\n";
const DONE: &str = "\n\nCommand completed successfully.\n";
const UNITS: &str = "Unit  UnitType  Status  %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy\n------\n";
const UNIT: &str = "u0    RAID-1    OK      -       -       -       931.5     RiW    ON\n";
const PORTS: &str =
    "\nPort   Status  Unit   Size      Blocks   Serial\n------\np0     OK      u0     931.5 GB  195352   EX01\n";

#[test]
fn arcconf_without_its_last_line_is_not_good() {
    let whole = format!("{CONTROLLER}{LOGICAL}{DONE}");
    let getconfig = |text: &str| answer("arcconf GETCONFIG 1", text, "");
    assert!(getconfig(&whole) < Severity::Warning);
    assert!(getconfig(&format!("{CONTROLLER}{LOGICAL}")) >= Severity::Warning);
    assert!(getconfig(CONTROLLER) >= Severity::Warning);
    assert!(getconfig(&format!("{CONTROLLER}{DONE}")) >= Severity::Warning, "a counted logical device is missing");
    let list = format!("Controllers found: 3\n------\nController 1: : Optimal, Slot 8, RAID, A, S1, W1{DONE}");
    assert!(answer("arcconf LIST", &list, "") >= Severity::Warning);
    assert!(answer("arcconf GETSTATUS 1", "Controllers found: 1\nLogical device Task:\n", "") >= Severity::Warning);
}

#[test]
fn an_answer_without_health_is_not_good() {
    let version = format!("Controllers found: 1\nController #1\n======\nFirmware : 5.2-0 (19109){DONE}");
    assert!(answer("arcconf GETVERSION", &version, "") >= Severity::Warning);
    let hp = "Smart Array P410 in Slot 1\n   Controller Status: OK\n   Cache Status: OK\n\n\n";
    let lsi = "------\nController information\n------\n  Controller type : SAS2008\nSAS2IRCU: Command DISPLAY Completed Successfully.\n";
    assert!(answer("arcconf getconfig 1 LD", hp, "") >= Severity::Warning);
    assert!(answer("arcconf getconfig 1 LD", lsi, "") >= Severity::Warning);
    let alarms = "Ctl  Date  Severity  Alarm Message\n------\nc0   [Tue Jul  8 14:52:10 2008]  INFO      Battery charging completed\n";
    assert!(answer("tw_cli show alarms", alarms, "") >= Severity::Warning);
}

#[test]
fn tables_of_tw_cli_that_end_too_early_are_not_good() {
    let show = |text: &str, stderr: &str| answer("tw_cli /c0 show", text, stderr);
    let whole = format!("{UNITS}{UNIT}{PORTS}");
    assert!(show(&whole, "") < Severity::Warning);
    assert!(show(&whole, "Segmentation fault (core dumped)\n") >= Severity::Warning);
    assert!(show("Unit  UnitType  Status", "") >= Severity::Warning);
    assert!(show(UNITS, "") >= Severity::Warning);
    assert!(show(&format!("{UNITS}{UNIT}"), "") >= Severity::Warning, "the ports are missing");
    assert!(answer("tw_cli info c0 unitstatus", &format!("{UNITS}u0    RAID-1    OK   "), "") >= Severity::Warning);
}
