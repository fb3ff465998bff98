//! What smartctl is asked, and which of these questions an answer answers.

use super::report::{Protocol, Recovery};
use super::targets::Target;
use super::{ASIDE, DISK, MUTATION, RECOVERY, TIMEOUT, VERSION, parse, text};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Deadline, Heard, Query};

/// `/sys/block/sdb/device/timeout` → sdb
pub fn timeout_of(path: &str) -> Option<&str> {
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

pub fn by_words(asked: &Asked) -> AnswerKind {
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

pub fn by_text(head: &str) -> Option<AnswerKind> {
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

pub fn queries(tool: &str, heard: &Heard, targets: &[Target]) -> Vec<Query> {
    if targets.is_empty() {
        return Vec::new();
    }
    let mut queries = vec![Query::cmd(VERSION, &[tool, "--version"]).daily().deadline(Deadline::Quick)];
    let Some(version) = heard.of(VERSION).next().filter(|v| v.outcome.ended()) else { return queries };
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
