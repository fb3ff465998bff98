//! Conditions that rest on log lines and event-log entries.
//!
//! A line opens a condition; a later line that says the opposite, a covering look at the object after
//! the line, or a quiet period ends it. Data loss never ends by itself.

use super::owner::subject_of;
use super::{ConditionKind as K, Context, Memory, Subject};
use crate::host::{Host, View};
use crate::identity::ObjectId;
use crate::model::{Alias, ArrayState, DiskState, ObjectKind, Space};
use crate::observe::{Observation, Rate, Sign, rate_of};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the lines of one sign about one object amount to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogFact {
    pub sign: Sign,
    pub subject: Subject,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    pub count: u64,
    /// When each line came (seconds since the epoch, or on the source's clock), newest last; bounded.
    pub recent: Vec<f64>,
    /// A few lines to show.
    pub lines: Vec<String>,
    pub source: String,
    /// Fewer lines than this are nothing, by a rule of the admin's.
    #[serde(default)]
    pub rate: Option<Rate>,
}

/// Rates of the admin's own rules, by rule.
pub type Rates = BTreeMap<String, Rate>;

const RECENT_KEPT: usize = 32;
const LINES_KEPT: usize = 5;

impl Memory {
    /// Takes observations in. `source` names the log for people.
    pub fn observe(
        &mut self,
        host: &Host,
        view: &View,
        observations: &[Observation],
        rates: &Rates,
        source: &str,
        now: Timestamp,
    ) {
        for observation in observations {
            let subject = self.named_by_driver(subject_of(host, view, observation), observation);
            for ended in ends(observation.sign) {
                let same = |f: &LogFact| f.sign == *ended && f.subject.key == subject.key;
                self.logs.retain(|_, fact| !same(fact));
            }
            if kind_of(observation.sign, &subject, view).is_some() {
                self.add(observation, subject, rates, source, now);
            }
        }
    }

    /// A device that a RAID driver has spoken of is a logical drive, whatever other layers call it.
    fn named_by_driver(&mut self, mut subject: Subject, observation: &Observation) -> Subject {
        let by_raid_driver = observation.about.space.is_some_and(|s| !matches!(s, Space::Kernel | Space::Monitor));
        let addressed = observation.about.aliases.iter().any(|a| matches!(a, Alias::Hctl(_)));
        // Where the address is known to be a disk's, it is one.
        let disk = subject.kind == ObjectKind::Disk;
        if subject.id.is_none() && by_raid_driver && addressed && !disk {
            self.raid_devices.insert(subject.key.clone());
        }
        if self.raid_devices.contains(&subject.key) {
            subject.kind = ObjectKind::Array;
        }
        subject
    }

    /// Lines from before raidmond first looked: one fact per object, whatever they say, except that
    /// lost data is lost.
    pub fn observe_past(
        &mut self,
        host: &Host,
        view: &View,
        observations: &[Observation],
        source: &str,
        now: Timestamp,
    ) {
        for observation in observations {
            let subject = subject_of(host, view, observation);
            match kind_of(observation.sign, &subject, view) {
                Some(_) if observation.sign == Sign::DataLoss => {
                    self.add(observation, subject, &Rates::new(), source, now);
                }
                Some((_, repeated)) if repeated.default_severity().is_fault() => {
                    let key = subject.key.clone();
                    add(&mut self.past, key, observation, subject, source, now);
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, observation: &Observation, subject: Subject, rates: &Rates, source: &str, now: Timestamp) {
        let key = format!("{}/{:?}", subject.key, observation.sign);
        add(&mut self.logs, key.clone(), observation, subject, source, now);
        if let Some(fact) = self.logs.get_mut(&key) {
            fact.rate = rates.get(&observation.rule).copied();
        }
    }
}

fn add(
    facts: &mut BTreeMap<String, LogFact>,
    key: String,
    observation: &Observation,
    subject: Subject,
    source: &str,
    now: Timestamp,
) {
    let at = observation.at.unwrap_or(now).min(now);
    let fact = facts.entry(key).or_insert_with(|| LogFact {
        sign: observation.sign,
        subject,
        first_at: at,
        last_at: at,
        count: 0,
        recent: Vec::new(),
        lines: Vec::new(),
        source: source.to_owned(),
        rate: None,
    });
    fact.count += observation.count;
    fact.last_at = fact.last_at.max(at);
    fact.recent.push(observation.source_seconds.unwrap_or(at.as_second() as f64));
    let surplus = fact.recent.len().saturating_sub(RECENT_KEPT);
    fact.recent.drain(..surplus);
    if fact.lines.len() < LINES_KEPT {
        fact.lines.push(observation.said.clone());
    }
}

/// Signs that a line of this sign puts an end to.
fn ends(sign: Sign) -> &'static [Sign] {
    match sign {
        Sign::ArrayOptimal => &[Sign::ArrayDegraded, Sign::ArrayFailed, Sign::RebuildFailed],
        Sign::RebuildCompleted | Sign::RebuildStarted => &[Sign::RebuildFailed],
        Sign::CheckCompleted => &[Sign::CheckFailed],
        Sign::BatteryGood => &[Sign::BatteryFailed, Sign::BatteryWeak],
        Sign::WriteBackRestored => &[Sign::WriteBackLost],
        Sign::EnclosureOk => &[
            Sign::EnclosureFault,
            Sign::FanFailed,
            Sign::PowerSupplyFailed,
            Sign::TemperatureHigh,
            Sign::TemperatureCritical,
        ],
        Sign::DiskInserted => &[Sign::DiskMissing],
        _ => &[],
    }
}

pub(super) fn diagnose(cx: &mut Context<'_>) {
    forget_ended(cx);
    past(cx);
    let facts: Vec<LogFact> = cx.memory.logs.values().cloned().collect();
    for fact in facts {
        let Some((once, repeated)) = kind_of(fact.sign, &fact.subject, cx.view) else { continue };
        if fact.rate.is_some_and(|rate| !rate.reached(&fact.recent)) {
            continue;
        }
        let kind = if rate_of(fact.sign).is_none_or(|rate| rate.reached(&fact.recent)) { repeated } else { once };
        let times = if fact.count > 1 { format!(" ({} lines)", fact.count) } else { String::new() };
        let last = fact.lines.last().cloned().unwrap_or_default();
        let headline = format!("{}: {}{times}", fact.subject.name, sign_words(fact.sign));
        let mut condition = cx.condition(kind, fact.subject.clone(), headline);
        for line in fact.lines.iter().take(3) {
            condition = condition.because(fact.source.clone(), line.clone());
        }
        if fact.lines.is_empty() {
            condition = condition.because(fact.source.clone(), last);
        }
        cx.found.push(condition);
    }
}

/// One message per object about trouble found in old lines; over after a day.
fn past(cx: &mut Context<'_>) {
    let now = cx.now;
    cx.memory.past.retain(|_, fact| now.duration_since(fact.last_at) <= SignedDuration::from_hours(24));
    let found: Vec<LogFact> = cx.memory.past.values().cloned().collect();
    for fact in found {
        let headline =
            format!("{}: {} before raidmond watched ({} lines)", fact.subject.name, sign_words(fact.sign), fact.count);
        let mut condition = cx.condition(K::FoundInPast, fact.subject.clone(), headline);
        for line in &fact.lines {
            condition = condition.because(fact.source.clone(), line.clone());
        }
        cx.found.push(condition);
    }
}

fn forget_ended(cx: &mut Context<'_>) {
    let (view, policy, now) = (cx.view, cx.policy, cx.now);
    cx.memory.logs.retain(|_, fact| {
        let quiet = now.duration_since(fact.last_at) > quiet_period(fact.sign, policy.log_quiet);
        let mended = fact.subject.id.is_some_and(|id| shown_good(view, id, fact));
        fact.sign == Sign::DataLoss || !(quiet || mended)
    });
    // Data loss lives on among the conditions closed by hand.
    cx.memory.logs.retain(|_, fact| {
        fact.sign != Sign::DataLoss || now.duration_since(fact.last_at) <= SignedDuration::from_hours(24)
    });
}

fn quiet_period(sign: Sign, usual: SignedDuration) -> SignedDuration {
    match sign {
        Sign::Predictive | Sign::Inconsistency => usual * 7,
        _ => usual,
    }
}

/// A look at the object after the line shows that what the line said is not, or no longer, so.
fn shown_good(view: &View, id: ObjectId, fact: &LogFact) -> bool {
    let margin = SignedDuration::from_secs(2);
    if let Some(array) = view.array(id) {
        let good = array.facts.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal);
        let about_state =
            matches!(fact.sign, Sign::ArrayDegraded | Sign::ArrayFailed | Sign::RebuildFailed | Sign::DiskFailed);
        return about_state && good && array.at.duration_since(fact.last_at) > margin;
    }
    if let Some(disk) = view.disk(id) {
        let state = disk.facts.state.as_ref().map(|s| s.state);
        let good = matches!(
            state,
            Some(DiskState::Online | DiskState::HotSpare | DiskState::UnconfiguredGood | DiskState::Jbod)
        );
        let about_state =
            matches!(fact.sign, Sign::DiskFailed | Sign::DiskMissing | Sign::DeviceOffline | Sign::SpareFailed);
        return about_state && good && disk.at.duration_since(fact.last_at) > margin;
    }
    false
}

/// What one line, and what three within a day, amount to. `None`: nothing to open.
fn kind_of(sign: Sign, subject: &Subject, view: &View) -> Option<(K, K)> {
    let on_array = subject.kind == ObjectKind::Array || subject.id.is_some_and(|id| view.array(id).is_some());
    let same = |k: K| Some((k, k));
    match sign {
        Sign::IoError | Sign::MediumError | Sign::HardwareError if on_array => same(K::IoErrorsArray),
        Sign::IoError | Sign::MediumError | Sign::HardwareError => same(K::IoErrors),
        Sign::DeviceOffline if on_array => same(K::IoErrorsArray),
        Sign::DeviceOffline => same(K::DeviceOffline),
        Sign::Timeout => Some((K::Timeout, K::Timeouts)),
        Sign::LinkError => Some((K::LinkErrors, K::LinkErrorsRepeated)),
        Sign::Corrected => Some((K::CorrectedErrors, K::CorrectedErrorsRepeated)),
        Sign::ControllerReset => Some((K::ControllerReset, K::ControllerResets)),
        Sign::MemoryCorrectable => Some((K::MemoryCorrectable, K::MemoryCorrectableGrowing)),
        Sign::DataLoss => same(K::DataLoss),
        Sign::FilesystemError => same(K::FilesystemError),
        Sign::ArrayDegraded => same(K::LogArrayDegraded),
        Sign::ArrayFailed => same(K::LogArrayFailed),
        Sign::RebuildFailed => same(K::LogRebuildFailed),
        Sign::Inconsistency => same(K::Inconsistencies),
        Sign::CheckFailed => same(K::CheckFailed),
        Sign::DiskFailed | Sign::DiskMissing => same(K::LogDiskFailed),
        Sign::Predictive => same(K::LogDiskPredictive),
        Sign::SpareFailed => same(K::SpareFailed),
        Sign::ForeignConfiguration => same(K::ForeignConfiguration),
        Sign::BatteryFailed => same(K::BatteryFailed),
        Sign::BatteryWeak => same(K::BatteryWeak),
        Sign::WriteBackLost => same(K::WriteBackLost),
        Sign::ControllerFailed | Sign::ControllerFault => same(K::ControllerFailed),
        Sign::MemoryUncorrectable => same(K::MemoryUncorrectable),
        Sign::FanFailed | Sign::PowerSupplyFailed | Sign::EnclosureFault => same(K::PartFailed),
        Sign::TemperatureHigh => same(K::LogFault),
        Sign::TemperatureCritical => same(K::LogCriticalFault),
        Sign::UnspecifiedFault => same(K::LogFault),
        Sign::LearnCycle => same(K::BatteryLearning),
        Sign::DiskRemoved | Sign::DiskInserted | Sign::DiskChanged | Sign::SpareUsed => None,
        Sign::ArrayOptimal | Sign::RebuildStarted | Sign::RebuildCompleted | Sign::CheckStarted => None,
        Sign::CheckCompleted | Sign::OtherTask | Sign::BatteryGood | Sign::WriteBackRestored => None,
        Sign::EnclosureOk | Sign::Info | Sign::Benign => None,
    }
}

fn sign_words(sign: Sign) -> &'static str {
    match sign {
        Sign::IoError => "I/O errors in the log",
        Sign::MediumError => "medium errors in the log",
        Sign::HardwareError => "hardware errors in the log",
        Sign::Timeout => "commands timed out",
        Sign::LinkError => "link errors in the log",
        Sign::DeviceOffline => "taken offline by the kernel",
        Sign::DataLoss => "data was lost",
        Sign::Corrected => "errors were corrected",
        Sign::FilesystemError => "file system errors",
        Sign::ArrayDegraded => "reported degraded",
        Sign::ArrayFailed => "reported failed",
        Sign::RebuildFailed => "rebuild stopped short",
        Sign::Inconsistency => "inconsistencies found",
        Sign::CheckFailed => "check did not end well",
        Sign::DiskFailed => "disk reported failed",
        Sign::DiskMissing => "disk reported missing",
        Sign::Predictive => "failure predicted",
        Sign::SpareFailed => "hot spare failed",
        Sign::ForeignConfiguration => "foreign configuration",
        Sign::BatteryFailed => "battery failed",
        Sign::BatteryWeak => "battery wants attention",
        Sign::WriteBackLost => "write-back lost",
        Sign::ControllerReset => "controller reset",
        Sign::ControllerFailed => "controller failed",
        Sign::ControllerFault => "controller fault",
        Sign::MemoryUncorrectable => "uncorrectable memory error",
        Sign::MemoryCorrectable => "corrected memory errors",
        Sign::FanFailed => "fan failed",
        Sign::PowerSupplyFailed => "power supply failed",
        Sign::TemperatureHigh => "too warm",
        Sign::TemperatureCritical => "too hot",
        Sign::EnclosureFault => "enclosure fault",
        Sign::LearnCycle => "learn cycle",
        _ => "trouble in the log",
    }
}
