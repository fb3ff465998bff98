//! Linux md on real disks.

use crate::guest::Guest;
use crate::scenario;

/// An array of the first disks, whole, and known to raidmond. Gives the disks.
pub fn array(guest: &mut Guest, level: &str, disks: usize, spares: usize) -> Vec<String> {
    let members: Vec<String> = (0..disks + spares).map(|n| guest.disk(n)).collect();
    let spares = if spares > 0 { format!("-x{spares}") } else { String::new() };
    guest.must(&format!(
        "mdadm -C /dev/md0 -l{level} -n{disks} {spares} --run --assume-clean --metadata=1.2 --bitmap=none {}",
        members.join(" ")
    ));
    guest.until(60, "md0 is known and well", |g| {
        let status = g.sh("raidmond status");
        status.code == 0 && status.text.contains("md0")
    });
    members
}

fn fail(guest: &mut Guest, member: &str) {
    guest.must(&format!("mdadm /dev/md0 --fail {member}"));
}

/// The disk answers no more, and the array writes to it. The kernel lets nobody *set* the last member faulty.
fn die(guest: &mut Guest, member: &str) {
    let name = member.trim_start_matches("/dev/");
    guest.must(&format!("echo offline >/sys/block/{name}/device/state"));
    guest.sh("timeout 20 dd if=/dev/zero of=/dev/md0 bs=64k count=16 oflag=direct");
    guest.until(20, "the kernel has thrown it out", |g| {
        g.sh(&format!("cat /sys/block/md0/md/dev-{name}/state")).text.contains("faulty")
    });
}

/// So slow that nothing ends while we look, or as fast as it goes.
fn resync_kib(guest: &mut Guest, speed: u32) {
    guest.must(&format!(
        "echo {speed} >/proc/sys/dev/raid/speed_limit_max; echo {} >/proc/sys/dev/raid/speed_limit_min",
        speed.min(1000)
    ));
}

#[test]
fn a_failed_member_is_told_and_so_is_its_return() {
    scenario("md: a mirror's member fails, is removed and added again", Guest::installed, |guest| {
        let disks = array(guest, "1", 2, 0);
        fail(guest, &disks[1]);
        let mail = guest.mail(30, &["CRITICAL", "md0"]);
        assert!(mail.contains("LAB1"), "names the disk by its serial: {mail}");
        guest.status(2);
        let b = &disks[1];
        guest.must(&format!("mdadm /dev/md0 --remove {b}; mdadm --zero-superblock {b}; mdadm /dev/md0 --add {b}"));
        guest.mail(120, &["RESOLVED", "md0"]);
        guest.status(0);
        guest.told(1, &["degraded, disk"]);
    });
}

#[test]
fn a_member_whose_disk_answers_no_more_is_one_incident() {
    scenario("md: real I/O errors throw a member out; kernel and md make one incident", Guest::installed, |guest| {
        let disks = array(guest, "1", 2, 0);
        die(guest, &disks[1]);
        guest.mail(30, &["CRITICAL", "md0"]);
        let incidents = guest.must("raidmond incidents");
        assert_eq!(incidents.lines().count(), 1, "{incidents}");
        guest.status(2);
    });
}

#[test]
fn a_spare_takes_over() {
    scenario("md: RAID 5 loses a member, its spare takes over", Guest::installed, |guest| {
        let disks = array(guest, "5", 3, 1);
        resync_kib(guest, 1500);
        fail(guest, &disks[0]);
        let mail = guest.mail(30, &["md0", "WARNING"]);
        assert!(mail.contains("rebuil"), "{mail}");
        guest.until(30, "status shows how far it is", |g| g.sh("raidmond status").text.contains('%'));
        resync_kib(guest, 500_000);
        guest.until(60, "the kernel has rebuilt", |g| g.sh("cat /proc/mdstat").text.contains("[UUU]"));
        guest.until(90, "the array is no longer in danger", |g| {
            g.sh("raidmond status").code < 2 && g.subjects().iter().any(|s| s.contains("RESOLVED"))
        });
        guest.told(0, &["CRITICAL"]);
    });
}

#[test]
fn a_second_failure_while_rebuilding_is_an_emergency() {
    scenario("md: RAID 5 loses a second member while it rebuilds", Guest::installed, |guest| {
        let disks = array(guest, "5", 3, 1);
        resync_kib(guest, 1000);
        fail(guest, &disks[0]);
        guest.mail(30, &["md0", "WARNING"]);
        die(guest, &disks[1]);
        // Before that there may be one that the second member is suspect.
        guest.mail(30, &["md0", "EMERGENCY", "FAILED"]);
        guest.status(2);
        guest.told(1, &["FAILED"]);
    });
}

#[test]
fn raid6_grows_worse_step_by_step() {
    scenario("md: RAID 6 loses one, two, three members", Guest::installed, |guest| {
        let disks = array(guest, "6", 4, 0);
        for (disk, word) in disks.iter().zip(["WARNING", "CRITICAL", "FAILED"]) {
            if word == "FAILED" {
                die(guest, disk)
            } else {
                fail(guest, disk)
            }
            guest.mail(30, &["md0", word]);
            guest.told(1, &[word]);
        }
        guest.status(2);
    });
}

#[test]
fn raid10_that_lost_one_of_a_pair_is_critical() {
    scenario("md: RAID 10 loses one of a pair", Guest::installed, |guest| {
        let disks = array(guest, "10", 4, 0);
        fail(guest, &disks[2]);
        guest.mail(30, &["md0", "CRITICAL"]);
        guest.told(1, &["md0", "degraded, disk"]);
        guest.status(2);
    });
}

#[test]
fn an_array_that_was_stopped_is_missed() {
    scenario("md: an array is stopped and assembled again", Guest::installed, |guest| {
        array(guest, "1", 2, 0);
        guest.must("mdadm --stop /dev/md0");
        guest.mail(150, &["md0", "CRITICAL"]);
        guest.status(2);
        let members = [guest.disk(0), guest.disk(1)].join(" ");
        guest.must(&format!("mdadm -A /dev/md0 {members}"));
        guest.mail(150, &["md0", "RESOLVED"]);
        guest.status(0);
    });
}
