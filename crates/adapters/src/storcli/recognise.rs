//! Which question an answer answers: by the command, else by the head of the text.

use super::dialect::Dialect;
use raidmond_core::survey::{AnswerKind, Asked};

/// `show`: all controllers of the tool.
pub const OVERVIEW: AnswerKind = AnswerKind("overview");
/// `/cN show`
pub const SHOW: AnswerKind = AnswerKind("show");
/// `/cN show all`
pub const SHOW_ALL: AnswerKind = AnswerKind("show-all");
/// `/cN/vall show [all]`
pub const ARRAYS: AnswerKind = AnswerKind("arrays");
/// `/cN/eall/sall show all`
pub const DRIVES: AnswerKind = AnswerKind("drives");
/// `/cN/eall/sall show`: what is left to ask where the detailed form crashes.
pub const DRIVES_SHORT: AnswerKind = AnswerKind("drives-short");
pub const ENCLOSURES: AnswerKind = AnswerKind("enclosures");
pub const BATTERY: AnswerKind = AnswerKind("battery");
pub const CACHEVAULT: AnswerKind = AnswerKind("cachevault");
pub const REBUILD: AnswerKind = AnswerKind("rebuild");
pub const COPYBACK: AnswerKind = AnswerKind("copyback");
/// Progress of operations on arrays.
pub const OPERATIONS: AnswerKind = AnswerKind("operations");
pub const FOREIGN: AnswerKind = AnswerKind("foreign");
pub const PATROL: AnswerKind = AnswerKind("patrol");
pub const EVENTS: AnswerKind = AnswerKind("events");
/// A command that changes something.
pub const MUTATION: AnswerKind = AnswerKind("mutation");
/// `/cN show cc`: the schedule that the firmware keeps.
pub const SCHEDULE: AnswerKind = AnswerKind("check-schedule");
/// Settings: raidmond does not need them.
pub const SETTINGS: AnswerKind = AnswerKind("settings");
/// Ours, but no question raidmond asks.
pub const OTHER: AnswerKind = AnswerKind("other");

const CHANGING: [&str; 22] = [
    "add",
    "del",
    "delete",
    "set",
    "start",
    "stop",
    "import",
    "insert",
    "erase",
    "expand",
    "flush",
    "flushcache",
    "flasherase",
    "download",
    "restart",
    "shutdown",
    "suspend",
    "resume",
    "pause",
    "spindown",
    "spinup",
    "transform",
];

pub fn recognise(dialect: &Dialect, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
    match asked {
        Asked::Cmd(argv) if argv.is_empty() => by_head(dialect, &String::from_utf8_lossy(head)),
        Asked::Cmd(_) if dialect.commands.contains(&asked.tool().as_str()) => Some(by_words(&asked.args_lower())),
        _ => None,
    }
}

fn by_words(words: &[String]) -> AnswerKind {
    let has = |word: &str| words.iter().any(|w| w == word);
    if CHANGING.iter().any(|w| has(w)) && !has("show") {
        return MUTATION;
    }
    if !has("show") {
        return OTHER;
    }
    match words.iter().find(|w| w.starts_with('/')) {
        Some(object) => by_object(object, &has),
        None if words.iter().all(|w| ["show", "j", "all", "nolog", "ctrlcount"].contains(&w.as_str())) => OVERVIEW,
        None => OTHER,
    }
}

fn by_object(object: &str, has: &dyn Fn(&str) -> bool) -> AnswerKind {
    let parts: Vec<&str> = object.split('/').skip(2).collect();
    let kind_of = |letter: char| parts.iter().any(|p| p.starts_with(letter));
    if parts.is_empty() {
        return by_topic(has);
    }
    if parts.contains(&"bbu") || parts.contains(&"ep") {
        return BATTERY;
    }
    if parts.contains(&"cv") {
        return CACHEVAULT;
    }
    if kind_of('s') {
        return of_drives(has);
    }
    match (kind_of('v'), kind_of('e'), kind_of('f')) {
        (true, ..) if ["cc", "bgi", "init", "migrate", "erase"].iter().any(|w| has(w)) => OPERATIONS,
        (true, ..) => ARRAYS,
        (_, true, _) => ENCLOSURES,
        (_, _, true) => FOREIGN,
        _ => OTHER,
    }
}

fn by_topic(has: &dyn Fn(&str) -> bool) -> AnswerKind {
    const TOPICS: [(&str, AnswerKind); 6] = [
        ("events", EVENTS),
        ("patrolread", PATROL),
        ("pr", PATROL),
        ("cc", SCHEDULE),
        ("consistencycheck", SCHEDULE),
        ("all", SHOW_ALL),
    ];
    if let Some((_, kind)) = TOPICS.iter().find(|(word, _)| has(word)) {
        return *kind;
    }
    if ["rebuildrate", "time", "termlog", "alarm"].iter().any(|w| has(w)) { SETTINGS } else { SHOW }
}

fn of_drives(has: &dyn Fn(&str) -> bool) -> AnswerKind {
    match (has("rebuild"), has("copyback"), has("all")) {
        (true, ..) => REBUILD,
        (_, true, _) => COPYBACK,
        (_, _, true) => DRIVES,
        _ => DRIVES_SHORT,
    }
}

/// A text nobody said the command of.
fn by_head(dialect: &Dialect, head: &str) -> Option<AnswerKind> {
    if is_generation_two(head) != dialect.second {
        return None;
    }
    let json =
        head.contains("\"Controllers\"") && (head.contains("\"Command Status\"") || head.contains("\"Response Data\""));
    let text = head.contains("CLI Version = 0")
        || head.contains("EID:Slt PID")
        || head.contains("EID:Slt DID State")
        || head.contains("DG/VD TYPE");
    (json || text).then_some(OTHER)
}

/// storcli2 and perccli2: version 008, `PID` for `DID`, `State` beside `Status`.
pub fn is_generation_two(text: &str) -> bool {
    let version = |digits: &str| text.lines().any(|line| line.contains("CLI Version") && line.contains(digits));
    let columns = |first: &str, second: &str| text.contains(first) && text.contains(second);
    version(" 008.") || version("\"008.") || text.contains("EID:Slt PID") || columns("\"EID:Slt\"", "\"PID\"")
}

/// Says which generation it is at all: parts of an answer may not.
pub fn has_generation(text: &str) -> bool {
    is_generation_two(text) || text.contains(" 007.") || text.contains("\"007.") || text.contains("EID:Slt DID")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storcli::{FIRST, Storcli};
    use crate::{Adapter, storcli2::Storcli2};

    fn kind(command: &str) -> Option<&'static str> {
        let words: Vec<&str> = command.split_whitespace().collect();
        recognise(&FIRST, &Asked::cmd(&words), b"").map(|k| k.0)
    }

    #[test]
    fn commands_have_their_kinds() {
        let pairs = [
            ("storcli64 show J", "overview"),
            ("/opt/MegaRAID/perccli/perccli64 /c0 show nolog", "show"),
            ("storcli /cALL show all J", "show-all"),
            ("storcli64 /c0/v0 show all", "arrays"),
            ("storcli64 /c0/eall/sall show all J", "drives"),
            ("storcli64 /c0/sall show all", "drives"),
            ("storcli64 /call/eall/sall show nolog", "drives-short"),
            ("storcli64 /c0/eall/sall show rebuild", "rebuild"),
            ("storcli64 /c0/eall show all", "enclosures"),
            ("storcli64 /c0/vall show cc", "operations"),
            ("storcli64 /c0/fall show all J", "foreign"),
            ("storcli64 /c0 show events type=latest=10", "events"),
            ("storcli64 /c0/v0 start cc", "mutation"),
            ("storcli adpallinfo a0 -NoLog", "other"),
            ("storcli64 /c0 show cc J", "check-schedule"),
            ("storcli64 /c0 show consistencycheck", "check-schedule"),
            ("storcli64 /c0 show rebuildrate", "settings"),
            ("storcli64 c0 show all J", "other"),
        ];
        for (command, expected) in pairs {
            assert_eq!(kind(command), Some(expected), "{command}");
        }
        assert_eq!(kind("storcli2 /c0 show all"), None);
        assert_eq!(kind("MegaCli64 -PDList -aALL"), None);
    }

    #[test]
    fn heads_are_told_apart() {
        let of = |text: &str| {
            let tell = |adapter: &dyn Adapter| adapter.recognise(&Asked::Cmd(Vec::new()), text.as_bytes()).is_some();
            (tell(&Storcli), tell(&Storcli2))
        };
        assert_eq!(of("CLI Version = 007.1\nController = 0\n"), (true, false));
        assert_eq!(of("CLI Version = 008.0004.0000.0022 Apr 28, 2023\nController = 0\n"), (false, true));
        assert_eq!(of("EID:Slt PID State Status DG\n"), (false, true));
        assert_eq!(of("hello"), (false, false));
    }
}
