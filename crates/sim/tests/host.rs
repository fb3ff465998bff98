//! The host on disk: created, asked through its tools, broken, moved on.

use raidmond_sim::{Fault, Script, Sim, presets, script, world::World};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Host {
    root: PathBuf,
    sim: Sim,
}

impl Host {
    fn new(name: &str, world: World) -> Self {
        let root = std::env::temp_dir().join(format!("raidmond-sim-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        let sim = Sim::create(&root, Path::new(env!("CARGO_BIN_EXE_raidmond-sim-tool")), world).unwrap();
        Self { root, sim }
    }

    fn demo(name: &str) -> Self {
        Self::new(name, presets::demo())
    }

    fn run(&self, line: &str) -> Output {
        let words: Vec<&str> = line.split_whitespace().collect();
        Command::new(self.root.join("usr/sbin").join(words[0])).args(&words[1..]).output().unwrap()
    }

    fn says(&self, line: &str) -> String {
        String::from_utf8(self.run(line).stdout).unwrap()
    }

    fn fault(&self, text: &str) {
        self.sim.apply(&script::fault(text).unwrap()).unwrap();
    }

    fn file(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "`{line}` is not in:\n{text}");
    }
}

/// The value at a JSON pointer.
fn at(json: &str, pointer: &str) -> serde_json::Value {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    value.pointer(pointer).cloned().unwrap_or_else(|| panic!("no {pointer} in {json}"))
}

#[test]
fn a_disk_failure_shows_in_both_views_and_in_the_kernel_log() {
    let host = Host::demo("disk");
    has(&host.says("storcli64 /c0/vall show all"), &["0/0   RAID5 Optl"]);
    has(&host.says("MegaCli64 -LDInfo -Lall -aALL -NoLog"), &["State               : Optimal"]);
    host.fault("disk c0 32:5 fails");
    let vd = host.says("perccli64 /c0/vall show all J nolog");
    assert_eq!(at(&vd, "/Controllers/0/Response Data/~1c0~1v0/0/State"), "Dgrd");
    let pd = host.says("storcli64 /c0/e32/s5 show all J");
    assert_eq!(at(&pd, "/Controllers/0/Response Data/Drive ~1c0~1e32~1s5/0/State"), "Failed");
    has(&host.says("MegaCli64 -PDList -aALL"), &["Firmware state: Failed", "Firmware state: Hotspare, Spun Up"]);
    has(&host.file("dev/kmsg"), &["/0x0001/CRIT) - VD 00/0 is now DEGRADED\n", "megaraid_sas 0000:03:00.0: "]);
    has(&host.file("var/log/kern.log"), &["db3 kernel: [", "VD 00/0 is now DEGRADED"]);
}

#[test]
fn the_spare_takes_over_and_the_array_heals() {
    let host = Host::demo("spare");
    host.fault("disk c0 32:5 fails");
    host.sim.advance(1.0).unwrap();
    host.fault("rebuild c0 speed 1%/s");
    host.sim.advance(40.0).unwrap();
    let rebuild = host.says("storcli64 /c0/e32/s0 show rebuild J");
    assert_eq!(at(&rebuild, "/Controllers/0/Response Data/0/Progress%"), 40);
    has(
        &host.says("MegaCli64 -PDRbld -ShowProg -PhysDrv[32:0] -a0"),
        &["Enclosure 32, Slot 0 Completed 40% in 0 Minutes."],
    );
    has(&host.says("storcli64 /c0 show"), &["32:0      0 Rbld", "32:5      5 UBad", "0/0   RAID5 Dgrd"]);
    host.sim.advance(60.0).unwrap();
    has(&host.says("storcli64 /c0 show"), &["32:0      0 Onln", "0/0   RAID5 Optl"]);
    has(&host.says("storcli64 /c0 show events"), &["Rebuild complete on VD 00/0", "VD 00/0 is now OPTIMAL"]);
    host.fault("disk c0 32:5 replaced Z1ZNEW01");
    host.fault("disk c0 32:5 spare");
    has(&host.says("storcli64 /c0/e32/s5 show all"), &["SN = Z1ZNEW01", "GHS"]);
}

#[test]
fn tools_misbehave_as_told() {
    use std::os::unix::process::ExitStatusExt;
    let host = Host::demo("tools");
    let whole = host.says("storcli64 /c0 show J");
    host.fault("tool storcli64 crashes");
    let half = host.run("storcli64 /c0 show J");
    assert_eq!(half.status.signal(), Some(6));
    assert!(whole.starts_with(&String::from_utf8(half.stdout.clone()).unwrap()) && half.stdout.len() * 3 > whole.len());
    host.fault("tool storcli64 killed");
    assert_eq!(host.run("storcli64 /c0 show J").status.signal(), Some(9));
    host.fault("tool storcli64 absent");
    assert!(!host.root.join("usr/sbin/storcli64").exists());
    host.fault("tool storcli64 works");
    assert_eq!(host.says("storcli64 /c0 show J"), whole);
    host.fault("tool MegaCli64 hangs");
    let mut hung = Command::new(host.root.join("usr/sbin/MegaCli64")).arg("-AdpCount").spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(hung.try_wait().unwrap().is_none());
    hung.kill().unwrap();
    hung.wait().unwrap();
}

#[test]
fn tools_script_and_time_see_one_world_at_once() {
    let host = Host::demo("together");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| (0..15).for_each(|_| drop(at(&host.says("storcli64 /c0 show J"), "/Controllers/0"))));
        }
        scope.spawn(|| (0..40).for_each(|_| host.sim.advance(1.0).unwrap()));
        scope.spawn(|| (0..40).for_each(|_| host.fault("disk c0 32:3 media-errors 1")));
    });
    let world = host.sim.world().unwrap();
    assert_eq!(world.now, presets::START + 40);
    assert_eq!(world.controller("c0").unwrap().disks[3].media_errors, 40);
}

#[test]
fn a_fault_that_does_not_fit_says_what_would() {
    let host = Host::demo("unfit");
    let error = |text: &str| host.sim.apply(&script::fault(text).unwrap()).unwrap_err().to_string();
    has(&error("disk c9 32:5 fails"), &["no controller `c9`", "c0, c1"]);
    has(&error("disk c0 32:77 fails"), &["no disk `32:77` on c0", "32:5"]);
    has(&error("io-errors sdz 1"), &["no block device `sdz`"]);
}

#[test]
fn the_demo_plays_to_its_end() {
    let host = Host::demo("play");
    let mut script = Script::parse(presets::DEMO_SCRIPT).unwrap();
    for second in 0..400 {
        let due: Vec<Fault> = script.due(f64::from(second));
        due.iter().for_each(|f| host.sim.apply(f).unwrap());
        host.sim.advance(1.0).unwrap();
    }
    let world = host.sim.world().unwrap();
    assert_eq!(script.next_at(), None);
    assert!(world.controllers.iter().all(|c| c.arrays.iter().all(|a| c.state_now(a) == a.state)));
    has(&host.says("storcli64 /c0 show"), &["0/0   RAID5 Optl", "32:5      5 GHS"]);
    assert!(host.root.join("var/log/kern.log.1").exists());
}
