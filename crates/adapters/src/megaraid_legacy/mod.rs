//! MegaRAID SCSI (320 series, PERC 2 to 4, HP NetRAID) through `/proc/megaraid` or megarc.
//!
//! The legacy `megaraid` driver (`megaraid2` on 2.4) prints the whole state under
//! `/proc/megaraid/hbaN` and needs no tool. The later `megaraid_mbox` driver has no such files; there
//! megarc asks the card through `/dev/megadev0`, a node that nobody makes by itself.
//!
//! Not done: the megadev ioctl (see the docs), reading `stat` and `mailbox` (performance), any change
//! (`maintenance` says why). A failed disk that no longer answers is left out of `diskdrives-*` by the
//! driver; its array tells.

#[cfg(test)]
mod corpus;
mod lower;
mod maintenance;
mod node;
mod parse;
mod reading;
mod vocabulary;

use crate::{Adapter, Maintenance, Step, Term, Tool};
use parse::sheet;
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known, Query, Scope};

pub struct MegaraidLegacy;

/// Names in `/proc/megaraid`.
pub const ROOT: AnswerKind = AnswerKind("adapters");
/// Names in `/proc/megaraid/hba0`, or `/proc/megaraid/0` on 2.4.
pub const FILES: AnswerKind = AnswerKind("files");
pub const ARRAYS: AnswerKind = AnswerKind("raiddrives");
pub const DISKS: AnswerKind = AnswerKind("diskdrives");
pub const BATTERY: AnswerKind = AnswerKind("battery-status");
pub const CONFIG: AnswerKind = AnswerKind("config");
/// Everything in one file, as drivers of 2.4 print it.
pub const WHOLE: AnswerKind = AnswerKind("single-file");
/// Files that bear no health: stat, mailbox, rebuild-rate.
pub const ASIDE: AnswerKind = AnswerKind("aside");
pub const MEGARC_LIST: AnswerKind = AnswerKind("megarc-adapters");
pub const MEGARC: AnswerKind = AnswerKind("megarc");
pub const NODE: AnswerKind = AnswerKind("megadev-node");
pub const MAJORS: AnswerKind = AnswerKind("device-majors");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

static TOOLS: &[Tool] = &[Tool {
    names: &["megarc", "megarc.bin"],
    paths: &["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/MegaRAID", "/opt/megarc", "/root"],
    how_to_get: "Broadcom support archive, \"ut_linux_megarc_1.11.zip\"; not needed where /proc/megaraid exists",
}];

impl Adapter for MegaraidLegacy {
    fn family(&self) -> &'static str {
        "megaraid_legacy"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &["megaraid", "megaraid2", "megaraid_legacy", "megaraid_mbox"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool().starts_with("megarc") => Some(by_words(&asked.args_lower())),
            Asked::File(path) => by_path(path, false),
            Asked::Dir(path) => by_path(path, true),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(reading::read(known, heard));
        let queries = match &known.scope {
            Scope::Discover => discover(known, heard),
            Scope::Controller(number) => survey(known, heard, number),
            Scope::Everything => Vec::new(),
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintenance::LegacyMaintenance)
    }
}

fn by_path(path: &str, folder: bool) -> Option<AnswerKind> {
    match path.trim_end_matches('/') {
        "/proc/megaraid" => return Some(ROOT),
        node::PATH => return Some(NODE),
        "/proc/devices" => return Some(MAJORS),
        _ => {}
    }
    if path.starts_with("/proc/scsi/megaraid/") {
        return Some(WHOLE);
    }
    let rest = path.trim_end_matches('/').strip_prefix("/proc/megaraid/")?;
    let Some((_, file)) = rest.split_once('/') else {
        return Some(if folder { FILES } else { WHOLE });
    };
    Some(kind_of_file(file))
}

fn kind_of_file(name: &str) -> AnswerKind {
    match name {
        "battery-status" => BATTERY,
        "config" => CONFIG,
        "stat" | "mailbox" | "rebuild-rate" => ASIDE,
        _ if name.starts_with("raiddrives") => ARRAYS,
        _ if name.starts_with("diskdrives") => DISKS,
        _ => WHOLE,
    }
}

/// megarc changes the card with most of its words: what is not known to read is not read.
fn by_words(args: &[String]) -> AnswerKind {
    const READS: [&str; 8] =
        ["-dispcfg", "-ldinfo", "-pdinfo", "-physinfo", "-phys", "-ctlrinfo", "-showrate", "-pdfailinfo"];
    let has = |word: &str| args.iter().any(|a| a == word);
    match () {
        () if has("-alladpinfo") => MEGARC_LIST,
        () if READS.iter().any(|w| has(w)) => MEGARC,
        () if args.is_empty() || has("?") || has("-help") => ASIDE,
        () => MUTATION,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    if head.contains("MEGARC MegaRAID") {
        return Some(if head.contains("AdapterNo") { MEGARC_LIST } else { MEGARC });
    }
    let sheet = sheet(head);
    match () {
        () if !sheet.drives.is_empty() && !sheet.disks.is_empty() => Some(WHOLE),
        () if !sheet.drives.is_empty() => Some(ARRAYS),
        () if sheet.battery.is_some() && head.contains("Battery Status:[") => Some(BATTERY),
        () if head.trim_start().starts_with("Channel:") && !sheet.disks.is_empty() => Some(DISKS),
        () => None,
    }
}

fn discover(known: &Known, heard: &Heard) -> Vec<Query> {
    let mut queries = vec![Query::dir(ROOT, "/proc/megaraid")];
    if heard.has(ROOT) && reading::adapters_in_proc(heard).is_empty() {
        queries.extend(node::queries());
        queries.extend(node::is_there(heard).then(|| megarc(known, MEGARC_LIST, &["-AllAdpInfo", "-nolog"])));
    }
    queries
}

fn survey(known: &Known, heard: &Heard, number: &str) -> Vec<Query> {
    let folders = reading::folders(number);
    let mut queries: Vec<Query> = folders.iter().map(|folder| Query::dir(FILES, folder)).collect();
    if !heard.has(FILES) {
        return queries;
    }
    for folder in &folders {
        let names = reading::files_of(heard, folder);
        queries.extend(names.iter().filter(|n| kind_of_file(n) != ASIDE).map(|name| file(folder, name)));
    }
    if queries.len() > folders.len() {
        return queries;
    }
    queries.push(Query::file(WHOLE, format!("/proc/megaraid/{number}")));
    queries.extend(node::queries());
    let adapter = format!("-a{number}");
    queries.extend(node::is_there(heard).then(|| megarc(known, MEGARC, &["-dispCfg", &adapter, "-nolog"])));
    queries
}

fn file(folder: &str, name: &str) -> Query {
    let kind = kind_of_file(name);
    let query = Query::file(kind, format!("{folder}/{name}"));
    if kind == BATTERY { query.slow() } else { query }
}

fn megarc(known: &Known, kind: AnswerKind, words: &[&str]) -> Query {
    let tool = known.tool.as_ref().map_or("megarc", |t| t.name.as_str());
    let argv: Vec<&str> = std::iter::once(tool).chain(words.iter().copied()).collect();
    Query::cmd(kind, &argv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{check_cases, check_robustness};
    use raidmond_core::survey::{Answer, Outcome};

    #[test]
    fn cases() {
        check_cases(&MegaraidLegacy);
    }

    #[test]
    fn robustness() {
        check_robustness(&MegaraidLegacy);
    }

    fn reply(heard: &mut Heard, query: &Query, text: &str, absent: bool) {
        let outcome = Outcome { absent, ..Outcome::default() };
        let answer = Answer { asked: query.asked.clone(), stdout: text.into(), stderr: Vec::new(), outcome };
        heard.push(query.kind, answer);
    }

    fn asked(step: &Step) -> Vec<String> {
        match step {
            Step::Ask { queries, .. } => queries.iter().map(|q| q.asked.to_string()).collect(),
            Step::Done(_) => Vec::new(),
        }
    }

    fn queries(step: Step) -> Vec<Query> {
        match step {
            Step::Ask { queries, .. } => queries,
            Step::Done(reading) => panic!("done: {reading:?}"),
        }
    }

    #[test]
    fn every_file_of_the_folder_is_read() {
        let known = Known { scope: Scope::Controller("1".into()), ..Known::default() };
        let mut heard = Heard::default();
        let first = queries(MegaraidLegacy.step(&known, &heard));
        reply(&mut heard, &first[0], "stat\nraiddrives-0-9\nraiddrives-10-19\nbattery-status\n", false);
        reply(&mut heard, &first[1], "", true);
        let folder = "/proc/megaraid/hba1";
        let expected = ["raiddrives-0-9", "raiddrives-10-19", "battery-status"].map(|n| format!("{folder}/{n}"));
        assert_eq!(asked(&MegaraidLegacy.step(&known, &heard)), expected);
    }

    #[test]
    fn megarc_is_asked_only_when_its_node_is_there() {
        let known = Known { scope: Scope::Discover, ..Known::default() };
        for node_is_there in [true, false] {
            let mut heard = Heard::default();
            let first = queries(MegaraidLegacy.step(&known, &heard));
            reply(&mut heard, &first[0], "", true);
            for query in queries(MegaraidLegacy.step(&known, &heard)) {
                let majors = query.kind == MAJORS;
                reply(&mut heard, &query, if majors { "253 megadev\n" } else { "" }, !majors && !node_is_there);
            }
            let step = MegaraidLegacy.step(&known, &heard);
            let next = asked(&step);
            assert_eq!(next.contains(&"megarc -AllAdpInfo -nolog".to_owned()), node_is_there);
            if let Step::Done(reading) = step {
                let remedies: Vec<_> = reading.notes.iter().filter_map(|n| n.remedy.as_deref()).collect();
                assert_eq!(remedies, ["as root: mknod /dev/megadev0 c 253 0"]);
            }
        }
    }
}
