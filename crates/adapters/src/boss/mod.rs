//! Dell BOSS-S1 and BOSS-S2, Lenovo's M.2 mirroring kit and other cards with Marvell's 88SE9230, through
//! mvcli. The kernel sees one disk of an AHCI controller and nothing of the two behind it.
//!
//! A controller is the tool's adapter number. Not here: the NVMe successor BOSS-N1 (mnv_cli), the event log
//! (its clock is wrong in captures, and the states tell the same).

mod lower;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::{Adapter, Step, Term, Tool};
use raidmond_core::model::Path;
use raidmond_core::survey::{AnswerKind, Asked, Heard, Known, Query, Reading, Scope};

pub struct Boss;

/// `info -o hba`
pub const CARD: AnswerKind = AnswerKind("card");
/// `info -o vd`
pub const ARRAYS: AnswerKind = AnswerKind("arrays");
/// `info -o pd`
pub const DISKS: AnswerKind = AnswerKind("disks");
/// `smart -p N`
pub const SMART: AnswerKind = AnswerKind("smart");
pub const MUTATION: AnswerKind = AnswerKind("mutation");
pub const ASIDE: AnswerKind = AnswerKind("aside");

static TOOLS: &[Tool] = &[Tool {
    names: &["mvcli", "mvsetup"],
    paths: &["/opt/marvell/storage/cli", "/opt/dell/mvcli", "/usr/local/bin", "/usr/local/sbin", "/bin"],
    how_to_get: "mvcli, from Dell's driver pages for BOSS (Lenovo: the M.2 mirroring kit's MSU package)",
}];

impl Adapter for Boss {
    fn family(&self) -> &'static str {
        "boss"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    /// Only cards with the Marvell chip: discovery knows them by their ids.
    fn drivers(&self) -> &'static [&'static str] {
        &["ahci"]
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if ["mvcli", "mvsetup"].contains(&asked.tool().as_str()) => {
                Some(by_words(&asked.args_lower()))
            }
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(lower::lower(known, heard));
        let queries = queries(known, &reading);
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

fn by_words(words: &[String]) -> AnswerKind {
    let has = |word: &str| words.iter().any(|w| w == word);
    match words.first().map(String::as_str) {
        Some("info") if has("vd") => ARRAYS,
        Some("info") if has("pd") => DISKS,
        Some("info") if has("hba") || words.len() == 1 => CARD,
        Some("smart") => SMART,
        Some("info" | "event" | "adapter" | "help" | "get" | "?") | None => ASIDE,
        Some(word) if word.starts_with('-') => ASIDE,
        Some(_) => MUTATION,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let has = |words: &str| head.contains(words);
    match () {
        () if has("Virtual Disk Information") && has("RAID mode:") => Some(ARRAYS),
        () if has("Physical Disk Information") && has("PD ID:") => Some(DISKS),
        () if has("SMART STATUS RETURN") || has("Smart Info\nID") => Some(SMART),
        () if has("Supported RAID mode:") && has("Image health:") => Some(CARD),
        () if has("Block Information") && has("Block status:") => Some(ASIDE),
        () => None,
    }
}

fn queries(known: &Known, so_far: &Reading) -> Vec<Query> {
    let tool = known.tool.as_ref().map_or("mvcli", |t| t.name.as_str());
    match &known.scope {
        Scope::Everything => Vec::new(),
        Scope::Discover => vec![Query::cmd(CARD, &[tool, "info", "-o", "hba"])],
        Scope::Controller(_) => {
            let mut queries = vec![
                Query::cmd(ARRAYS, &[tool, "info", "-o", "vd"]),
                Query::cmd(DISKS, &[tool, "info", "-o", "pd"]),
                Query::cmd(CARD, &[tool, "info", "-o", "hba"]).slow(),
            ];
            for id in so_far.disks.iter().filter_map(|d| d.device_id.as_deref()) {
                queries.push(Query::cmd(SMART, &[tool, "smart", "-p", id]).slow());
            }
            queries
        }
    }
}

/// Arrays and disks do not say whose they are; the tool speaks of one adapter at a time.
pub fn controller(known: &Known) -> Path {
    match &known.scope {
        Scope::Controller(number) => Path::controller(number),
        _ => Path::controller(0),
    }
}
