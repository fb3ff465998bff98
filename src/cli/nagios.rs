//! `raidmond nagios`: a plugin for Nagios, Icinga and what speaks their language.
//!
//! Starts no tool: it asks the daemon, and answers at once. One line, performance data behind `|`,
//! details on further lines. Exit 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN; everything that keeps it from
//! knowing (no daemon, old data, a wrong option) is UNKNOWN.

use super::Problem;
use super::client;
use super::paint::visible;
use super::place::Place;
use crate::clock;
use crate::serve::status::StatusDoc;
use jiff::{SignedDuration, Timestamp};
use raidmond_core::severity::Severity;
use raidmond_core::tell::{counted, duration};

pub const UNKNOWN: u8 = 3;

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Level {
    Ok,
    Warning,
    Critical,
    Unknown,
}

impl Level {
    fn of(severity: Severity) -> Self {
        match severity {
            Severity::Ok | Severity::Info | Severity::Notice => Level::Ok,
            Severity::Warning => Level::Warning,
            Severity::Blind => Level::Unknown,
            Severity::Critical | Severity::Emergency => Level::Critical,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Level::Ok => "OK",
            Level::Warning => "WARNING",
            Level::Critical => "CRITICAL",
            Level::Unknown => "UNKNOWN",
        }
    }

    fn code(self) -> u8 {
        match self {
            Level::Ok => 0,
            Level::Warning => 1,
            Level::Critical => 2,
            Level::Unknown => UNKNOWN,
        }
    }

    /// Of two states the one that matters more: critical, warning, unknown, ok.
    fn rank(self) -> u8 {
        match self {
            Level::Ok => 0,
            Level::Unknown => 1,
            Level::Warning => 2,
            Level::Critical => 3,
        }
    }
}

#[derive(clap::Args)]
pub struct Args {
    /// More lines: -v incidents, -vv every array and disk
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Seconds to wait for the daemon
    #[arg(short = 't', long, default_value_t = 10)]
    timeout: u64,
    /// What it means when there is no RAID to watch
    #[arg(long, value_enum, default_value = "unknown")]
    no_raid: Level,
    /// What a running rebuild means
    #[arg(long, value_enum, default_value = "warning")]
    resync: Level,
    /// What a running learn cycle means
    #[arg(long, value_enum, default_value = "ok")]
    bbulearn: Level,
    /// What it means when the data is older than --max-age
    #[arg(long, value_enum, default_value = "unknown")]
    stale: Level,
    /// Minutes after which data is too old
    #[arg(long, default_value_t = 15)]
    max_age: i64,
    #[command(flatten)]
    place: Place,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let (level, text) = match client::status_within(&args.place.socket, args.timeout) {
        Ok(doc) => answer(args, &doc, clock::now()),
        Err(problem) => (Level::Unknown, format!("RAID UNKNOWN - {}", visible(&problem.what))),
    };
    say!("{text}");
    Ok(level.code())
}

fn answer(args: &Args, doc: &StatusDoc, now: Timestamp) -> (Level, String) {
    let too_old = doc.read_at.is_some_and(|at| now.duration_since(at) > SignedDuration::from_mins(args.max_age));
    let (level, what) = match doc.read_at {
        _ if is_bare(doc) => (args.no_raid, visible(&doc.headline)),
        None => (Level::Unknown, visible(&doc.headline)),
        Some(at) if too_old => (args.stale, format!("data is {} old", duration(now.duration_since(at)))),
        Some(_) => judged(args, doc),
    };
    let mut text = format!("RAID {} - {what} | {}", level.word(), performance(doc));
    if args.verbose > 0 {
        for c in doc.conditions.iter().filter(|c| is_fault(&c.severity)) {
            text.push_str(&format!("\n{} {}", c.severity, visible(&c.headline)));
        }
    }
    if args.verbose > 1 {
        for (name, state) in doc
            .objects
            .arrays
            .iter()
            .map(|a| (&a.name, &a.state))
            .chain(doc.objects.disks.iter().map(|d| (&d.name, &d.state)))
        {
            text.push_str(&format!("\n{} {}", visible(name), state.as_ref().map_or("not read", |s| s.state.as_str())));
        }
    }
    (level, text)
}

/// Nothing to watch, and nothing that says otherwise.
fn is_bare(doc: &StatusDoc) -> bool {
    let o = &doc.objects;
    let none = o.controllers.is_empty() && o.arrays.is_empty() && o.disks.is_empty();
    none && !doc.conditions.iter().any(|c| is_fault(&c.severity))
}

fn is_fault(severity: &str) -> bool {
    Severity::from_word(severity).is_some_and(Severity::is_fault)
}

fn judged(args: &Args, doc: &StatusDoc) -> (Level, String) {
    let level_of = |kind: &str, severity: &str| match kind {
        "array-rebuilding" => args.resync,
        "battery-learning" | "write-back-paused" => args.bbulearn,
        _ => Level::of(Severity::from_word(severity).unwrap_or(Severity::Blind)),
    };
    let worst =
        doc.conditions.iter().map(|c| (level_of(&c.kind, &c.severity), c)).max_by_key(|(level, _)| level.rank());
    let fine = doc
        .objects
        .disks
        .iter()
        .filter(|d| doc.conditions.iter().all(|c| c.subject != d.name || !is_fault(&c.severity)));
    let fine = format!("{} ok", counted(fine.count(), "disk"));
    match worst {
        Some((level, condition)) if level != Level::Ok => (level, format!("{}; {fine}", visible(&condition.headline))),
        _ => (Level::Ok, format!("{}, {fine}", counted(doc.objects.arrays.len(), "array"))),
    }
}

/// `'label'=value;warning;critical;min`; labels hold neither quotes nor equal signs.
fn performance(doc: &StatusDoc) -> String {
    let array =
        |word: &str| doc.objects.arrays.iter().filter(|a| a.state.as_ref().is_some_and(|s| s.state == word)).count();
    let disk =
        |word: &str| doc.objects.disks.iter().filter(|d| d.state.as_ref().is_some_and(|s| s.state == word)).count();
    let mut data = vec![
        format!("'vd_degraded'={};;0;0", array("degraded") + array("partly-degraded") + array("rebuilding")),
        format!("'vd_failed'={};;0;0", array("failed")),
        format!("'pd_failed'={};;0;0", disk("failed") + disk("missing") + disk("unconfigured-bad")),
        format!("'hot_spares'={};;;0", disk("hot-spare")),
        format!("'incidents'={};0;;0", doc.incidents.iter().filter(|i| i.closed_at.is_none()).count()),
    ];
    for controller in &doc.objects.controllers {
        let label: String =
            controller.name.chars().filter(|c| c.is_ascii_alphanumeric() || ":-_".contains(*c)).collect();
        let mine = |name: &str| name.split('/').next() == Some(controller.name.as_str());
        let errors: u64 = doc.objects.disks.iter().filter(|d| mine(&d.name)).filter_map(|d| d.media_errors).sum();
        data.push(format!("'{label}_media_errors'={errors}c;;;0"));
        if let Some(celsius) = controller.temperature_celsius {
            data.push(format!("'{label}_temp'={celsius}"));
        }
    }
    data.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::status::{Surroundings, document};
    use raidmond_core::host::SourceKey;
    use raidmond_core::incident::{Engine, Input, Settings, State};
    use raidmond_core::model::{ArrayState, DiskState, Level as Raid, Observed, Path, Space};
    use raidmond_core::survey::Reading;

    fn args() -> Args {
        let place = Place { socket: "/nonexistent".into(), state_dir: "/nonexistent".into() };
        let (no_raid, resync, bbulearn, stale) = (Level::Unknown, Level::Warning, Level::Ok, Level::Unknown);
        Args { verbose: 1, timeout: 1, no_raid, resync, bbulearn, stale, max_age: 15, place }
    }

    fn doc(state: ArrayState, disk: DiskState) -> StatusDoc {
        let mut reading = Reading::new("storcli", Space::Megaraid);
        let v0 = Path::from("c0/v0");
        reading.array(&v0).level = Some(Raid::Raid5);
        reading.array(&v0).state = Some(Observed::new(state, "x"));
        let d = reading.disk(&Path::from("c0/32:5"));
        d.state = Some(Observed::new(disk, "x"));
        d.array = Some(v0);
        let mut engine = Engine::new(Settings::default(), State::default());
        let key = SourceKey { family: "storcli".into(), about: "c0".into() };
        let turn = engine.handle(Timestamp::UNIX_EPOCH, Input::Reading { key, reading: Box::new(reading) });
        engine.adopt(turn);
        document(engine.state(), &Surroundings::default(), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn it_speaks_the_plugin_language() {
        let (level, text) = answer(&args(), &doc(ArrayState::Optimal, DiskState::Online), Timestamp::UNIX_EPOCH);
        assert_eq!(level.code(), 0);
        assert!(text.starts_with("RAID OK - 1 array, 1 disk ok | 'vd_degraded'=0;;0;0 "), "{text}");
        let (level, text) = answer(&args(), &doc(ArrayState::Degraded, DiskState::Failed), Timestamp::UNIX_EPOCH);
        assert_eq!(level.code(), 2);
        assert!(text.starts_with("RAID CRITICAL - ") && text.contains("'vd_degraded'=1"), "{text}");
    }

    #[test]
    fn old_data_and_no_daemon_are_unknown() {
        let late = Timestamp::UNIX_EPOCH + SignedDuration::from_mins(16);
        assert_eq!(answer(&args(), &doc(ArrayState::Optimal, DiskState::Online), late).0.code(), UNKNOWN);
        assert_eq!(run(&args()).ok(), Some(UNKNOWN));
    }
}
