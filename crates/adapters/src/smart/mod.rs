//! SMART of disks, by smartctl: of those the kernel shows, and of those behind RAID controllers.
//!
//! It follows the other families: the disks behind a controller are those its own family listed, one
//! conversation for each controller, and what smartctl says of them joins the disk in its slot. It never
//! lists anything itself: that a disk does not answer does not mean that it is gone.
//!
//! Disks that sleep are left asleep (`-n standby`), and what was last known of them stays. Not done: self-tests
//! are read and not started, nothing is switched on, Areca's disks are not asked yet.

mod attributes;
mod json;
mod judge;
mod report;
mod targets;
#[cfg(test)]
mod tests;
mod text;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::model::{Disk, ErrorRecovery, Finding, FindingKind, Medium, Observed, Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Deadline, Heard, Known, NoteKind, Query, Reading, Scope};
use report::{Protocol, Recovery, Report, Support};
use targets::Target;

pub struct Smart;

pub const VERSION: AnswerKind = AnswerKind("version");
/// Health, attributes, logs of one disk.
pub const DISK: AnswerKind = AnswerKind("disk");
pub const RECOVERY: AnswerKind = AnswerKind("error-recovery");
/// How long the kernel waits for a disk.
pub const TIMEOUT: AnswerKind = AnswerKind("kernel-timeout");
/// Lists devices, or tells of something else than health.
pub const ASIDE: AnswerKind = AnswerKind("aside");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

static TOOLS: &[Tool] = &[Tool {
    names: &["smartctl"],
    paths: &["/usr/sbin", "/usr/local/sbin"],
    how_to_get: "package smartmontools of the distribution, 7.0 or later for its JSON; older ones are read, too",
}];

impl Adapter for Smart {
    fn family(&self) -> &'static str {
        "smart"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &[]
    }

    fn watches_without_card(&self) -> Option<&'static str> {
        Some("/sys/block")
    }

    fn follows_others(&self) -> bool {
        true
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool() == "smartctl" => Some(by_words(asked)),
            Asked::File(path) => timeout_of(path).map(|_| TIMEOUT),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let targets = targets::targets(known);
        let reading = Box::new(read(known, heard, &targets));
        let queries = match (&known.scope, &known.tool) {
            (Scope::Everything, _) => Vec::new(),
            (_, tool) => queries(tool.as_ref().map_or("smartctl", |t| &t.name), heard, &targets),
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

/// `/sys/block/sdb/device/timeout` → sdb
fn timeout_of(path: &str) -> Option<&str> {
    path.strip_prefix("/sys/block/")?.strip_suffix("/device/timeout").filter(|name| !name.contains('/'))
}

/// Options that change the disk or what it does.
const CHANGING: [&str; 13] = [
    "-s",
    "--smart",
    "-o",
    "--offlineauto",
    "-S",
    "--saveauto",
    "-t",
    "--test",
    "-C",
    "--captive",
    "-X",
    "--abort",
    "--set",
];

/// Options that ask how a disk is, or what it is.
const ABOUT_DISK: [&str; 11] =
    ["-a", "-x", "-H", "-A", "-i", "--all", "--xall", "--health", "--attributes", "--info", "--capabilities"];

fn by_words(asked: &Asked) -> AnswerKind {
    let Asked::Cmd(argv) = asked else { return ASIDE };
    let words: Vec<&str> = argv.iter().skip(1).map(String::as_str).collect();
    let option = |word: &str| word.split('=').next().unwrap_or("").to_owned();
    let changes = |word: &&str| {
        let short = word.starts_with('-') && !word.starts_with("--");
        let joined = short && ["-s", "-o", "-S", "-t"].iter().any(|c| word.len() > 2 && word.starts_with(c));
        CHANGING.contains(&option(word).as_str()) || joined || word.contains("scterc,") || word.contains("scttempint,")
    };
    let has = |all: &[&str]| words.iter().any(|w| all.contains(&option(w).as_str()));
    match () {
        () if words.iter().any(changes) => MUTATION,
        () if has(&["--scan", "--scan-open", "-h", "--help", "-P", "--showpresets"]) => ASIDE,
        () if has(&["-V", "--version", "--copyright", "--license"]) => VERSION,
        () if words.contains(&"scterc") && !has(&ABOUT_DISK) => RECOVERY,
        () if has(&ABOUT_DISK) || words.iter().any(|w| ["error", "selftest", "xerror", "xselftest"].contains(w)) => {
            DISK
        }
        () => ASIDE,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let json = head.trim_start().starts_with('{');
    let of_disk = ["\"smart_status\"", "\"smartctl\"", "\"json_format_version\""].iter().any(|k| head.contains(k));
    let scan = head.contains("\"devices\"") && !head.contains("\"smart_status\"");
    match () {
        () if json && scan && of_disk => Some(ASIDE),
        () if json && of_disk => Some(DISK),
        () if json => None,
        () if head.lines().take(5).any(text::is_banner) => Some(DISK),
        () if head.contains("ID# ATTRIBUTE_NAME") || head.contains("SMART overall-health self-assessment") => {
            Some(DISK)
        }
        () => None,
    }
}

fn queries(tool: &str, heard: &Heard, targets: &[Target]) -> Vec<Query> {
    if targets.is_empty() {
        return Vec::new();
    }
    let mut queries = vec![Query::cmd(VERSION, &[tool, "--version"]).daily().deadline(Deadline::Quick)];
    let Some(version) = heard.of(VERSION).next() else { return queries };
    let json = speaks_json(&version.text());
    for target in targets {
        let disk = command(tool, json, &["-a"], target);
        let answer = heard.of(DISK).find(|a| a.asked == disk.asked);
        queries.push(Query { kind: DISK, ..disk }.slow());
        if let Some(block) = &target.block {
            queries.push(Query::file(TIMEOUT, format!("/sys/block/{block}/device/timeout")).slow());
        }
        if answer.is_some_and(|a| wants_recovery(a, target)) {
            queries.push(Query { kind: RECOVERY, ..command(tool, json, &["-l", "scterc"], target) }.daily());
        }
    }
    queries
}

fn command(tool: &str, json: bool, what: &[&str], target: &Target) -> Query {
    let mut words = vec![tool];
    words.extend(json.then_some("-j"));
    words.extend(["-n", "standby"]);
    words.extend(what);
    words.extend(target.words.iter().map(String::as_str));
    Query::cmd(DISK, &words)
}

/// "smartctl 7.4 2023-08-01 r5530 …": JSON came with 7.0.
fn speaks_json(version: &str) -> bool {
    let first = version.lines().next().unwrap_or("");
    crate::scan::number(first).is_some_and(|major| major >= 7)
}

/// Where the disk's own limit of its tries matters, and it says that it has one.
fn wants_recovery(answer: &Answer, target: &Target) -> bool {
    let Ok(reports) = parse(answer) else { return false };
    let Some(report) = reports.first() else { return false };
    let platters = report.solid != Some(true) && report.protocol == Some(Protocol::Ata);
    target.in_array && platters && report.recovery == Some(Recovery::Supported)
}

fn parse(answer: &Answer) -> Result<Vec<Report>, String> {
    let text = answer.text();
    let trimmed = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    let mut reports = match trimmed.starts_with('{') {
        true => from_json(trimmed)?,
        false => text::reports(&format!("{text}\n{}", answer.stderr_text())),
    };
    if let [only] = reports.as_mut_slice() {
        only.exit = if only.exit == 0 { answer.outcome.exit } else { only.exit };
    }
    Ok(reports)
}

fn from_json(text: &str) -> Result<Vec<Report>, String> {
    match serde_json::from_str(text) {
        Ok(value) => json::report(&value).map(|r| vec![r]).ok_or_else(|| "no JSON of smartctl".to_owned()),
        Err(error) => {
            let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or("").trim();
            let line: String = line.chars().take(80).collect();
            Err(format!("JSON is broken at \"{line}\""))
        }
    }
}

/// What one answer was about, and whether it told anything.
struct Quiet {
    at: Path,
    /// Why it told nothing.
    silent: Option<String>,
}

fn read(known: &Known, heard: &Heard, targets: &[Target]) -> Reading {
    let space = known.space.unwrap_or(Space::Kernel);
    let mut reading = Reading::new("smart", space);
    let mut seen: Vec<Quiet> = Vec::new();
    let mut told = 0;
    for answer in heard.of(DISK).chain(heard.of(RECOVERY)) {
        for (index, report) in reports(answer).into_iter().enumerate() {
            match take(&mut reading, answer, &report, index, targets) {
                Ok(()) => told += 1,
                Err(silent) => seen.extend(silent),
            }
        }
    }
    timeouts(&mut reading, heard);
    silence(&mut reading, known, &seen, told);
    aside(&mut reading, heard);
    if told > 0 {
        // Lets the poller go on asking when the tool is gone.
        reading.cursor = Some("disks seen".to_owned());
    }
    reading
}

/// An answer that cannot be read is a report that says so.
fn reports(answer: &Answer) -> Vec<Report> {
    if !answer.outcome.ended() {
        return vec![Report { failure: Some(answer.outcome.words()), ..Report::default() }];
    }
    match parse(answer) {
        Ok(reports) if answer.outcome.truncated => {
            let cut = |r: Report| Report { failure: r.failure.or(Some("the answer was cut off".to_owned())), ..r };
            reports.into_iter().map(cut).collect()
        }
        Ok(reports) => reports,
        Err(error) => vec![Report { failure: Some(error), exit: answer.outcome.exit, ..Report::default() }],
    }
}

/// `Err(None)`: nothing told, and that is right.
fn take(
    reading: &mut Reading,
    answer: &Answer,
    report: &Report,
    index: usize,
    targets: &[Target],
) -> Result<(), Option<Quiet>> {
    let target = targets.iter().find(|t| ends_with(&answer.asked, &t.words));
    let named = asked_place(&answer.asked, report, index);
    let at = match target {
        None => named,
        // Its serial number stands in the answer about the disk; the recovery time follows it.
        Some(t) if report.serial.is_none() && t.at.is_none() => return Err(None),
        Some(t) => match t.place(report.serial.as_deref(), report.wwn.as_deref()) {
            Some(at) => at,
            None => return Err(stranger(reading, t, report)),
        },
    };
    if report.asleep {
        let said = format!("{at} sleeps and was left asleep");
        reading.note(NoteKind::Remark, at, said);
        return Err(None);
    }
    if targets::is_virtual(report.vendor.as_deref(), report.model.as_deref()) || names_controller(report) {
        let said = "a virtual disk: SMART is asked of the disks behind it (smartctl --scan)";
        reading.findings.push(Finding::new(at, FindingKind::ToolReportsNotice, said));
        return Err(None);
    }
    let fresh = !reading.disks.iter().any(|d| d.at == at);
    if judge::judge(reading, &at, report) {
        let disk = reading.disk(&at);
        if fresh {
            disk.controller = target.and_then(|t| t.controller.clone());
            name(disk, target, &answer.asked);
        }
        return Ok(());
    }
    Err(Some(Quiet { at, silent: why_silent(report) }))
}

fn ends_with(asked: &Asked, words: &[String]) -> bool {
    matches!(asked, Asked::Cmd(argv) if argv.ends_with(words))
}

/// Another disk answers under this number than its controller lists there: its counts are not this disk's.
fn stranger(reading: &mut Reading, target: &Target, report: &Report) -> Option<Quiet> {
    let (Some(at), Some(serial)) = (&target.at, &report.serial) else { return None };
    let listed = target.known.first().and_then(|d| d.serial.as_deref()).unwrap_or("?");
    let said = format!("answers to smartctl as {serial}, while its controller lists {listed}: not taken for it");
    reading.note(NoteKind::Partial, at.clone(), said);
    None
}

/// "please try adding '-d megaraid,N'", "SMART support is: Unavailable" on what a controller shows.
fn names_controller(report: &Report) -> bool {
    report.failure.as_deref().is_some_and(|f| f.contains("please try adding '-d"))
}

/// The kernel's name, which joins a plain disk with its places in software arrays.
fn name(disk: &mut Disk, target: Option<&Target>, asked: &Asked) {
    let block = match target {
        Some(t) => t.block.clone(),
        None if has_type(asked) => None,
        None => device_word(asked).and_then(|d| d.strip_prefix("/dev/")).map(str::to_owned),
    };
    let Some(block) = block.filter(|b| !b.contains('/')) else { return };
    disk.aliases.push(raidmond_core::model::Alias::Kernel(block.clone()));
    disk.device = Some(format!("/dev/{block}"));
}

fn has_type(asked: &Asked) -> bool {
    type_word(asked).is_some_and(|t| t.contains(','))
}

/// `megaraid,4` of `-d megaraid,4`, `-dmegaraid,4`, `--device=megaraid,4`.
fn type_word(asked: &Asked) -> Option<&str> {
    let Asked::Cmd(argv) = asked else { return None };
    let after = argv.iter().position(|w| w == "-d" || w == "--device").and_then(|at| argv.get(at + 1));
    let joined = || {
        let own = |w: &'_ String| w.starts_with("-d") && w.len() > 2 || w.starts_with("--device=");
        argv.iter().find(|w| own(w)).map(|w| w.trim_start_matches("--device=").trim_start_matches("-d"))
    };
    after.map(String::as_str).or_else(joined)
}

fn device_word(asked: &Asked) -> Option<&str> {
    let Asked::Cmd(argv) = asked else { return None };
    argv.iter().skip(1).map(String::as_str).find(|w| w.starts_with("/dev/"))
}

/// Where a capture's answer belongs: `sdb`, `bus0:megaraid,4`.
fn asked_place(asked: &Asked, report: &Report, index: usize) -> Path {
    let device = device_word(asked).or(report.device.as_deref()).unwrap_or("disk");
    let device = device.trim_start_matches("/dev/").replace('/', "");
    let name = match type_word(asked).filter(|t| t.contains(',')) {
        Some(kind) => format!("{device}:{}", kind.trim_start_matches("sat+")),
        None => device,
    };
    Path::new(if index == 0 { name } else { format!("{name}#{}", index + 1) })
}

fn why_silent(report: &Report) -> Option<String> {
    match (&report.failure, report.support) {
        (Some(failure), _) => Some(failure.clone()),
        (None, Support::Lacking) => None,
        (None, _) if report.exit & 3 != 0 => Some(format!("exit status {} and nothing to read", report.exit)),
        // An inventory alone was asked for, or nothing came.
        (None, _) if report.model.is_some() || report.serial.is_some() => None,
        (None, _) => Some("the answer is empty or not understood".to_owned()),
    }
}

fn timeouts(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(TIMEOUT).filter(|a| a.outcome.ended()) {
        let Some(name) = timeout_of(answer.asked.path()) else { continue };
        let seconds = answer.text().trim().parse().ok();
        let at = Path::new(name);
        if let Some(disk) = reading.disks.iter_mut().find(|d| d.at == at) {
            disk.kernel_timeout_seconds = seconds;
            without_use(disk);
        }
    }
}

/// An SSD answers or fails, it does not try for minutes.
fn without_use(disk: &mut Disk) {
    if disk.medium == Some(Medium::Ssd) {
        let unlimited = |r: &Observed<ErrorRecovery>| r.state == ErrorRecovery::Unlimited;
        disk.error_recovery = disk.error_recovery.take().filter(|r| !unlimited(r));
    }
}

/// Disks that told nothing. Where none tells anything the tool or the way to them is at fault. Behind a
/// controller smartctl is a second view: many cards do not let it through, and that is no blindness; a disk
/// that has just died is told by its controller.
fn silence(reading: &mut Reading, known: &Known, seen: &[Quiet], told: usize) {
    let behind = matches!(known.scope, Scope::Controller(_));
    for one in seen {
        let Some(why) = &one.silent else {
            reading.note(NoteKind::Remark, one.at.clone(), "tells what it is and not how it is, or has no SMART");
            continue;
        };
        let said = format!("SMART of {} cannot be read: {why}", one.at);
        if behind && told > 0 {
            reading.findings.push(Finding::new(one.at.clone(), FindingKind::ToolReportsNotice, said));
            continue;
        }
        let kind = match told {
            0 if behind => NoteKind::Remark,
            0 => NoteKind::ToolFailed,
            _ => NoteKind::Partial,
        };
        let remedy = "run smartctl -a by hand on it; see docs/adapters/smart.md";
        reading.note_with_remedy(kind, one.at.clone(), said, remedy);
    }
}

fn aside(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(ASIDE) {
        let said = format!("`{}` tells nothing of the state of a disk", answer.asked);
        reading.note(NoteKind::Remark, Path::default(), said);
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` is not a question", answer.asked));
    }
    for answer in heard.of(VERSION).filter(|a| !a.outcome.ended()) {
        let said = format!("`{}`: {}", answer.asked, answer.outcome.words());
        reading.note(NoteKind::ToolFailed, Path::default(), said);
    }
}
