//! Disk shelves and backplanes that speak SCSI Enclosure Services: through sg_ses where it is there, else what the
//! kernel's ses driver shows of their slots.
//!
//! Which disk is in which slot comes from the kernel, and joins the disk: "slot 5" in a mail instead of sdf.
//! Enclosures behind RAID controllers are told by their own families and are left to these. Not here: lamps, SAF-TE.

mod lower;
mod parse;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::host::blocks::space_of_driver;
use raidmond_core::survey::{Answer, AnswerKind, Asked, Heard, Known, Query, Scope};

pub struct Ses;

pub const LIST: AnswerKind = AnswerKind("enclosures");
/// Names in the folder of one enclosure.
pub const SLOTS: AnswerKind = AnswerKind("slots");
pub const ATTRIBUTE: AnswerKind = AnswerKind("attribute");
/// The disk in a slot.
pub const DISK: AnswerKind = AnswerKind("disk-in-slot");
pub const NODE: AnswerKind = AnswerKind("generic-device");
pub const STATUS: AnswerKind = AnswerKind("status");
pub const NAMES: AnswerKind = AnswerKind("names");
/// Tells nothing of health.
pub const ASIDE: AnswerKind = AnswerKind("aside");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

pub const FOLDER: &str = "/sys/class/enclosure";

static TOOLS: &[Tool] = &[Tool {
    names: &["sg_ses"],
    paths: &["/usr/bin", "/usr/sbin"],
    how_to_get: "package sg3-utils (Debian) or sg3_utils; without it fans, power supplies and temperatures are not seen",
}];

impl Adapter for Ses {
    fn family(&self) -> &'static str {
        "ses"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &[]
    }

    fn watches_without_card(&self) -> Option<&'static str> {
        Some(FOLDER)
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool() == "sg_ses" => Some(by_words(asked)),
            Asked::Dir(path) if path.trim_end_matches('/') == FOLDER => Some(LIST),
            Asked::Dir(path) => match place(path)? {
                (_, "") => Some(SLOTS),
                (_, "device/scsi_generic") => Some(NODE),
                (_, rest) => rest.ends_with("/device/block").then_some(DISK),
            },
            Asked::File(path) => place(path).map(|_| ATTRIBUTE),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::read(known, heard));
        let queries = if known.scope == Scope::Everything { Vec::new() } else { queries(known, heard) };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

/// `/sys/class/enclosure/0:0:9:0/Slot 01/status` → 0:0:9:0, `Slot 01/status`
pub fn place(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix(FOLDER)?.trim_matches('/');
    let (enclosure, rest) = rest.split_once('/').unwrap_or((rest, ""));
    (enclosure.matches(':').count() == 3).then_some((enclosure, rest))
}

fn by_words(asked: &Asked) -> AnswerKind {
    let words = asked.args_lower();
    let page = |numbers: &[&str]| {
        let joined =
            words.iter().any(|w| numbers.iter().any(|n| *w == format!("--page={n}") || *w == format!("-p{n}")));
        joined || words.windows(2).any(|w| (w[0] == "-p" || w[0] == "--page") && numbers.contains(&w[1].as_str()))
    };
    let changes = |w: &String| {
        ["--set", "--clear", "--control", "--byte1", "--data", "--nickname", "--mask"].iter().any(|c| w.starts_with(c))
            || ["-c", "-s", "-n", "-b"].contains(&w.as_str())
    };
    match () {
        () if words.iter().any(changes) => MUTATION,
        () if page(&["2", "0x2", "es"]) || words.iter().any(|w| w == "--join" || w == "-j" || w == "--status") => {
            STATUS
        }
        () if page(&["7", "0x7", "ed"]) => NAMES,
        () => ASIDE,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let lower = head.to_ascii_lowercase();
    match () {
        () if lower.contains("enclosure status diagnostic page") => Some(STATUS),
        () if lower.contains("element descriptor in diagnostic page") => Some(NAMES),
        () if lower.contains("enclosure status:") && lower.contains("element type:") => Some(STATUS),
        () => None,
    }
}

fn queries(known: &Known, heard: &Heard) -> Vec<Query> {
    let mut queries = vec![Query::dir(LIST, FOLDER)];
    for enclosure in lower::listed(heard).iter().filter(|name| is_ours(known, name)) {
        let at = format!("{FOLDER}/{enclosure}");
        queries.push(Query::dir(SLOTS, at.clone()).slow());
        queries.push(Query::dir(NODE, format!("{at}/device/scsi_generic")).daily());
        for file in ["device/vendor", "device/model"] {
            queries.push(Query::file(ATTRIBUTE, format!("{at}/{file}")).daily());
        }
    }
    let node = |a: &Answer| a.text().lines().map(str::trim).find(|l| l.starts_with("sg")).map(str::to_owned);
    let nodes: Vec<String> = heard.of(NODE).filter_map(node).collect();
    if let Some(tool) = &known.tool {
        for device in nodes.iter().map(|node| format!("/dev/{node}")) {
            queries.push(Query::cmd(STATUS, &[&tool.name, "--page=2", &device]).slow());
            queries.push(Query::cmd(NAMES, &[&tool.name, "--page=7", &device]).daily());
        }
    }
    for slots in heard.of(SLOTS) {
        queries.extend(of_slots(slots, known.tool.is_none() || nodes.is_empty()));
    }
    queries
}

/// A read of a slot's status asks the enclosure: where sg_ses tells all at once, the kernel is not asked.
fn of_slots(slots: &Answer, states: bool) -> Vec<Query> {
    let folder = slots.asked.path().trim_end_matches('/').to_owned();
    let mut queries = Vec::new();
    for slot in lower::slots(&slots.text()) {
        queries.push(Query::file(ATTRIBUTE, format!("{folder}/{slot}/slot")).daily());
        queries.push(Query::dir(DISK, format!("{folder}/{slot}/device/block")).slow());
        if states {
            queries.push(Query::file(ATTRIBUTE, format!("{folder}/{slot}/status")).slow());
            queries.push(Query::file(ATTRIBUTE, format!("{folder}/{slot}/fault")).slow());
        }
    }
    queries
}

/// Controllers' own families tell of the enclosures behind them.
fn is_ours(known: &Known, enclosure: &str) -> bool {
    let host: Option<u32> = enclosure.split(':').next().and_then(|n| n.parse().ok());
    let driver = known.scsi_hosts.iter().find(|(number, _)| Some(*number) == host).map(|(_, driver)| driver.as_str());
    driver.and_then(space_of_driver).is_none()
}
