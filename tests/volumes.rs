//! Verdicts of pools, volumes and file systems that the kernel makes without a controller.
#![allow(clippy::unwrap_used)] // helpers of tests

use raidmond::assess;
use raidmond_core::severity::Severity;
use raidmond_core::survey::Transcript;

fn verdict(text: &str) -> Severity {
    let transcript = Transcript::parse(text.as_bytes()).unwrap();
    assess::worst(&assess::assess(&transcript, "2026-11-30T12:00:00Z".parse().unwrap()))
}

/// A pool of these rows: (depth, name, state and what follows).
fn pool(state: &str, rows: &[(usize, &str, &str)]) -> Severity {
    let rows: String = rows.iter().map(|(d, name, s)| format!("\t{}{name}  {s}\n", "  ".repeat(*d))).collect();
    let head = "\tNAME  STATE  READ WRITE CKSUM\n";
    verdict(&format!(
        "#@ cmd: zpool status\n  pool: p\n state: {state}\nconfig:\n\n{head}\tp  {state}  0 0 0\n{rows}\nerrors: No known data errors\n"
    ))
}

const WELL: &str = "ONLINE  0 0 0";
const FAILED: &str = "FAULTED  0 9 0  too many errors";

#[test]
fn the_worst_vdev_of_a_pool_counts() {
    let mixed = |z2: &'static str, m: &'static str| {
        [
            (1, "raidz2-0", z2),
            (2, "sda", z2),
            (2, "sdb", WELL),
            (2, "sdc", WELL),
            (1, "mirror-1", m),
            (2, "sdd", m),
            (2, "sde", WELL),
        ]
    };
    assert_eq!(pool("ONLINE", &mixed(WELL, WELL)), Severity::Ok);
    assert_eq!(pool("DEGRADED", &mixed(FAILED, WELL)), Severity::Warning, "each vdev can still lose one");
    assert_eq!(pool("DEGRADED", &mixed(WELL, FAILED)), Severity::Critical);
}

#[test]
fn a_predicted_failure_beside_a_lost_disk_is_an_emergency() {
    let rows = [(1, "mirror-0", "DEGRADED 0 0 0"), (2, "sda", FAILED), (2, "sdb", "DEGRADED  0 0 99  too many errors")];
    assert_eq!(pool("DEGRADED", &rows), Severity::Emergency);
}

fn mapped(line: &str) -> Severity {
    verdict(&format!("#@ cmd: dmsetup status\nvg-x: 0 100 {line}\n"))
}

#[test]
fn device_mapper_is_judged_by_its_images() {
    for (line, severity) in [
        ("raid raid1 2 AA 100/100 idle 0", Severity::Ok),
        ("raid raid1 2 AA 50/100 check 0", Severity::Info),
        ("raid raid1 2 AA 100/100 idle 128", Severity::Notice),
        ("raid raid5_ls 3 AAA 100/100 idle 128", Severity::Warning),
        ("raid raid1 2 Aa 50/100 recover 0", Severity::Warning),
        ("raid raid1 2 Aa 100/100 idle 0", Severity::Critical),
        ("raid raid1 2 AD 100/100 idle 0", Severity::Critical),
        ("raid raid6_zr 5 AADAA 100/100 idle 0", Severity::Warning),
        ("raid raid10 4 ADAD 100/100 idle 0", Severity::Critical),
        ("raid raid10 4 DDAA 100/100 idle 0", Severity::Emergency),
        ("raid raid0 2 AD 100/100 idle 0", Severity::Emergency),
        ("thin-pool Fail", Severity::Emergency),
        ("multipath 2 0 0 0 1 1 A 0 2 2 8:16 A 0 0 1 8:32 F 1 0 1", Severity::Warning),
        ("multipath 2 0 0 0 1 1 E 0 1 2 8:16 F 9 0 1", Severity::Emergency),
    ] {
        assert_eq!(mapped(line), severity, "{line}");
    }
}
