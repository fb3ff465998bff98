//! 3ware controllers (7000 series to 9750) through tw_cli.
//!
//! Asks the new syntax (`/c0 show`) and falls back to the old one (`info c0 …`) where the tool
//! refuses; reads both. One poll asks a controller for its tables and every unit for its sub-units;
//! drives, battery and enclosures are asked in detail every quarter of an hour.
//!
//! Not asked: `show diag` (megabytes), `show alarms` unless allowed (it takes the alarms away from
//! 3DM), SMART (that is another source). The kernel log carries the same events without taking them.

mod aen;
mod alarms;
#[cfg(test)]
mod corpus;
mod lower;
mod lower_parts;
mod lower_ports;
mod maintain;
mod parse;
mod parse_old;
mod reading;
mod vocabulary;

pub use aen::{Event as AenEvent, by_code as aen_by_code, by_text as aen_by_text};

use crate::{Adapter, Maintenance, Step, Term, Tool};
use parse::{Table, sheet};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Deadline, Heard, Known, Query, Reading, Scope};

pub struct TwCli;

pub const SUMMARY: AnswerKind = AnswerKind("summary");
/// Tables of one controller.
pub const CONTROLLER: AnswerKind = AnswerKind("controller");
/// Attributes of one controller; `show all` prints the tables too, but from the slow poll.
pub const ATTRIBUTES: AnswerKind = AnswerKind("attributes");
pub const UNIT: AnswerKind = AnswerKind("unit");
pub const PORT: AnswerKind = AnswerKind("port");
pub const BATTERY: AnswerKind = AnswerKind("battery");
pub const ENCLOSURE: AnswerKind = AnswerKind("enclosure");
pub const ALARMS: AnswerKind = AnswerKind("alarms");
pub const MUTATION: AnswerKind = AnswerKind("mutation");
/// Versions, schedules, logs: read by nobody here.
pub const ASIDE: AnswerKind = AnswerKind("aside");

static TOOLS: &[Tool] = &[Tool {
    names: &["tw_cli", "tw-cli", "tw_cli.x86_64", "tw_cli.x86", "tw_cli-9xxx"],
    paths: &["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/3ware/CLI", "/opt/3ware", "/opt/AMCC/CLI"],
    how_to_get: "Broadcom support archive, \"3ware CLI\" (codeset 9.5.x or 10.x); Debian and Ubuntu: package tw-cli of the hwraid repository",
}];

impl Adapter for TwCli {
    fn family(&self) -> &'static str {
        "tw_cli"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["3w-9xxx", "3w-sas", "3w-xxxx"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if is_tw_cli(&asked.tool()) => Some(by_words(&asked.args_lower())),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(reading::read(known, heard));
        let queries = match &known.scope {
            Scope::Discover => discover(known, heard),
            Scope::Controller(number) => survey(known, heard, number, &reading),
            Scope::Everything => Vec::new(),
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintain::TwMaintenance)
    }
}

fn is_tw_cli(tool: &str) -> bool {
    tool.starts_with("tw_cli") || tool.starts_with("tw-cli")
}

const MUTATING: [&str; 23] = [
    "start",
    "stop",
    "add",
    "del",
    "delete",
    "remove",
    "rescan",
    "set",
    "flush",
    "update",
    "migrate",
    "export",
    "pause",
    "resume",
    "rebuild",
    "maint",
    "mediascan",
    "test",
    "enable",
    "disable",
    "commit",
    "deleteunit",
    "format",
];

fn by_words(args: &[String]) -> AnswerKind {
    let has = |word: &str| args.iter().any(|a| a == word);
    let shows = has("show") || args.first().is_some_and(|a| a == "info" || a == "alarms");
    if !shows && args.iter().any(|a| MUTATING.contains(&a.split('=').next().unwrap_or(a))) {
        return MUTATION;
    }
    if has("alarms") || has("aens") || has("events") {
        return ALARMS;
    }
    if ["verify", "rebuild", "selftest", "diag", "ver", "help", "errorlog", "smart"].iter().any(|w| has(w)) {
        return ASIDE;
    }
    by_object(args)
}

/// By what the command names: nothing, a controller, or something of a controller.
fn by_object(args: &[String]) -> AnswerKind {
    let names = |prefix: char| args.iter().any(|a| a.split('/').any(|part| is_numbered(part, prefix)));
    let all = args.iter().any(|a| a == "all");
    if args.iter().any(|a| a.ends_with("bbu") || a == "bbustatus") {
        return BATTERY;
    }
    for (prefix, kind) in [('e', ENCLOSURE), ('u', UNIT), ('p', PORT)] {
        if names(prefix) {
            return kind;
        }
    }
    match (names('c'), all) {
        (true, true) => ATTRIBUTES,
        (true, false) => CONTROLLER,
        (false, _) => SUMMARY,
    }
}

/// `c0`, `u12`; `cX` of a capture that hides its number.
fn is_numbered(part: &str, prefix: char) -> bool {
    part.strip_prefix(prefix).is_some_and(|n| n == "x" || (!n.is_empty() && n.chars().all(|c| c.is_ascii_digit())))
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let sheet = sheet(head);
    let leaf =
        |prefix: char| sheet.pairs.iter().any(|p| p.path.rsplit('/').next().is_some_and(|l| is_numbered(l, prefix)));
    let has_units = sheet.has(Table::Units);
    let old = sheet.of(Table::Units).count() + sheet.of(Table::Ports).count() > 0;
    match () {
        () if sheet.has(Table::Controllers) => Some(SUMMARY),
        () if sheet.has(Table::Alarms) => Some(ALARMS),
        () if leaf('c') => Some(ATTRIBUTES),
        () if sheet.has(Table::Enclosures) || leaf('e') => Some(ENCLOSURE),
        () if has_units && head.contains("u0-0") || leaf('u') => Some(UNIT),
        () if leaf('p') => Some(PORT),
        () if has_units || (sheet.has(Table::Ports) && old) => Some(CONTROLLER),
        () if sheet.has(Table::Battery) || head.contains("/bbu ") => Some(BATTERY),
        () => None,
    }
}

fn tool(known: &Known) -> String {
    known.tool.as_ref().map_or_else(|| "tw_cli".to_owned(), |t| t.name.clone())
}

fn ask(known: &Known, kind: AnswerKind, words: &[&str]) -> Query {
    let tool = tool(known);
    let argv: Vec<&str> = std::iter::once(tool.as_str()).chain(words.iter().copied()).collect();
    Query::cmd(kind, &argv)
}

fn discover(known: &Known, heard: &Heard) -> Vec<Query> {
    let mut queries = vec![ask(known, SUMMARY, &["show"])];
    if heard.has(SUMMARY) && !readable(heard, SUMMARY) {
        queries.push(ask(known, SUMMARY, &["info"]));
    }
    queries
}

fn survey(known: &Known, heard: &Heard, number: &str, so_far: &Reading) -> Vec<Query> {
    let object = format!("/c{number}");
    let mut queries =
        vec![ask(known, CONTROLLER, &[&object, "show"]), ask(known, ATTRIBUTES, &[&object, "show", "all"]).slow()];
    if known.may_consume_alarms {
        queries.push(ask(known, ALARMS, &[&object, "show", "alarms"]));
    }
    if !heard.has(CONTROLLER) {
        return queries;
    }
    if !readable(heard, CONTROLLER) {
        let old = format!("c{number}");
        queries.push(ask(known, CONTROLLER, &["info", &old, "unitstatus"]));
        queries.push(ask(known, CONTROLLER, &["info", &old, "drivestatus"]));
        return queries;
    }
    queries.extend(details(known, so_far));
    queries
}

/// What the tables name, in detail: sub-units at every poll, the rest slowly.
fn details(known: &Known, so_far: &Reading) -> Vec<Query> {
    let show = |kind, object: String| ask(known, kind, &[&object, "show", "all"]);
    let mut queries = Vec::new();
    queries.extend(so_far.arrays.iter().map(|a| show(UNIT, format!("/{}", a.at))));
    let present = so_far.disks.iter().filter(|d| d.size_bytes.is_some());
    queries.extend(present.map(|d| show(PORT, format!("/{}", d.at)).slow()));
    queries.extend(so_far.caches.iter().map(|c| show(BATTERY, format!("/{}/bbu", c.at.root())).slow()));
    let mut shelves: Vec<String> =
        so_far.disks.iter().filter_map(|d| Some(format!("/{}/{}", d.at.root(), d.enclosure.as_ref()?))).collect();
    shelves.sort();
    shelves.dedup();
    queries.extend(shelves.into_iter().map(|e| show(ENCLOSURE, e).slow().deadline(Deadline::Long)));
    queries
}

fn readable(heard: &Heard, kind: AnswerKind) -> bool {
    heard.of(kind).any(|a| is_readable(a, kind))
}

/// The answer holds the tables that this question is asked for.
fn is_readable(answer: &Answer, kind: AnswerKind) -> bool {
    let sheet = sheet(&answer.text());
    match kind {
        SUMMARY => sheet.of(Table::Controllers).next().is_some(),
        CONTROLLER => sheet.has(Table::Units) || sheet.has(Table::Ports) || sheet.has(Table::Battery),
        _ => !sheet.says_nothing(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{check_cases, check_robustness};

    #[test]
    fn cases() {
        check_cases(&TwCli);
    }

    #[test]
    fn robustness() {
        check_robustness(&TwCli);
    }

    #[test]
    fn commands_are_sorted_by_what_they_name() {
        let kind = |line: &str| by_words(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for (line, expected) in [
            ("show", SUMMARY),
            ("info c0 unitstatus", CONTROLLER),
            ("/c12 show all", ATTRIBUTES),
            ("/c0/u0 show all", UNIT),
            ("/c0/bbu show all", BATTERY),
            ("info c0 bbustatus", BATTERY),
            ("/cx/ex show all", ENCLOSURE),
            ("/c0 show verify", ASIDE),
            ("show alarms", ALARMS),
            ("/c0/u0 start verify", MUTATION),
            ("/c0/p3 set identify=on", MUTATION),
            ("/c0/p3 export", MUTATION),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    #[test]
    fn a_refusal_leads_to_the_old_words() {
        let known = Known { scope: Scope::Controller("0".into()), ..Known::default() };
        let mut heard = Heard::default();
        let Step::Ask { queries, .. } = TwCli.step(&known, &heard) else { panic!("asks nothing") };
        for query in &queries {
            let outcome = raidmond_core::survey::Outcome { exit: 1, ..Default::default() };
            let stdout = b"Error: (CLI:003) Specified command syntax is not known.\n".to_vec();
            heard.push(query.kind, Answer { asked: query.asked.clone(), stdout, stderr: Vec::new(), outcome });
        }
        let Step::Ask { queries, .. } = TwCli.step(&known, &heard) else { panic!("gives up") };
        let asked: Vec<String> = queries.iter().map(|q| q.asked.to_string()).collect();
        assert_eq!(asked, ["tw_cli info c0 unitstatus", "tw_cli info c0 drivestatus"]);
    }
}
