//! The `scan:` (once `scrub:`) lines of `zpool status`. Layouts as in print_scan_status of zpool_main.c,
//! from Solaris and ZFS on Linux 0.6 to OpenZFS 2.3; most of them seen in public captures.

use super::raw::{Doing, Progress, Scan};
use crate::scan::{count, percent};

/// Nothing asked for yet: no scan, and nothing unread.
pub fn is_none(text: &str) -> bool {
    ["none requested", "none", "none requested."].contains(&text.trim())
}

/// The lines of one scan, joined by blanks; `None` when they are not understood.
pub fn parse(text: &str) -> Option<Scan> {
    let doing = match text.trim_start().trim_start_matches("error ") {
        t if t.starts_with("scrub") => Doing::Scrub,
        t if t.starts_with("resilver") || t.starts_with("rebuil") => Doing::Resilver,
        _ => return None,
    };
    let progress = match text {
        t if t.contains("in progress") || t.contains("scanning") => Progress::Running,
        t if t.contains("paused since") => Progress::Paused,
        t if t.contains("canceled") || t.contains("stopped after") => Progress::Canceled,
        t if t.contains("completed") || t.contains("resilvered") || t.contains("repaired") => Progress::Finished,
        t if t.contains("rebuilt") => Progress::Finished,
        _ => return None,
    };
    let errors = text.split_once(" with ").and_then(|(_, rest)| rest.split_once(" error")).and_then(|(n, _)| count(n));
    Some(Scan {
        doing,
        progress,
        percent: before(text, "% done").and_then(percent),
        seconds_left: seconds_left(text),
        repaired: repaired(text),
        errors,
    })
}

/// The word in front of `mark`.
fn before<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let (head, _) = text.split_once(mark)?;
    head.split_whitespace().next_back()
}

/// `scrub repaired 1M in …`, `1M repaired, 12 % done`
fn repaired(text: &str) -> Option<String> {
    let after = text.split_once("scrub repaired ").and_then(|(_, rest)| rest.split_whitespace().next());
    after.or_else(|| before(text, " repaired,")).map(str::to_owned)
}

/// `1 days 02:03:04 to go`, `02:03:04 to go`, `1h2m to go`
fn seconds_left(text: &str) -> Option<u64> {
    let (head, _) = text.split_once(" to go")?;
    let clause = head.rsplit(',').next()?.trim();
    let (days, clock) = match clause.split_once(" days ") {
        Some((days, clock)) => (count(days)?, clock.trim()),
        None => (0, clause),
    };
    let seconds = if clock.contains(':') { by_colons(clock)? } else { by_letters(clock)? };
    days.checked_mul(86_400)?.checked_add(seconds)
}

fn by_colons(clock: &str) -> Option<u64> {
    clock.split(':').try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse().ok()?))
}

fn by_letters(clock: &str) -> Option<u64> {
    let (mut seconds, mut number) = (0_u64, String::new());
    for c in clock.chars() {
        let unit = match c {
            '0'..='9' => {
                number.push(c);
                continue;
            }
            'd' => 86_400,
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        number.clear();
    }
    Some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Doing, Progress, Option<f64>, Option<u64>, Option<u64>) {
        let scan = parse(text).unwrap();
        (scan.doing, scan.progress, scan.percent, scan.seconds_left, scan.errors)
    }

    #[test]
    fn every_layout_of_the_years() {
        use Doing::{Resilver, Scrub};
        use Progress::{Canceled, Finished, Paused, Running};
        for (text, told) in [
            (
                "scrub repaired 0B in 00:05:32 with 0 errors on Tue Sep  1 03:05:34 2026",
                (Scrub, Finished, None, None, Some(0)),
            ),
            (
                "scrub completed after 0h3m with 2 errors on Mon Mar  1 10:00:00 2010",
                (Scrub, Finished, None, None, Some(2)),
            ),
            ("scrub in progress for 0h1m, 25.50% done, 1h3m to go", (Scrub, Running, Some(25.5), Some(3780), None)),
            (
                "scrub in progress since Sun Nov  8 00:24:01 2026 1.10T / 2.20T scanned at 1.1G/s, 900G issued at 5M/s 0B repaired, 40.01% done, 2 days 01:00:10 to go",
                (Scrub, Running, Some(40.01), Some(176_410), None),
            ),
            (
                "scrub in progress since Sun Nov  8 00:24:01 2026 0B repaired, 0.00% done, no estimated completion time",
                (Scrub, Running, Some(0.0), None, None),
            ),
            (
                "scrub paused since Sun Nov  8 00:30:00 2026 scrub started on Sun Nov  8 00:24:01 2026 0B repaired, 7.5% done",
                (Scrub, Paused, Some(7.5), None, None),
            ),
            ("scrub canceled on Sun Nov  8 00:24:01 2026", (Scrub, Canceled, None, None, None)),
            (
                "resilver in progress since Sun Nov  8 00:24:01 2026 10G resilvered, 60% done, 00:10:00 to go",
                (Resilver, Running, Some(60.0), Some(600), None),
            ),
            (
                "resilver (draid2:4d:11c:1s-0) in progress since Sun Nov  8 00:24:01 2026 5% done, 00:00:30 to go",
                (Resilver, Running, Some(5.0), Some(30), None),
            ),
            (
                "resilvered 10.9T in 1 days 11:05:07 with 0 errors on Mon Jan 10 11:34:02 2022",
                (Resilver, Finished, None, None, Some(0)),
            ),
            (
                "resilver completed after 0h5m with 0 errors on Mon Jan 10 11:34:02 2011",
                (Resilver, Finished, None, None, Some(0)),
            ),
            ("error scrub in progress since Sun Nov  8 00:24:01 2026 1% done", (Scrub, Running, Some(1.0), None, None)),
        ] {
            assert_eq!(read(text), told, "{text}");
        }
        assert_eq!(parse("scrub repaired 1.5M in 0h1m with 0 errors on").unwrap().repaired.as_deref(), Some("1.5M"));
        assert_eq!(parse("trimming the hedge"), None);
        assert_eq!(parse("scrub dreams of electric sheep"), None);
    }
}
