use super::*;
use jiff::civil::DateTime;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

fn zone(name: &str) -> TimeZone {
    // The rules themselves, so that no database of zones is needed.
    let rules = match name {
        "Berlin" => "CET-1CEST,M3.5.0,M10.5.0/3",
        "New York" => "EST5EDT,M3.2.0,M11.1.0",
        _ => "UTC0",
    };
    TimeZone::posix(rules).unwrap()
}

fn moment(text: &str, zone: &TimeZone) -> Timestamp {
    zone.to_timestamp(text.parse::<DateTime>().unwrap()).unwrap()
}

fn next(expression: &str, after: &str, in_zone: &str, n: usize) -> Vec<String> {
    let (schedule, zone) = (Schedule::parse(expression).unwrap(), zone(in_zone));
    let mut at = moment(after, &zone);
    let step = |_| {
        at = schedule.next_after(at, &zone).unwrap();
        at.to_zoned_datetime(zone.clone()).strftime("%a %F %H:%M %z").to_string()
    };
    (0..n).map(step).collect()
}

fn days(expression: &str, after: &str, n: usize) -> Vec<String> {
    next(expression, after, "UTC", n).iter().map(|t| t[4..14].to_owned()).collect()
}

#[test]
fn what_admins_write_means_what_they_mean() {
    for (expression, first, words) in [
        ("Sat 01:00", "Sat 2026-12-05 01:00 +0000", "every Saturday at 01:00"),
        ("Saturdays at 01:00", "Sat 2026-12-05 01:00 +0000", "every Saturday at 01:00"),
        ("every 4 weeks on Sat at 01:00", "Sat 2026-12-05 01:00 +0000", "every 4 weeks on Saturday at 01:00"),
        ("Sat 01:00 every 4 weeks", "Sat 2026-12-05 01:00 +0000", "every 4 weeks on Saturday at 01:00"),
        ("every other week on Sun at 3:00", "Sun 2026-12-06 03:00 +0000", "every 2 weeks on Sunday at 03:00"),
        ("first Sunday 02:00", "Sun 2026-12-06 02:00 +0000", "the first Sunday of the month at 02:00"),
        ("last Fri of the month at 23:30", "Fri 2026-12-25 23:30 +0000", "the last Friday of the month at 23:30"),
        (
            "first and third Sat 04:00",
            "Sat 2026-12-05 04:00 +0000",
            "the first and third Saturday of the month at 04:00",
        ),
        ("daily 03:00", "Tue 2026-12-01 03:00 +0000", "every day at 03:00"),
        ("every day at 03:00", "Tue 2026-12-01 03:00 +0000", "every day at 03:00"),
        ("monthly", "Tue 2026-12-01 00:00 +0000", "day 1 of the month at 00:00"),
        ("monthly on day 15 at 03:00", "Tue 2026-12-15 03:00 +0000", "day 15 of the month at 03:00"),
        ("last day of the month at 05:00", "Thu 2026-12-31 05:00 +0000", "the last day of the month at 05:00"),
        ("weekly Wed 01:00", "Wed 2026-12-02 01:00 +0000", "every Wednesday at 01:00"),
        ("quarterly", "Fri 2027-01-01 00:00 +0000", "quarterly"),
        (
            "every 3 months on the first Sat at 01:00",
            "Sat 2027-01-02 01:00 +0000",
            "every 3 months on the first Saturday of the month at 01:00",
        ),
        ("every 10 days at 01:00", "Sun 2026-12-06 01:00 +0000", "every 10 days at 01:00"),
        ("Mon,Wed..Fri 02:30", "Wed 2026-12-02 02:30 +0000", "every Monday, Wednesday, Thursday, Friday at 02:30"),
        ("Sat *-*-1..7 02:00", "Sat 2026-12-05 02:00 +0000", "the first Saturday of the month at 02:00"),
        ("Mon *-05~07/1", "Mon 2027-05-31 00:00 +0000", "Mon *-05~07/1"),
        ("*-*~3 04:00", "Tue 2026-12-29 04:00 +0000", "*-*~3 04:00"),
        ("Sat..Mon 01:00", "Sat 2026-12-05 01:00 +0000", "every Saturday, Sunday, Monday at 01:00"),
        ("MegaCtrl -cons -h01 -w4 -d6", "Sat 2026-12-05 01:00 +0000", "every 4 weeks on Saturday at 01:00"),
        ("-h23 -d0", "Sun 2026-12-06 23:00 +0000", "every Sunday at 23:00"),
    ] {
        assert_eq!(next(expression, "2026-11-30T12:00", "UTC", 1), [first], "{expression}");
        assert_eq!(Schedule::parse(expression).unwrap().words(), words, "{expression}");
    }
}

#[test]
fn weeks_are_counted_from_the_first_of_january_2024() {
    let expected = ["2026-12-05", "2027-01-02", "2027-01-30"];
    for expression in ["every 4 weeks on Sat at 01:00", "-h01 -w4 -d6", "Sat 01:00 every 4 weeks from 2024-01-06"] {
        assert_eq!(days(expression, "2026-11-30T00:00", 3), expected, "{expression}");
    }
    let moved = days("Sat 01:00 every 4 weeks from 2026-11-28", "2026-11-30T00:00", 2);
    assert_eq!(moved, ["2026-12-26", "2027-01-23"]);
    // Before the anchor, too.
    assert_eq!(
        days("every 4 weeks on Mon at 01:00", "2023-11-01T00:00", 3),
        ["2023-11-06", "2023-12-04", "2024-01-01"]
    );
}

#[test]
fn a_time_the_clock_skips_comes_as_much_later() {
    let berlin = next("daily 02:30", "2027-03-27T12:00", "Berlin", 2);
    assert_eq!(berlin, ["Sun 2027-03-28 03:30 +0200", "Mon 2027-03-29 02:30 +0200"]);
    let york = next("Sun 02:00", "2027-03-13T12:00", "New York", 2);
    assert_eq!(york, ["Sun 2027-03-14 03:00 -0400", "Sun 2027-03-21 02:00 -0400"]);
    // Two wall times, one moment: it comes once.
    let both = next("*-*-* 02,03:00", "2027-03-27T12:00", "Berlin", 3);
    assert_eq!(both, ["Sun 2027-03-28 03:00 +0200", "Mon 2027-03-29 02:00 +0200", "Mon 2027-03-29 03:00 +0200"]);
    // The later wall time is the earlier moment.
    let crossed = next("*-*-* 02..03:15/30", "2027-03-27T12:00", "Berlin", 3);
    assert_eq!(crossed, ["Sun 2027-03-28 03:15 +0200", "Sun 2027-03-28 03:45 +0200", "Mon 2027-03-29 02:15 +0200"]);
    let crossed = next("*-*-* 2,3:45,50", "2027-03-27T12:00", "Berlin", 2);
    assert_eq!(crossed, ["Sun 2027-03-28 03:45 +0200", "Sun 2027-03-28 03:50 +0200"]);
}

#[test]
fn a_time_the_clock_shows_twice_is_the_first() {
    let found = next("daily 02:30", "2026-10-24T12:00", "Berlin", 2);
    assert_eq!(found, ["Sun 2026-10-25 02:30 +0200", "Mon 2026-10-26 02:30 +0100"]);
    // Asked in the second 02:30, it is over.
    let zone = zone("Berlin");
    let second: Timestamp = "2026-10-25T01:30:00Z".parse().unwrap();
    let after = Schedule::parse("daily 02:30").unwrap().next_after(second - jiff::SignedDuration::from_mins(5), &zone);
    assert_eq!(after.unwrap().to_string(), "2026-10-26T01:30:00Z");
}

#[test]
fn mistakes_are_explained() {
    for (expression, what, hint) in [
        ("", "the schedule is empty", "Sat 01:00"),
        ("Sta 01:00", "`sta` makes no sense here", "Sat 01:00"),
        ("Satruday 01:00", "`satruday` is no weekday", "did you mean `saturday`?"),
        ("Sat 25:00", "`25:00` is no time of day", "01:00"),
        ("every 4 weeks on Sat at 1", "`1` may be an hour or a day", "write 1:00, or day 1"),
        ("every 4 on Sat", "every 4 of what?", "weeks"),
        ("*-02-30", "`*-02-30` never comes", "no such date"),
        ("*-*-*/2", "a step needs a beginning", "1/2"),
        ("Sat 01:00 Europe/Berlin", "`europe/berlin` is a time zone", "time-zone"),
        ("first 02:00", "the first, second or last of what?", "first Sunday"),
        ("every 2 weeks on the first Sat", "weeks or days of the month", "Sat"),
        ("every 3 months on Sat", "which of the month's weekdays?", "first Sat"),
        ("last and first Sun", "`last` cannot be joined", "last Sunday"),
        ("Sat 01:00 from 2026-01-01", "`from` needs something to count", "every 4 weeks"),
        ("MegaCtrl -cons -h01", "a line of MegaCtrl needs an hour and a day", "-d6"),
        ("-h24 -d6", "`-h24` makes no sense in a line of MegaCtrl", "-h01"),
        ("-h01 -d6 -x3", "`-x3` makes no sense", "-h01"),
        ("monthly on day 32", "which day of the month?", "day 15"),
        ("5..1:00", "`5..1:00` is no time of day", "01:00"),
    ] {
        let error = Schedule::parse(expression).unwrap_err();
        assert!(error.what.contains(what) && error.hint.contains(hint), "{expression}: {error:?}");
        assert!(!error.hint.is_empty());
    }
}

fn expression() -> impl Strategy<Value = String> {
    let day = prop::sample::select(vec!["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]);
    let date = (1_u8..=12, 1_u8..=28, 1_u8..=9);
    let time = (0_u8..24, 0_u8..60);
    let even = prop::sample::select(vec![2, 3, 4, 6]);
    (0_u8..12, day, date, time, even).prop_map(|(form, day, (month, n, step), (hour, minute), even)| match form {
        0 => format!("{day} {hour:02}:{minute:02}"),
        1 => format!("{day} *-*-1..7 {hour:02}:{minute:02}"),
        2 => format!("*-*-{n} {hour:02}:{minute:02}:30"),
        3 => format!("*-{month}-{n}"),
        4 => format!("*-*~{n} {hour:02}:{minute:02}"),
        // Where a step does not end with its month, day or year, systemd forgets the first of the next one.
        5 => format!("*-*~{n}/1 {hour:02}:00"),
        6 => format!("{day} *-*~07/1 {hour:02}:{minute:02}"),
        7 => format!("*-1/{even}-{n} {hour:02}:{minute:02}"),
        8 => format!("Mon..Thu,{day} 0/{even}:{minute:02}"),
        9 => format!("*-*-{n},20..2{step} {hour},23:{minute}"),
        10 => ["daily", "weekly", "monthly", "quarterly", "semiannually", "yearly", "hourly"][usize::from(step) % 7]
            .to_owned(),
        _ => format!("2027..2031/{step}-{month},12-{n}..28 {hour:02}:{minute:02}"),
    })
}

fn counted() -> impl Strategy<Value = String> {
    let day = prop::sample::select(vec!["Mon", "Thu", "Sat", "Sun"]);
    (1_u8..9, day, 0_u8..24).prop_map(|(n, day, hour)| format!("every {n} weeks on {day} at {hour:02}:15"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The next time is later, by the wall clock of its zone what was asked for, and nothing lies between.
    #[test]
    fn the_next_time_is_later_and_nothing_is_left_out(
        text in prop_oneof![expression(), counted()],
        start in 1_700_000_000_i64..1_900_000_000,
        zone in prop::sample::select(vec!["UTC", "Berlin", "New York"]),
    ) {
        let (schedule, zone) = (Schedule::parse(&text).unwrap(), self::zone(zone));
        let start = Timestamp::from_second(start).unwrap();
        let Some(first) = schedule.next_after(start, &zone) else { return Ok(()) };
        prop_assert!(first > start);
        let almost = first - jiff::SignedDuration::from_secs(1);
        prop_assert_eq!(schedule.next_after(almost.max(start), &zone), Some(first));
        let middle = Timestamp::from_second((start.as_second() + first.as_second()) / 2).unwrap();
        if middle < first {
            prop_assert_eq!(schedule.next_after(middle, &zone), Some(first));
        }
        prop_assert!(schedule.next_after(first, &zone).is_none_or(|second| second > first));
    }

    #[test]
    fn no_text_at_all_panics(text in "[ -~]{0,40}|(every |first |last |[0-9]{1,3} |weeks |on |day |Sat |[0-9]{1,2}:[0-9]{2} |from |-h|-w|~|\\.\\.|,|/|\\*){0,8}") {
        if let Ok(schedule) = Schedule::parse(&text) {
            drop(schedule.words());
            let _ = schedule.next_after(Timestamp::UNIX_EPOCH, &zone("Berlin"));
        }
    }

    #[test]
    fn every_n_weeks_are_n_weeks_apart(n in 2_i64..20, start in 1_500_000_000_i64..1_900_000_000) {
        let schedule = Schedule::parse(&format!("every {n} weeks on Sat at 12:00")).unwrap();
        let zone = zone("Berlin");
        let first = schedule.next_after(Timestamp::from_second(start).unwrap(), &zone).unwrap().to_zoned_datetime(zone.clone());
        let second = schedule.next_after(first.timestamp(), &zone).unwrap().to_zoned_datetime(zone);
        prop_assert_eq!(i64::from((second.date() - first.date()).get_days()), 7 * n);
    }
}

/// What systemd itself makes of a form, where both accept it.
#[test]
fn systemd_agrees() {
    if std::process::Command::new("systemd-analyze").arg("--version").output().is_err() {
        println!("SKIPPED: systemd-analyze is not installed, 0 forms compared");
        return;
    }
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut compared = 0;
    for n in 0..120 {
        let text = expression().new_tree(&mut runner).unwrap().current();
        // systemd leaves out times that the clock skips; raidmond does not. The rest of the day is compared.
        let name = if n % 2 == 0 || text.contains("hourly") || text.contains(" 2:") { "UTC" } else { "Berlin" };
        let theirs = systemd(&text, name);
        let Some(theirs) = theirs.filter(|t| !t.is_empty()) else { continue };
        let zone = zone(name);
        let schedule = Schedule::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut at = moment("2026-11-30T00:00", &zone);
        let ours: Vec<String> = std::iter::from_fn(|| {
            at = schedule.next_after(at, &zone)?;
            Some(at.strftime("%F %T").to_string())
        })
        .take(theirs.len())
        .collect();
        let skipped = |t: &String| t.contains("-03-") && (t.contains(" 00:") || t.contains(" 01:"));
        if name == "Berlin" && ours.iter().any(skipped) {
            continue;
        }
        assert_eq!(ours, theirs, "{text} in {name}");
        compared += 1;
    }
    println!("{compared} forms compared with systemd");
    assert!(compared > 80, "{compared}");
}

fn systemd(text: &str, zone: &str) -> Option<Vec<String>> {
    let name = if zone == "Berlin" { "Europe/Berlin" } else { "UTC" };
    let run = std::process::Command::new("systemd-analyze")
        .args(["calendar", "--base-time=2026-11-30 00:00:00", "--iterations=8", text])
        .env("TZ", name)
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    // The line in UTC follows the local one unless they are the same.
    let utc = |l: &str| l.contains("(in UTC)") || (zone == "UTC" && (l.contains("Next elapse") || l.contains("Iter.")));
    let time =
        |l: &str| l.split_once(": ").map(|(_, t)| t.trim().trim_end_matches(" UTC").get(4..).unwrap_or("").to_owned());
    run.status.success().then(|| said.lines().filter(|l| utc(l)).filter_map(time).collect())
}
