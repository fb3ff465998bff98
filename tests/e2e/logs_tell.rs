//! Logs: trouble in words of its own, harmless words that look like trouble, rotation while nobody reads,
//! and a kernel that will not stop talking.

use crate::harness::{Letter, Plan, Stage, append, seconds, wait};
use std::fmt::Write;

fn line(adapter: u32, drive: u32) -> String {
    format!(
        "Mon Nov 30 12:00:00 2026 MegaServ: Adapter {adapter}: Logical drive {drive} state changed from OPTIMAL to DEGRADED"
    )
}

fn about(drive: u32) -> impl Fn(&Letter) -> bool {
    move |l| l.says(&format!("Logical drive {drive} state changed"))
}

#[test]
fn a_log_is_read_for_what_it_means_and_no_rotation_loses_a_line() {
    let mut stage = Stage::play(Plan { controllers: &["c0"], ..Plan::default() });
    stage.megaserv("MegaServ: Adapter 0: Consistency check done. Fail: 0, Corrected: 0");
    stage.megaserv(&line(3, 10));
    stage.mailbox.wait("trouble without the word fail", seconds(20), about(10));
    let false_alarms = stage.mailbox.find(|l| l.says("Fail: 0") && l.event() == "opened");
    assert!(false_alarms.is_empty(), "{:?}", stage.mailbox.subjects());

    let log = stage.megaserv_log();
    stage.stop();
    stage.megaserv(&line(3, 11));
    std::fs::rename(&log, log.with_extension("log.1")).unwrap();
    stage.megaserv(&line(3, 12));
    stage.start();
    each_once(&stage, &[11, 12]);

    stage.stop();
    stage.megaserv(&line(3, 13));
    std::fs::copy(&log, log.with_extension("log.copy")).unwrap();
    std::fs::rename(log.with_extension("log.copy"), log.with_extension("log.1")).unwrap();
    std::fs::File::options().write(true).truncate(true).open(&log).unwrap();
    stage.megaserv(&line(3, 14));
    stage.start();
    each_once(&stage, &[13, 14]);
}

/// Waits for all, then for a line after them, so that a second telling would have come too.
fn each_once(stage: &Stage, drives: &[u32]) {
    for drive in drives {
        stage.mailbox.wait(&format!("drive {drive}"), seconds(30), about(*drive));
    }
    let last = drives[drives.len() - 1] + 100;
    stage.megaserv(&line(3, last));
    stage.mailbox.wait("a later line", seconds(30), about(last));
    let all: Vec<u32> = [10, 11, 12, 13, 14].into_iter().filter(|d| *d <= drives[drives.len() - 1]).collect();
    for drive in all {
        let told = stage.mailbox.find(about(drive));
        assert_eq!(told.len(), 1, "drive {drive}: {:?}", stage.mailbox.subjects());
    }
}

const STORM: u64 = 100_000;

#[test]
fn a_kernel_storm_makes_few_mails_and_takes_little_memory() {
    let mut stage = Stage::play(Plan::default());
    let (before, _) = stage.daemon().memory();
    append(&stage.root().join("dev/kmsg"), &storm());
    let begun = std::time::Instant::now();
    stage.happens("disk c0 32:9 fails");
    stage
        .mailbox
        .wait("the fault that must not drown", seconds(90), |l| l.severity() == "critical" && l.says("S0M4K81A"));
    let alarm = begun.elapsed().as_secs_f64();
    wait("every line to be counted", seconds(90), || stage.incident_about(&format!("({} lines)", STORM / 4)));
    let (now, most) = stage.daemon().memory();
    println!(
        "{STORM} kernel lines in {:.1} s, a fault after them told after {alarm:.1} s; memory {before} KiB before, \
         {now} now, {most} at most",
        begun.elapsed().as_secs_f64()
    );
    assert!(most < 200 * 1024, "{most} KiB at most");
    std::thread::sleep(seconds(16));
    let mails = stage.mailbox.letters().len();
    assert!((2..=14).contains(&mails), "{mails}: {:?}", stage.mailbox.subjects());
    wait("status to answer", seconds(5), || (stage.status_code() == 2).then_some(()));
}

/// Errors on an array and on a dozen disks of a dead adapter.
fn storm() -> String {
    let mut text = String::new();
    for n in 0..STORM {
        let device = match n % 4 {
            0 => "sda".to_owned(),
            _ => format!("sd{}", char::from(b'f' + (n % 13) as u8)),
        };
        let (sequence, at, sector) = (1_000_000 + n, 3_000_000_000_000 + n, 4096 + n * 8);
        writeln!(text, "3,{sequence},{at},-;blk_update_request: I/O error, dev {device}, sector {sector}").unwrap();
    }
    text
}

#[test]
fn a_log_that_was_read_and_is_gone_is_missed() {
    let mut stage = Stage::play(Plan { controllers: &["c0"], ..Plan::default() });
    stage.megaserv("MegaServ: Adapter 0: Consistency check done. Fail: 0, Corrected: 0");
    let state = |stage: &Stage| -> Option<String> {
        let status = stage.status_json()?;
        let log = status["watching"].as_array()?.iter().find(|s| s["name"] == "/var/log/megaserv.log")?.clone();
        Some(log["state"].as_str()?.to_owned())
    };
    wait("the log to be read", seconds(20), || state(&stage).filter(|s| s == "live"));
    std::fs::remove_file(stage.megaserv_log()).unwrap();
    wait("the log to be missed", seconds(20), || state(&stage).filter(|s| s == "blind"));
    let missed = stage.mailbox.wait("word of it", seconds(40), |l| l.severity() == "blind" && l.says("megaserv.log"));
    assert!(missed.says("WHAT TO DO"), "{}", missed.text());
    stage.stop();
    stage.start();
    wait("the log to be missed after a restart", seconds(20), || state(&stage).filter(|s| s == "blind"));
    stage.megaserv("MegaServ: Adapter 0: started");
    stage.mailbox.wait("its return", seconds(40), |l| l.event() == "resolved" && l.incident() == missed.incident());
}
