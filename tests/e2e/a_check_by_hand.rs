//! A person starts, pauses and stops a check; raidmond says no where it must, shows before it acts, and
//! writes down who wanted what, also when it dies in the act.

use crate::harness::{Plan, Stage, seconds, wait};
use std::path::Path;

pub fn audit(stage: &Stage) -> Vec<serde_json::Value> {
    let said = stage.ask(&["audit", "--json"]);
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

#[test]
fn a_check_is_shown_started_paused_and_stopped() {
    let stage = Stage::play(Plan::default());
    let dry = stage.ask(&["check", "start", "c0/v0", "--dry-run"]);
    assert_eq!((dry.code, dry.out.trim()), (0, "would run: perccli64 /c0/v0 start cc J nolog"), "{dry:?}");
    assert_eq!(audit(&stage), Vec::<serde_json::Value>::new());
    let stop = stage.ask(&["check", "stop", "c0/v0"]);
    assert!(stop.code != 0 && stop.err.contains("no check runs on c0/v0, as last read"), "{stop:?}");

    let started = stage.ask(&["check", "start", "c0/v0", "--comment", "after the move"]);
    assert_eq!(started.code, 0, "{started:?}");
    assert!(started.out.contains("start check c0/v0: done"), "{started:?}");
    let rows = audit(&stage);
    assert_eq!(rows.len(), 2, "{rows:?}");
    let intent = rows[1]["said"].as_str().unwrap();
    assert_eq!(intent, "by hand: after the move; about to run: perccli64 /c0/v0 start cc J nolog");
    assert!(rows[0]["said"].as_str().unwrap().starts_with("done; exit 0"), "{rows:?}");
    let shown = stage.ask(&["audit"]);
    assert!(shown.out.contains("start check c0/v0") && shown.out.contains("after the move"), "{shown:?}");

    let again = wait("the check to be seen", seconds(20), || {
        let again = stage.ask(&["check", "start", "c0/v0"]);
        again.err.contains("a check is there already").then_some(again)
    });
    assert_ne!(again.code, 0);
    let paused = stage.ask(&["check", "pause", "/dev/sda"]);
    assert_eq!(paused.code, 0, "{paused:?}");
    let resumed = wait("the check to be seen paused", seconds(20), || {
        let said = stage.ask(&["check", "resume", "c0/v0"]);
        (!said.err.contains("runs already")).then_some(said)
    });
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let stopped = stage.ask(&["check", "stop", "c0/v0"]);
    assert_eq!(stopped.code, 0, "{stopped:?}");
    assert!(stopped.out.contains("stop check c0/v0: done"), "{stopped:?}");
}

#[test]
fn what_must_not_be_done_is_not_done() {
    let stage = Stage::play(Plan::default());
    let nowhere = stage.ask(&["check", "start", "c7/v9"]);
    assert!(nowhere.err.contains("there is no array \"c7/v9\"; there is c0/v0"), "{nowhere:?}");
    stage.open_to_everybody();
    let nobody = stage.ask_as_nobody(&["check", "start", "c0/v0"]);
    assert!(nobody.code != 0 && nobody.err.contains("only root"), "{nobody:?}");
    let fix = stage.ask(&["check", "start", "c0/v0", "--fix"]);
    assert!(fix.code != 0 && fix.err.contains("repairs what differs by itself"), "{fix:?}");
    stage.happens("disk c0 32:5 fails");
    wait("the array to be seen degraded", seconds(20), || stage.incident_about("degraded, disk 32:5 failed"));
    let said = stage.ask(&["check", "start", "c0/v0", "--force"]);
    assert!(said.code != 0 && said.err.contains("c0/v0 is not whole"), "{said:?}");
    assert_eq!(audit(&stage), Vec::<serde_json::Value>::new());
}

#[test]
fn an_empty_allow_list_allows_nothing() {
    let stage = Stage::play(Plan { config: "[actions]\nallow = []\n".to_owned(), ..Plan::default() });
    let said = stage.ask(&["check", "start", "c0/v0"]);
    assert!(said.code != 0 && said.err.contains("add \"check\" to `allow` in [actions]"), "{said:?}");
    assert_eq!(audit(&stage), Vec::<serde_json::Value>::new());
}

#[test]
fn a_schedule_of_the_firmware_is_not_doubled_without_force() {
    let mut stage = Stage::set(Plan::default());
    stage.happens("schedule c0 every 168h");
    stage.start();
    stage.wait_until_read();
    let said = stage.ask(&["check", "start", "c0/v0"]);
    assert!(said.err.contains("another schedule already") && said.err.contains("--force"), "{said:?}");
    assert_eq!(stage.ask(&["check", "start", "c0/v0", "--force"]).code, 0);
}

#[test]
fn a_line_of_cron_is_not_doubled_without_force() {
    let mut stage = Stage::set(Plan::default());
    let cron = stage.root().join("etc/cron.d/raid");
    std::fs::create_dir_all(cron.parent().unwrap()).unwrap();
    std::fs::write(cron, "0 3 * * 6 root perccli64 /c0/vall start cc nolog\n").unwrap();
    stage.start();
    stage.wait_until_read();
    let said = stage.ask(&["check", "start", "c0/v0"]);
    assert!(said.err.contains("/etc/cron.d/raid") && said.err.contains("--force"), "{said:?}");
    assert_eq!(audit(&stage), Vec::<serde_json::Value>::new());
}

#[test]
fn the_tools_own_no_is_passed_on() {
    let stage = Stage::play(Plan::default());
    stage.happens("check c0 v0 refused");
    let said = stage.ask(&["check", "start", "c0/v0"]);
    assert!(said.code != 0 && said.err.contains("was refused: Start CC Operation Failed"), "{said:?}");
    assert!(audit(&stage)[0]["said"].as_str().unwrap().starts_with("refused:"), "{:?}", audit(&stage));
}

/// Wraps the real tool: what begins a check meets `fate` instead.
pub fn wrap(stage: &Stage, fate: &str) {
    let tool = stage.root().join("usr/sbin/perccli64");
    let real = stage.root().join("usr/sbin/perccli64.real");
    std::fs::rename(&tool, &real).unwrap();
    let text = format!("#!/bin/sh\ncase \"$*\" in *'start cc'*) {fate};; esac\nexec '{}' \"$@\"\n", real.display());
    write_program(&tool, &text);
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let new = path.with_extension("new");
    std::fs::write(&new, text).unwrap();
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(new, path).unwrap();
}

#[test]
fn a_daemon_that_dies_in_the_act_leaves_a_trace() {
    let mut stage = Stage::play(Plan::default());
    wrap(&stage, "kill -9 $PPID; sleep 5; exit 0");
    let said = stage.ask(&["check", "start", "c0/v0"]);
    assert_ne!(said.code, 0, "{said:?}");
    stage.kill();
    let rows = audit(&stage);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0]["said"].as_str().unwrap().ends_with("about to run: perccli64 /c0/v0 start cc J nolog"), "{rows:?}");
}

#[test]
fn after_silence_the_controller_is_read_before_anything_else_is_done() {
    let mut stage = Stage::play(Plan { config: "[tools]\ntime-limit = \"3s\"\n".to_owned(), ..Plan::default() });
    // Nothing can be read meanwhile, so that the doubt lasts.
    wrap(&stage, "touch \"$0.silent\"; exit 0");
    let said = stage.ask(&["check", "start", "c0/v0"]);
    assert!(said.code != 0 && said.err.contains("not known what became of it"), "{said:?}");
    let next = stage.ask(&["check", "start", "c0/v0"]);
    let doubted = next.err.contains("it has to be read first") || next.err.contains("not known what became of it");
    assert!(doubted, "{next:?}");
    stage.look_again();
    wait("the doubt to end with a look", seconds(30), || {
        let said = stage.ask(&["check", "start", "c0/v0"]);
        said.err.contains("not known what became of it").then_some(())
    });
}
