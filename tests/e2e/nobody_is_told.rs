//! With nobody to tell, every screen begins with that. Without a daemon, status says how old it is, and
//! never that all is well.

use crate::harness::{Plan, Stage};

const FIRST: &str = "NOBODY WILL BE TOLD";

#[test]
fn nobody_to_tell_is_the_first_thing_said() {
    let stage = Stage::play(Plan { nobody: true, ..Plan::default() });
    let status = stage.ask(&["status"]);
    assert!(status.first_line().starts_with(FIRST), "{status:?}");
    assert_eq!(status.code, 1, "a warning: {status:?}");
    let (root, config) = (stage.root().display().to_string(), stage.config().display().to_string());
    let doctor = stage.ask(&["doctor", "--root", &root, "--config", &config]);
    assert!(doctor.first_line().starts_with(FIRST), "{doctor:?}");
    let log = std::fs::read_to_string(stage.dir.path().join("log")).unwrap();
    assert!(log.lines().next().is_some_and(|l| l.contains(FIRST)), "{log}");
}

#[test]
fn without_a_daemon_status_tells_its_age_and_is_never_well() {
    let mut stage = Stage::play(Plan::default());
    assert_eq!(stage.status_code(), 0);
    stage.kill();
    let status = stage.ask(&["status"]);
    assert!(status.first_line().starts_with("NO DAEMON ANSWERS") && status.first_line().contains(" ago"), "{status:?}");
    assert_eq!(status.code, 3, "{status:?}");
    assert!(status.out.contains("c0/v0"), "what was known is shown: {status:?}");
    assert_eq!(stage.ask(&["nagios"]).code, 3);
    std::fs::remove_file(stage.state_dir().join("status.json")).unwrap();
    let nothing = stage.ask(&["status"]);
    assert!(nothing.code != 0 && nothing.err.contains("no raidmond answers"), "{nothing:?}");
}
