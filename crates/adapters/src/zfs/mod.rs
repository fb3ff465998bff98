//! ZFS pools, through `zpool status`.
//!
//! One conversation reads all pools: there is no controller between. The kernel's own word for each pool
//! (`/proc/spl/kstat/zfs/POOL/state`) is read beside it: it costs no child, and still answers when zpool
//! hangs on a suspended pool or is not installed.
//!
//! Not done: which files are damaged (`-v`: their names are nobody's business but the admin's),
//! properties, datasets, iostat.

mod json;
mod lower;
mod raw;
mod scan;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod vocabulary;

use crate::{Adapter, Said, Step, Term, Tool};
use raidmond_core::model::{ArrayState, Path, Space};
use raidmond_core::survey::{Answer, AnswerKind, Asked, Covers, Heard, Known, NoteKind, Query, Reading, Scope};
use raw::Pool;
use text::Sheet;

pub struct Zfs;

pub const STATUS: AnswerKind = AnswerKind("status");
pub const LIST: AnswerKind = AnswerKind("list");
pub const IMPORT: AnswerKind = AnswerKind("import");
/// Names in the kernel's folder of statistics: pools among them.
pub const POOLS: AnswerKind = AnswerKind("kernel-pools");
pub const STATE: AnswerKind = AnswerKind("kernel-state");
/// Reads, and tells nothing of how a pool is.
pub const ASIDE: AnswerKind = AnswerKind("aside");
pub const MUTATION: AnswerKind = AnswerKind("mutation");

const KSTAT: &str = "/proc/spl/kstat/zfs";

static TOOLS: &[Tool] = &[Tool {
    names: &["zpool"],
    paths: &["/sbin", "/usr/sbin", "/usr/local/sbin"],
    how_to_get: "package zfsutils-linux (Debian, Ubuntu) or zfs (OpenZFS repositories)",
}];

impl Adapter for Zfs {
    fn family(&self) -> &'static str {
        "zfs"
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn drivers(&self) -> &'static [&'static str] {
        &[]
    }

    fn watches_without_card(&self) -> Option<&'static str> {
        Some(KSTAT)
    }

    fn recognise(&self, asked: &Asked, head: &[u8]) -> Option<AnswerKind> {
        match asked {
            Asked::Cmd(argv) if argv.is_empty() => by_text(&String::from_utf8_lossy(head)),
            Asked::Cmd(_) if asked.tool() == "zpool" => Some(by_words(asked)),
            Asked::Dir(path) if path.trim_end_matches('/') == KSTAT => Some(POOLS),
            Asked::File(path) => pool_of(path).map(|_| STATE),
            _ => None,
        }
    }

    fn step(&self, known: &Known, heard: &Heard) -> Step {
        let reading = Box::new(read(heard));
        let queries = match known.scope {
            Scope::Everything => Vec::new(),
            _ => queries(known, heard),
        };
        Step::of(reading, queries, heard)
    }

    fn vocabulary(&self) -> &'static [Term] {
        vocabulary::TERMS
    }
}

/// `/proc/spl/kstat/zfs/tank/state` → `tank`
fn pool_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix(KSTAT)?.strip_prefix('/')?.strip_suffix("/state")?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

fn by_words(asked: &Asked) -> AnswerKind {
    let words = asked.args_lower();
    let has_names = || words.iter().skip(1).any(|w| !w.starts_with('-'));
    match words.first().map(String::as_str) {
        Some("status") => STATUS,
        Some("list") => LIST,
        Some("import") if !has_names() && !words.iter().any(|w| w == "-a") => IMPORT,
        Some("events" | "history" | "iostat" | "get" | "version" | "wait") | None => ASIDE,
        Some(word) if word.starts_with('-') => ASIDE,
        Some(_) => MUTATION,
    }
}

fn by_text(head: &str) -> Option<AnswerKind> {
    let is_json = head.trim_start().starts_with('{') && head.contains("zpool status");
    let sheet = text::status(head);
    let listed = sheet.pools.iter().any(|p| p.state.is_some() || !p.rows.is_empty());
    match sheet.pools.iter().any(|p| p.importable) {
        true if listed => Some(IMPORT),
        _ if listed || is_json => Some(STATUS),
        _ => (head.trim_start().starts_with("NAME ") && head.contains(" HEALTH ")).then_some(LIST),
    }
}

fn queries(known: &Known, heard: &Heard) -> Vec<Query> {
    let mut queries = vec![Query::dir(POOLS, KSTAT)];
    if let Some(tool) = &known.tool {
        queries.push(Query::cmd(STATUS, &[&tool.name, "status", "-s", "-P", "-p"]));
        // Before OpenZFS 0.8 there are no such options.
        if heard.of(STATUS).any(is_refusal) {
            queries.push(Query::cmd(STATUS, &[&tool.name, "status"]));
        }
    }
    // Statistics of the module lie beside the pools: they have no state.
    let names: Vec<String> = heard.of(POOLS).flat_map(|a| names(&a.text())).collect();
    queries.extend(names.iter().take(256).map(|name| Query::file(STATE, format!("{KSTAT}/{name}/state"))));
    queries
}

/// Module-wide statistics, known by name so that nobody looks below them.
const STATISTICS: [&str; 24] = [
    "abdstats",
    "arcstats",
    "brtstats",
    "chksum_bench",
    "dbgmsg",
    "dbufs",
    "dbufstats",
    "dmu_tx",
    "dnodestats",
    "fletcher_4_bench",
    "fm",
    "import_progress",
    "metaslab_stats",
    "qat",
    "vdev_cache_stats",
    "vdev_mirror_stats",
    "vdev_raidz_bench",
    "vdev_trim_stats",
    "xuio_stats",
    "zfetchstats",
    "zil",
    "zstd",
    "ddtstats",
    "zap_stats",
];

fn names(listing: &str) -> Vec<String> {
    let named = listing.lines().map(str::trim).filter(|n| !n.is_empty() && !STATISTICS.contains(n));
    named.map(str::to_owned).collect()
}

fn is_refusal(answer: &Answer) -> bool {
    let said = answer.stderr_text() + &answer.text();
    answer.outcome.ended() && answer.outcome.exit != 0 && (said.contains("invalid option") || said.contains("usage:"))
}

fn read(heard: &Heard) -> Reading {
    let mut reading = Reading::new("zfs", Space::Zfs);
    let mut pools: Vec<Pool> = Vec::new();
    for kind in [STATUS, IMPORT, LIST] {
        for answer in heard.of(kind) {
            for pool in listed(&mut reading, heard, answer, kind) {
                take(&mut pools, pool);
            }
        }
    }
    by_kernel(&mut reading, heard, &mut pools);
    pools.iter().for_each(|pool| lower::pool(&mut reading, pool));
    aside(&mut reading, heard);
    if !reading.arrays.is_empty() {
        // Lets the poller go on asking when the module is not loaded any more.
        reading.cursor = Some("pools seen".to_owned());
    }
    reading
}

/// The first listing of a pool tells most.
fn take(pools: &mut Vec<Pool>, pool: Pool) {
    if !pools.iter().any(|p| p.name == pool.name && (p.guid == pool.guid || p.guid.is_none() || pool.guid.is_none())) {
        pools.push(pool);
    }
}

fn listed(reading: &mut Reading, heard: &Heard, answer: &Answer, kind: AnswerKind) -> Vec<Pool> {
    let other = heard.of(kind).count() > 1;
    if !answer.outcome.ended() {
        reading.note(NoteKind::ToolFailed, Path::default(), format!("`{}`: {}", answer.asked, answer.outcome.words()));
        return Vec::new();
    }
    if is_refusal(answer) {
        if !other {
            let said = format!("`{}`: this version does not know the option", answer.asked);
            reading.note(NoteKind::CommandRefused, Path::default(), said);
        }
        return Vec::new();
    }
    let text = format!("{}\n{}", answer.text(), answer.stderr_text());
    let sheet = match json::pools(&answer.text()) {
        Some(pools) => Sheet { none: pools.is_empty(), pools, unread: Vec::new() },
        None if kind == LIST => text::list(&text),
        None => text::status(&text),
    };
    judge(reading, answer, kind, sheet)
}

fn judge(reading: &mut Reading, answer: &Answer, kind: AnswerKind, sheet: Sheet) -> Vec<Pool> {
    for line in &sheet.unread {
        reading.note(NoteKind::ToolFailed, Path::default(), format!("`{}` says: {line}", answer.asked));
    }
    if sheet.pools.is_empty() && !sheet.none && sheet.unread.is_empty() {
        let said = format!("`{}`: is empty or not understood", answer.asked);
        reading.note(NoteKind::Unreadable, Path::default(), said);
    }
    if sheet.none {
        reading.note(NoteKind::Remark, Path::default(), "there are no ZFS pools here");
    }
    if answer.outcome.truncated {
        reading.note(NoteKind::Partial, Path::default(), format!("`{}`: the answer was cut off", answer.asked));
    }
    let readable = !sheet.pools.is_empty() || sheet.none;
    let whole = readable && sheet.unread.is_empty() && answer.outcome.exit == 0 && !answer.outcome.truncated;
    if kind == STATUS && whole && asks_for_all(&answer.asked) && sheet.pools.iter().all(is_whole) {
        // Pools and disks that hang on no controller.
        reading.coverage.add(&Path::default(), Covers::Arrays);
        reading.coverage.add(&Path::default(), Covers::Disks);
    }
    sheet.pools
}

fn is_whole(pool: &Pool) -> bool {
    pool.errors.is_some() || pool.state.as_deref().is_some_and(|s| s != "ONLINE")
}

fn asks_for_all(asked: &Asked) -> bool {
    let Asked::Cmd(argv) = asked else { return false };
    let mut words = argv.iter().skip(2);
    words.all(|w| w.starts_with('-') && !w.starts_with("--") && !w.contains(['x', 'e', 'c', 'T']))
}

/// The kernel's word wins where it is worse, and stands alone where zpool told nothing.
fn by_kernel(reading: &mut Reading, heard: &Heard, pools: &mut Vec<Pool>) {
    for answer in heard.of(STATE).filter(|a| a.outcome.ended()) {
        let Some(name) = pool_of(answer.asked.path()) else { continue };
        let word = answer.text().trim().to_owned();
        let failed = vocabulary::meaning(vocabulary::POOL, &word) == Some(Said::Array(ArrayState::Failed));
        match pools.iter_mut().find(|p| p.name == name && !p.importable) {
            Some(pool) if failed => pool.state = Some(word),
            Some(_) => {}
            None => pools.push(Pool { name: name.to_owned(), state: Some(word), ..Pool::default() }),
        }
    }
    let gone = heard.of(POOLS).any(|a| a.outcome.absent);
    if gone && !heard.has(STATUS) {
        reading.note(NoteKind::Remark, Path::default(), "the ZFS module is not loaded: there are no pools");
    }
}

fn aside(reading: &mut Reading, heard: &Heard) {
    for answer in heard.of(ASIDE) {
        let said = format!("`{}` tells nothing of the state of a pool", answer.asked);
        reading.note(NoteKind::Remark, Path::default(), said);
    }
    for answer in heard.of(MUTATION) {
        reading.note(NoteKind::Mutation, Path::default(), format!("`{}` is not a question", answer.asked));
    }
}
