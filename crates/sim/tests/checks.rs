//! Checks on the simulated host: started by tools, by script and by the firmware; what they say at each step.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use raidmond_sim::{Line, faults, motion, presets, script, tools, world::World};

struct Host(World, Vec<Line>);

impl Host {
    fn new() -> Self {
        let mut world = presets::demo();
        world.controllers.iter_mut().for_each(|c| c.check_speed = 1.0);
        Self(world, Vec::new())
    }

    fn says(&mut self, line: &str) -> String {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        tools::answer(&words[0], &words[1..], &mut self.0, &mut self.1).stdout
    }

    fn happens(&mut self, what: &str) {
        let lines = faults::apply(&mut self.0, &script::fault(what).unwrap()).unwrap();
        self.1.extend(lines);
    }

    fn pass(&mut self, seconds: f64) {
        let lines = motion::advance(&mut self.0, seconds);
        self.1.extend(lines);
    }

    /// The events of c0 from here on.
    fn events(&self) -> Vec<&str> {
        self.0.controller("c0").unwrap().events.iter().map(|e| e.text.as_str()).collect()
    }
}

fn has(text: &str, words: &str) {
    assert!(text.contains(words), "`{words}` is not in:\n{text}");
}

#[test]
fn a_check_goes_from_start_to_result_in_both_views() {
    let mut host = Host::new();
    host.happens("check c0 v0 next-finds 3");
    has(&host.says("storcli64 /c0/v0 start cc J nolog"), "Start CC Operation Success");
    has(&host.says("storcli64 /c0/v0 start cc"), "already in progress");
    host.pass(40.0);
    has(&host.says("storcli64 /c0/v0 show cc"), "40");
    has(&host.says("MegaCli64 -LDCC -ShowProg -L0 -a0"), "Completed 40%");
    has(&host.says("storcli64 /c0/v0 pause cc"), "Pause CC Operation Success");
    host.pass(500.0);
    has(&host.says("storcli64 /c0/v0 show cc"), "Paused");
    has(&host.says("MegaCli64 -LDCC -Resume -L0 -a0"), "Resume Check Consistency on Virtual Drive 0");
    host.pass(60.0);
    has(&host.says("storcli64 /c0/v0 show cc"), "Not in progress");
    let events = host.events().join("\n");
    has(&events, "Consistency Check started on VD 00/0");
    has(&events, "found inconsistent parity on VD 00/0 at strip 42");
    has(&events, "done with corrections on VD 00/0 (corrections=3)");
}

#[test]
fn a_check_is_refused_where_the_card_would_refuse_it() {
    let mut host = Host::new();
    host.happens("check c0 v0 refused");
    has(&host.says("storcli64 /c0/v0 start cc"), "Start CC Operation Failed");
    has(&host.says("MegaCli64 -LDCC -Start -L0 -a0"), "FW error description");
    host.happens("check c0 v0 allowed");
    has(&host.says("MegaCli64 -LDCC -Start -L0 -a0"), "Success");
    has(&host.says("MegaCli64 -LDCC -Abort -L0 -a0"), "Abort Check Consistency on Virtual Drive 0");
    has(&host.says("MegaCli64 -LDCC -Abort -L0 -a0"), "is not in progress");
    host.happens("disk c0 32:5 fails");
    has(&host.says("storcli64 /c0/v0 start cc"), "VD not optimal");
    has(&host.says("MegaCli64 -LDCC -Start -L0 -a0"), "LD is not OPTIMAL");
    has(&host.says("tw_cli /c1/u0 stop verify"), "Error: (CLI:");
    has(&host.says("tw_cli /c1/u0 start verify"), "Done.");
    has(&host.says("arcconf TASK STOP 1 LOGICALDRIVE 0"), "Command aborted.");
    has(&host.says("arcconf TASK START 1 LOGICALDRIVE 0 VERIFY NOPROMPT"), "Command completed successfully.");
}

#[test]
fn a_check_may_fail_hang_or_be_cut_off_by_a_restart() {
    let mut host = Host::new();
    host.says("storcli64 /c0/v0 start cc");
    host.happens("check c0 v0 fails");
    host.pass(60.0);
    has(&host.events().join("\n"), "Consistency Check failed on VD 00/0");
    host.says("storcli64 /c0/v0 start cc");
    host.pass(10.0);
    host.happens("check c0 v0 hangs");
    host.pass(1e6);
    has(&host.says("storcli64 /c0/v0 show cc"), "In progress");
    let before = host.events().len();
    host.happens("host reboots");
    has(&host.says("storcli64 /c0/v0 show cc"), "Not in progress");
    assert_eq!(host.events().len(), before, "a restart says nothing of the check");
    assert_eq!(host.0.uptime(), 0);
}

#[test]
fn the_firmware_checks_by_its_own_schedule_when_it_has_one() {
    let mut host = Host::new();
    has(&host.says("storcli64 /c0 show cc"), "Disabled");
    has(&host.says("MegaCli64 -AdpCcSched -Info -a0"), "Operation Mode: Disabled");
    has(&host.says("tw_cli /c1 show"), "OFF");
    host.happens("schedule c0 every 168h");
    has(&host.says("storcli64 /c0 show cc"), "Concurrent");
    host.pass(167.0 * 3600.0);
    assert!(!host.events().iter().any(|e| e.contains("Consistency Check started")));
    host.pass(3601.0);
    assert!(host.events().iter().any(|e| e.contains("Consistency Check started on VD 00/0")));
    host.happens("schedule c0 off");
    has(&host.says("MegaCli64 -AdpCcSched -Info -a0"), "Operation Mode: Disabled");
}
