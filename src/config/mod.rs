//! The configuration: everything optional, all mistakes at once, each with its place.
//!
//! A file becomes [`toml`] with places (`sheet`), each section is read and checked by a function of its
//! own, and what nobody asked for is a mistake. The result is a [`Config`] that cannot be wrong in itself;
//! what only the machine can tell (a missing secret) is a warning. Sets up nothing but [`channels`].

pub mod channels;
mod checks;
mod expect;
mod hide;
mod logs;
mod mail;
mod others;
mod policy;
mod problem;
mod secrets;
mod sheet;
mod suggest;
mod values;
mod web;

#[cfg(test)]
mod tests;

pub use logs::LogConfig;
pub use mail::{MailConfig, Route};
pub use others::{DeadManConfig, ExecConfig, WebhookConfig};
pub use problem::{ConfigErrors, ConfigWarning};
pub use secrets::SecretSource;
pub use web::HttpConfig;

use crate::act::{Allowed, Permits};
use crate::history::HistoryConfig;
use jiff::tz::TimeZone;
use problem::{Basis, Problem, Weight};
use raidmond_core::checks::Checks;
use raidmond_core::diagnose::Policy;
use raidmond_core::incident::{ChannelSpec, Locator, Settings};
use raidmond_core::severity::Severity;
use secrets::Files;
use sheet::{Section, Sheet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;
use toml::de::DeTable;

pub const DEFAULT_PATH: &str = "/etc/raidmond/raidmond.toml";
/// Name of the channel that `[mail]` makes.
pub const MAIL: &str = "mail";

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Instead of the machine's own name.
    pub host_name: Option<String>,
    /// Instead of the machine's own.
    pub time_zone: Option<TimeZone>,
    pub poll_interval: Duration,
    pub state_dir: PathBuf,
    pub socket: PathBuf,
    pub mail: Option<MailConfig>,
    pub webhooks: Vec<WebhookConfig>,
    pub execs: Vec<ExecConfig>,
    pub dead_man: Option<DeadManConfig>,
    /// Weekday (1 Monday … 7 Sunday) and hour.
    pub digest: Option<(i8, i8)>,
    pub policy: Policy,
    pub logs: Vec<LogConfig>,
    pub tools: Tools,
    /// PCI addresses of controllers that are not watched.
    pub ignored_controllers: Vec<String>,
    /// What raidmond may do to arrays and disks at all.
    pub allow: Vec<Allowed>,
    pub history: HistoryConfig,
    /// `None`: only the socket.
    pub http: Option<HttpConfig>,
    pub checks: Checks,
    /// From the machine, not from the file: where mail goes when nothing is said.
    pub local_sendmail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// Looked through before the usual directories.
    pub search_path: Vec<PathBuf>,
    /// Families and tools that are never started.
    pub disabled: Vec<String>,
    /// Whether reading 3ware's alarms may take them away from other readers.
    pub tw_cli_consume_alarms: bool,
    /// For a usual question.
    pub time_limit: Duration,
}

impl Default for Tools {
    fn default() -> Self {
        let (search_path, disabled) = (Vec::new(), Vec::new());
        Self { search_path, disabled, tw_cli_consume_alarms: false, time_limit: Duration::from_secs(60) }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            host_name: None,
            time_zone: None,
            poll_interval: Duration::from_secs(60),
            state_dir: PathBuf::from("/var/lib/raidmond"),
            socket: PathBuf::from("/run/raidmond/raidmond.sock"),
            mail: None,
            webhooks: Vec::new(),
            execs: Vec::new(),
            dead_man: None,
            digest: Some(policy::DIGEST),
            policy: Policy::default(),
            logs: Vec::new(),
            tools: Tools::default(),
            ignored_controllers: Vec::new(),
            allow: Permits::default().allow,
            history: HistoryConfig::default(),
            http: None,
            checks: Checks::default(),
            local_sendmail: None,
        }
    }
}

impl Config {
    /// A file that is not there is an empty one: whoever was given its name asks first.
    pub fn load(path: &Path) -> Result<(Config, Vec<ConfigWarning>), ConfigErrors> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            other => other.map_err(|e| ConfigErrors::unreadable(path, &io_words(&e)))?,
        };
        let text = text_of(path, bytes)?;
        let (config, files, mut problems) = read(&text);
        problems.extend(files.examine(path));
        let (config, warnings) = finish(config, path, &text, problems)?;
        Ok((Config { local_sendmail: channels::local_sendmail(Path::new("/")), ..config }, warnings))
    }

    /// What the text alone says; the machine is not looked at.
    pub fn parse(text: &str, path: &Path) -> Result<(Config, Vec<ConfigWarning>), ConfigErrors> {
        let (config, _, problems) = read(text);
        finish(config, path, text, problems)
    }

    /// Nobody hears of anything, whatever happens.
    pub fn nobody_told(&self) -> bool {
        self.mail.is_none() && self.webhooks.is_empty() && self.execs.is_empty() && self.local_sendmail.is_none()
    }

    pub fn host_name(&self) -> String {
        self.host_name.clone().unwrap_or_else(machine_name)
    }

    pub fn settings(&self, host_name: &str, channels: Vec<ChannelSpec>, locator: Locator) -> Settings {
        Settings {
            host_name: host_name.to_owned(),
            time_zone: self.time_zone.clone().unwrap_or_else(TimeZone::system),
            channels,
            policy: self.policy.clone(),
            digest: self.digest,
            drill: false,
            locator,
            checks: Checks { stale_after: stale_after(self.poll_interval), ..self.checks.clone() },
            ability: std::sync::Arc::new(crate::act::able),
        }
    }
}

/// A few looks may fail before what was read counts as old.
fn stale_after(poll_interval: Duration) -> jiff::SignedDuration {
    let looks = jiff::SignedDuration::try_from(poll_interval * 5).unwrap_or_default();
    looks.max(Checks::default().stale_after)
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, ConfigErrors> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let problem = Problem::error("this is not UTF-8", at..at, "save the file as UTF-8");
        ConfigErrors::new(path, &text, &[problem])
    })
}

fn finish(
    config: Config,
    path: &Path,
    text: &str,
    mut problems: Vec<Problem>,
) -> Result<(Config, Vec<ConfigWarning>), ConfigErrors> {
    problems.sort_by_key(|p| (p.at.start, p.at.end));
    match problems.iter().any(|p| p.weight == Weight::Error) {
        true => Err(ConfigErrors::new(path, text, &problems)),
        false => Ok((config, problem::warnings(path, text, &problems))),
    }
}

fn read(text: &str) -> (Config, Files, Vec<Problem>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let sheet = Sheet::default();
    let mut files = Files::default();
    let config = top(Section::new("", 0..0, table.get_ref(), &sheet), &mut files);
    let syntax: Vec<Problem> = errors.iter().map(|e| syntax_error(e, text)).collect();
    let mut problems = sheet.take();
    problems.retain(|p| can_be_believed(p, &syntax, text));
    problems.extend(syntax);
    (config, files, problems)
}

fn syntax_error(error: &toml::de::Error, text: &str) -> Problem {
    let at = error.span().unwrap_or(text.len()..text.len());
    let (what, hint) = error.message().split_once(", ").unwrap_or((error.message(), ""));
    let hint = match what {
        "duplicate key" => "it is there already",
        "string values must be quoted" => "write \"…\"",
        _ => hint,
    };
    Problem::error(what, at, hint)
}

/// Where the shape of the file is broken, much of what follows from it is no second mistake.
fn can_be_believed(problem: &Problem, syntax: &[Problem], text: &str) -> bool {
    let after = syntax.iter().any(|s| s.at.start < problem.at.start);
    match problem.rests_on {
        Basis::Missing => syntax.is_empty(),
        Basis::Unknown if after => false,
        _ => !syntax.iter().any(|s| same_line(text, s, problem)),
    }
}

fn same_line(text: &str, a: &Problem, b: &Problem) -> bool {
    let line = |p: &Problem| text.get(..p.at.start).map_or(0, |before| before.matches('\n').count());
    line(a) == line(b)
}

fn top(section: Section, files: &mut Files) -> Config {
    let usual = Config::default();
    let mut names = others::Names::default();
    let poll = Duration::from_secs(1)..=Duration::from_secs(86_400);
    let path = "a path: \"/…\"";
    let mut policy = section.section("limits", "[limits]").map_or(usual.policy, policy::limits);
    policy.expectations = expect::read(section.sections("expect", "[[expect]]"));
    policy.overrides = section.section("severity", "[severity]").map(policy::severities).unwrap_or_default();
    let config = Config {
        host_name: section.parsed("host-name", "a host name", values::host_name).map(Spanned::into_inner),
        time_zone: time_zone(&section),
        poll_interval: section.duration("poll-interval", poll).unwrap_or(usual.poll_interval),
        state_dir: section.parsed("state-dir", path, values::path).map_or(usual.state_dir, Spanned::into_inner),
        socket: section.parsed("socket", path, values::path).map_or(usual.socket, Spanned::into_inner),
        mail: section.section("mail", "[mail]").map(|s| mail::read(s, files)),
        webhooks: several(&section, "webhook", "[[webhook]]", |s| others::webhook(s, files, &mut names)),
        execs: several(&section, "exec", "[[exec]]", |s| others::exec(s, files, &mut names)),
        dead_man: section.section("dead-man", "[dead-man]").and_then(|s| others::dead_man(s, files)),
        digest: section.section("digest", "[digest]").map_or(usual.digest, policy::digest),
        policy,
        logs: logs::read(section.sections("log", "[[log]]")),
        tools: section.section("tools", "[tools]").map_or(usual.tools, tools),
        ignored_controllers: section.section("controllers", "[controllers]").map(controllers).unwrap_or_default(),
        checks: section.section("checks", "[checks]").map_or(usual.checks, checks::read),
        allow: section.section("actions", "[actions]").map_or(usual.allow, policy::actions),
        history: section.section("history", "[history]").map_or(usual.history, web::history),
        http: section.section("http", "[http]").and_then(|s| web::http(s, files)),
        local_sendmail: None,
    };
    only_the_worst(&section, &config);
    section.finish();
    config
}

/// One more array that lost its redundancy is critical: a channel that waits for worse does not carry it.
fn only_the_worst(section: &Section, config: &Config) {
    let mail = config.mail.iter().map(|m| m.min_severity);
    let others = config.webhooks.iter().map(|h| h.min_severity).chain(config.execs.iter().map(|e| e.min_severity));
    if mail.chain(others).min() == Some(Severity::Emergency) {
        let at = ["mail", "webhook", "exec"].into_iter().find_map(|key| section.place(key)).unwrap_or(0..0);
        let what = "every channel waits for emergencies: nobody hears of a degraded array (critical)";
        section.sheet.note(Problem::warning(what, at, "give one channel min-severity = \"warning\""));
    }
}

/// A machine without a time zone database cannot tell a good name from a bad one.
fn time_zone(section: &Section) -> Option<TimeZone> {
    let name = section.text("time-zone")?;
    if TimeZone::get(name.get_ref()).is_err() && jiff::tz::db().is_definitively_empty() {
        let what = "this machine has no time zone database (package tzdata)";
        section.sheet.note(Problem::warning(what, name.span(), "times are shown in UTC"));
        return None;
    }
    section.understand(&name, values::time_zone).map(Spanned::into_inner)
}

fn several<'a, T>(
    section: &Section<'a>,
    key: &'static str,
    name: &'static str,
    read: impl FnMut(Section<'a>) -> Option<T>,
) -> Vec<T> {
    section.sections(key, name).into_iter().filter_map(read).collect()
}

fn tools(section: Section) -> Tools {
    let time_limit = section.duration("time-limit", Duration::from_secs(2)..=Duration::from_secs(3600));
    let tools = Tools {
        search_path: section.each("search-path", "\"/opt/MegaRAID/storcli\"", values::path),
        disabled: section.each("disabled", "\"megacli\"", tool),
        tw_cli_consume_alarms: section.flag("tw-cli-consume-alarms").unwrap_or(false),
        time_limit: time_limit.unwrap_or(Tools::default().time_limit),
    };
    section.finish();
    tools
}

/// A family or one of its tools, as raidmond names it.
fn tool(text: &str) -> Result<String, values::Wrong> {
    let adapters = raidmond_adapters::registry::ADAPTERS.iter();
    let mut words: Vec<&str> = adapters.clone().map(|a| a.family()).collect();
    words.extend(adapters.flat_map(|a| a.tools()).flat_map(|t| t.names).copied());
    match words.contains(&text) {
        true => Ok(text.to_owned()),
        false => values::one_of(text, "tool", &words).map(|i| words.get(i).copied().unwrap_or(text).to_owned()),
    }
}

fn controllers(section: Section) -> Vec<String> {
    let ignored = section.each("ignore", "\"0000:05:00.0\"", values::pci_address);
    section.finish();
    ignored
}

/// A duration as the configuration writes it, for the command line.
pub fn duration(text: &str) -> Result<Duration, String> {
    values::duration(text).map_err(|wrong| format!("{}: {}", wrong.what, wrong.hint))
}

fn machine_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() || name == "(none)" { "localhost".to_owned() } else { name }
}

/// An I/O error without Rust's "(os error 2)".
fn io_words(error: &std::io::Error) -> String {
    plain_words(&error.to_string().to_lowercase())
}

fn plain_words(text: &str) -> String {
    match text.find(" (os error") {
        Some(end) => text.get(..end).unwrap_or(text).to_owned(),
        None => text.to_owned(),
    }
}
