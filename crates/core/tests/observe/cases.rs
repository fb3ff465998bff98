//! The cases that bear on log lines, by their number. Their inputs are read in place.

use super::{is_fault, scan, shared};
use raidmond_core::model::Alias;
use raidmond_core::observe::{Context, LogKind, Observation, Scanner, Sign, fold, rate_of, rules};

/// The log lines of a case, of one host where it has several.
fn log(case: &str, host: Option<&str>) -> Option<String> {
    let path = shared("cases").and_then(|dir| {
        let mut entries = std::fs::read_dir(dir).expect("readable").flatten();
        entries.find(|e| e.file_name().to_string_lossy().starts_with(case)).map(|e| e.path().join("input.txt"))
    })?;
    let text = std::fs::read_to_string(path).expect("readable");
    let (mut in_log, mut on_host, mut lines) = (false, host.is_none(), String::new());
    for line in text.lines() {
        match line.strip_prefix("#@ ") {
            Some(mark) if mark.starts_with("host: ") => on_host = host.is_none_or(|h| mark.ends_with(h)),
            Some(mark) => in_log = mark.starts_with("log:"),
            None if in_log && on_host => lines = lines + line + "\n",
            None => {}
        }
    }
    Some(lines)
}

fn seen(case: &str) -> Option<Vec<Observation>> {
    Some(scan(LogKind::Syslog, log(case, None)?.as_bytes()).observations)
}

fn signs(observations: &[Observation]) -> Vec<Sign> {
    observations.iter().map(|o| o.sign).collect()
}

#[test]
fn case_073_puncture() {
    let sign = |text| rules::megaraid::sign_of_event(text);
    assert_eq!(sign("Corrected medium error during recovery on PD 02(e0x08/s4) at 1"), Some(Sign::Corrected));
    assert_eq!(sign("Puncturing bad block on PD 02(e0x08/s7) at 2"), Some(Sign::DataLoss));
}

#[test]
fn case_079_smart_polls_are_noise() {
    let Some(seen) = seen("079") else { return };
    assert_eq!(signs(&seen), [Sign::Benign; 4]);
    assert_eq!(seen[2].about.field("unit"), "u8");
}

#[test]
fn case_080_attribute_changes_are_noise() {
    let Some(seen) = seen("080") else { return };
    assert_eq!(signs(&seen), [Sign::Benign]);
}

#[test]
fn case_082_one_word_apart() {
    let Some(seen) = seen("082") else { return };
    assert_eq!(signs(&seen), [Sign::Info, Sign::DataLoss]);
    assert_eq!(seen[1].about.field("unit"), "u1");
    assert_eq!(seen[1].about.aliases, [Alias::ScsiHost("1".into())]);
}

#[test]
fn case_083_impending_failures_behind_controllers() {
    let Some(seen) = seen("083") else { return };
    assert_eq!(signs(&seen), [Sign::Predictive; 3]);
    assert_eq!(seen[0].about.aliases, [Alias::DeviceId("29".into())]);
    assert_eq!(seen[1].about.field("cciss-disk"), "01");
    assert_eq!(seen[2].about.aliases, [Alias::DeviceId("17".into()), Alias::ScsiHost("7".into())]);
}

#[test]
fn case_084_trouble_without_the_word() {
    let Some(seen) = seen("084") else { return };
    let expected = [
        Sign::ArrayDegraded,
        Sign::ArrayDegraded,
        Sign::Timeout,
        Sign::ArrayFailed,
        Sign::Predictive,
        Sign::Corrected,
        Sign::RebuildStarted,
    ];
    assert_eq!(signs(&seen), expected);
    assert_eq!((seen[0].about.field("unit"), seen[0].about.field("port")), ("u0", "p3"));
}

#[test]
fn case_085_aborts_come_before_the_end() {
    let Some(seen) = seen("085") else { return };
    let drive = Alias::Hctl("1:0:0:0".into());
    let aborts = seen.iter().filter(|o| o.sign == Sign::Timeout && o.about.aliases.contains(&drive)).count();
    assert_eq!(aborts, 3, "{:?}", signs(&seen));
    let end = seen.last().expect("lines");
    assert_eq!(end.sign, Sign::DeviceOffline);
    assert!(end.about.aliases.contains(&drive) && end.about.aliases.contains(&Alias::Kernel("sdb".into())));
}

/// Reset times in seconds, one per burst.
fn resets(observations: Vec<Observation>) -> Vec<(Observation, f64)> {
    let resets = fold(observations).into_iter().filter(|o| o.sign == Sign::ControllerReset);
    resets
        .map(|o| {
            let dated = || o.at.map(|t| t.as_second() as f64);
            let at = dated().or(o.source_seconds).expect("a time");
            (o, at)
        })
        .collect()
}

#[test]
fn case_086_three_resets_a_day() {
    let Some(seen) = seen("086") else { return };
    let resets = resets(seen);
    let times: Vec<f64> = resets.iter().map(|(_, at)| *at).collect();
    let rate = rate_of(Sign::ControllerReset).expect("a rate");
    assert_eq!(times.len(), 4);
    assert!(rate.reached(&times) && !rate.reached(&times[..2]));
    assert!(resets.iter().all(|(o, _)| o.about.aliases == [Alias::ScsiHost("1".into())]));
}

#[test]
fn case_087_resets_are_the_controllers() {
    let Some(seen) = seen("087") else { return };
    let resets = resets(seen);
    let times: Vec<f64> = resets.iter().map(|(_, at)| *at).collect();
    assert_eq!(times.len(), 4, "two within one second are one");
    assert!(rate_of(Sign::ControllerReset).is_some_and(|r| r.reached(&times)));
    assert!(resets.iter().all(|(o, _)| o.about.aliases == [Alias::ScsiHost("2".into())]), "no disk is named");
}

#[test]
fn case_088_the_next_lines_decide() {
    let (Some(a), Some(b)) = (log("088", Some("A")), log("088", Some("B"))) else { return };
    let (a, b) = (scan(LogKind::Kernel, a.as_bytes()).observations, scan(LogKind::Kernel, b.as_bytes()).observations);
    assert_eq!(signs(&a), [Sign::Benign, Sign::ControllerReset]);
    assert!(!a.iter().any(|o| is_fault(o.sign)));
    assert_eq!(b.last().map(|o| o.sign), Some(Sign::DeviceOffline));
}

/// 093 is told by latencies: nothing in it is a log line, and nothing may be made of its tool output.
#[test]
fn case_093_has_nothing_for_log_rules() {
    let Some(lines) = log("093", None) else { return };
    assert_eq!(lines, "");
    let scanner = Scanner::new(LogKind::Custom, &[]).expect("no user rules");
    let output = b"u0    RAID-10   OK             -       -       256K    5587.88   ON     ON\n";
    assert_eq!(scanner.scan(output, &Context::default(), &mut Default::default()).observations, []);
}
