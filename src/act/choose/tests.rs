use super::*;
use raidmond_adapters::Act;
use raidmond_core::host::SourceKey;
use raidmond_core::model::{Controller, Disk, Observed, Path, Space};
use raidmond_core::survey::Reading;

fn state(state: ArrayState) -> Option<Observed<ArrayState>> {
    Some(Observed::new(state, format!("{state:?}")))
}

/// c0 with v0 "data" on sda and v1 on sdb, both whole, and a disk in v0.
fn reading(family: &str) -> Reading {
    let mut r = Reading::new(family, Space::Megaraid);
    let c0 = Path::new("c0");
    r.controllers.push(Controller { at: c0.clone(), ..Controller::default() });
    for (at, name, device) in [("c0/v0", "data", "/dev/sda"), ("c0/v1", "", "/dev/sdb")] {
        let (name, device) = (Some(name.to_owned()), Some(device.to_owned()));
        let (at, controller) = (Path::new(at), Some(c0.clone()));
        r.arrays.push(Array { at, controller, name, device, state: state(ArrayState::Optimal), ..Array::default() });
    }
    r.disks.push(Disk { at: Path::new("c0/32:1"), controller: Some(c0), ..Disk::default() });
    r
}

fn host(readings: &[Reading]) -> Host {
    let mut host = Host::default();
    for r in readings {
        let key = SourceKey { family: r.family.clone(), about: "c0".to_owned() };
        host.apply(&key, r, jiff::Timestamp::UNIX_EPOCH);
    }
    host
}

fn task(on: &str, kind: TaskKind, state: TaskState) -> Task {
    Task { on: on.into(), kind, state: Observed::new(state, "said"), percent: None, seconds_left: None }
}

/// What is said against it on c0/v0, with these tasks.
fn against(tasks: &[Task], verb: CheckVerb) -> Option<String> {
    let mut r = reading("storcli");
    r.tasks = tasks.to_vec();
    let view = host(&[r]).view();
    never(&view, array(&view, "c0/v0").unwrap(), verb).err().map(|o| o.why)
}

#[test]
fn an_array_goes_by_all_its_names_and_by_no_others() {
    let view = host(&[reading("storcli")]).view();
    for word in ["c0/v0", "data", "sda", "/dev/sda"] {
        assert_eq!(array(&view, word).map(|a| a.name.clone()), Ok("c0/v0".to_owned()), "{word}");
    }
    assert_eq!(array(&view, "c0/v9").unwrap_err(), "there is no array \"c0/v9\"; there is c0/v0, c0/v1");
    assert!(array(&view, "").is_err());
    let mut twice = reading("storcli");
    twice.arrays[1].name = Some("data".to_owned());
    assert!(array(&host(&[twice]).view(), "data").unwrap_err().contains("may be any of c0/v0, c0/v1"));
}

#[test]
fn the_tool_that_is_here_gets_the_order() {
    let host = host(&[reading("megacli"), reading("storcli")]);
    let view = host.view();
    let v0 = array(&view, "c0/v0").unwrap();
    let found = |name: &str| Some(Some(ToolFound { name: name.into(), path: format!("/x/{name}"), version: None }));
    let by = || By::Person("root".to_owned());
    let only = |family: &'static str, tool: &'static str| {
        let tools = move |f: &str| if f == family { found(tool) } else { None };
        order(&host, v0, CheckVerb::Start, by(), "by hand", tools).map(|o| o.act)
    };
    assert_eq!(
        only("megacli", "MegaCli64"),
        Ok(Act::command(&["MegaCli64", "-LDCC", "-Start", "-L0", "-a0", "-NoLog"]))
    );
    assert_eq!(only("storcli", "storcli64"), Ok(Act::command(&["storcli64", "/c0/v0", "start", "cc", "J", "nolog"])));
    assert!(only("hp", "ssacli").unwrap_err().contains("no tool here"));
}

#[test]
fn nothing_is_started_beside_other_work_of_the_controller() {
    assert_eq!(against(&[], CheckVerb::Start), None);
    for (on, kind) in
        [("c0/v0", TaskKind::BackgroundInitialise), ("c0/v1", TaskKind::Expand), ("c0/32:1", TaskKind::Rebuild)]
    {
        let said = against(&[task(on, kind, TaskState::Running)], CheckVerb::Start);
        assert!(said.is_some_and(|s| s.contains("is at work on")), "{on}");
    }
    // Patrol read gives way by itself, and what is over is over.
    assert_eq!(against(&[task("c0", TaskKind::PatrolRead, TaskState::Running)], CheckVerb::Start), None);
    assert_eq!(against(&[task("c0/32:1", TaskKind::Rebuild, TaskState::Completed)], CheckVerb::Start), None);
}

#[test]
fn nothing_is_started_on_an_array_that_is_not_proven_whole() {
    for now in [state(ArrayState::Degraded), state(ArrayState::Rebuilding), state(ArrayState::Unknown), None] {
        let mut r = reading("storcli");
        r.arrays[0].state.clone_from(&now);
        let view = host(&[r]).view();
        let v0 = array(&view, "c0/v0").unwrap();
        for verb in [CheckVerb::Start, CheckVerb::StartFixing, CheckVerb::Resume] {
            let objection = never(&view, v0, verb).unwrap_err();
            assert!(!objection.harmless, "{now:?} {verb:?}");
        }
    }
}

#[test]
fn only_a_check_is_stopped_or_paused() {
    // On md the word that stops a check would stop this, too.
    let rebuild = [task("c0/v0", TaskKind::Rebuild, TaskState::Running)];
    for verb in [CheckVerb::Stop, CheckVerb::Pause] {
        assert!(against(&rebuild, verb).is_some_and(|s| s.contains("no check runs")), "{verb:?}");
        let check = [task("c0/v0", TaskKind::Check, TaskState::Running)];
        assert_eq!(against(&check, verb), None, "{verb:?}");
        let elsewhere = [task("c0/v1", TaskKind::Check, TaskState::Running)];
        assert!(against(&elsewhere, verb).is_some(), "{verb:?}");
    }
    let paused = [task("c0/v0", TaskKind::Check, TaskState::Paused)];
    assert_eq!(against(&paused, CheckVerb::Resume), None);
    assert_eq!(against(&paused, CheckVerb::Stop), None);
}
