//! What the kernel says when real requests fail.

use crate::guest::Guest;
use crate::scenario;

#[test]
fn real_medium_errors_make_one_incident() {
    scenario("kernel: medium errors of a disk make one incident", Guest::installed, |guest| {
        guest.must("modprobe scsi_debug dev_size_mb=64 delay=0 opts=2");
        guest.must("udevadm settle; sleep 1");
        let disk = guest.must("lsscsi 2>/dev/null; ls -l /dev/disk/by-id/ | grep -i linux_scsi_debug | head -n 1 | sed 's,.*/,/dev/,'");
        let disk = disk.trim().lines().last().unwrap_or("").to_owned();
        // Sectors 0x1234 and the nine after it cannot be read.
        guest.sh(&format!("for n in 1 2 3; do dd if={disk} of=/dev/null bs=512 skip=4660 count=4 iflag=direct; done"));
        let name = disk.trim_start_matches("/dev/").to_owned();
        let mail = guest.mail(30, &["I/O error", &name]);
        println!("{mail}");
        let told = guest.subjects().iter().filter(|s| s.contains(&name)).count();
        assert_eq!(told, 1, "{:#?}", guest.subjects());
    });
}

#[test]
fn a_storm_costs_one_message_and_bounded_memory() {
    scenario("kernel: 100,000 error lines cost one message and bounded memory", Guest::installed, |guest| {
        let resident = "awk '/VmRSS/ {print $2}' /proc/$(systemctl show raidmond -p MainPID --value)/status";
        let before: u64 = guest.must(resident).trim().parse().unwrap();
        guest.must("for n in $(seq 1 100000); do echo \"<3>blk_update_request: I/O error, dev sdz, sector $n op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0\"; done > /run/storm; split -l 1 -a 1 /dev/null; while IFS= read -r l; do echo \"$l\"; done < /run/storm > /dev/kmsg");
        guest.mail(60, &["sdz"]);
        guest.must("sleep 5");
        let after: u64 = guest.must(resident).trim().parse().unwrap();
        let told = guest.subjects().iter().filter(|s| s.contains("sdz")).count();
        println!("vm: storm: {before} KiB before, {after} KiB after, {told} message(s)");
        assert_eq!(told, 1, "{:#?}", guest.subjects());
        assert!(after < 128 * 1024, "{after} KiB");
    });
}
