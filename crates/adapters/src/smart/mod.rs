//! SMART of disks, by smartctl: of those the kernel shows, and of those behind RAID controllers.
//!
//! It follows the other families: the disks behind a controller are those its own family listed, one
//! conversation for each controller, and what smartctl says of them joins the disk in its slot. It never
//! lists anything itself: that a disk does not answer does not mean that it is gone.
//!
//! Disks that sleep are left asleep (`-n standby`), and what was last known of them stays. Not done: self-tests
//! are read and not started, nothing is switched on.

mod ask;
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
use raidmond_core::model::{Alias, Disk, ErrorRecovery, Finding, FindingKind, Medium, Observed, Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Covers, Heard, Known, NoteKind, Query, Reading, Scope};
use report::{Protocol, Report, Support};
use std::collections::BTreeMap;
use targets::Target;

pub struct Smart;

pub const VERSION: AnswerKind = AnswerKind("version");
/// Health, attributes, logs of one disk.
pub const DISK: AnswerKind = AnswerKind("disk");
pub const RECOVERY: AnswerKind = AnswerKind("error-recovery");
/// How long the kernel waits for a disk.
pub const TIMEOUT: AnswerKind = AnswerKind("kernel-timeout");
/// By which generic device an Areca controller is talked to.
pub const NODE: AnswerKind = AnswerKind("generic-device");
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
            Asked::Cmd(argv) if argv.is_empty() => ask::by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool() == "smartctl" => Some(ask::by_words(asked)),
            Asked::File(path) => ask::timeout_of(path).map(|_| TIMEOUT),
            Asked::Dir(path) => targets::is_node(path).then_some(NODE),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let targets = targets::targets(known, heard);
        let reading = Box::new(read(known, heard, &targets));
        let queries = match (&known.scope, &known.tool) {
            (Scope::Everything, _) => Vec::new(),
            (Scope::Controller(_), _) if !heard.has(NODE) && targets::node_of(known).is_some() => {
                targets::node_of(known).map(|path| Query::dir(NODE, path).daily()).into_iter().collect()
            }
            (_, tool) => ask::queries(tool.as_ref().map_or("smartctl", |t| &t.name), heard, &targets),
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
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
    let mut placed = Placed::new();
    for answer in heard.of(DISK).chain(heard.of(RECOVERY)) {
        for (index, report) in reports(answer).into_iter().enumerate() {
            match take(&mut reading, answer, &report, index, targets, &mut placed) {
                Ok(()) => told += 1,
                Err(silent) => seen.extend(silent),
            }
        }
    }
    if known.scope == Scope::Discover && told > 0 {
        listed(&mut reading, targets);
    }
    timeouts(&mut reading, heard);
    silence(&mut reading, known, &seen, told);
    aside(&mut reading, heard, matches!(known.scope, Scope::Controller(_)));
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
        Ok(reports) => reports,
        Err(error) => vec![Report { failure: Some(error), exit: answer.outcome.exit, ..Report::default() }],
    }
}

/// Who answered at each address; `None`: nobody that belongs there. Only the first answer holds a serial number.
type Placed = BTreeMap<Vec<String>, Option<Path>>;

/// `Err(None)`: nothing told, and that is right.
fn take(
    reading: &mut Reading,
    answer: &Answer,
    report: &Report,
    index: usize,
    targets: &[Target],
    placed: &mut Placed,
) -> Result<(), Option<Quiet>> {
    let target = targets.iter().find(|t| ends_with(&answer.asked, &t.words));
    let named = asked_place(&answer.asked, report, index);
    let at = match target {
        None => named,
        Some(t) if placed.contains_key(&t.words) => placed.get(&t.words).cloned().flatten().ok_or(None)?,
        Some(t) => {
            let at = t.place(report.serial.as_deref(), report.wwn.as_deref());
            placed.insert(t.words.clone(), at.clone());
            at.ok_or_else(|| stranger(reading, t, report))?
        }
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
    if is_cut(answer, report) {
        let said = "the answer is cut off: what stands after its end is not known";
        reading.note(NoteKind::Partial, at.clone(), said);
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

/// A page of `-a` that tells the health first and its counts and logs later.
fn is_cut(answer: &Answer, report: &Report) -> bool {
    let Asked::Cmd(argv) = &answer.asked else { return false };
    let all = argv.iter().any(|w| ["-a", "-x", "--all", "--xall"].contains(&w.as_str()));
    let long = matches!(report.protocol, Some(Protocol::Ata | Protocol::Nvme));
    answer.outcome.truncated || (all && long && report.health.is_some() && !report.whole)
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
    disk.aliases.push(Alias::Kernel(block.clone()));
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

/// All plain disks there are, also those that sleep or did not answer: what was known of them stays.
fn listed(reading: &mut Reading, targets: &[Target]) {
    for target in targets {
        let (Some(at), Some(block)) = (&target.at, &target.block) else { continue };
        let disk = reading.disk(at);
        disk.controller = None;
        if disk.device.is_none() {
            disk.aliases.push(Alias::Kernel(block.clone()));
            disk.device = Some(format!("/dev/{block}"));
        }
    }
    reading.coverage.add(&Path::default(), Covers::Disks);
}

fn timeouts(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(TIMEOUT).filter(|a| a.outcome.ended()) {
        let Some(name) = ask::timeout_of(answer.asked.path()) else { continue };
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

fn aside(reading: &mut Reading, heard: &Heard, behind: bool) {
    for answer in heard.of(ASIDE) {
        let said = format!("`{}` tells nothing of the state of a disk", answer.asked);
        reading.note(NoteKind::Remark, Path::default(), said);
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` is not a question", answer.asked));
    }
    for answer in heard.of(VERSION).filter(|a| !a.outcome.ended()) {
        let said = format!("`{}`: {}", answer.asked, answer.outcome.words());
        let kind = if behind { NoteKind::Remark } else { NoteKind::ToolFailed };
        reading.note(kind, Path::default(), said);
    }
}
