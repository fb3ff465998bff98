//! A disk predicts its failure: told once, after a second look. Then what a person may say about it, and
//! that only root may.

use crate::harness::{Plan, Said, Stage, seconds, wait};
use std::time::Instant;

#[test]
fn a_predicted_failure_is_told_once_and_root_can_quiet_it() {
    let mut stage = Stage::play(Plan::default());
    let begun = Instant::now();
    stage.happens("disk c0 32:5 predictive");
    stage.look_again();
    let warning = stage.mailbox.wait("the warning", seconds(40), |l| l.says("Z1Z2ABCD"));
    let took = (warning.at - begun).as_secs_f64();
    println!("the warning came after {took:.1} s");
    assert!(took > 10.0, "a warning waits for a second look: {took:.1} s");
    assert_eq!((warning.severity().as_str(), warning.event().as_str()), ("warning", "opened"));
    assert_eq!((stage.status_code(), stage.ask(&["nagios"]).code), (1, 1));

    nobody_may_not(&stage);
    root_may_quiet(&mut stage);
    what_is_not_missing_cannot_be_accepted(&stage);
    maintenance_is_quiet(&mut stage);
}

/// The number as it stands in the mails.
fn incident(stage: &Stage) -> String {
    stage.incident_about("32:5").expect("an open incident about 32:5").to_string()
}

fn nobody_may_not(stage: &Stage) {
    let root = rustix::process::getuid().is_root();
    let tool = std::process::Command::new("setpriv").arg("--version").output().is_ok();
    if !(root && tool) {
        eprintln!("SKIPPED: only root can ask as another user (with setpriv)");
        return;
    }
    stage.open_to_everybody();
    let id = incident(stage);
    let changes: [&[&str]; 4] = [
        &["ack", &id, "--comment", "mine now"],
        &["close", &id, "--comment", "gone"],
        &["maintenance", "start"],
        &["accept"],
    ];
    for words in changes {
        let said = stage.ask_as_nobody(words);
        assert!(said.code != 0 && said.err.contains("only root"), "{words:?}: {said:?}");
    }
    assert_eq!(stage.ask_as_nobody(&["status"]).code, 1, "looking is allowed");
    assert_eq!(acknowledged(stage), None);
}

fn acknowledged(stage: &Stage) -> Option<String> {
    let status = stage.status_json().unwrap();
    let open = status["incidents"].as_array().unwrap().iter().find(|i| i["closed_at"].is_null()).cloned();
    open.and_then(|i| i["acknowledged_by"].as_str().map(str::to_owned))
}

fn root_may_quiet(stage: &mut Stage) {
    let id = incident(stage);
    let said = stage.ask(&["ack", &id, "--for", "3d", "--comment", "disk ordered"]);
    assert!(said.code == 0 && said.out.contains("quiet until"), "{said:?}");
    assert!(acknowledged(stage).is_some());
    let mails = stage.mailbox.letters().len();
    stage.look_again();
    a_poll_later(stage);
    assert_eq!(stage.mailbox.letters().len(), mails, "{:?}", stage.mailbox.subjects());
    refused(&stage.ask(&["close", &id, "--comment", "looks fine"]), "ends when it is mended");
    refused(&stage.ask(&["close", "4711", "--comment", "?"]), "no incident 4711");
}

fn what_is_not_missing_cannot_be_accepted(stage: &Stage) {
    refused(&stage.ask(&["accept", "c0/32:5"]), "not among what is missing");
    refused(&stage.ask(&["maintenance", "end"]), "no maintenance");
}

fn maintenance_is_quiet(stage: &mut Stage) {
    assert_eq!(stage.ask(&["maintenance", "start", "--for", "1h", "--comment", "new disk"]).code, 0);
    assert!(stage.ask(&["status"]).out.contains("only emergencies are told"));
    let mails = stage.mailbox.letters().len();
    stage.happens("battery c0 fails");
    stage.look_again();
    wait("the battery to be seen", seconds(20), || {
        stage.incident_about("battery").or(stage.incident_about("write-back"))
    });
    std::thread::sleep(seconds(16));
    assert_eq!(stage.mailbox.letters().len(), mails, "quiet: {:?}", stage.mailbox.subjects());
    assert_eq!(stage.ask(&["maintenance", "end"]).code, 0);
    stage.mailbox.wait("what is still wrong", seconds(10), |l| l.event() == "opened" && l.says("attery"));
}

fn refused(said: &Said, why: &str) {
    assert!(said.code != 0 && said.err.contains(why), "{said:?}");
}

fn a_poll_later(stage: &Stage) {
    let read_at = || stage.status_json().unwrap()["read_at"].to_string();
    let before = read_at();
    wait("another look", seconds(20), || (read_at() != before).then_some(()));
}
