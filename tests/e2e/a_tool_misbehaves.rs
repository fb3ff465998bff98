//! A vendor's tool hangs, talks nonsense, crashes half-way or is gone. After three failures raidmond says
//! that it is blind there; it closes nothing for that, and the other controllers are watched all the while.

use crate::harness::{Letter, Plan, Stage, seconds, wait};
use std::time::{Duration, Instant};

const QUICK: &str = "[tools]\ntime-limit = \"3s\"\n";

fn plan() -> Plan {
    Plan { controllers: &["c0", "c1"], config: QUICK.to_owned(), ..Plan::default() }
}

#[test]
fn a_tool_that_hangs_is_told_and_never_runs_twice() {
    blindness("hangs", |stage, within| {
        let begun = Instant::now();
        let mut most = 0;
        while begun.elapsed() < within && stage.incident_about("cannot read tw_cli c1").is_none() {
            most = most.max(stage.running("tw_cli"));
        }
        println!("at most {most} tw_cli at once, of discovery and one controller");
        assert!(most <= 2, "one child per tool and controller, not {most}");
    });
}

#[test]
fn a_tool_that_talks_nonsense_is_told() {
    blindness("garbage", |_, _| ());
}

#[test]
fn a_tool_that_crashes_half_way_is_told() {
    blindness("crashes", |_, _| ());
}

#[test]
fn a_tool_that_is_gone_is_told() {
    blindness("absent", |_, _| ());
}

fn blindness(how: &str, watch: impl Fn(&mut Stage, Duration)) {
    let mut stage = Stage::play(plan());
    stage.happens("disk c1 p1 fails");
    let alarm = stage.mailbox.wait("the failed disk", seconds(20), |l| l.severity() == "critical");
    stage.happens(&format!("tool tw_cli {how}"));
    nudge(&mut stage);
    watch(&mut stage, seconds(60));
    let blind = wait_for_blind(&mut stage);
    assert_eq!(blind.event(), "opened");
    let ended = stage.mailbox.find(|l| l.event() == "resolved");
    assert!(ended.is_empty(), "what cannot be seen has not ended: {:?}", stage.mailbox.subjects());
    assert!(stage.incident_about("backup").is_some(), "{:?}", stage.open_incidents());
    others_go_on(&mut stage);
    the_tool_works_again(&mut stage, &blind);
    let told = stage.mailbox.find(|l| l.incident() == alarm.incident() && l.event() != "resolved");
    assert_eq!(told.len(), 1, "the failed disk was told once: {:?}", stage.mailbox.subjects());
}

/// Polls come by themselves each second; this spares the wait of a long rest.
fn nudge(stage: &mut Stage) {
    stage.look_again();
}

fn wait_for_blind(stage: &mut Stage) -> Letter {
    wait("the blindness", seconds(90), || {
        stage.mailbox.find(|l| l.severity() == "blind" && (l.says("tw_cli") || l.says("3ware"))).into_iter().next()
    })
}

fn others_go_on(stage: &mut Stage) {
    stage.happens("disk c0 32:5 fails");
    let other = stage.mailbox.wait("the other controller", seconds(20), |l| l.says("Z1Z2ABCD"));
    assert_eq!(other.severity(), "critical");
}

fn the_tool_works_again(stage: &mut Stage, blind: &Letter) {
    stage.happens("tool tw_cli works");
    let ended = |l: &Letter| l.event() == "resolved" && l.incident() == blind.incident();
    wait("sight again", seconds(100), || {
        stage.daemon().reload();
        std::thread::sleep(seconds(1));
        stage.mailbox.letters().into_iter().find(ended)
    });
}
