//! Fixtures, and what the conversation asks.

use super::*;
use crate::testkit::{check_cases, check_robustness};
use raidmond_core::survey::{Answer, Outcome, PciDevice, ToolFound};

#[test]
fn cases() {
    check_cases(&Hp);
}

#[test]
fn robustness() {
    check_robustness(&Hp);
}

fn known(tool: &str, scope: Scope) -> Known {
    let tool = ToolFound { name: tool.into(), path: format!("/usr/sbin/{tool}"), version: None };
    Known { tool: Some(tool), scope, ..Known::default() }
}

/// What is asked next, as a person would type it.
fn asks(known: &Known, heard: &Heard) -> Vec<String> {
    match Hp.step(known, heard) {
        Step::Ask { queries, .. } => queries.iter().map(|q| q.asked.to_string()).collect(),
        Step::Done(_) => Vec::new(),
    }
}

fn say(heard: &mut Heard, kind: AnswerKind, asked: Asked, text: &str) {
    heard.push(kind, Answer { asked, stdout: text.into(), stderr: Vec::new(), outcome: Outcome::default() });
}

#[test]
fn one_long_question_and_short_ones_only_where_it_is_refused() {
    let known = known("hpacucli", Scope::Controller("0b".into()));
    let mut heard = Heard::default();
    let long = "hpacucli ctrl slot=0b show config detail";
    assert_eq!(asks(&known, &heard), [long]);
    let asked = Asked::cmd(&long.split(' ').collect::<Vec<_>>());
    let mut well = heard.clone();
    say(&mut well, CONFIG, asked.clone(), "Smart Array X in Slot 0b\n   Slot: 0b\n   Controller Status: OK\n");
    assert!(asks(&known, &well).is_empty());
    say(&mut heard, CONFIG, asked, "Error: unknown parameter \"detail\".\n");
    let short =
        ["ld all show detail", "pd all show detail", "show status"].map(|w| format!("hpacucli ctrl slot=0b {w}"));
    assert_eq!(asks(&known, &heard), short);
}

#[test]
fn the_node_of_a_controller_is_found_in_sysfs() {
    let mut known = known(VOL_STATUS, Scope::Discover);
    let host = |number, driver: &str, address: &str| PciDevice {
        address: address.into(),
        driver: Some(driver.into()),
        scsi_hosts: vec![number],
        ..PciDevice::default()
    };
    known.pci = vec![host(2, "hpsa", "0000:05:00.0"), host(3, "aacraid", "0000:06:00.0")];
    let mut heard = Heard::default();
    let generic = "/sys/class/scsi_generic";
    assert_eq!(asks(&known, &heard), [generic, "/dev/cciss"]);
    say(&mut heard, SG_LIST, Asked::Dir(generic.into()), "sg0\nsg1\nsg2\n");
    say(&mut heard, SG_LIST, Asked::Dir("/dev/cciss".into()), "c0d0\nc0d0p1\nc0d1\n");
    assert_eq!(asks(&known, &heard).len(), 3);
    for (node, kind, address) in [("sg0", "0", "2:1:0:0"), ("sg1", "12", "2:0:0:0"), ("sg2", "12", "3:3:0:0")] {
        say(&mut heard, SG_TYPE, Asked::File(format!("{generic}/{node}/device/type")), &format!("{kind}\n"));
        say(&mut heard, SG_HOST, Asked::Dir(format!("{generic}/{node}/device/scsi_device")), address);
    }
    let Step::Done(reading) = Hp.step(&known, &heard) else { panic!("asks on") };
    let found: Vec<String> = reading.controllers.iter().map(|c| format!("{} {:?}", c.at, c.aliases)).collect();
    assert_eq!(found, ["c0 []", "csg1 [Pci(\"0000:05:00.0\")]"]);
    known.scope = Scope::Controller("sg1".into());
    assert_eq!(asks(&known, &Heard::default()), ["cciss_vol_status -V /dev/sg1"]);
    known.scope = Scope::Controller("0".into());
    assert_eq!(asks(&known, &Heard::default()), ["cciss_vol_status -V /dev/cciss/c0d0"]);
}

#[test]
fn commands_are_sorted_by_what_they_do() {
    let kind = |line: &str| by_words(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
    for (line, expected) in [
        ("ctrl all show", CONTROLLERS),
        ("controller all show status", STATUS),
        ("ctrl slot=1 show", STATUS),
        ("ctrl all show config detail", CONFIG),
        ("ctrl slot=0 ld 1 show", LOGICAL),
        ("controller slot=0 physicaldrive all show", PHYSICAL),
        ("ctrl slot=0 create type=ld drives=1I:1:1", MUTATION),
        ("ctrl slot=0 ld 1 delete forced", MUTATION),
        ("rescan", MUTATION),
        ("version", ASIDE),
    ] {
        assert_eq!(kind(line), expected, "{line}");
    }
}

#[test]
fn texts_without_a_command_are_known_by_their_looks() {
    let kind = |text: &str| by_text(text).map(|k| k.0);
    assert_eq!(kind("Smart Array X in Slot 1   (sn: A)\n"), Some("controllers"));
    assert_eq!(kind("Smart Array X in Slot 1\n   Controller Status: OK\n"), Some("status"));
    assert_eq!(kind("/dev/sda: (Smart Array X) RAID 1 Volume 0 status: OK.\n"), Some("volumes"));
    assert_eq!(kind("   logicaldrive 1 (1 GB, RAID 1): OK\n"), Some("logical drives"));
    assert_eq!(kind("Personalities : [raid1]\nmd0 : active raid1 sda1[0]\n"), None);
    assert_eq!(kind("Status: OK\nVolume: 1\n"), None);
}

#[test]
fn of_two_words_for_one_thing_the_worse_is_believed() {
    let known = known("ssacli", Scope::Controller("0".into()));
    let asked = Asked::cmd(&["ssacli", "ctrl", "slot=0", "show", "config", "detail"]);
    let text = "Smart Array P440 in Slot 0\n   Slot: 0\n   Controller Status: OK\n\n   Array: A\n      Status: OK\n\n      \
                Logical Drive: 1\n         Size: 100 GB\n         Fault Tolerance: 1\n         Status: OK\n         \
                Mirror Group 1:\n            physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS HDD, 100 GB, OK)\n         \
                Mirror Group 2:\n            physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS HDD, 100 GB, OK)\n\n      \
                physicaldrive 1I:1:1\n         Port: 1I\n         Box: 1\n         Bay: 1\n         Status: Predictive Failure\n      \
                physicaldrive 1I:1:2\n         Port: 1I\n         Box: 1\n         Bay: 2\n         Status: Failed\n";
    let mut heard = Heard::default();
    say(&mut heard, CONFIG, asked, text);
    let Step::Done(reading) = Hp.step(&known, &heard) else { panic!("asks on") };
    let disk = |leaf: &str| reading.disks.iter().find(|d| d.at.leaf() == leaf).unwrap();
    assert!(disk("1I:1:1").predictive.as_ref().is_some_and(|p| p.state));
    assert_eq!(disk("1I:1:2").state.as_ref().unwrap().state, raidmond_core::model::DiskState::Failed);
}
