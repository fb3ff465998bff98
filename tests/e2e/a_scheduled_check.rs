//! raidmond starts a check by its own schedule, follows it to its end and tells what it found; and does not
//! where it must not.

use crate::a_check_by_hand::{audit, wrap};
use crate::harness::{Plan, Stage, seconds, wait};
use serde_json::Value;

/// Due this soon, by the stage's clock (UTC).
const SOON: i64 = 12;

fn plan(array: &str, more: &str) -> Plan {
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(SOON);
    let schedule = at.strftime("%a %H:%M:%S").to_string();
    let block = format!("{more}\n[checks]\nrun = true\nspread = \"0s\"\npolicy = \"off\"\nschedule = \"{schedule}\"\n");
    let config = format!("{block}[[checks.for]]\narray = \"{array}\"\npolicy = \"raidmond\"\n");
    Plan { config, ..Plan::default() }
}

fn check(stage: &Stage, array: &str) -> Option<Value> {
    let said = stage.ask(&["check", "list", "--json"]);
    let docs: Vec<Value> = serde_json::from_str(&said.out).ok()?;
    docs.into_iter().find(|d| d["array"] == array)
}

#[test]
fn the_weekly_check_runs_finds_and_is_told() {
    let mut stage = Stage::play(plan("c0/v0", ""));
    stage.happens("check c0 v0 next-finds 3");
    let listed = stage.ask(&["check", "list", "c0/v0"]);
    assert!(listed.out.contains("every") && listed.out.contains("started by raidmond"), "{listed:?}");
    assert_eq!(check(&stage, "c0/v0").unwrap()["next"].as_array().unwrap().len(), 5);

    let running = wait("the check to be seen running", seconds(60), || {
        let running = check(&stage, "c0/v0")?["running"].clone();
        (running["by"] == "raidmond").then_some(running)
    });
    assert_eq!(running["paused"], false);
    let rows = audit(&stage);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!((rows[0]["who"].as_str(), rows[0]["what"].as_str()), (Some("schedule"), Some("start check c0/v0")));
    stage.pass(20.0);
    stage.look_again();
    wait("its progress", seconds(20), || {
        let percent = check(&stage, "c0/v0")?["running"]["percent"].as_f64()?;
        (percent > 30.0).then_some(())
    });
    let status = stage.ask(&["status"]);
    assert!(status.out.contains("CHECKS") && status.out.contains("started by raidmond"), "{status:?}");

    stage.pass(60.0);
    stage.look_again();
    let letter = stage.mailbox.wait("what it found", seconds(60), |l| l.says("inconsisten"));
    assert!(letter.says("c0/v0"), "{}", letter.text());
    let doc = wait("its end in the history", seconds(60), || {
        check(&stage, "c0/v0").filter(|d| d["results"].as_array().is_some_and(|r| !r.is_empty()))
    });
    assert_eq!((doc["results"][0]["how"].as_str(), doc["results"][0]["found"].as_u64()), (Some("completed"), Some(3)));
    assert_eq!(doc["last_completed"]["by"], "raidmond");
    let history = stage.ask(&["check", "history"]);
    assert!(history.out.contains("completed") && history.out.contains("3 found"), "{history:?}");
    // The other array is nobody's, by configuration.
    assert_eq!(audit(&stage).len(), 2);
    assert_eq!(check(&stage, "c0/v1").unwrap()["policy"], "off");
}

#[test]
fn nothing_is_started_beside_a_degraded_array() {
    let mut stage = Stage::set(plan("c0/v1", ""));
    stage.happens("disk c0 32:5 fails");
    stage.start();
    stage.wait_until_read();
    let doc = wait("the check to be due", seconds(60), || check(&stage, "c0/v1").filter(|d| !d["due"].is_null()));
    let why = doc["why_not"].to_string();
    assert!(why.contains("c0/v0 of the same controller is degraded"), "{why}");
    std::thread::sleep(seconds(3));
    assert_eq!(audit(&stage), Vec::<Value>::new());
}

#[test]
fn a_refused_start_is_kept_and_tried_later() {
    let stage = Stage::play(plan("c0/v1", ""));
    stage.happens("check c0 v1 refused");
    let why = wait("the refusal", seconds(60), || {
        let why = check(&stage, "c0/v1")?["why_not"].to_string();
        why.contains("the start was refused").then_some(why)
    });
    assert!(why.contains("tried again in"), "{why}");
    std::thread::sleep(seconds(3));
    assert_eq!(audit(&stage).len(), 2, "asked once");
}

#[test]
fn a_tool_that_hangs_when_told_to_start_is_not_told_twice() {
    let stage = Stage::set(plan("c0/v1", "[tools]\ntime-limit = \"3s\""));
    wrap(&stage, "sleep 60");
    let mut stage = stage;
    stage.start();
    stage.wait_until_read();
    let why = wait("the doubt", seconds(60), || {
        let why = check(&stage, "c0/v1")?["why_not"].to_string();
        why.contains("it is not known what became of the last order").then_some(why)
    });
    assert!(why.contains("tried again in"), "{why}");
    std::thread::sleep(seconds(3));
    assert_eq!(audit(&stage).len(), 2, "told once");
}
