//! A member of a RAID 5 fails, the spare takes over, the admin replaces the disk: one thread of mails.

use crate::harness::{Letter, Plan, Stage, seconds, wait};
use std::time::Instant;

#[test]
fn a_disk_fails_the_spare_takes_over_and_the_disk_is_replaced() {
    let mut stage = Stage::play(Plan::default());
    assert_eq!(stage.status_code(), 0, "{}", stage.ask(&["status"]).out);
    assert_eq!(stage.ask(&["nagios"]).code, 0, "{:?}", stage.ask(&["nagios"]));
    assert!(stage.mailbox.letters().is_empty(), "{:?}", stage.mailbox.subjects());

    let alarm = the_disk_fails(&mut stage);
    the_spare_takes_over(&mut stage, &alarm);
    the_rebuild_ends(&mut stage, &alarm);
    the_disk_is_replaced(&mut stage);
    let twice = stage.mailbox.find(|l| stage.mailbox.find(|other| other.id() == l.id()).len() > 1);
    assert!(twice.is_empty(), "told twice: {:?}", stage.mailbox.subjects());
}

fn redundancy(letter: &Letter) -> bool {
    letter.says("c0/v0") && letter.subject().contains("RAID 5 data")
}

fn the_disk_fails(stage: &mut Stage) -> Letter {
    let failed = Instant::now();
    stage.happens("disk c0 32:5 fails");
    let alarm = stage.mailbox.wait("the alarm", seconds(15), |l| l.severity() == "critical");
    println!("the alarm came {:.1} s after the kernel's line", (alarm.at - failed).as_secs_f64());
    assert!(alarm.subject().contains("CRITICAL") && redundancy(&alarm), "{}", alarm.subject());
    for words in ["slot 5", "serial Z1Z2ABCD", "c0/v0", "perccli64 /c0/e32/s5 start locate"] {
        assert!(alarm.text().contains(words), "{words} is not in:\n{}", alarm.text());
    }
    let chat = stage.hook.wait("the alarm in the chat", seconds(5), |p| p["severity"] == "critical");
    assert_eq!((&chat["object"]["slot"], &chat["object"]["serial"]), (&"5".into(), &"Z1Z2ABCD".into()), "{chat}");
    assert_eq!((stage.status_code(), stage.ask(&["nagios"]).code), (2, 2));
    several_looks(stage);
    let alarms = stage.mailbox.find(|l| redundancy(l) && l.event() != "resolved");
    assert_eq!(alarms.len(), 1, "{:?}", stage.mailbox.subjects());
    let open = stage.open_incidents();
    assert_eq!(open.len(), 1, "one fault, one incident: {open:?}");
    alarm
}

/// Three more polls come and go; the fault is told only once.
fn several_looks(stage: &mut Stage) {
    for _ in 0..3 {
        let before = read_at(stage);
        stage.look_again();
        wait("another look", seconds(20), || (read_at(stage) != before).then_some(()));
    }
}

fn read_at(stage: &Stage) -> String {
    stage.status_json().map_or_else(String::new, |s| s["read_at"].to_string())
}

fn the_spare_takes_over(stage: &mut Stage, alarm: &Letter) {
    stage.happens("rebuild c0 speed 1%/s");
    stage.pass(1.0);
    stage.look_again();
    wait("the rebuild to be seen", seconds(20), || (stage.status_code() == 1).then_some(()));
    assert_eq!(stage.ask(&["nagios"]).code, 1, "{:?}", stage.ask(&["nagios"]));
    let short = stage.mailbox.wait("the missing spare", seconds(40), |l| l.says("0 hot spares of 1"));
    assert_eq!(short.severity(), "warning");
    assert_ne!(short.incident(), alarm.incident(), "the spare has an incident of its own");
}

fn the_rebuild_ends(stage: &mut Stage, alarm: &Letter) {
    stage.pass(120.0);
    stage.look_again();
    let whole = stage
        .mailbox
        .wait("the end of the alarm", seconds(30), |l| l.event() == "resolved" && l.incident() == alarm.incident());
    assert_ne!(whole.header("In-Reply-To"), "");
    assert_eq!(whole.header("In-Reply-To"), alarm.header("In-Reply-To"), "one thread");
    assert_eq!(stage.status_code(), 1, "the spare is still missing");
}

fn the_disk_is_replaced(stage: &mut Stage) {
    stage.happens("disk c0 32:5 replaced Z1Z7N3W5");
    stage.happens("disk c0 32:5 spare");
    stage.look_again();
    let short = stage.mailbox.find(|l| l.says("0 hot spares of 1"));
    stage
        .mailbox
        .wait("the spare to be back", seconds(30), |l| l.event() == "resolved" && l.incident() == short[0].incident());
    wait("all to be well", seconds(20), || (stage.status_code() == 0).then_some(()));
    assert_eq!(stage.ask(&["nagios"]).code, 0);
    assert!(stage.open_incidents().is_empty(), "{:?}", stage.open_incidents());
}
