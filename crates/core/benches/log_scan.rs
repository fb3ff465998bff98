//! How fast the log scanner goes through logs, beside the two things a person would do instead.
//!
//! `cargo bench -p raidmond-core --bench log_scan` prints the table; `LOG_SCAN_MB` sets the size (64).
//! With words it is a tool for `benches/compare.sh`:
//!
//! - `generate FILE MB`  a kernel log in which one line in a thousand is a fault
//! - `rules`             the kernel's rules, anchored behind a syslog header, one a line, for `rg -f`
//! - `scan FILE`         reads and scans a file in pieces; prints how much was found
//!
//! Shared machines are noisy: compare the ratios of one run.

// A bench is a program of its own; what fails here should stop it.
#![allow(clippy::expect_used)]
#![allow(clippy::disallowed_methods)]

mod logs;

use raidmond_core::observe::{Carry, Context, LogKind, Scanner};
use std::io::Read;
use std::time::Instant;

const ROUNDS: usize = 5;
/// As much as the daemon reads at once.
const PIECE: usize = 256 << 10;

/// Before the rule's own text in a kern.log.
const HEADER: &str = r"^[A-Z][a-z]{2} [ \d]\d [\d:]{8} \S+ kernel: (?:\[[ \d.]+\] )?";

fn main() {
    // cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|w| w != "--bench").collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["generate", file, megabytes] => {
            let log = logs::kernel(megabytes.parse().expect("a number of megabytes"), 1000, logs::FAULTS);
            std::fs::write(file, log).expect("a writable path");
        }
        ["rules"] => rules().iter().for_each(|rule| println!("{rule}")),
        ["scan", file] => scan_file(file),
        _ => table(),
    }
}

/// Group names may repeat between rules, so they go.
fn rules() -> Vec<String> {
    let names = regex::Regex::new(r"\(\?P<\w+>").expect("a pattern");
    let anchored = |pattern: &str| match pattern.strip_prefix('^') {
        Some(rest) => format!("{HEADER}(?:{})", names.replace_all(rest, "(?:")),
        None => format!("{HEADER}.*(?:{})", names.replace_all(pattern, "(?:")),
    };
    LogKind::Kernel.rules().map(|rule| anchored(rule.pattern)).collect()
}

fn scan_file(file: &str) {
    let mut from = std::fs::File::open(file).expect("a readable file");
    let scanner = Scanner::new(LogKind::Kernel, &[]).expect("no user rules");
    let (mut carry, mut buffer, mut kept, mut matched) = (Carry::default(), vec![0; PIECE], 0, 0);
    loop {
        let read = from.read(&mut buffer[kept..]).expect("a readable file");
        let end = kept + read;
        let whole =
            if read == 0 { end } else { buffer[..end].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1) };
        matched += scanner.scan(&buffer[..whole], &Context::default(), &mut carry).counts.matched;
        buffer.copy_within(whole..end, 0);
        kept = end - whole;
        if read == 0 {
            break;
        }
    }
    println!("{matched} observations");
}

fn table() {
    let megabytes: usize = std::env::var("LOG_SCAN_MB").ok().and_then(|n| n.parse().ok()).unwrap_or(64);
    let count = rules().len();
    let (start, before) = (Instant::now(), resident());
    let scanner = Scanner::new(LogKind::Kernel, &[]).expect("no user rules");
    scan(&scanner, b"Oct  1 12:34:56 server7 kernel: [    1.000001] sd 0:0:0:0: [sda] Attached SCSI disk\n");
    let (ready, memory) = (start.elapsed().as_secs_f64() * 1e3, resident() - before);
    println!("{megabytes} MB a log; {count} rules for kernel logs, ready in {ready:.1} ms, {memory:.1} MiB\n");
    println!("{:<34} {:>9} {:>9} {:>9} {:>12}", "log", "MB/s", "x \"fail\"", "x count", "observations");
    let small = megabytes.div_ceil(16);
    row("kernel, 1 in 1000 a fault", LogKind::Kernel, &logs::kernel(megabytes, 1000, logs::FAULTS));
    row("kernel, 1 in 10 a fault", LogKind::Kernel, &logs::kernel(megabytes / 4, 10, logs::FAULTS));
    row("kernel, faults only", LogKind::Kernel, &logs::kernel(small, 1, logs::FAULTS));
    row("kernel, storage chatter only", LogKind::Kernel, &logs::kernel(small, 1, logs::CHATTER));
    row("syslog, 1 in 1000 a daemon's fault", LogKind::Syslog, &logs::syslog(megabytes, 1000, logs::DAEMONS));
    row("syslog, daemons' faults only", LogKind::Syslog, &logs::syslog(small, 1, logs::DAEMONS));
}

/// MiB of memory in use by this process.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|l| l.strip_prefix("RssAnon:")?.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

fn row(name: &str, kind: LogKind, log: &[u8]) {
    let scanner = Scanner::new(kind, &[]).expect("no user rules");
    let (scan, found) = speed(log.len(), || scan(&scanner, log));
    let word = regex::bytes::RegexBuilder::new("fail").case_insensitive(true).unicode(false).build();
    let word = word.expect("a pattern");
    let (grep, _) = speed(log.len(), || log.split(|b| *b == b'\n').filter(|line| word.is_match(line)).count() as u64);
    let (count, _) = speed(log.len(), || log.iter().filter(|b| **b == b'\n').count() as u64);
    println!("{name:<34} {scan:9.0} {:9.2} {:9.2} {found:12}", scan / grep, scan / count);
}

/// As the daemon reads it: in pieces of whole lines.
fn scan(scanner: &Scanner, log: &[u8]) -> u64 {
    let (mut carry, mut matched, mut rest) = (Carry::default(), 0, log);
    while !rest.is_empty() {
        let whole = rest.get(..PIECE).and_then(|p| p.iter().rposition(|b| *b == b'\n'));
        let (now, later) = rest.split_at(whole.map_or(rest.len(), |end| end + 1));
        matched += scanner.scan(now, &Context::default(), &mut carry).counts.matched;
        rest = later;
    }
    matched
}

/// The median of some rounds, in megabytes a second.
fn speed(bytes: usize, mut run: impl FnMut() -> u64) -> (f64, u64) {
    let mut found = 0;
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            found = run();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (bytes as f64 / times[ROUNDS / 2] / 1e6, found)
}
