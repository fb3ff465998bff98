//! Conditions that rest on log lines and event-log entries.
//!
//! A line opens a condition; a later line that says the opposite, a covering look at the object after
//! the line, or a quiet period ends it. Data loss never ends by itself.

use super::owner::subject_of;
use super::{Condition, ConditionKind as K, Context, Memory, Subject, redundancy};
use crate::checks;
use crate::host::{Host, View};
use crate::model::{Alias, ArrayState, CacheState, DiskState, Level, ObjectKind, Space};
use crate::observe::{About, Observation, Rate, Sign, rate_of};
use crate::severity::Severity;
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
    /// A few lines to show, each with its source.
    pub lines: Vec<(String, String)>,
    /// The object was seen reduced meanwhile: errors like these belong to that, and end with it.
    #[serde(default)]
    pub explained: bool,
    /// Fewer lines than this are nothing, by a rule of the admin's.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// When raidmond came to know it; old lines tell of an earlier time.
    pub heard_at: Timestamp,
    /// What the last line named; where it could not be placed yet, a later reading may.
    #[serde(default)]
    pub about: About,
}

/// Rates of the admin's own rules, by rule.
pub type Rates = BTreeMap<String, Rate>;

const RECENT_KEPT: usize = 32;
const LINES_KEPT: usize = 5;
const IO_QUIET: SignedDuration = SignedDuration::from_hours(1);
const PAST_TOLD: SignedDuration = SignedDuration::from_hours(24);

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
            let subject = battery_of(view, subject, observation.sign);
            for ended in ends(observation.sign) {
                let same = |f: &LogFact| f.sign == *ended && f.subject.key == subject.key;
                self.logs.retain(|_, fact| !same(fact));
            }
            let explained = checks::hear(self, view, &subject, observation, now);
            if !explained && kind_of(observation.sign, &subject, view).is_some() {
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
            let subject = battery_of(view, subject_of(host, view, observation), observation.sign);
            self.past.retain(|_, fact| fact.subject.key != subject.key || !ends(observation.sign).contains(&fact.sign));
            match kind_of(observation.sign, &subject, view) {
                Some(_) if observation.sign == Sign::DataLoss => {
                    self.add(observation, subject, &Rates::new(), source, now);
                }
                Some((_, repeated)) if repeated.default_severity().is_fault() => {
                    add(&mut self.past, key_of(&subject, observation.sign), observation, subject, source, now);
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, observation: &Observation, subject: Subject, rates: &Rates, source: &str, now: Timestamp) {
        let key = key_of(&subject, observation.sign);
        add(&mut self.logs, key.clone(), observation, subject, source, now);
        if let Some(fact) = self.logs.get_mut(&key) {
            fact.rate = rates.get(&observation.rule).copied();
        }
    }

    /// Facts whose object was not known when the line came and is now: (old subject, new subject).
    pub fn place_facts(&mut self, host: &Host, view: &View) -> Vec<(Subject, Subject)> {
        let mut moved = Vec::new();
        for fact in self.logs.values_mut().chain(self.past.values_mut()).filter(|f| f.subject.id.is_none()) {
            let subject = subject_of(host, view, &fact.as_observation());
            if subject.id.is_some() {
                moved.push((std::mem::replace(&mut fact.subject, subject.clone()), subject));
            }
        }
        if !moved.is_empty() {
            rekey(&mut self.logs);
            rekey(&mut self.past);
        }
        moved
    }

    /// Whether this condition stands on log lines and nothing else.
    pub fn rests_on_lines(&self, condition: &Condition, view: &View) -> bool {
        self.logs.values().any(|fact| fact.is_of(condition, view))
    }

    pub(super) fn forget_lines(&mut self, condition: &Condition, view: &View) {
        self.logs.retain(|_, fact| !fact.is_of(condition, view));
    }

    /// Lines about an object that turned out to be another.
    pub(super) fn merge_lines(&mut self, into: &Subject, from: &str) {
        for fact in self.logs.values_mut().chain(self.past.values_mut()).filter(|f| f.subject.key == from) {
            fact.subject = into.clone();
        }
        rekey(&mut self.logs);
        rekey(&mut self.past);
    }
}

impl LogFact {
    fn is_of(&self, condition: &Condition, view: &View) -> bool {
        let kinds = kind_of(self.sign, &self.subject, view);
        self.subject.key == condition.subject.key
            && kinds.is_some_and(|(once, repeated)| [once, repeated].contains(&condition.kind))
    }

    /// What the lines amount to, by how many there are within how long.
    fn kind(&self, view: &View) -> Option<K> {
        let (once, repeated) = kind_of(self.sign, &self.subject, view)?;
        Some(if rate_of(self.sign).is_none_or(|rate| rate.reached(&self.recent)) { repeated } else { once })
    }

    fn as_observation(&self) -> Observation {
        let mut observation = Observation::new(self.sign, "", "");
        observation.about = self.about.clone();
        observation
    }
}

/// Lines about a battery name the controller; where it has just one, they are about that.
fn battery_of(view: &View, subject: Subject, sign: Sign) -> Subject {
    let of_battery = matches!(sign, Sign::BatteryFailed | Sign::BatteryWeak | Sign::BatteryGood | Sign::LearnCycle);
    let mut mine = view.caches.iter().filter(|c| of_battery && c.parent.is_some() && c.parent == subject.id);
    match (mine.next(), mine.next()) {
        (Some(only), None) => Subject::object(only.id, ObjectKind::Cache, &only.name),
        _ => subject,
    }
}

fn key_of(subject: &Subject, sign: Sign) -> String {
    format!("{}/{sign:?}", subject.key)
}

fn rekey(facts: &mut BTreeMap<String, LogFact>) {
    for (_, fact) in std::mem::take(facts) {
        match facts.get_mut(&key_of(&fact.subject, fact.sign)) {
            Some(twin) => twin.join(fact),
            None => drop(facts.insert(key_of(&fact.subject, fact.sign), fact)),
        }
    }
}

impl LogFact {
    fn join(&mut self, other: LogFact) {
        self.first_at = self.first_at.min(other.first_at);
        self.last_at = self.last_at.max(other.last_at);
        self.heard_at = self.heard_at.max(other.heard_at);
        self.count += other.count;
        self.recent.extend(other.recent);
        self.lines.extend(other.lines);
        self.lines.truncate(LINES_KEPT);
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
        explained: false,
        rate: None,
        heard_at: now,
        about: observation.about.clone(),
    });
    fact.count += observation.count;
    fact.first_at = fact.first_at.min(at);
    fact.last_at = fact.last_at.max(at);
    fact.heard_at = now;
    fact.recent.push(observation.source_seconds.unwrap_or(at.as_second() as f64));
    let surplus = fact.recent.len().saturating_sub(RECENT_KEPT);
    fact.recent.drain(..surplus);
    if fact.lines.len() < LINES_KEPT {
        fact.lines.push((source.to_owned(), observation.said.clone()));
    }
}

/// Signs that a line of this sign puts an end to.
fn ends(sign: Sign) -> &'static [Sign] {
    match sign {
        Sign::ArrayOptimal => &[Sign::ArrayDegraded, Sign::ArrayFailed, Sign::RebuildFailed],
        Sign::RebuildCompleted => &[Sign::RebuildFailed, Sign::DiskFailed, Sign::DiskMissing],
        Sign::RebuildStarted => &[Sign::RebuildFailed],
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
        let Some(kind) = fact.kind(cx.view) else { continue };
        if fact.rate.is_some_and(|rate| !rate.reached(&fact.recent)) {
            continue;
        }
        let times = if fact.count > 1 { format!(" ({} lines)", fact.count) } else { String::new() };
        let headline = format!("{}: {}{times}", name_of(cx.view, &fact.subject), sign_words(fact.sign));
        let mut condition = cx.condition(kind, fact.subject.clone(), headline);
        if fact.explained {
            condition.severity = Severity::Info;
        }
        for (source, line) in fact.lines.iter().take(3) {
            condition = condition.because_at(source, line, fact.first_at);
        }
        cx.found.push(condition);
    }
}

/// As other conditions call it.
fn name_of(view: &View, subject: &Subject) -> String {
    let array = subject.id.and_then(|id| view.array(id)).map(|a| view.array_label(a));
    let disk = subject.id.and_then(|id| view.disk(id)).map(|d| format!("disk {}", view.disk_label(&d.name)));
    array.or(disk).unwrap_or_else(|| subject.name.clone())
}

/// One message per object about trouble found in old lines; over a day after it was found.
fn past(cx: &mut Context<'_>) {
    let (view, now) = (cx.view, cx.now);
    let is_over = |fact: &LogFact| fact.overtaken(view) || fact.is_history(view);
    cx.memory.past.retain(|_, fact| now.duration_since(fact.heard_at) <= PAST_TOLD && !is_over(fact));
    let mut by_subject: BTreeMap<String, Vec<LogFact>> = BTreeMap::new();
    for fact in cx.memory.past.values().filter(|f| f.is_trouble(view)) {
        by_subject.entry(fact.subject.key.clone()).or_default().push(fact.clone());
    }
    for facts in by_subject.into_values() {
        let Some(first) = facts.first() else { continue };
        let words: Vec<&str> = facts.iter().map(|f| sign_words(f.sign)).collect();
        let name = name_of(cx.view, &first.subject);
        let headline = format!("{name}: {}, in old log lines", words.join(", ").replace(" in the log", ""));
        let mut condition = cx.condition(K::FoundInPast, first.subject.clone(), headline);
        for fact in &facts {
            condition =
                fact.lines.iter().fold(condition, |c, (source, line)| c.because_at(source, line, fact.first_at));
        }
        cx.found.push(condition);
    }
}

fn forget_ended(cx: &mut Context<'_>) {
    let (view, policy, now) = (cx.view, cx.policy, cx.now);
    let since = cx.memory.since.clone();
    cx.memory.logs.retain(|_, fact| {
        // After the clock was set back.
        fact.last_at = fact.last_at.min(now);
        fact.heard_at = fact.heard_at.min(now);
        // Data loss lives on among the conditions closed by hand.
        if fact.sign == Sign::DataLoss {
            return now.duration_since(fact.heard_at) <= PAST_TOLD;
        }
        let reduced_since = since.get(&format!("{}/reduced", fact.subject.key)).copied().unwrap_or(now);
        fact.explained = fact.is_explained(view, reduced_since) || (fact.explained && fact.last_at <= reduced_since);
        let quiet = now.duration_since(fact.last_at) > quiet_period(fact.sign, policy.log_quiet);
        !quiet && !fact.overtaken(view)
    });
}

fn quiet_period(sign: Sign, usual: SignedDuration) -> SignedDuration {
    match sign {
        Sign::Predictive | Sign::Inconsistency => usual * 7,
        _ => usual,
    }
}

impl LogFact {
    fn is_of_io(&self) -> bool {
        matches!(self.sign, Sign::IoError | Sign::MediumError | Sign::HardwareError | Sign::DeviceOffline)
    }

    /// Too few lines of a sign that needs several are as little trouble in the past as they are now.
    fn is_trouble(&self, view: &View) -> bool {
        self.kind(view).is_some_and(|kind| kind.default_severity().is_fault())
    }

    /// I/O errors of an array around the time when it lost a member. Later ones are news.
    fn is_explained(&self, view: &View, reduced_since: Timestamp) -> bool {
        let array = self.subject.id.and_then(|id| view.array(id)).filter(|_| self.is_of_io());
        let reduced = array.is_some_and(|a| redundancy(view, a).reduced());
        reduced && self.last_at.duration_since(reduced_since) <= SignedDuration::from_secs(60)
    }

    /// Of old lines: a later look shows the object in order, so what they tell is over. Errors of a disk's
    /// surface are not over because it is in service.
    fn is_history(&self, view: &View) -> bool {
        let later = |at: Timestamp| at.duration_since(self.last_at) > SignedDuration::from_secs(2);
        let Some(id) = self.subject.id else { return false };
        if let Some(array) = view.array(id) {
            let optimal = array.facts.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal);
            return later(array.at) && optimal && !redundancy(view, array).reduced();
        }
        if let Some(cache) = view.caches.iter().find(|c| c.id == id) {
            return later(cache.at) && cache.facts.state.as_ref().is_some_and(|s| s.state == CacheState::Optimal);
        }
        let Some(disk) = view.disk(id) else { return false };
        let predicted = disk.facts.predictive.as_ref().map(|p| p.state);
        let no_longer = self.sign == Sign::Predictive && predicted == Some(false);
        no_longer && later(disk.at) && disk.facts.state.as_ref().is_some_and(|s| is_good(s.state))
    }

    /// A look at the object after the line shows its state, good or bad: from then on the look counts.
    fn overtaken(&self, view: &View) -> bool {
        let later = |at: Timestamp| at.duration_since(self.last_at) > SignedDuration::from_secs(2);
        let Some(id) = self.subject.id else { return false };
        if let Some(array) = view.array(id) {
            let known = array.facts.state.as_ref().is_some_and(|s| s.state != ArrayState::Unknown);
            let of_state =
                matches!(self.sign, Sign::ArrayDegraded | Sign::ArrayFailed | Sign::RebuildFailed | Sign::DiskFailed);
            let optimal = array.facts.state.as_ref().is_some_and(|s| s.state == ArrayState::Optimal);
            // A healthy word alone is no proof that reads succeed again: an hour without errors is.
            let for_long = array.at.duration_since(self.last_at) > IO_QUIET;
            let io_over = self.is_of_io() && optimal && (self.explained || for_long);
            return (of_state && known && later(array.at)) || (io_over && later(array.at));
        }
        if let Some(cache) = view.caches.iter().find(|c| c.id == id) {
            let known = cache.facts.state.as_ref().is_some_and(|s| s.state != CacheState::Unknown);
            let of_state = matches!(self.sign, Sign::BatteryFailed | Sign::BatteryWeak | Sign::LearnCycle);
            return of_state && known && later(cache.at);
        }
        let Some(disk) = view.disk(id) else { return false };
        let of_state = matches!(self.sign, Sign::DiskFailed | Sign::DiskMissing | Sign::SpareFailed);
        // The controller's word on the disk does not say that the kernel's device is back, or a rebuild runs.
        let of_good = matches!(self.sign, Sign::DeviceOffline | Sign::RebuildFailed);
        let state = disk.facts.state.as_ref().map(|s| s.state);
        let known = state.is_some_and(|s| s != DiskState::Unknown);
        later(disk.at) && ((of_state && known) || (of_good && state.is_some_and(is_good)))
    }
}

fn is_good(state: DiskState) -> bool {
    matches!(state, DiskState::Online | DiskState::HotSpare | DiskState::UnconfiguredGood | DiskState::Jbod)
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
        Sign::Inconsistency => same(inconsistency_of(subject, view)),
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

/// Mirrors are known to differ where it does not matter.
fn inconsistency_of(subject: &Subject, view: &View) -> K {
    let level = subject.id.and_then(|id| view.array(id)).and_then(|a| a.facts.level);
    if level.is_some_and(Level::is_mirror) { K::MirrorMismatches } else { K::Inconsistencies }
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
        Sign::ArrayDegraded => "reported degraded in the log",
        Sign::ArrayFailed => "reported failed in the log",
        Sign::RebuildFailed => "rebuild stopped short",
        Sign::Inconsistency => "inconsistencies found",
        Sign::CheckFailed => "check did not end well",
        Sign::DiskFailed => "reported failed in the log",
        Sign::DiskMissing => "reported missing in the log",
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
