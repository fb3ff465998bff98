//! Which question an answer answers: by its command, else by the look of its text.

use super::kernel;
use raidmond_core::survey::{AnswerKind, Asked};

pub const CONFIG: AnswerKind = AnswerKind("getconfig");
pub const STATUS: AnswerKind = AnswerKind("getstatus");
pub const LIST: AnswerKind = AnswerKind("list");
pub const VERSION: AnswerKind = AnswerKind("getversion");
pub const LOGS: AnswerKind = AnswerKind("getlogs");
/// Reads that bear no health: connectors, expanders, help.
pub const OTHER: AnswerKind = AnswerKind("other");
/// Commands that change something; their answers are not judged.
pub const MUTATION: AnswerKind = AnswerKind("mutation");
pub const AFACLI: AnswerKind = AnswerKind("afacli");

pub fn recognise(asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
    if !matches!(asked, Asked::Cmd(_)) {
        return kernel::recognise(asked.path(), head);
    }
    // "afacli: container list" as people head their captures.
    match asked.tool().trim_end_matches(':') {
        "arcconf" | "arcconf64" => Some(by_command(asked, head)),
        "afacli" | "aaccli" => Some(AFACLI),
        "" => by_look(&String::from_utf8_lossy(head)),
        _ => None,
    }
}

fn by_command(asked: &Asked, head: &[u8]) -> AnswerKind {
    const READS: [&str; 5] = ["phyerrorlog", "expanderlist", "help", "-h", "-?"];
    let args = asked.args_lower();
    let look = by_look(&String::from_utf8_lossy(head));
    match args.first().map(String::as_str) {
        // Bundles name the dump of several commands after the first.
        Some("getconfig" | "getstatus") if look == Some(LOGS) => LOGS,
        Some("getconfig") if args.get(2).is_some_and(|a| a == "cn") => OTHER,
        Some("getconfig") => CONFIG,
        Some("getstatus") => STATUS,
        Some("list") => LIST,
        Some("getversion") => VERSION,
        Some("getlogs") => LOGS,
        None => look.unwrap_or(OTHER),
        Some(verb) if verb.starts_with("get") || READS.contains(&verb) => look.unwrap_or(OTHER),
        Some(_) => MUTATION,
    }
}

/// Letter case and blanks differ between versions.
fn by_look(text: &str) -> Option<AnswerKind> {
    let text: String = text.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let has = |words: &str| text.contains(words);
    let ours = has("controllers found:") || has("status of logical d") || has("logical device task:");
    let segments = has("segment 0 : present (") || has("reported channel,device");
    if has("| arcconf |") || has("phy error log") || has("phy event counters") || has("expander list for controller") {
        return Some(OTHER);
    }
    if has("driveerrorentry") || has("deaddriveentry") {
        return Some(LOGS);
    }
    if has("executing: container list") || has("ent date time") || has("taskid function") || has("c:id:l device type") {
        return Some(AFACLI);
    }
    let controller = has("controller status :") && has("controller model :");
    if !(ours || segments || controller) {
        return None;
    }
    Some(if has("controller id : status, slot") {
        LIST
    } else if has("task:") || (has("current operation : none") && !has("number")) {
        STATUS
    } else if has("controller #1") && !has("connector") {
        VERSION
    } else if has("connector information") && !has("controller status") {
        OTHER
    } else {
        CONFIG
    })
}
