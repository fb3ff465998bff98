//! The host on disk: created, asked through its tools, broken, moved on.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

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
    has(&error("disk c0 32:3 rebuild-fails"), &["is not being rebuilt"]);
    has(&error("disk c0 32:3 foreign"), &["member of array v0"]);
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

#[test]
fn threeware_tells_of_a_failing_port_and_a_dead_battery() {
    let host = Host::demo("tw");
    has(&host.says("tw_cli show"), &["c1    9650SE-8LPML 8         5        2       0       1       1      OK"]);
    has(&host.says("tw_cli /c1/p2 show all"), &["/c1/p2 Serial = WD-WMAY02713425", "/c1/p2 Reallocated Sectors = 0"]);
    host.fault("disk c1 p2 fails");
    has(
        &host.says("tw_cli /c1 show"),
        &["u0    RAID-5    DEGRADED", "p2    DEGRADED       u0   1.82 TB", "u1    SPARE     OK"],
    );
    host.sim.advance(10.0).unwrap();
    has(
        &host.says("tw_cli /c1 show"),
        &["u0    RAID-5    REBUILDING     5%", "p4    DEGRADED       u0", "p2    DEVICE-ERROR   -"],
    );
    host.fault("battery c1 fails");
    has(&host.says("tw_cli /c1/bbu show all"), &["/c1/bbu BBU Ready = No", "/c1/bbu BBU Status = Failed"]);
    has(
        &host.says("tw_cli /c1 show alarms"),
        &["ERROR     Degraded unit: unit=0", "INFO      Rebuild started: unit=0"],
    );
    has(&host.file("dev/kmsg"), &["3w-9xxx: scsi1: AEN: ERROR (0x04:0x0002): Degraded unit:unit=0.\n"]);
    assert_eq!(host.run("tw_cli /c7 show").status.code(), Some(1));
}

#[test]
fn adaptec_tells_of_a_missing_segment_and_its_rebuild() {
    let host = Host::demo("aac");
    let config = host.says("arcconf GETCONFIG 1 AL");
    has(
        &config,
        &["Status of logical device                 : Optimal", "Segment 1                                : Present"],
    );
    has(&config, &["Logical devices/Failed/Degraded          : 1/0/0", "Command completed successfully."]);
    host.fault("disk a1 0,1 pulled");
    let config = host.says("arcconf GETCONFIG 1");
    has(
        &config,
        &["Status of logical device                 : Degraded", "Segment 1                                : Missing"],
    );
    host.fault("disk a1 0,1 replaced");
    host.sim.advance(20.0).unwrap();
    has(
        &host.says("arcconf GETSTATUS 1"),
        &["Current operation              : Rebuild", "Percentage complete            : 10"],
    );
    host.sim.advance(1000.0).unwrap();
    has(&host.says("arcconf GETSTATUS 1"), &["Current operation              : None"]);
    host.fault("disk a1 0,0 media-errors 4");
    has(&host.says("arcconf GETLOGS 1 DEVICE TABULAR"), &["mediumErrors ............................ 4"]);
    assert_eq!(host.run("arcconf GETCONFIG 2").status.code(), Some(1));
}

#[test]
fn the_legacy_card_tells_through_megarc_proc_and_megaserv() {
    let host = Host::demo("legacy");
    has(
        &host.says("megarc -dispCfg -a0"),
        &["Logical Drive : 0( Adapter: 0 ):  Status: OPTIMAL", "\u{1b}[A\tScanning Ha 0"],
    );
    host.fault("disk m0 0:2 fails");
    has(&host.says("megarc -ldInfo -a0 -Lall"), &["Status: DEGRADED", "0      02    0x00000000   0x0887c000   FAILED"]);
    has(&host.file("proc/megaraid/hba0/raiddrives-0-9"), &["Logical drive: 0:, state: degraded\n"]);
    has(&host.file("proc/megaraid/hba0/diskdrives-ch0"), &["Channel: 0 Id: 2 State: Failed."]);
    has(&host.file("var/log/megaserv.log"), &["Adapter 0: Logical drive 0 state changed from OPTIMAL to DEGRADED"]);
    assert!(!host.file("dev/kmsg").contains("megaraid"));
}

#[test]
fn a_controller_that_vanishes_is_gone_from_tools_and_sysfs() {
    let host = Host::demo("gone");
    let pci = host.root.join("sys/bus/pci/devices/0000:03:00.0");
    assert_eq!(std::fs::read_to_string(pci.join("vendor")).unwrap(), "0x1000\n");
    assert!(pci.join("driver").read_link().unwrap().ends_with("megaraid_sas"));
    assert_eq!(host.file("sys/block/sda/device/model").trim(), "PERC H730P Mini");
    host.fault("controller c0 vanishes");
    assert!(!pci.exists() && !host.root.join("sys/block/sda").exists());
    assert_eq!(at(&host.says("storcli64 show ctrlcount J"), "/Controllers/0/Response Data/Controller Count"), 0);
    assert_eq!(host.run("MegaCli64 -AdpCount").status.code(), Some(0));
    let gone = host.says("storcli64 /c0 show J");
    assert_eq!(at(&gone, "/Controllers/0/Command Status/Description"), "Controller 0 not found");
    host.fault("controller c0 returns");
    assert!(pci.exists());
}

#[test]
fn checks_are_started_by_the_tools_and_count_what_they_find() {
    let host = Host::demo("check");
    let started = host.says("storcli64 /c0/v0 start cc J");
    assert_eq!(at(&started, "/Controllers/0/Command Status/Status"), "Success");
    has(&host.says("storcli64 /c0/v0 start cc"), &["Status = Failure", "already in progress"]);
    host.sim.advance(20.0).unwrap();
    has(&host.says("MegaCli64 -LDCC -ShowProg -L0 -a0"), &["VD #0 (target id #0) Completed 40% in 0 Minutes."]);
    has(&host.says("storcli64 /c0/v0 show all"), &["Active Operations = Consistency Check (40%)"]);
    host.fault("check c0 v0 finds 2");
    host.sim.advance(60.0).unwrap();
    has(
        &host.says("MegaCli64 -AdpEventLog -GetLatest 1 -f /dev/stdout -a0"),
        &["done with corrections on VD 00/0 (corrections=2)"],
    );
    has(&host.says("tw_cli /c1/u0 start verify"), &["Done."]);
    has(&host.says("tw_cli /c1 show unitstatus"), &["VERIFYING      -       0%"]);
    has(&host.says("arcconf TASK START 1 LOGICALDRIVE 0 VERIFY_FIX"), &["Command completed successfully."]);
    has(&host.says("arcconf GETSTATUS 1"), &["Verify with fix"]);
}

#[test]
fn a_battery_that_fails_takes_write_back_with_it() {
    let host = Host::demo("battery");
    host.fault("battery c0 fails");
    has(&host.says("storcli64 /c0/vall show"), &["RWTD"]);
    has(
        &host.says("MegaCli64 -LDInfo -L0 -a0"),
        &["Default Cache Policy: WriteBack", "Current Cache Policy: WriteThrough"],
    );
    has(&host.says("storcli64 /c0/cv show all"), &["Replacement required             Yes"]);
    has(&host.says("MegaCli64 -AdpBbuCmd -a0"), &["Battery Replacement required            : Yes"]);
    has(&host.file("dev/kmsg"), &["/0x0008/FATAL) - Battery needs replacement - SOH Bad"]);
    host.fault("battery c0 learns");
    host.sim.advance(600.0).unwrap();
    has(&host.says("storcli64 /c0/vall show"), &["RWBD"]);
}

#[test]
fn io_errors_carry_the_address_of_their_array() {
    let host = Host::demo("io");
    host.fault("io-errors sdc 1");
    let kmsg = host.file("dev/kmsg");
    has(
        &kmsg,
        &["sd 1:0:0:0: [sdc] tag#700 Sense Key : Medium Error [current] \n SUBSYSTEM=scsi\n DEVICE=+scsi:1:0:0:0\n"],
    );
    has(
        &kmsg,
        &["critical medium error, dev sdc, sector 41943040 op 0x0:(READ) flags 0x80700 phys_seg 32 prio class 2\n"],
    );
}

#[test]
fn unknown_commands_are_refused_as_the_tools_refuse_them() {
    let host = Host::demo("refuse");
    for (line, words) in [
        ("storcli64 /c0 show frobnication J", "Un-supported command"),
        ("storcli64 frobnicate J", "syntax error"),
        ("MegaCli64 -Frobnicate -aALL", "Invalid input at or near token"),
        ("tw_cli /c1 frobnicate", "Error: (CLI:103)"),
        ("arcconf FROBNICATE", "UCLI"),
        ("megarc -frobnicate -a0", "Type ? as command line arg for help"),
    ] {
        let output = host.run(line);
        assert!(!output.status.success(), "{line}");
        has(&String::from_utf8(output.stdout).unwrap(), &[words]);
    }
}

#[test]
fn the_big_host_has_four_cards_and_a_hundred_disks() {
    let host = Host::new("big", presets::big());
    let overview = host.says("storcli64 show J");
    assert_eq!(at(&overview, "/Controllers/0/Response Data/Number of Controllers"), 4);
    let disks: Vec<String> = (0..4).map(|n| host.says(&format!("storcli64 /c{n}/eall/sall show"))).collect();
    assert_eq!(disks.iter().map(|d| d.matches("ST8000NM0075").count()).sum::<usize>(), 100);
    has(&host.says("storcli64 /c3/v1 show all"), &["RAID10 Optl", "Span Depth = 4", "Number of Drives Per Span = 2"]);
}

#[test]
fn one_failure_too_many_takes_the_array_and_its_rebuild() {
    let host = Host::demo("offline");
    host.fault("check c0 v0 starts");
    host.fault("disk c0 32:5 fails");
    has(&host.says("storcli64 /c0/vall show cc"), &["0 CC        -         Not in progress"]);
    host.sim.advance(2.0).unwrap();
    host.fault("disk c0 32:4 pulled");
    has(&host.says("storcli64 /c0 show"), &["0/0   RAID5 OfLn", "32:0      0 Failed", "Msng"]);
    has(&host.says("storcli64 /c0 show events"), &["Rebuild failed on PD 00(e0x20/s0) due to source drive error"]);
    has(&host.file("dev/kmsg"), &["/0x0001/FATAL) - VD 00/0 is now OFFLINE"]);
    host.fault("disk c0 32:4 replaced");
    host.sim.advance(500.0).unwrap();
    has(&host.says("storcli64 /c0 show"), &["0/0   RAID5 OfLn"]);
}

#[test]
fn a_foreign_disk_shows_in_both_views() {
    let host = Host::demo("foreign");
    let none = host.run("storcli64 /c0/fall show all J");
    assert_eq!(none.status.code(), Some(50));
    has(&host.says("MegaCli64 -CfgForeign -Scan -a0"), &["There is no foreign configuration on controller 0."]);
    host.fault("disk c0 32:0 foreign");
    has(&host.says("storcli64 /c0 show"), &["32:0      0 UGood  F"]);
    has(&host.says("storcli64 /c0/fall show all"), &["FOREIGN CONFIGURATION :", "Total foreign Drive Groups = 1"]);
    has(&host.says("MegaCli64 -PDList -a0"), &["Foreign State: Foreign"]);
}
