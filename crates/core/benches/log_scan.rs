//! How fast the log scanner goes through a kernel log, beside the two things a person would do instead.
//!
//! `cargo bench -p raidmond-core --bench log_scan`. `LOG_SCAN_MB` sets the size (64), `LOG_SCAN_FILE` scans a
//! file instead, `LOG_SCAN_WRITE` also writes the generated log there (to time `LC_ALL=C grep -ic fail` on it).
//! Shared machines are noisy: compare the ratios of one run.

// A bench is a program of its own; what fails here should stop it.
#![allow(clippy::expect_used)]
#![allow(clippy::disallowed_methods)]

use raidmond_core::observe::{Carry, Context, LogKind, Scanner};
use std::time::Instant;

const ROUNDS: usize = 5;

/// Ordinary lines of a server, none of them a fault.
const ORDINARY: &[&str] = &[
    "e1000e 0000:00:1f.6 eth0: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx",
    "audit: type=1400 audit(1761990000.123:456): apparmor=\"ALLOWED\" operation=\"open\" profile=\"cron\" pid=1234",
    "IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready",
    "usb 1-1: new high-speed USB device number 4 using xhci_hcd",
    "EXT4-fs (dm-3): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none.",
    "[UFW BLOCK] IN=eth0 OUT= MAC=00:11:22:33:44:55 SRC=192.0.2.10 DST=192.0.2.20 LEN=40 TTL=244 PROTO=TCP SPT=443 DPT=23",
    "systemd-journald[345]: Received client request to flush runtime journal.",
    "docker0: port 3(veth1a2b3c4) entered forwarding state",
    "TCP: request_sock_TCP: Possible SYN flooding on port 443. Sending cookies.  Check SNMP counters.",
    "perf: interrupt took too long (2512 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
    "nf_conntrack: default automatic helper assignment has been turned off for security reasons",
];

/// One line in a thousand.
const FAULTS: &[&str] = &[
    "blk_update_request: I/O error, dev sdb, sector 488397000 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0",
    "sd 0:2:1:0: [sdb] tag#12 Sense Key : Medium Error [current] ",
    "megaraid_sas 0000:18:00.0: 12567 (749175033s/0x0001/CRIT) - VD 00/0 is now DEGRADED",
    "md/raid1:md0: Disk failure on sdc1, disabling device.",
    "ata3.00: error: { UNC }",
];

fn generated(megabytes: usize) -> Vec<u8> {
    let mut log = Vec::with_capacity((megabytes << 20) + 256);
    let mut line = 0_usize;
    while log.len() < megabytes << 20 {
        let text = match line % 1000 {
            499 => FAULTS[line / 1000 % FAULTS.len()],
            _ => ORDINARY[line.wrapping_mul(7) % ORDINARY.len()],
        };
        let (second, day) = (line % 60, line / 200_000 % 28 + 1);
        let head = format!("Oct {day:2} 12:34:{second:02} server7 kernel: [{:8}.{:06}] ", line / 10, line % 1_000_000);
        log.extend_from_slice(head.as_bytes());
        log.extend_from_slice(text.as_bytes());
        log.push(b'\n');
        line += 1;
    }
    log
}

/// The best of some rounds, in megabytes a second.
fn speed(bytes: usize, mut run: impl FnMut() -> u64) -> (f64, u64) {
    let mut best = f64::MAX;
    let mut found = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        found = run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    (bytes as f64 / best / 1e6, found)
}

fn main() {
    let setting = |name: &str| std::env::var(name).ok();
    let log = match setting("LOG_SCAN_FILE") {
        Some(path) => std::fs::read(path).expect("a readable file"),
        None => generated(setting("LOG_SCAN_MB").and_then(|n| n.parse().ok()).unwrap_or(64)),
    };
    if let Some(path) = setting("LOG_SCAN_WRITE") {
        std::fs::write(path, &log).expect("a writable path");
    }
    let start = Instant::now();
    let scanner = Scanner::new(LogKind::Kernel, &[]).expect("no user rules");
    println!("{} MB, rules ready in {:.1} ms", log.len() >> 20, start.elapsed().as_secs_f64() * 1e3);

    let context = Context::default();
    let (scan, found) = speed(log.len(), || {
        // As the daemon reads it: in pieces of whole lines.
        let mut carry = Carry::default();
        let mut matched = 0;
        let mut rest = &log[..];
        while !rest.is_empty() {
            let piece =
                rest.get(..1 << 20).and_then(|p| p.iter().rposition(|b| *b == b'\n')).map_or(rest.len(), |e| e + 1);
            let (now, later) = rest.split_at(piece);
            matched += scanner.scan(now, &context, &mut carry).counts.matched;
            rest = later;
        }
        matched
    });
    println!("scanner            {scan:8.0} MB/s  {found} observations");

    let word =
        regex::bytes::RegexBuilder::new("fail").case_insensitive(true).unicode(false).build().expect("a pattern");
    let (grep, found) =
        speed(log.len(), || log.split(|b| *b == b'\n').filter(|line| word.is_match(line)).count() as u64);
    println!("\"fail\" line by line {grep:7.0} MB/s  {found} lines   (scanner is {:.2} times that)", scan / grep);
    let (lines, found) = speed(log.len(), || log.iter().filter(|b| **b == b'\n').count() as u64);
    println!("counting newlines  {lines:8.0} MB/s  {found} lines   (scanner is {:.2} times that)", scan / lines);
}
