//! The package in a real service manager.

use crate::guest::Guest;
use crate::scenario;

#[test]
fn installed_it_runs_hardened_and_comes_back() {
    scenario("installed, it runs, comes back after a crash and goes when told", Guest::booted, |guest| {
        guest.must("dpkg -i /share/raidmond.deb");
        guest.until(60, "the service is active", |g| g.sh("systemctl is-active raidmond").code == 0);
        let shown = guest.must("systemctl show raidmond -p Type,NotifyAccess,StatusText,WatchdogUSec,User");
        println!("{shown}");
        assert!(shown.contains("Type=notify") && shown.contains("WatchdogUSec=2min"), "{shown}");
        assert_eq!(guest.sh("raidmond status").code, 0, "{:?}", guest.sh("raidmond status"));
        let exposure = guest.must("systemd-analyze security raidmond --no-pager | tail -n 1");
        println!("{exposure}");

        let before = guest.must("systemctl show raidmond -p MainPID --value");
        guest.must("systemctl reload raidmond && systemctl is-active raidmond");
        assert_eq!(guest.must("systemctl show raidmond -p MainPID --value"), before);
        guest.must("kill -9 $(systemctl show raidmond -p MainPID --value)");
        guest.until(60, "it is back after kill -9", |g| {
            let now = g.sh("systemctl show raidmond -p MainPID --value; systemctl is-active raidmond").text;
            now.contains("\nactive") && !now.starts_with(before.trim())
        });
        guest.must("dpkg --purge raidmond");
        let left = guest.sh("ls -d /etc/raidmond /var/lib/raidmond /run/raidmond /usr/bin/raidmond 2>/dev/null").text;
        assert_eq!(left, "", "purge leaves nothing");
    });
}
