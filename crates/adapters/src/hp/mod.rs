//! HP and HPE Smart Array controllers through ssacli, hpssacli or hpacucli, else cciss_vol_status.
//!
//! A controller is its slot (`c0`, `c0b`). One poll asks `show config detail`, which holds everything at
//! once; only where an old tool refuses it are the short questions asked. cciss_vol_status is the way
//! without HPE's tool: volumes, drives, enclosures and cache, by the node of the controller.
//!
//! Without either, sg_vpd fetches from each volume the page by which the driver itself knows its state.
//! Not done: `diag`, which writes files.

mod ask_vol_status;
#[cfg(test)]
mod corpus;
mod lower;
mod lower_array;
mod lower_controller;
mod lower_disk;
mod lower_vol_status;
mod maintenance;
mod parse;
mod reading;
#[cfg(test)]
mod tests;
mod vocabulary;
mod vol_status;
mod volume_page;

use crate::{Adapter, Maintenance, Step, Term, Tool};
use parse::sheet;
use raidmond_core::survey::{AnswerKind, Asked, Deadline, Heard, Known, Query, Reading, Scope};

pub struct Hp;

/// `ctrl all show`
pub const CONTROLLERS: AnswerKind = AnswerKind("controllers");
/// Controller, cache and battery.
pub const STATUS: AnswerKind = AnswerKind("status");
/// Everything of one or all controllers.
pub const CONFIG: AnswerKind = AnswerKind("config");
pub const LOGICAL: AnswerKind = AnswerKind("logical drives");
pub const PHYSICAL: AnswerKind = AnswerKind("physical drives");
/// cciss_vol_status.
pub const VOLUMES: AnswerKind = AnswerKind("volumes");
pub const SG_LIST: AnswerKind = AnswerKind("generic nodes");
pub const SG_TYPE: AnswerKind = AnswerKind("type of a generic node");
pub const SG_HOST: AnswerKind = AnswerKind("host of a generic node");
pub const SG_LEVEL: AnswerKind = AnswerKind("RAID level of a generic node");
pub const SG_BLOCK: AnswerKind = AnswerKind("block device of a generic node");
/// INQUIRY page 0xC3 of a volume.
pub const VOLUME_PAGE: AnswerKind = AnswerKind("page of a volume");
pub const MUTATION: AnswerKind = AnswerKind("mutation");
/// Versions, help, one array or enclosure alone: read by nobody here.
pub const ASIDE: AnswerKind = AnswerKind("aside");

const VOL_STATUS: &str = "cciss_vol_status";
const SG_VPD: &str = "sg_vpd";

static TOOLS: &[Tool] = &[
    Tool {
        names: &["ssacli", "hpssacli", "hpacucli"],
        paths: &["/usr/sbin", "/opt/smartstorageadmin/ssacli/bin", "/opt/hp/hpssacli/bld", "/opt/compaq/hpacucli/bld"],
        how_to_get: "HPE Software Delivery Repository (downloads.linux.hpe.com), \"Management Component Pack\": package ssacli; hpacucli for controllers before P4xx",
    },
    Tool {
        names: &[VOL_STATUS],
        paths: &["/usr/bin", "/usr/sbin"],
        how_to_get: "Debian and Ubuntu: package cciss-vol-status; elsewhere cciss.sourceforge.net",
    },
    Tool {
        names: &[SG_VPD],
        paths: &["/usr/bin", "/usr/sbin"],
        how_to_get: "package sg3-utils (sg3_utils); the state of each volume and nothing more",
    },
];

impl Adapter for Hp {
    fn family(&self) -> &'static str {
        "hp"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    /// smartpqi only on HPE's cards; Microchip's own belong to arcconf.
    fn drivers(&self) -> &'static [&'static str] {
        &["hpsa", "smartpqi", "cciss"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if is_ssacli(&asked.tool()) => Some(by_words(&asked.args_lower())),
            Asked::Cmd(_) if asked.tool() == VOL_STATUS => Some(vol_status_kind(asked)),
            Asked::Cmd(argv) if asked.tool() == SG_VPD => {
                argv.iter().any(|a| a.to_ascii_lowercase().contains("0xc3")).then_some(VOLUME_PAGE)
            }
            Asked::Cmd(_) => None,
            other => ask_vol_status::kind_of(other),
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(reading::read(known, heard));
        let queries = queries(known, heard, &reading);
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(&maintenance::HpMaintenance)
    }

    /// "Another instance of ACU is already running": whatever the controller, one at a time.
    fn asks_one_at_a_time(&self) -> bool {
        true
    }
}

fn is_ssacli(tool: &str) -> bool {
    ["ssacli", "hpssacli", "hpacucli"].iter().any(|name| tool.starts_with(name))
}

/// "0", "12", "0b".
fn is_slot(number: &str) -> bool {
    number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_alphanumeric())
}

const MUTATING: [&str; 12] =
    ["create", "delete", "modify", "add", "remove", "set", "rescan", "diag", "clear", "split", "shrink", "import"];

fn by_words(args: &[String]) -> AnswerKind {
    let has = |words: &[&str]| args.iter().any(|a| words.contains(&a.as_str()));
    if has(&MUTATING) {
        return MUTATION;
    }
    if !has(&["show"]) || !has(&["ctrl", "controller"]) {
        return ASIDE;
    }
    let all_controllers = args.iter().skip_while(|a| !["ctrl", "controller"].contains(&a.as_str())).nth(1);
    let all_controllers = all_controllers.is_some_and(|a| a == "all");
    match () {
        () if has(&["ld", "logicaldrive"]) => LOGICAL,
        () if has(&["pd", "physicaldrive"]) => PHYSICAL,
        () if has(&["config"]) => CONFIG,
        () if has(&["array", "enclosure", "ssdphysicaldrive", "license", "help", "ssdinfo"]) => ASIDE,
        () if has(&["status", "detail"]) || !all_controllers => STATUS,
        () => CONTROLLERS,
    }
}

/// `-v` prints the version and nothing else.
fn vol_status_kind(asked: &Asked) -> AnswerKind {
    let Asked::Cmd(argv) = asked else { return ASIDE };
    if argv.iter().any(|a| a == "-v" || a == "--version") { ASIDE } else { VOLUMES }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let volumes = head.contains(" Volume ") && head.contains(" status: ") && head.contains("/dev/");
    if volumes || head.contains("Non-Volatile Cache status") {
        return Some(VOLUMES);
    }
    let sheet = sheet(head);
    let (logical, physical) =
        (sheet.cards.iter().any(|c| !c.volumes.is_empty()), sheet.cards.iter().any(|c| !c.drives.is_empty()));
    let headed = sheet.cards.iter().any(|c| c.slot.is_some());
    let detailed = sheet.cards.iter().any(|c| c.pairs.get("slot").is_some());
    let status = sheet.cards.iter().any(|c| c.pairs.get("controller status").is_some());
    match () {
        () if headed && (detailed && (logical || physical) || (logical && physical)) => Some(CONFIG),
        () if logical => Some(LOGICAL),
        () if physical => Some(PHYSICAL),
        () if status => Some(STATUS),
        () if headed => Some(CONTROLLERS),
        () => None,
    }
}

fn queries(known: &Known, heard: &Heard, so_far: &Reading) -> Vec<Query> {
    let tool = known.tool.as_ref().map_or("ssacli", |t| t.name.as_str());
    if tool == VOL_STATUS || tool == SG_VPD {
        return ask_vol_status::queries(known, heard, tool);
    }
    match &known.scope {
        Scope::Everything => Vec::new(),
        Scope::Discover => vec![Query::cmd(CONTROLLERS, &[tool, "ctrl", "all", "show"]).deadline(Deadline::Long)],
        Scope::Controller(slot) => survey(tool, heard, slot, so_far),
    }
}

fn survey(tool: &str, heard: &Heard, slot: &str, so_far: &Reading) -> Vec<Query> {
    let slot = format!("slot={slot}");
    let ask = |kind, words: &[&str]| {
        let argv: Vec<&str> = [tool, "ctrl", &slot].into_iter().chain(words.iter().copied()).collect();
        Query::cmd(kind, &argv).deadline(Deadline::Long)
    };
    let mut queries = vec![ask(CONFIG, &["show", "config", "detail"])];
    let answered = heard.of(CONFIG).any(|a| !sheet(&a.text()).says_nothing());
    let refused = heard.of(CONFIG).any(|a| a.outcome.ended() && !sheet(&a.text()).errors.is_empty());
    if !answered && refused {
        queries.push(ask(LOGICAL, &["ld", "all", "show", "detail"]));
        queries.push(ask(PHYSICAL, &["pd", "all", "show", "detail"]));
    }
    // Old tools leave the states of the card out of the long answer.
    let stated = so_far.controllers.iter().any(|c| c.state.is_some());
    if heard.has(CONFIG) && !stated && (answered || refused) {
        queries.push(ask(STATUS, &["show", "status"]));
    }
    queries
}
