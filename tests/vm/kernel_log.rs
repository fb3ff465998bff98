//! What the kernel says when real requests fail.

use crate::guest::Guest;
use crate::scenario;

/// A disk of the kernel's own, of which sectors 0x1234 and the nine after it cannot be read.
fn bad_disk(guest: &mut Guest) -> String {
    guest.must("modprobe scsi_debug dev_size_mb=64 delay=0 opts=2; udevadm settle");
    let path = "/sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/";
    guest.must(&format!("ls {path}")).trim().to_owned()
}

fn read_bad_sectors(guest: &mut Guest, disk: &str, times: u32) {
    guest.must(&format!(
        "for n in $(seq {times}); do dd if=/dev/{disk} of=/dev/null bs=512 skip=4660 count=1 iflag=direct 2>/dev/null; done; true"
    ));
}

#[test]
fn real_medium_errors_make_one_incident() {
    scenario("kernel: medium errors of a disk make one incident", Guest::installed, |guest| {
        let disk = bad_disk(guest);
        read_bad_sectors(guest, &disk, 3);
        guest.mail(30, &[&disk]);
        read_bad_sectors(guest, &disk, 10);
        guest.told(1, &[&disk]);
    });
}

/// How many lines the kernel has said since it started.
fn lines_said(guest: &mut Guest) -> u64 {
    let newest = "timeout 3 cat /dev/kmsg 2>/dev/null | grep -a '^[0-9]*,' | tail -n 1 | cut -d , -f 2";
    guest.must(newest).trim().parse().expect("a number of a line")
}

fn resident_kib(guest: &mut Guest) -> u64 {
    let process = "/proc/$(systemctl show raidmond -p MainPID --value)/status";
    guest.must(&format!("awk '/VmRSS/ {{print $2}}' {process}")).trim().parse().expect("a size")
}

#[test]
fn a_storm_costs_one_message_and_bounded_memory() {
    scenario("kernel: a storm of 100,000 lines costs one message and bounded memory", Guest::installed, |guest| {
        let disk = bad_disk(guest);
        let (before, said) = (resident_kib(guest), lines_said(guest));
        // The list of all tasks, some thousand lines at a time, with errors of the disk between them.
        let read = format!("dd if=/dev/{disk} of=/dev/null bs=512 skip=4660 count=1 iflag=direct 2>/dev/null");
        let list = "for n in 1 2 3 4; do echo t >/proc/sysrq-trigger; done";
        guest
            .must(&format!("end=$(($(date +%s) + 40)); while [ $(date +%s) -lt $end ]; do {list}; {read}; done; true"));
        guest.mail(60, &[&disk]);
        let (after, said) = (resident_kib(guest), lines_said(guest) - said);
        println!("vm: storm of {said} lines: {before} KiB before, {after} KiB after");
        guest.told(1, &[&disk]);
        assert!(after < before + 16 * 1024, "{before} KiB, then {after} KiB");
    });
}
