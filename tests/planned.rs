//! What the planner makes of real situations, when a check of every array is due: read in place from the shared
//! material. A check must never begin on an array that is not whole, nor beside one that runs.
#![allow(clippy::unwrap_used)]

mod shared;

use jiff::{SignedDuration, Timestamp};
use raidmond::act;
use raidmond_adapters::capture;
use raidmond_core::checks::{Checks, Planning, Reason, Rules, Verb, against};
use raidmond_core::host::SourceKey;
use raidmond_core::incident::{Effect, Engine, Input, Settings, State};
use raidmond_core::model::{ArrayState, TaskKind};
use raidmond_core::schedule::Schedule;
use raidmond_core::survey::{Answer, Asked, Transcript};
use std::path::Path;

struct Planned {
    engine: Engine,
    now: Timestamp,
    started: Vec<String>,
}

/// All that the capture says is read at 02:59, and again when the check has come due.
fn plan(folder: &Path, case: &str) -> Planned {
    let rules = Rules {
        run: true,
        schedule: Schedule::parse("daily 03:00").unwrap(),
        spread: SignedDuration::ZERO,
        ..Rules::default()
    };
    let checks = Checks { rules, at_once: 64, ..Checks::default() };
    let ability = std::sync::Arc::new(act::able);
    let settings = Settings { checks, ability, time_zone: jiff::tz::TimeZone::UTC, ..Settings::default() };
    let engine = Engine::new(settings, State { instance: "t".to_owned(), ..State::default() });
    let mut planned = Planned { engine, now: "2026-11-30T02:59:00Z".parse().unwrap(), started: Vec::new() };
    let transcript = Transcript::parse(&std::fs::read(folder.join(case).join("input.txt")).unwrap()).unwrap();
    for _ in 0..2 {
        for poll in &transcript.polls {
            let tools: Vec<Answer> =
                poll.answers.iter().filter(|a| !matches!(a.asked, Asked::Log(_))).cloned().collect();
            for reading in capture::read(&tools, &poll.known.clone().unwrap_or_default()).readings {
                let key = SourceKey { family: reading.family.clone(), about: String::new() };
                planned.give(Input::Reading { key, reading: Box::new(reading) });
            }
        }
        planned.now += SignedDuration::from_mins(2);
    }
    planned
}

impl Planned {
    fn give(&mut self, input: Input) {
        let turn = self.engine.handle(self.now, input);
        let effects = turn.effects.clone();
        self.engine.adopt(turn);
        for effect in effects {
            if let Effect::Check(order) = effect {
                assert_eq!(order.verb, Verb::Start);
                self.started.push(self.engine.state().host.name(order.array));
            }
        }
    }

    fn reasons(&self, array: &str) -> Vec<Reason> {
        let view = self.engine.state().host.view();
        let planning = Planning::of(&self.engine.settings, self.engine.state(), &view, self.now);
        let array = view.arrays.iter().find(|a| a.name == array).unwrap();
        against(&planning, array).iter().map(|r| r.reason).collect()
    }
}

#[test]
fn a_check_that_is_due_waits_for_a_degraded_and_for_a_resyncing_array() {
    let Some(folder) = shared::shared("cases") else { return };
    let planned = plan(&folder, "099-schedule-cc-on-degraded");
    assert_eq!(planned.started, Vec::<String>::new());
    assert!(planned.reasons("md5").contains(&Reason::Degraded), "{:?}", planned.reasons("md5"));
    let md6 = planned.reasons("md6");
    assert!(md6.contains(&Reason::Rebuilding) || md6.contains(&Reason::Initialising), "{md6:?}");
    let due =
        planned.engine.state().memory.checks.values().filter(|c| c.plan.as_ref().is_some_and(|p| p.due.is_some()));
    assert_eq!(due.count(), 2, "both stay due");
}

#[test]
fn no_real_situation_makes_it_check_what_is_not_whole_or_checked_already() {
    let Some(folder) = shared::shared("cases") else { return };
    let (mut cases, mut started, mut waiting) = (0, 0, 0);
    for entry in std::fs::read_dir(&folder).unwrap().flatten() {
        let case = entry.file_name().to_string_lossy().into_owned();
        if !entry.path().join("input.txt").exists() {
            continue;
        }
        let planned = plan(&folder, &case);
        let view = planned.engine.state().host.view();
        cases += 1;
        started += planned.started.len();
        waiting += view.arrays.len().saturating_sub(planned.started.len());
        for array in view.arrays.iter().filter(|a| planned.started.contains(&a.name)) {
            let state = array.facts.state.as_ref().map(|s| s.state);
            assert_eq!(state, Some(ArrayState::Optimal), "{case}: {}", array.name);
            let checked = view.tasks.iter().any(|(on, t)| *on == Some(array.id) && t.kind == TaskKind::Check);
            assert!(!checked, "{case}: {} is checked already", array.name);
        }
    }
    println!("{cases} cases: {started} checks would begin, {waiting} arrays wait");
    assert!(cases > 50 && started > 5 && waiting > 20, "{cases} cases, {started} begin, {waiting} wait");
}
