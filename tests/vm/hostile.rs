//! Hosts on which more is broken than an array.

use crate::guest::Guest;
use crate::md;
use crate::scenario;

/// raidmond's state on a disk of its own, behind a table of the device mapper that can be made to fail.
fn state_on_its_own_disk(guest: &mut Guest) {
    let disk = guest.disk(7);
    guest.must(&format!(
        "systemctl stop raidmond; sectors=$(blockdev --getsz {disk}); dmsetup create state --table \"0 $sectors linear {disk} 0\"; \
         mke2fs -q -t ext4 /dev/mapper/state && mount /dev/mapper/state /var/lib/raidmond && systemctl start raidmond"
    ));
}

#[test]
fn with_its_state_disk_full_it_still_tells() {
    scenario("hostile: the disk of its state is full", Guest::installed, |guest| {
        state_on_its_own_disk(guest);
        let disks = md::array(guest, "1", 2, 0);
        guest.sh("cat /dev/zero >/var/lib/raidmond/filler; sync");
        guest.must(&format!("mdadm /dev/md0 --fail {}", disks[0]));
        guest.mail(30, &["md0", "CRITICAL"]);
        guest.must("rm /var/lib/raidmond/filler");
        guest.told(1, &["md0", "degraded, disk"]);
    });
}

#[test]
fn with_its_state_disk_dead_it_still_tells() {
    scenario("hostile: the disk of its state fails", Guest::installed, |guest| {
        state_on_its_own_disk(guest);
        let disks = md::array(guest, "1", 2, 0);
        guest.must("dmsetup suspend --noflush --nolockfs state; dmsetup reload state --table \"0 $(dmsetup table state | cut -d ' ' -f 2) error\"; dmsetup resume state");
        guest.must(&format!("mdadm /dev/md0 --fail {}", disks[0]));
        guest.mail(30, &["md0", "CRITICAL"]);
        guest.told(1, &["md0", "degraded, disk"]);
    });
}

#[test]
fn a_mail_waits_for_days_until_its_server_is_back() {
    scenario("hostile: the mail server is down for three days", Guest::installed, |guest| {
        let disks = md::array(guest, "1", 2, 0);
        guest.must("printf '[mail]\\nto = [\"root\"]\\nserver = \"smtp://localhost\"\\n' >/etc/raidmond/raidmond.toml");
        guest.must("systemctl stop postfix && systemctl restart raidmond");
        guest.must(&format!("mdadm /dev/md0 --fail {}", disks[0]));
        guest.until(60, "the incident is there", |g| g.sh("raidmond status").code == 2);
        guest.must("date -s '+3 days'; sleep 5; systemctl is-active raidmond");
        guest.must("systemctl start postfix");
        guest.mail(120, &["md0", "CRITICAL"]);
    });
}

#[test]
fn a_clock_that_jumps_changes_no_verdict() {
    scenario("hostile: the clock is set back and forward", Guest::installed, |guest| {
        let disks = md::array(guest, "6", 4, 0);
        guest.must("date -s '-2 days'");
        guest.must(&format!("mdadm /dev/md0 --fail {}", disks[0]));
        guest.mail(30, &["md0", "WARNING"]);
        guest.must("date -s '+4 hours'");
        guest.must(&format!("mdadm /dev/md0 --fail {}", disks[1]));
        guest.mail(30, &["md0", "CRITICAL"]);
        guest.told(1, &["WARNING"]);
        guest.told(1, &["degraded, disk"]);
        assert!(guest.must("systemctl show raidmond -p NRestarts --value").starts_with('0'));
    });
}

#[test]
fn without_names_it_watches_on_and_tells_when_they_are_back() {
    scenario("hostile: the mail server's name cannot be resolved", Guest::installed, |guest| {
        let disks = md::array(guest, "1", 2, 0);
        let mail = |server: &str| {
            format!(
                "printf '[mail]\\nto = [\"root@guest\"]\\nserver = \"smtp://{server}\"\\n' >/etc/raidmond/raidmond.toml"
            )
        };
        guest.must(&format!(
            "echo nameserver 192.0.2.1 >/etc/resolv.conf; {}; systemctl restart raidmond",
            mail("mx.example.net")
        ));
        guest.must(&format!("mdadm /dev/md0 --fail {}", disks[0]));
        guest.until(30, "the incident is seen all the same", |g| g.sh("raidmond status").code == 2);
        guest.must("echo 127.0.0.1 mx.example.net >>/etc/hosts");
        guest.mail(150, &["md0", "CRITICAL"]);
        guest.told(1, &["md0", "degraded, disk"]);
    });
}
