//! Judges captures without a daemon: a transcript in, conditions and a verdict out.
//!
//! The same adapters, host and diagnosis as the daemon's, with nothing remembered from before.

use jiff::{SignedDuration, Timestamp};
use raidmond_adapters::capture;
use raidmond_core::diagnose::{self, Condition, ConditionKind, Memory, Policy, Rates, Subject};
use raidmond_core::host::{Host, SourceKey, View};
use raidmond_core::observe::{Carry, Context, LogKind, Observation, Scanner, fold};
use raidmond_core::severity::Severity;
use raidmond_core::survey::{Answer, Asked, NoteKind, Poll, Reading, Transcript};

/// What one machine in a transcript amounts to after its last poll.
#[derive(Debug, Default)]
pub struct Assessment {
    pub host_name: Option<String>,
    pub host: Host,
    pub view: View,
    pub conditions: Vec<Condition>,
    pub observations: Vec<Observation>,
    pub unrecognised: Vec<Asked>,
    pub coverage: Vec<String>,
    pub verdict: Option<Severity>,
    memory: Memory,
    judged_anything: bool,
    logs_read: u64,
}

impl Assessment {
    pub fn verdict(&self) -> Severity {
        self.verdict.unwrap_or(Severity::Blind)
    }
}

/// One assessment per host named in the transcript, in order.
pub fn assess(transcript: &Transcript, start: Timestamp) -> Vec<Assessment> {
    let mut hosts: Vec<Assessment> = Vec::new();
    for poll in &transcript.polls {
        let same = hosts.iter().position(|h| h.host_name == poll.host);
        let index = same.unwrap_or_else(|| {
            hosts.push(Assessment { host_name: poll.host.clone(), ..Assessment::default() });
            hosts.len() - 1
        });
        take_poll(&mut hosts[index], poll, start);
    }
    hosts
}

/// The worst of several hosts.
pub fn worst(assessments: &[Assessment]) -> Severity {
    assessments.iter().map(Assessment::verdict).max().unwrap_or(Severity::Blind)
}

fn take_poll(host: &mut Assessment, poll: &Poll, start: Timestamp) {
    let now = start + SignedDuration::try_from_secs_f64(poll.seconds).unwrap_or_default();
    let (logs, answers): (Vec<&Answer>, Vec<&Answer>) =
        poll.answers.iter().partition(|a| matches!(a.asked, Asked::Log(_)));
    let answers: Vec<Answer> = answers.into_iter().cloned().collect();
    let captured = capture::read(&answers, &poll.known.clone().unwrap_or_default());
    host.unrecognised = captured.unrecognised;
    host.coverage.clear();
    for reading in &captured.readings {
        take_reading(host, reading, now);
    }
    host.view = host.host.view();
    for log in logs {
        take_log(host, log, now);
    }
    judge(host, now);
}

fn take_reading(host: &mut Assessment, reading: &Reading, now: Timestamp) {
    let key = SourceKey { family: reading.family.clone(), about: String::new() };
    host.host.apply(&key, reading, now);
    host.judged_anything |= !reading.bears_no_health() && reading.notes.iter().all(|n| n.kind != NoteKind::Mutation);
    host.coverage.extend(reading.coverage.iter().map(|(at, what)| {
        let what = format!("{what:?}").to_lowercase();
        if at.as_str().is_empty() { what } else { format!("{what} of {at}") }
    }));
    let view = host.host.view();
    host.memory.observe(&host.host, &view, &timeless(&reading.events), &Rates::new(), &reading.family, now);
    host.observations.extend(reading.events.iter().cloned());
}

fn take_log(host: &mut Assessment, log: &Answer, now: Timestamp) {
    let name = log.asked.path();
    // The built-in rules alone: they always compile.
    let Ok(scanner) = Scanner::new(LogKind::of_name(name), &[]) else { return };
    let context = Context { latest: Some(now), ..Context::default() };
    let scan = scanner.scan(&log.stdout, &context, &mut Carry::default());
    let seen = fold(scan.observations);
    host.logs_read += scan.counts.matched;
    host.memory.observe(&host.host, &host.view, &timeless(&seen), &Rates::new(), name, now);
    host.observations.extend(seen);
}

/// A captured log is judged as of its end, however old it is: dates only order and space its lines.
fn timeless(seen: &[Observation]) -> Vec<Observation> {
    let on_own_clock = |o: &Observation| {
        let seconds = o.at.map(|at| at.as_second() as f64);
        Observation { at: None, source_seconds: seconds.or(o.source_seconds), ..o.clone() }
    };
    seen.iter().map(on_own_clock).collect()
}

fn judge(host: &mut Assessment, now: Timestamp) {
    // A capture is all there will be: one failure is already blindness.
    let policy = Policy { blind_after: 1, ..Policy::default() };
    let (mut conditions, memory) = diagnose::diagnose(&host.host, &host.memory, &policy, now);
    host.memory = memory;
    if !host.judged_anything && host.logs_read == 0 && conditions.iter().all(|c| c.severity < Severity::Warning) {
        conditions.insert(0, nothing_to_judge(host));
    }
    host.verdict = Some(diagnose::verdict(&conditions));
    host.conditions = conditions;
}

fn nothing_to_judge(host: &Assessment) -> Condition {
    let names: Vec<String> = host.unrecognised.iter().map(ToString::to_string).collect();
    let said = match names.as_slice() {
        [] => "nothing to judge here".to_owned(),
        names => format!("nothing to judge here; not recognised: {}", names.join("; ")),
    };
    let subject = Subject::named("source", "capture");
    Condition::new(ConditionKind::NothingToJudge, Severity::Blind, subject, said)
}
