//! Watched logs: bytes to observations, and what it means when a log cannot be read.

use super::Places;
use super::inbox::Heard;
use super::itself::fact;
use super::poller::Polls;
use super::setup::{LogSource, Setup};
use crate::serve::status::SourceDoc;
use crate::watch::{self, Blindness, Event, SourceCursor};
use jiff::{SignedDuration, Timestamp};
use raidmond_core::diagnose::{ConditionKind, Rates};
use raidmond_core::incident::{Input, State};
use raidmond_core::observe::{Carry, Context, LogKind, Observation, Scanner};
use raidmond_core::tail::{KernelRecord, Line};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The source of `/dev/kmsg`.
pub const KERNEL: &str = "kernel";
/// Old lines are history only when they are no older than this.
const HOLD_BACK: Duration = Duration::from_secs(20);
const LOOK_BACK: SignedDuration = SignedDuration::from_hours(24);

/// Lines are held back until `go`: read after the first round of polls they find the objects they speak of.
pub fn start(places: &Places, setup: &Setup, state: &State, go: oneshot::Receiver<()>, inbox: mpsc::Sender<Heard>) {
    let (send, mut events) = mpsc::channel(watch::EVENTS_IN_FLIGHT);
    let cursor = |name: &str| state.cursors.get(name).and_then(|c| serde_json::from_str::<SourceCursor>(c).ok());
    watch::kernel(&places.root, KERNEL, cursor(KERNEL), send.clone());
    let files = watch::Files::new(&places.root, send);
    for log in &setup.logs {
        let at = match cursor(&log.name) {
            Some(SourceCursor::File(cursor)) => Some(cursor),
            _ => None,
        };
        files.add(&log.name, &log.path, at);
    }
    tokio::task::spawn_local(async move {
        // Dropping `files` would end the readers.
        let _files = files;
        // Longest wait; a daemon that is stopping drops the other end.
        drop(tokio::time::timeout(HOLD_BACK, go).await);
        while let Some(event) = events.recv().await {
            if inbox.send(Heard::Log(Box::new(event))).await.is_err() {
                break;
            }
        }
    });
}

/// One scanner a log, with what it carries from batch to batch.
pub struct Scanners {
    sources: BTreeMap<String, Source>,
}

struct Source {
    scanner: Option<Scanner>,
    carry: Carry,
    kind: LogKind,
    found: bool,
    /// It was read once, in this life or an earlier one: from then on it is expected.
    known: bool,
    state: &'static str,
    said: Option<String>,
}

impl Scanners {
    /// `read_before` are the sources that an earlier life has read.
    pub fn new<'a>(logs: &[LogSource], read_before: impl Iterator<Item = &'a String>) -> Self {
        let mut scanners = Self { sources: BTreeMap::new() };
        scanners.reload(logs);
        for name in read_before {
            if let Some(source) = scanners.sources.get_mut(name) {
                source.known = true;
            }
        }
        scanners
    }

    pub fn reload(&mut self, logs: &[LogSource]) {
        self.add(KERNEL, LogKind::Kernel, &[], false);
        for log in logs {
            self.add(&log.name, log.kind, &log.rules, log.found);
        }
    }

    fn add(&mut self, name: &str, kind: LogKind, rules: &[raidmond_core::observe::UserRule], found: bool) {
        // Rules were checked with the configuration.
        let scanner = Scanner::new(kind, rules).ok();
        let fresh = || Source {
            scanner: None,
            carry: Carry::default(),
            kind,
            found,
            known: false,
            state: "not read yet",
            said: None,
        };
        // What a quiet log showed before still holds under new rules.
        let source = self.sources.entry(name.to_owned()).or_insert_with(fresh);
        (source.scanner, source.kind, source.found) = (scanner, kind, found);
    }

    /// What the engine should hear of an event.
    pub fn inputs(&mut self, event: Event, now: Timestamp) -> Vec<Input> {
        match event {
            Event::Lines { source, lines, cursor } => self.lines(source, &lines, &cursor, now),
            Event::Records { source, records, cursor } => self.records(source, &records, &cursor, now),
            Event::Gap { source, gap, cursor } => {
                tracing::warn!("{source}: some lines were lost ({:?})", gap.cause);
                vec![input(source, Vec::new(), Rates::new(), Some(&cursor), false)]
            }
            Event::Blind { source, why } => self.blind(source, &why),
            Event::Sees { source } => self.sees(source),
        }
    }

    fn lines(&mut self, source: String, lines: &[Line], cursor: &SourceCursor, now: Timestamp) -> Vec<Input> {
        let (old, new): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|l| l.past);
        let buffer =
            |lines: &[&Line]| lines.iter().flat_map(|l| [l.bytes.as_slice(), b"\n"]).collect::<Vec<_>>().concat();
        let mut inputs = Vec::new();
        if !old.is_empty() {
            let recent = |o: &Observation| o.at.is_none_or(|at| now.duration_since(at) <= LOOK_BACK);
            let (mut seen, rates) = self.scan(&source, &buffer(&old), now);
            seen.retain(recent);
            inputs.push(input(source.clone(), seen, rates, None, true));
        }
        let (seen, rates) = self.scan(&source, &buffer(&new), now);
        inputs.push(input(source, seen, rates, Some(cursor), false));
        inputs
    }

    fn records(
        &mut self,
        source: String,
        records: &[KernelRecord],
        cursor: &SourceCursor,
        now: Timestamp,
    ) -> Vec<Input> {
        let uptime = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        let uptime = SignedDuration::new(uptime.tv_sec, 0);
        let mut inputs = Vec::new();
        for past in [true, false] {
            // Facility 0 is the kernel itself; others write into its log too.
            let text: String = records.iter().filter(|r| r.past == past && r.facility == 0).map(kernel_lines).collect();
            let (mut seen, rates) = self.scan(&source, text.as_bytes(), now);
            for observation in &mut seen {
                let since_boot = observation.source_seconds.map(|s| SignedDuration::from_secs(s as i64));
                observation.at = since_boot.map(|s| (now - (uptime - s)).min(now)).or(observation.at);
            }
            if past && !seen.is_empty() {
                inputs.push(input(source.clone(), seen, rates, None, true));
            } else if !past {
                inputs.push(input(source.clone(), seen, rates, Some(cursor), false));
            }
        }
        inputs
    }

    fn scan(&mut self, source: &str, buffer: &[u8], now: Timestamp) -> (Vec<Observation>, Rates) {
        let Some(known) = self.sources.get_mut(source) else { return Default::default() };
        let Some(scanner) = &known.scanner else { return Default::default() };
        let context = Context { latest: Some(now), zone: jiff::tz::TimeZone::system() };
        let scan = scanner.scan(buffer, &context, &mut known.carry);
        let user = scan.observations.iter().filter(|o| o.rule.starts_with("user:"));
        let rates = user.filter_map(|o| scanner.rate(o).map(|r| (o.rule.clone(), r))).collect();
        (scan.observations, rates)
    }

    fn blind(&mut self, source: String, why: &Blindness) -> Vec<Input> {
        let said = match why {
            Blindness::Absent => "the log is not there".to_owned(),
            Blindness::DirectoryGone => "the directory of the log is gone".to_owned(),
            Blindness::Denied => "the log may not be read (run raidmond as root)".to_owned(),
            Blindness::Unreadable(said) => format!("the log cannot be read: {said}"),
        };
        let Some(known) = self.sources.get_mut(&source) else { return Vec::new() };
        (known.state, known.said) = ("blind", Some(said.clone()));
        let absent = matches!(why, Blindness::Absent | Blindness::DirectoryGone);
        // A log that was never configured and never there is simply not there.
        if known.found && absent && !known.known {
            return Vec::new();
        }
        let remedy = match (absent, known.found) {
            (true, true) => {
                "Start what writes it. If nothing writes it any more, an empty file in its place ends this."
            }
            (true, false) => "Start what writes it, or take its [[log]] out of the configuration.",
            (false, _) => "raidmond doctor says how to mend it",
        };
        let fact = fact(ConditionKind::LogBlind, &source, format!("{source}: {said}"), Some(remedy));
        vec![Input::Monitor { key: format!("log {source}"), fact: Some(fact) }]
    }

    fn sees(&mut self, source: String) -> Vec<Input> {
        if let Some(known) = self.sources.get_mut(&source) {
            (known.state, known.said, known.known) = ("live", None, true);
        }
        vec![Input::Monitor { key: format!("log {source}"), fact: None }]
    }

    /// Logs and unread tools, for the status screen.
    pub fn sources(&self, polls: &Polls) -> Vec<SourceDoc> {
        let log = |(name, s): (&String, &Source)| {
            let shown =
                if name == KERNEL || s.kind != LogKind::Kernel { name.clone() } else { format!("{name} (kernel)") };
            SourceDoc { name: shown, state: s.state.to_owned(), at: None, said: s.said.clone(), asking: None }
        };
        let there = self.sources.iter().filter(|(_, s)| !s.found || s.known);
        polls.unread().into_iter().chain(there.map(log)).collect()
    }
}

/// A record as dmesg prints it, with the device the driver names.
fn kernel_lines(record: &KernelRecord) -> String {
    let seconds = record.since_boot.as_secs_f64();
    let device = record.device.as_deref().map(|d| format!(" DEVICE={d}\n")).unwrap_or_default();
    let lines: String = record.text.lines().map(|line| format!("[{seconds:12.6}] {line}\n")).collect();
    format!("{lines}{device}")
}

fn input(
    source: String,
    observations: Vec<Observation>,
    rates: Rates,
    cursor: Option<&SourceCursor>,
    past: bool,
) -> Input {
    let cursor = cursor.and_then(|c| serde_json::to_string(c).ok());
    Input::Observations { source, observations, rates, cursor, past }
}
