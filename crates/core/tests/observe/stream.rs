//! What lines leave for each other, whose lines they are, and lines of our own making.

use super::scan;
use raidmond_core::model::Alias;
use raidmond_core::observe::{Carry, Context, LogKind, Observation, Scanner, Sign, UserRule};

fn seen(text: &str) -> Vec<Observation> {
    scan(LogKind::Syslog, text.as_bytes()).observations
}

fn sign(text: &str) -> Option<Sign> {
    seen(text).first().map(|o| o.sign)
}

fn kernel(name: &str) -> Alias {
    Alias::Kernel(name.into())
}

#[test]
fn repeated_messages_count() {
    let head = "Oct  1 12:00:00 box ";
    let line = "kernel: Buffer I/O error on dev sdb1, logical block 7, async page read";
    let told = seen(&format!("{head}{line}\n{head}last message repeated 3 times\n"));
    assert_eq!(told.iter().map(|o| o.count).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(told[1].about.aliases, [kernel("sdb")]);
    let told = seen(&format!("{head}{line}\n{head}cron[1]: hello\n{head}last message repeated 3 times\n"));
    assert_eq!(told.len(), 1, "it was cron's line that was repeated");
    let inner = "kernel: message repeated 5 times: [ Buffer I/O error on dev sdb, logical block 7]";
    assert_eq!(seen(&format!("{head}{inner}"))[0].count, 5);
}

#[test]
fn suppressed_lines_count() {
    let told = seen(
        "I/O error, dev sdb, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\nblk_print_req_error: 37 callbacks suppressed\n",
    );
    assert_eq!(told.iter().map(|o| (o.sign, o.count)).collect::<Vec<_>>(), [(Sign::IoError, 1), (Sign::IoError, 37)]);
    assert_eq!(sign("net_ratelimit: 12 callbacks suppressed"), Some(Sign::Info));
}

#[test]
fn kmsg_records_bring_their_dictionary_and_two_lines() {
    let records = "4,1,1500000,-;I/O error: dev 08:11, sector 7\n DEVICE=+scsi:0:0:1:0\n2,2,2500000,-;md/raid1:md3: Disk failure on sdb, disabling device.\\x0amd/raid1:md3: Operation continuing on 1 devices.\n3,3,3,-;md: super_written gets error=-5\n DEVICE=b8:16\n";
    let told = seen(records);
    let signs: Vec<_> = told.iter().map(|o| o.sign).collect();
    assert_eq!(signs, [Sign::IoError, Sign::DiskFailed, Sign::ArrayDegraded, Sign::IoError]);
    assert_eq!(told[0].about.aliases, [kernel("sdb")], "the line's own name wins");
    assert_eq!((told[1].source_seconds, told[1].about.field("md")), (Some(2.5), "md3"));
    assert_eq!(told[2].about.aliases, [kernel("md3")]);
}

#[test]
fn a_line_without_a_device_speaks_of_the_one_above() {
    let told = seen(
        "ata3.00: exception Emask 0x0 SAct 0x1 SErr 0x0 action 0x0\nata3.00: failed command: READ FPDMA QUEUED\nata3.00: cmd 60/08:00:00:00:00/00 tag 0\n         res 41/40:00:00:00:00/00 Emask 0x409 (media error) <F>\n",
    );
    let last = told.last().expect("lines");
    assert_eq!((last.sign, &last.about.aliases), (Sign::MediumError, &vec![kernel("ata3")]));
    assert_eq!(seen("         res 41/40:00:00:00:00/00 Emask 0x409 (media error) <F>\n")[0].about.aliases, []);
}

/// Programs quote kernel lines, and fail at other things.
#[test]
fn other_programs_are_not_heard() {
    for line in [
        "Oct  1 12:00:00 box logger: I/O error, dev sdb, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
        "Oct  1 12:00:00 box sshd[99]: Failed password for root from 192.0.2.7 port 4711 ssh2",
        "Oct  1 12:00:00 box keepalived[9]: failover to backup state",
        "Oct  1 12:00:00 box backup[9]: Fail: 0",
        "30,1,1,-;app[1]: blk_update_request: I/O error, dev sda, sector 8",
        "sd 0:0:0:0: [sda] Write Protect is off",
        "e1000e 0000:00:1f.6 eth0: failed to initialize",
    ] {
        assert_eq!(seen(line), [], "{line}");
    }
}

#[test]
fn daemons_that_watch_disks_are_heard() {
    let daemon = |line: &str| seen(&format!("Oct  1 12:00:00 box {line}")).remove(0);
    let fail = daemon("mdadm[7]: Fail event detected on md device /dev/md0, component device /dev/sdb1");
    assert_eq!((fail.sign, fail.about.aliases), (Sign::DiskFailed, vec![kernel("sdb")]));
    let degraded = daemon("mdadm[7]: DegradedArray event detected on md device /dev/md0");
    assert_eq!((degraded.sign, degraded.about.aliases), (Sign::ArrayDegraded, vec![kernel("md0")]));
    let zed = daemon("zed[7]: eid=9 class=statechange pool='tank' vdev=sdb1 vdev_state=FAULTED");
    assert_eq!((zed.sign, zed.about.path.as_str()), (Sign::DiskFailed, "tank"));
    let monitor = daemon("MR_MONITOR[7]: <MRMON251> Controller ID:  0   VD is now DEGRADED   VD   1");
    assert_eq!((monitor.sign, monitor.about.field("vd")), (Sign::ArrayDegraded, "1"));
    assert_eq!(monitor.about.path.as_str(), "c0");
    let smartd = daemon("smartd[7]: Device: /dev/sdc [SAT], 8 Currently unreadable (pending) sectors (changed +8)");
    assert_eq!((smartd.sign, smartd.about.aliases), (Sign::MediumError, vec![kernel("sdc")]));
    let port = daemon("smartd[7]: Device: /dev/twa0 [3ware_disk_03] [SAT], FAILED SMART self-check. BACK UP DATA NOW!");
    assert_eq!((port.sign, port.about.field("port")), (Sign::Predictive, "p3"));
    let megaserv = daemon("MegaServ[7]: Adapter 1 Logical Drive 0 is degraded");
    assert_eq!((megaserv.sign, megaserv.about.path.as_str()), (Sign::ArrayDegraded, "c1/v0"));
}

#[test]
fn a_controllers_event_names_its_disk() {
    let event =
        seen("megaraid_sas 0000:18:00.0: 812 (749175033s/0x0002/CRIT) - Predictive failure: PD 15(e0x20/s4)").remove(0);
    assert_eq!((event.sign, event.sequence), (Sign::Predictive, Some(812)));
    assert_eq!(event.about.aliases, [Alias::Pci("0000:18:00.0".into()), Alias::DeviceId("21".into())]);
    assert_eq!((event.about.field("enclosure"), event.about.field("slot")), ("32", "4"));
    assert_eq!(
        sign("megaraid_sas 0000:18:00.0: 813 (749175033s/0x0002/CRIT) - Frobnication of PD 15(e0x20/s4)"),
        Some(Sign::UnspecifiedFault)
    );
}

#[test]
fn lines_of_the_newer_rules() {
    for (line, expected) in [
        ("sd 0:0:0:0: [sdb] tag#1 device offline or changed", Sign::DeviceOffline),
        ("sd 0:0:0:0: [sdb] tag#1 task abort FAILED!! scmd(1)", Sign::Timeout),
        (
            "EXT4-fs warning (device dm-1): ext4_end_bio:343: I/O error 10 writing to inode 12 starting block 9)",
            Sign::DataLoss,
        ),
        ("BTRFS error (device sdb1): error writing primary super block to device 1", Sign::FilesystemError),
        ("block nvme0n1: no available path - failing I/O", Sign::IoError),
        ("aacraid 0000:0a:00.0: ARC Reset attempt failed", Sign::ControllerFailed),
        ("mpi3mr0: firmware fault", Sign::UnspecifiedFault),
        ("hpsa 0000:05:00.0: command failed in an unheard way", Sign::UnspecifiedFault),
        ("Buffer I/O error on dev loop0, logical block 0, async page read", Sign::Benign),
        ("end_request: I/O error, dev fd0, sector 0", Sign::Benign),
        ("I/O error, dev sdb, sector 8 op 0x3:(DISCARD) flags 0x0 phys_seg 1 prio class 2", Sign::Benign),
    ] {
        assert_eq!(sign(line), Some(expected), "{line}");
    }
}

#[test]
fn users_rules_come_first() {
    let rule = |name: &str, pattern: &str, sign: &str, rate: Option<&str>| UserRule {
        name: name.into(),
        pattern: pattern.into(),
        sign: sign.into(),
        rate: rate.map(str::to_owned),
    };
    let rules = [
        rule("quiet", "dev sdz,", "benign", None),
        rule("box", r"^shelf (?P<slot>\d+) dark", "enclosure-fault", Some("2 within 1h")),
    ];
    let scanner = Scanner::new(LogKind::Custom, &rules).expect("good rules");
    let text = "I/O error, dev sdz, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2\nOct  1 12:00:00 box app[1]: shelf 4 dark\n";
    let told = scanner.scan(text.as_bytes(), &Context::default(), &mut Carry::default()).observations;
    assert_eq!(told.iter().map(|o| o.sign).collect::<Vec<_>>(), [Sign::Benign, Sign::EnclosureFault]);
    assert_eq!((told[1].rule.as_str(), told[1].about.field("slot")), ("user:box", "4"));
    assert_eq!(scanner.rate(&told[1]).map(|r| (r.n, r.within_seconds)), Some((2, 3600)));
    assert_eq!(scanner.rate(&told[0]), None);
}
