//! Linux md on real disks.

use crate::guest::Guest;
use crate::scenario;

/// RAID 1 of disks 0 and 1, whole.
fn mirror(guest: &mut Guest) -> (String, String) {
    let (a, b) = (guest.disk(0), guest.disk(1));
    guest.must(&format!("mdadm -C /dev/md0 -l1 -n2 --run --assume-clean --metadata=1.2 {a} {b}"));
    guest.until(20, "md0 is known", |g| g.sh("raidmond status").text.contains("md0"));
    (a, b)
}

#[test]
fn a_failed_member_is_told_and_so_is_its_return() {
    scenario("md: a member fails and comes back", Guest::installed, |guest| {
        let (_, b) = mirror(guest);
        assert_eq!(guest.sh("raidmond status").code, 0);
        guest.must(&format!("mdadm /dev/md0 --fail {b}"));
        let mail = guest.mail(30, &["CRITICAL", "md0"]);
        println!("{mail}");
        assert!(mail.contains("LAB1"), "names the disk by its serial: {mail}");
        assert_eq!(guest.sh("raidmond status").code, 2);
        guest.must(&format!("mdadm /dev/md0 --remove {b}; mdadm --zero-superblock {b}; mdadm /dev/md0 --add {b}"));
        guest.mail(90, &["RESOLVED", "md0"]);
        assert_eq!(guest.sh("raidmond status").code, 0, "{}", guest.sh("raidmond status").text);
        println!("{:#?}", guest.subjects());
    });
}
