//! The numbers Prometheus reads, from what the daemon has published. A few hundred lines of text are all that
//! OpenMetrics asks for, so there is no library between the document and its form.
//!
//! Nothing old is given as current: an object that was not read again in time has no numbers, a daemon whose
//! loop does not go round says no more than that. Which limits matter is for rules (`contrib/prometheus`).

use super::status::{Asking, SourceDoc, StatusDoc};
use super::wire::{ArrayDoc, DiskDoc};
use jiff::{SignedDuration, Timestamp};
use raidmond_core::severity::Severity;
use std::fmt::Write;

/// For a file whose daemon does not answer.
pub const SILENT: &str =
    "# HELP raidmond_up Whether the daemon answers and goes round.\n# TYPE raidmond_up gauge\nraidmond_up 0\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    OpenMetrics,
    /// The older text form, which the textfile collector reads, too.
    Plain,
}

impl Form {
    pub fn content_type(self) -> &'static str {
        match self {
            Form::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Form::Plain => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// A loop that has not gone round for so long has stopped.
const STUCK: SignedDuration = SignedDuration::from_mins(5);
/// Beside three rests, for a tool that takes its time.
const SLACK: f64 = 120.0;

const ARRAY_STATES: [&str; 8] =
    ["optimal", "degraded", "partly-degraded", "rebuilding", "initialising", "failed", "inactive", "unknown"];
const DISK_STATES: [&str; 16] = [
    "online",
    "failed",
    "missing",
    "offline",
    "rebuilding",
    "copying-back",
    "hot-spare",
    "unconfigured-good",
    "unconfigured-bad",
    "jbod",
    "foreign",
    "spun-down",
    "busy",
    "empty",
    "unknown",
    "not-read",
];
const VERDICTS: [&str; 5] = ["ok", "warning", "blind", "critical", "emergency"];

pub fn text(doc: &StatusDoc, now: Timestamp, form: Form) -> String {
    let mut page = Page { text: String::new(), form };
    let up = now.duration_since(doc.written_at) < STUCK && !doc.instance.is_empty();
    page.gauge("up", "Whether the daemon answers and goes round.", [(vec![], truth(up))]);
    let version = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
    page.info("build", "The version that runs.", [version]);
    if up {
        itself(&mut page, doc, now);
        channels(&mut page, doc, now);
        sources(&mut page, doc, now);
        let fresh = Fresh { doc, now };
        controllers(&mut page, &fresh);
        arrays(&mut page, &fresh);
        disks(&mut page, &fresh);
        caches(&mut page, &fresh);
        tasks(&mut page, &fresh);
    }
    if form == Form::OpenMetrics {
        page.text.push_str("# EOF\n");
    }
    page.text
}

type Labels = Vec<(&'static str, String)>;

struct Page {
    text: String,
    form: Form,
}

impl Page {
    fn gauge(&mut self, name: &str, help: &str, rows: impl IntoIterator<Item = (Labels, f64)>) {
        self.family(name, "", "gauge", help, rows);
    }

    fn counter(&mut self, name: &str, help: &str, rows: impl IntoIterator<Item = (Labels, f64)>) {
        self.family(name, "_total", "counter", help, rows);
    }

    fn info(&mut self, name: &str, help: &str, rows: impl IntoIterator<Item = Labels>) {
        let kind = if self.form == Form::OpenMetrics { "info" } else { "gauge" };
        self.family(name, "_info", kind, help, rows.into_iter().map(|labels| (labels, 1.0)));
    }

    /// OpenMetrics names the family without its suffix, the older form with it.
    fn family(
        &mut self,
        name: &str,
        suffix: &str,
        kind: &str,
        help: &str,
        rows: impl IntoIterator<Item = (Labels, f64)>,
    ) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return;
        }
        let family = if self.form == Form::OpenMetrics { name.to_owned() } else { format!("{name}{suffix}") };
        let help = escaped(help);
        // Writing to a String cannot fail.
        let _ = write!(self.text, "# HELP raidmond_{family} {help}\n# TYPE raidmond_{family} {kind}\n");
        let mut seen = std::collections::BTreeSet::new();
        for (labels, value) in rows {
            let words: Vec<String> = labels.iter().map(|(k, v)| format!("{k}=\"{}\"", escaped(v))).collect();
            let labels = if words.is_empty() { String::new() } else { format!("{{{}}}", words.join(",")) };
            // Twice the same series and nothing of the page is taken.
            if seen.insert(labels.clone()) {
                let _ = writeln!(self.text, "raidmond_{name}{suffix}{labels} {value}");
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn one_of(words: &[&'static str], now: &str, labels: &Labels) -> Vec<(Labels, f64)> {
    let row = |word: &&'static str| {
        let labels = labels.iter().cloned().chain([("state", (*word).to_owned())]).collect();
        (labels, truth(*word == now))
    };
    words.iter().map(row).collect()
}

fn seconds(at: Timestamp) -> f64 {
    at.as_millisecond() as f64 / 1000.0
}

fn itself(page: &mut Page, doc: &StatusDoc, now: Timestamp) {
    let verdicts = VERDICTS.iter().map(|v| (vec![("verdict", (*v).to_owned())], truth(doc.verdict == *v)));
    page.gauge("verdict", "What raidmond status says of this host.", verdicts);
    let nobody = truth(doc.nobody_told.is_some());
    page.gauge("nobody_told", "1: there is nobody to tell.", [(vec![], nobody)]);
    let open = |s: &Severity| {
        let count = doc.incidents.iter().filter(|i| i.closed_at.is_none() && i.severity == s.word()).count();
        (vec![("severity", s.word().to_owned())], count as f64)
    };
    page.gauge("incidents", "Open incidents.", Severity::ALL.iter().filter(|s| s.word() != "ok").map(open));
    let condition = |c: &super::wire::ConditionDoc| {
        let words = [("kind", &c.kind), ("severity", &c.severity), ("object", &c.subject)];
        (words.map(|(k, v)| (k, v.clone())).to_vec(), 1.0)
    };
    page.gauge("condition", "What is the matter, by kind of condition.", doc.conditions.iter().map(condition));
    let quiet = truth(doc.maintenance_until.is_some_and(|until| until > now));
    page.gauge("maintenance", "1: somebody works on the machine.", [(vec![], quiet)]);
}

fn channels(page: &mut Page, doc: &StatusDoc, now: Timestamp) {
    let all = || doc.channels.iter();
    let of = |c: &super::status::ChannelDoc| vec![("channel", c.name.clone())];
    page.gauge("outbox_pending", "Messages on their way.", all().map(|c| (of(c), c.waiting as f64)));
    let oldest = |c: &super::status::ChannelDoc| {
        (of(c), c.oldest.map_or(0.0, |at| now.duration_since(at).as_secs_f64().max(0.0)))
    };
    page.gauge("outbox_oldest_seconds", "Age of the oldest of them.", all().map(oldest));
    let failing = |c: &super::status::ChannelDoc| (of(c), truth(c.failing_since.is_some()));
    page.gauge("channel_failing", "1: messages do not get through.", all().map(failing));
    page.counter("deliveries", "Messages accepted since the daemon began.", all().map(|c| (of(c), c.accepted as f64)));
    page.counter(
        "delivery_failures",
        "Attempts that failed since the daemon began.",
        all().map(|c| (of(c), c.failures as f64)),
    );
}

fn sources(page: &mut Page, doc: &StatusDoc, now: Timestamp) {
    let of = |s: &SourceDoc| vec![("source", s.name.clone())];
    let asked = || doc.watching.iter().filter_map(|s| Some((s, s.asking.as_ref()?)));
    let up = |s: &SourceDoc| truth(is_current(s, now));
    page.gauge(
        "source_up",
        "Whether the source was read as expected, lately.",
        doc.watching.iter().map(|s| (of(s), up(s))),
    );
    let last = doc.watching.iter().filter_map(|s| Some((of(s), seconds(s.at?))));
    page.gauge("last_success_timestamp_seconds", "When the source last told something.", last);
    page.gauge("poll_duration_seconds", "What the last look took.", asked().map(|(s, a)| (of(s), a.took_seconds)));
    page.gauge("poll_interval_seconds", "Rest until the next look.", asked().map(|(s, a)| (of(s), a.every_seconds)));
    page.counter("polls", "Looks since the daemon began.", asked().map(|(s, a)| (of(s), a.looks as f64)));
    page.counter("cli_failures", "Looks that told nothing.", asked().map(|(s, a)| (of(s), a.failed as f64)));
    page.gauge(
        "unknown_values",
        "Words of the last answer that are not understood.",
        asked().map(|(s, a)| (of(s), a.unknown_words as f64)),
    );
}

fn is_current(source: &SourceDoc, now: Timestamp) -> bool {
    match source.state.as_str() {
        "live" => true,
        "read" => source.at.is_some_and(|at| age(at, now) < patience(source.asking.as_ref())),
        _ => false,
    }
}

fn age(at: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(at).as_secs_f64()
}

fn patience(asking: Option<&Asking>) -> f64 {
    3.0 * asking.map_or(60.0, |a| a.every_seconds) + SLACK
}

/// What was read again in time.
struct Fresh<'a> {
    doc: &'a StatusDoc,
    now: Timestamp,
}

impl Fresh<'_> {
    fn is(&self, name: &str, read_at: &str, families: &[String]) -> bool {
        let Ok(at) = read_at.parse::<Timestamp>() else { return false };
        age(at, self.now) < self.patience(name, families)
    }

    /// That of the slowest of its sources.
    fn patience(&self, name: &str, families: &[String]) -> f64 {
        let root = root(name);
        let speaks = |s: &&SourceDoc| {
            let (family, about) = s.name.split_once(' ').unwrap_or((&s.name, ""));
            families.iter().any(|f| f == family) && (about.is_empty() || about == root)
        };
        let mine = self.doc.watching.iter().filter(speaks).filter(|s| s.asking.is_some());
        // A family's discovery rests long; its controllers are what was read.
        let of_root: Vec<&SourceDoc> = mine.clone().filter(|s| s.name.ends_with(&format!(" {root}"))).collect();
        let chosen = if of_root.is_empty() { mine.collect() } else { of_root };
        chosen.iter().map(|s| patience(s.asking.as_ref())).fold(patience(None), f64::max)
    }

    fn arrays(&self) -> impl Iterator<Item = &ArrayDoc> {
        self.doc.objects.arrays.iter().filter(|a| self.is(&a.name, &a.read_at, &a.sources))
    }

    fn disks(&self) -> impl Iterator<Item = &DiskDoc> {
        self.doc.objects.disks.iter().filter(|d| self.is(&d.name, &d.read_at, &d.sources))
    }
}

/// `c0` of `c0/32:5`; with its numbering space, where two have the same.
fn root(name: &str) -> &str {
    let first = name.split('/').next().unwrap_or(name);
    first.rsplit(':').next().unwrap_or(first)
}

fn controller_of(name: &str) -> String {
    name.split('/').next().unwrap_or(name).to_owned()
}

fn controllers(page: &mut Page, fresh: &Fresh) {
    let all = || fresh.doc.objects.controllers.iter();
    let is = |c: &&super::wire::ControllerDoc| fresh.is(&c.name, &c.read_at, &c.sources);
    let of = |c: &super::wire::ControllerDoc| vec![("controller", c.name.clone())];
    let info = |c: &super::wire::ControllerDoc| {
        let words = [("model", &c.model), ("serial", &c.serial), ("firmware", &c.firmware), ("driver", &c.driver)];
        of(c).into_iter().chain(words.map(|(k, v)| (k, v.clone().unwrap_or_default()))).collect()
    };
    page.info("controller", "What controller it is.", all().filter(is).map(info));
    page.gauge("controller_up", "Whether it was read, lately.", all().map(|c| (of(c), truth(is(&c)))));
    let degrees = all().filter(is).filter_map(|c| Some((of(c), c.temperature_celsius? as f64)));
    page.gauge("controller_temperature_celsius", "Temperature of the controller.", degrees);
    let memory = all().filter(is).flat_map(|c| {
        let kinds = [("correctable", c.memory_correctable_errors), ("uncorrectable", c.memory_uncorrectable_errors)];
        let row = move |(kind, n): (&str, Option<u64>)| {
            Some((vec![("controller", c.name.clone()), ("kind", kind.to_owned())], n? as f64))
        };
        kinds.into_iter().filter_map(row)
    });
    page.counter("controller_memory_errors", "Errors of the controller's memory.", memory);
    let spares = all().filter(is).map(|c| {
        let mine = fresh.disks().filter(|d| controller_of(&d.name) == c.name && d.hot_spare);
        let ready =
            mine.filter(|d| d.state.as_ref().is_some_and(|s| matches!(s.state.as_str(), "hot-spare" | "spun-down")));
        (of(c), ready.count() as f64)
    });
    page.gauge("spares", "Hot spares that are ready.", spares);
    let expected = fresh.doc.spares_expected.iter().map(|(c, n)| (vec![("controller", c.clone())], f64::from(*n)));
    page.gauge("spares_expected", "Hot spares it has had.", expected);
}

fn arrays(page: &mut Page, fresh: &Fresh) {
    let of = |a: &ArrayDoc| vec![("controller", controller_of(&a.name)), ("vd", a.name.clone())];
    let info = |a: &ArrayDoc| {
        let words = [("name", &a.label), ("level", &a.level), ("device", &a.device)];
        of(a).into_iter().chain(words.map(|(k, v)| (k, v.clone().unwrap_or_default()))).collect()
    };
    page.info("virtual_drive", "What array it is.", fresh.arrays().map(info));
    let states = fresh.arrays().flat_map(|a| {
        let word = a.state.as_ref().map_or("unknown", |s| s.state.as_str());
        one_of(&ARRAY_STATES, word, &of(a))
    });
    page.gauge("virtual_drive_state", "1 for the state it is in.", states);
    let size = fresh.arrays().filter_map(|a| Some((of(a), a.size_bytes? as f64)));
    page.gauge("virtual_drive_size_bytes", "Its size.", size);
    let left = fresh.arrays().filter_map(|a| Some((of(a), f64::from(a.redundancy_left?))));
    page.gauge("redundancy_remaining", "Further disks it can lose now.", left);
    let built = fresh.arrays().filter_map(|a| Some((of(a), f64::from(a.redundancy_built?))));
    page.gauge("redundancy_built", "Disks it can lose when whole.", built);
    let differ = fresh.arrays().filter_map(|a| Some((of(a), a.inconsistencies? as f64)));
    page.gauge("consistency_check_inconsistencies", "Found by the last completed check.", differ);
    let fallback = fresh.arrays().map(|a| {
        let mut mine = fresh.doc.conditions.iter().filter(|c| c.subject == a.name);
        (of(a), truth(mine.any(|c| matches!(c.kind.as_str(), "write-back-lost" | "write-back-paused"))))
    });
    page.gauge("cache_write_through_fallback", "1: write-back is configured and not in force.", fallback);
}

fn disks(page: &mut Page, fresh: &Fresh) {
    let of = |d: &DiskDoc| {
        let words = [("enclosure", &d.enclosure), ("slot", &d.slot), ("serial", &d.serial)];
        let words = words.map(|(k, v)| (k, v.clone().unwrap_or_default()));
        [("controller", controller_of(&d.name)), ("disk", d.name.clone())].into_iter().chain(words).collect::<Labels>()
    };
    let info = |d: &DiskDoc| {
        let words = [("model", &d.model), ("vd", &d.array)].map(|(k, v)| (k, v.clone().unwrap_or_default()));
        of(d).into_iter().chain(words).collect()
    };
    page.info("physical_drive", "What disk it is.", fresh.disks().map(info));
    let states = fresh.disks().flat_map(|d| {
        let word = d.state.as_ref().map_or("not-read", |s| s.state.as_str());
        one_of(&DISK_STATES, word, &of(d))
    });
    page.gauge("physical_drive_state", "1 for the state it is in.", states);
    let errors = fresh.disks().flat_map(|d| {
        let kinds = [
            ("media", d.media_errors),
            ("other", d.other_errors),
            ("predictive", d.predictive_errors),
            ("reallocated", d.reallocated_sectors),
            ("link", d.link_errors),
            ("timeout", d.timeouts),
        ];
        let row = move |(kind, n): (&str, Option<u64>)| {
            let labels = of(d).into_iter().chain([("kind", kind.to_owned())]).collect();
            Some((labels, n? as f64))
        };
        kinds.into_iter().filter_map(row)
    });
    page.counter("physical_drive_errors", "What the disk or its controller has counted.", errors);
    let degrees = fresh.disks().filter_map(|d| Some((of(d), d.temperature_celsius? as f64)));
    page.gauge("physical_drive_temperature_celsius", "Temperature of the disk.", degrees);
    let predicted = fresh.disks().filter_map(|d| Some((of(d), truth(d.predictive?))));
    page.gauge("physical_drive_failure_predicted", "1: it predicts that it will fail soon.", predicted);
}

fn caches(page: &mut Page, fresh: &Fresh) {
    let fitted = |c: &&super::wire::CacheDoc| c.state.as_ref().is_none_or(|s| s.state != "not-fitted");
    let all = || {
        let caches = fresh.doc.objects.caches.iter();
        caches.filter(fitted).filter(|c| fresh.is(&c.name, &c.read_at, &c.sources))
    };
    let of = |c: &super::wire::CacheDoc| vec![("controller", controller_of(&c.name)), ("battery", c.name.clone())];
    let healthy = |c: &super::wire::CacheDoc| {
        let good = c.state.as_ref().is_some_and(|s| matches!(s.state.as_str(), "optimal" | "charging" | "learning"));
        (of(c), truth(good && c.replace != Some(true)))
    };
    page.gauge("battery_healthy", "1: the battery or capacitor is well, charging or learning.", all().map(healthy));
    let charge = all().filter_map(|c| Some((of(c), c.charge_percent? as f64 / 100.0)));
    page.gauge("battery_charge_ratio", "Its charge, 0 to 1.", charge);
    let degrees = all().filter_map(|c| Some((of(c), c.temperature_celsius? as f64)));
    page.gauge("battery_temperature_celsius", "Its temperature.", degrees);
}

/// Tasks of objects that were read in time.
fn tasks(page: &mut Page, fresh: &Fresh) {
    let o = &fresh.doc.objects;
    let arrays = fresh.arrays().map(|a| a.name.as_str());
    let disks = fresh.disks().map(|d| d.name.as_str());
    let controllers =
        o.controllers.iter().filter(|c| fresh.is(&c.name, &c.read_at, &c.sources)).map(|c| c.name.as_str());
    let current: Vec<&str> = arrays.chain(disks).chain(controllers).collect();
    let all = || o.tasks.iter().filter(|t| current.contains(&t.on.as_str()));
    let of = |t: &super::wire::TaskDoc| {
        vec![("controller", controller_of(&t.on)), ("object", t.on.clone()), ("task", t.kind.clone())]
    };
    let progress = all().filter_map(|t| Some((of(t), t.percent? / 100.0)));
    page.gauge("task_progress_ratio", "How far a rebuild, check or other task is, 0 to 1.", progress);
    let rebuilds = all().filter(|t| t.kind == "rebuild").filter_map(|t| Some((of(t), t.percent? / 100.0)));
    page.gauge("rebuild_progress_ratio", "How far a rebuild is, 0 to 1.", rebuilds);
    let left = all().filter_map(|t| Some((of(t), t.seconds_left? as f64)));
    page.gauge("task_remaining_seconds", "What the controller expects a task to take yet.", left);
}

#[cfg(test)]
mod tests;
