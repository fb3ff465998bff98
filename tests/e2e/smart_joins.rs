//! What only SMART knows of a disk behind a controller is told of that disk, by slot and serial number, and
//! becomes part of the one incident when the disk then fails.

use crate::harness::{Plan, Stage, seconds, wait};

#[test]
fn what_smart_says_and_what_the_controller_says_are_one_incident() {
    let mut stage = Stage::play(Plan::default());
    assert_eq!(stage.status_code(), 0, "{}", stage.ask(&["status"]).out);
    stage.happens("disk c0 32:5 unreadable 8");
    stage.look_again();
    let warning = stage.mailbox.wait("the warning", seconds(40), |l| l.says("uncorrected read errors 8"));
    assert_eq!((warning.severity().as_str(), warning.event().as_str()), ("warning", "opened"));
    for words in ["slot 5", "serial Z1Z2ABCD", "smart  uncorrected"] {
        assert!(warning.text().contains(words), "{words} is not in:\n{}", warning.text());
    }

    stage.happens("disk c0 32:5 fails");
    stage.mailbox.wait("the alarm", seconds(15), |l| l.severity() == "critical");
    stage.look_again();
    let one = || (stage.open_incidents().len() == 1).then_some(());
    wait("one incident", seconds(20), one);
    assert!(stage.incident_about("degraded").is_some(), "{:?}", stage.open_incidents());
}
