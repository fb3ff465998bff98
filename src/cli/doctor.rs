//! `raidmond doctor`: what is watched by what and how fresh, how long trouble may go unnoticed, every
//! blind spot with the next step, missing rights, other monitors.
//!
//! Works without a daemon: then it says what would be watched. It asks no controller anything.

use super::Problem;
use super::paint::{Paint, columns, visible};
use super::place::Place;
use super::problem::io_words;
use super::status;
use crate::clock;
use crate::config::{Config, DEFAULT_PATH, channels};
use crate::discover::{self, Found, Inventory, OtherMonitor, Replaced, Right, Via, Watch};
use crate::poll;
use crate::serve::status::StatusDoc;
use jiff::{SignedDuration, Timestamp};
use raidmond_core::severity::Severity;
use raidmond_core::survey::Freshness;
use raidmond_core::tell::duration;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// What other monitors of this machine do, and what raidmond replaces
    #[arg(long)]
    others: bool,
    /// Look at the machine whose /proc, /sys and tools are below DIR
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
    /// Configuration of the daemon
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    #[command(flatten)]
    place: Place,
}

/// What configuration and daemon know; the defaults stand for "not configured, no daemon".
#[derive(Debug, Clone)]
pub struct Context {
    /// Why nobody would be told; `None`: somebody would.
    pub nobody_told: Option<String>,
    /// What looks wrong in the configuration.
    pub cautions: Vec<String>,
    /// A dead-man URL is set.
    pub dead_man: bool,
    /// Mail leaves through a local MTA, whose later losses nobody reports.
    pub local_mta: bool,
    pub poll_every: SignedDuration,
    pub tool_dirs: Vec<PathBuf>,
    pub status: Option<StatusDoc>,
    /// Configured logs that cannot be read, with the reason.
    pub dark_logs: Vec<(PathBuf, String)>,
    /// Vendor tools refuse whoever is not root.
    pub may_ask: bool,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            nobody_told: None,
            cautions: Vec::new(),
            dead_man: false,
            local_mta: false,
            poll_every: SignedDuration::from_secs(60),
            tool_dirs: Vec::new(),
            status: None,
            dark_logs: Vec::new(),
            may_ask: true,
        }
    }
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    if !args.root.is_dir() {
        let help = "--root takes the directory that stands for / of the machine";
        return Err(Problem::usage(format!("{} is not a directory", args.root.display()), help));
    }
    let (config, warnings) = super::config::with_warnings(&args.config)?;
    let mut context = Context::of(&config);
    context.cautions = warnings.iter().map(|w| w.headline().to_owned()).collect();
    context.dark_logs = dark_logs(&args.root, &config);
    context.may_ask = args.root != Path::new("/") || rustix::process::geteuid().is_root();
    let inventory = discover::discover(&args.root, &context.tool_dirs);
    let context = with_daemon(args, &context);
    let report = report(&inventory, &context, clock::now());
    if args.json {
        let text = serde_json::to_string_pretty(&report);
        say!("{}", text.map_err(|e| Problem::failed(format!("cannot write JSON: {e}")))?);
    } else {
        say_part!("{}", text(&report, args.others, Paint::detect()));
    }
    Ok(report.verdict().exit_code())
}

impl Context {
    fn of(config: &Config) -> Self {
        let (_, _, broken) = channels::channels(config);
        let nobody = config.nobody_told().then(|| crate::daemon::NOBODY.to_owned());
        let all_broken = !broken.is_empty() && broken.len() == channels::channels(config).0.len();
        let no_way = || all_broken.then(|| broken.iter().map(|b| b.why.clone()).collect::<Vec<_>>().join("; "));
        Self {
            nobody_told: nobody.or_else(no_way),
            dead_man: config.dead_man.is_some(),
            local_mta: channels::mail_route(config)
                .is_some_and(|route| route.starts_with('/') || route.contains("localhost")),
            poll_every: SignedDuration::try_from(config.poll_interval).unwrap_or(SignedDuration::from_mins(1)),
            tool_dirs: config.tools.search_path.clone(),
            ..Self::default()
        }
    }
}

/// Logs of the configuration that cannot be opened below `root`.
fn dark_logs(root: &Path, config: &Config) -> Vec<(PathBuf, String)> {
    let why = |path: &Path| {
        let below = root.join(path.strip_prefix("/").unwrap_or(path));
        std::fs::File::open(below).err().map(|e| format!("the log cannot be read: {}", io_words(&e)))
    };
    config.logs.iter().filter_map(|log| Some((log.path.clone(), why(&log.path)?))).collect()
}

/// What is on a machine, a line each, for `raidmond setup`.
pub fn found(root: &std::path::Path) -> Vec<String> {
    let inventory = discover::discover(root, &[]);
    let report = report(&inventory, &Context::default(), clock::now());
    let rows = report.controllers.iter().chain(&report.software).map(|row| {
        let said = match row.state {
            "watched" => format!("watched {}", row.said),
            "blind" | "refused" => {
                format!("BLIND: {}{}", row.said, row.next.as_deref().map(|n| format!(" ({n})")).unwrap_or_default())
            }
            _ => row.said.clone(),
        };
        vec!["found".to_owned(), visible(&row.name), visible(&said)]
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        rows.push(vec!["found".to_owned(), "no RAID controller and no array".to_owned()]);
    }
    if !report.others.is_empty() {
        let names: Vec<String> = report.others.iter().map(|o| o.name.clone()).collect();
        let said = "they mail too; what raidmond replaces: raidmond doctor --others".to_owned();
        rows.push(vec!["also".to_owned(), format!("{} run here", names.join(", ")), said]);
    }
    columns(&rows)
}

/// What a running daemon says of itself, whatever the configuration given here says; its last state file speaks for no daemon.
fn with_daemon(args: &Args, context: &Context) -> Context {
    let mut context = context.clone();
    if let (None, Ok((status, false))) = (&context.status, status::fetch(&args.place)) {
        context.nobody_told.clone_from(&status.nobody_told);
        context
            .cautions
            .extend(status.cautions.iter().filter(|c| !context.cautions.contains(c)).cloned().collect::<Vec<_>>());
        context.status = Some(status);
    }
    context
}

/// The document of `doctor --json`.
#[derive(Debug, Serialize)]
pub struct Report {
    pub version: u32,
    pub nobody_told: Option<String>,
    pub daemon: bool,
    pub controllers: Vec<Row>,
    /// Software RAID arrays.
    pub software: Vec<Row>,
    /// Logs and conversations that are blind or fail.
    pub sources: Vec<Row>,
    pub notice: Vec<Source>,
    pub rights: Vec<Right>,
    pub others: Vec<OtherMonitor>,
    /// What looks wrong in the configuration.
    pub cautions: Vec<String>,
    pub hints: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Row {
    pub name: String,
    /// "watched", "plain", "blind", "refused".
    pub state: &'static str,
    pub said: String,
    pub next: Option<String>,
}

/// A source with the longest time trouble may go unnoticed.
#[derive(Debug, Serialize)]
pub struct Source {
    pub name: String,
    pub at_worst: String,
}

impl Report {
    pub fn blind(&self) -> usize {
        let rows = self.controllers.iter().chain(&self.software).chain(&self.sources);
        rows.filter(|r| matches!(r.state, "blind" | "refused")).count()
    }

    pub fn verdict(&self) -> Severity {
        match (self.blind(), &self.nobody_told) {
            (1.., _) => Severity::Blind,
            (0, Some(_)) => Severity::Warning,
            (0, None) => Severity::Ok,
        }
    }
}

pub fn report(inventory: &Inventory, context: &Context, now: Timestamp) -> Report {
    Report {
        version: 1,
        nobody_told: context.nobody_told.clone(),
        daemon: context.status.is_some(),
        controllers: inventory.controllers.iter().map(|c| controller(c, context, now)).collect(),
        software: software(inventory),
        sources: dark_sources(context),
        notice: notice(inventory, context),
        rights: inventory.rights.clone(),
        others: inventory.others.clone(),
        cautions: context.cautions.clone(),
        hints: hints(context),
    }
}

fn controller(found: &Found, context: &Context, now: Timestamp) -> Row {
    let (state, said, next) = match &found.watch {
        Watch::Watched { by }
            if context.status.is_none() && !context.may_ask && by.iter().all(|v| v.tool.is_some()) =>
        {
            (
                "refused",
                format!("its tool refuses whoever is not root ({})", watched(by, context, now)),
                Some("start the daemon (systemctl start raidmond), or: sudo raidmond doctor".to_owned()),
            )
        }
        Watch::Watched { by } => ("watched", watched(by, context, now), None),
        Watch::Plain { why } => ("plain", why.clone(), None),
        Watch::Blind { why, remedy } => ("blind", why.clone(), Some(remedy.clone())),
        Watch::Refused { why, remedy } => ("refused", why.clone(), Some(remedy.clone())),
    };
    Row { name: found.title(), state, said, next }
}

fn watched(by: &[Via], context: &Context, now: Timestamp) -> String {
    let via = |via: &Via| {
        let through = via.tool.as_deref().unwrap_or("the driver's files in /proc");
        match freshness(via.family, context, now) {
            Some(fresh) => format!("{through} ({fresh})"),
            None => through.to_owned(),
        }
    };
    format!("through {}", by.iter().map(via).collect::<Vec<_>>().join(" and "))
}

/// Sources the daemon says it does not see through; without a daemon, configured logs it would not.
fn dark_sources(context: &Context) -> Vec<Row> {
    let row = |name: &str, said: String, next: &str| Row {
        name: name.to_owned(),
        state: "blind",
        said,
        next: Some(next.to_owned()),
    };
    let log = "make the log readable for raidmond, or take its [[log]] out of the configuration";
    let tool = "raidmond probe --explain shows what the tool answers";
    let Some(status) = &context.status else {
        return context.dark_logs.iter().map(|(path, why)| row(&path.to_string_lossy(), why.clone(), log)).collect();
    };
    let dark = status.watching.iter().filter(|s| matches!(s.state.as_str(), "blind" | "failing"));
    dark.map(|s| {
        let said = s.said.clone().unwrap_or_else(|| s.state.clone());
        let next = match (s.state.as_str(), s.name.as_str()) {
            ("failing", _) => tool,
            (_, "kernel") => "run raidmond as root, where /dev/kmsg can be read",
            _ => log,
        };
        row(&s.name, said, next)
    })
    .collect()
}

/// Of the oldest conversation about a controller of this family, or else of its discovery, which is rarer;
/// nothing without a daemon.
fn freshness(family: &str, context: &Context, now: Timestamp) -> Option<String> {
    let status = context.status.as_ref()?;
    let is_ours = |name: &str| name.split(' ').next() == Some(family);
    let sources: Vec<_> = status.watching.iter().filter(|s| is_ours(&s.name)).collect();
    if let Some(bad) = sources.iter().find(|s| s.state != "read") {
        return Some(format!("{}: {}", bad.state, bad.said.as_deref().unwrap_or("no answer")));
    }
    let controllers = sources.iter().filter(|s| s.name.contains(' ')).filter_map(|s| s.at).min();
    match controllers.or_else(|| sources.iter().filter_map(|s| s.at).min()) {
        Some(at) => Some(format!("read {} ago", duration(now.duration_since(at)))),
        None => Some("not read yet".to_owned()),
    }
}

fn software(inventory: &Inventory) -> Vec<Row> {
    let reads_md = inventory.software.contains(&"md");
    let row = |name: String| {
        let (state, said) = match reads_md {
            true => ("watched", "through the kernel".to_owned()),
            false => ("blind", "its state is not read; only what the kernel log says of it is seen".to_owned()),
        };
        let next = (!reads_md).then(|| "keep mdadm --monitor running".to_owned());
        Row { name, state, said, next }
    };
    inventory.md().map(|b| row(b.name.clone())).collect()
}

/// The poll's deadline for one question that hangs.
const DEADLINE: SignedDuration = SignedDuration::from_secs(60);

fn notice(inventory: &Inventory, context: &Context) -> Vec<Source> {
    let at_worst = |freshness: Freshness| {
        let shelf = poll::shelf_life(freshness).and_then(|d| SignedDuration::try_from(d).ok()).unwrap_or_default();
        duration(shelf + context.poll_every + DEADLINE)
    };
    let mut sources = Vec::new();
    for talk in poll::talks(inventory, |_| false) {
        let name = spoken_to(inventory, &talk);
        let blind = inventory.blind().any(|c| talk.adapter.drivers().contains(&c.driver()));
        let (states, counters) = (at_worst(Freshness::Fast), at_worst(Freshness::Slow));
        let words = match blind {
            true => format!("{states} for the card itself; never for arrays and disks of a blind spot"),
            false => format!("{states} for states, {counters} for counters, batteries, enclosures"),
        };
        sources.push(Source { name, at_worst: words });
    }
    let live = inventory.rights.iter().any(|r| r.what == "/dev/kmsg" && r.ok);
    let words = if live { "at once" } else { "not readable live: when a log file shows it" };
    sources.push(Source { name: "kernel log".to_owned(), at_worst: words.to_owned() });
    sources
}

/// The tool, or the family where the driver's files are read.
fn spoken_to(inventory: &Inventory, talk: &poll::Talk) -> String {
    let by_files = inventory.controllers.iter().any(|c| match &c.watch {
        Watch::Watched { by } => by.contains(&Via { family: talk.family(), tool: None }),
        _ => false,
    });
    match &talk.tool {
        Some(tool) if !by_files && talk.adapter.watches_without_card().is_none() => tool.name.clone(),
        _ => talk.family().to_owned(),
    }
}

fn hints(context: &Context) -> Vec<String> {
    let mut hints = Vec::new();
    if !context.dead_man {
        let relay = "a mail the local MTA took and a relay lost later cannot be seen from here";
        let gone = "nobody is told when this machine or raidmond itself is gone";
        let why = if context.local_mta { relay } else { gone };
        hints.push(format!("{why}; set a dead-man URL in the configuration"));
    }
    hints
}

pub fn text(report: &Report, others: bool, paint: Paint) -> String {
    let mut lines = Vec::new();
    if let Some(why) = &report.nobody_told {
        lines.push(paint.red(&format!("NOBODY WILL BE TOLD: {}", visible(why))));
    }
    lines.push(summary(report, paint));
    if !report.daemon {
        lines.push("no daemon answers: this is what would be watched".to_owned());
    }
    let cautions = report.cautions.iter().map(|c| paint.yellow(&visible(c))).collect();
    section(&mut lines, "CONFIGURATION", cautions);
    section(&mut lines, "CONTROLLERS", rows(&report.controllers, paint));
    section(&mut lines, "SOFTWARE RAID", rows(&report.software, paint));
    let notice = report.notice.iter().map(|s| vec![s.name.clone(), s.at_worst.clone()]).collect::<Vec<_>>();
    section(&mut lines, "NOT READ", rows(&report.sources, paint));
    section(&mut lines, "NOTICED WITHIN, AT WORST", columns(&notice));
    section(&mut lines, "MISSING RIGHTS", missing_rights(&report.rights));
    section(&mut lines, "ALSO HERE", also(&report.others, others));
    section(&mut lines, "HINTS", report.hints.clone());
    lines.iter().map(|l| format!("{l}\n")).collect()
}

fn summary(report: &Report, paint: Paint) -> String {
    match (report.blind(), report.controllers.len() + report.software.len()) {
        (0, 0) => "no storage controller and no RAID was found".to_owned(),
        (0, _) => paint.green("no blind spot"),
        (1, _) => paint.red("1 BLIND SPOT"),
        (n, _) => paint.red(&format!("{n} BLIND SPOTS")),
    }
}

fn section(lines: &mut Vec<String>, title: &str, rows: Vec<String>) {
    if !rows.is_empty() {
        lines.push(String::new());
        lines.push(title.to_owned());
        lines.extend(rows.iter().map(|row| format!("  {row}")));
    }
}

fn rows(rows: &[Row], paint: Paint) -> Vec<String> {
    let cells: Vec<Vec<String>> = rows.iter().map(|r| vec![visible(&r.name), said(r)]).collect();
    let mut lines = Vec::new();
    for (row, line) in rows.iter().zip(columns(&cells)) {
        lines.push(if matches!(row.state, "blind" | "refused") { paint.red(&line) } else { line });
        lines.extend(row.next.iter().map(|next| format!("  next: {}", visible(next))));
    }
    lines
}

fn said(row: &Row) -> String {
    let word = match row.state {
        "watched" => "watched ",
        "plain" => "plain: ",
        "refused" => "BLIND (tool refused): ",
        _ => "BLIND: ",
    };
    format!("{word}{}", visible(&row.said))
}

fn missing_rights(rights: &[Right]) -> Vec<String> {
    let mut lines = Vec::new();
    for right in rights.iter().filter(|r| !r.ok) {
        lines.push(format!("{}: {}", right.what, right.said));
        lines.extend(right.remedy.iter().map(|remedy| format!("  next: {remedy}")));
    }
    lines
}

fn also(monitors: &[OtherMonitor], in_full: bool) -> Vec<String> {
    if !in_full {
        let names: Vec<&str> = monitors.iter().map(|m| m.name.as_str()).collect();
        let line = format!("{}: may mail too; what raidmond replaces: raidmond doctor --others", names.join(", "));
        return if names.is_empty() { Vec::new() } else { vec![line] };
    }
    let mut lines = Vec::new();
    for monitor in monitors {
        lines.push(format!("{}  ({})", monitor.name, visible(&monitor.seen.join("; "))));
        lines.push(format!("  {}", monitor.tells));
        lines.push(format!("  {}", replaced(monitor.replaced)));
    }
    lines
}

fn replaced(replaced: Replaced) -> &'static str {
    match replaced {
        Replaced::Wholly => "raidmond replaces it: switch it off once raidmond's test message has arrived",
        Replaced::Partly => "raidmond tells of a part of the same faults: keep it",
        Replaced::No => "raidmond does not replace it",
    }
}

#[cfg(test)]
mod tests;
