//! Every word of storcli and perccli that raidmond understands, and what it makes of it.
//!
//! Sources: the legends the tools print below their tables, the StorCLI reference manual, captures.
//! Words compare without case. A word that is not here is quoted in a note.

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, CacheState, DiskState, PartState, TaskKind, TaskState, WriteCache};

pub const ARRAY: &str = "array state";
pub const DISK: &str = "disk state";
pub const CACHE: &str = "cache protection state";
pub const PART: &str = "enclosure state";
pub const TASK: &str = "operation";

pub fn array_state(word: &str) -> Option<ArrayState> {
    look_up(ARRAY, word, |said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn disk_state(word: &str) -> Option<DiskState> {
    look_up(DISK, word, |said| if let Said::Disk(s) = said { Some(s) } else { None })
}

pub fn cache_state(word: &str) -> Option<CacheState> {
    look_up(CACHE, word, |said| if let Said::Cache(s) = said { Some(s) } else { None })
}

pub fn part_state(word: &str) -> Option<PartState> {
    look_up(PART, word, |said| if let Said::Part(s) = said { Some(s) } else { None })
}

pub fn task_kind(word: &str) -> Option<TaskKind> {
    look_up(TASK, word, |said| if let Said::Task(kind, _) = said { Some(kind) } else { None })
}

fn look_up<S>(of: &str, word: &str, pick: impl Fn(Said) -> Option<S>) -> Option<S> {
    let word = word.trim();
    let mut terms = TERMS.iter().chain(&crate::storcli2::DISKS);
    let term = terms.find(|t| t.of == of && crate::scan::same_word(t.word, word))?;
    pick(term.means)
}

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

pub const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn cache(word: &'static str, state: CacheState) -> Term {
    Term { of: CACHE, word, means: Said::Cache(state) }
}

const fn part(word: &'static str, state: PartState) -> Term {
    Term { of: PART, word, means: Said::Part(state) }
}

const fn task(word: &'static str, kind: TaskKind) -> Term {
    Term { of: TASK, word, means: Said::Task(kind, TaskState::Running) }
}

/// Words of both generations.
pub const COMMON: [Term; 69] = [
    array("Optl", ArrayState::Optimal),
    array("Optimal", ArrayState::Optimal),
    array("Dgrd", ArrayState::Degraded),
    array("Degraded", ArrayState::Degraded),
    array("Pdgd", ArrayState::PartlyDegraded),
    array("Partially Degraded", ArrayState::PartlyDegraded),
    array("OfLn", ArrayState::Failed),
    array("Offln", ArrayState::Failed),
    array("Offline", ArrayState::Failed),
    array("Failed", ArrayState::Failed),
    array("Rec", ArrayState::Rebuilding),
    array("Recovery", ArrayState::Rebuilding),
    array("TRANS", ArrayState::Inactive),
    cache("Optimal", CacheState::Optimal),
    cache("Opt", CacheState::Optimal),
    cache("OK", CacheState::Optimal),
    cache("Charging", CacheState::Charging),
    cache("Chrg", CacheState::Charging),
    cache("Learning", CacheState::Learning),
    cache("Learn", CacheState::Learning),
    cache("Dgd", CacheState::Weak),
    cache("Degraded", CacheState::Weak),
    cache("Degraded(Need Attention)", CacheState::Weak),
    cache("Degraded (Need Attention)", CacheState::Weak),
    cache("Degraded(Charging)", CacheState::Charging),
    cache("NdAtn", CacheState::Weak),
    cache("Need Attention", CacheState::Weak),
    cache("Needs Attention", CacheState::Weak),
    cache("Failed", CacheState::Failed),
    cache("Fld", CacheState::Failed),
    cache("MsngCbl", CacheState::Failed),
    cache("Missing", CacheState::Missing),
    cache("Msng", CacheState::Missing),
    cache("Unkwn", CacheState::Unknown),
    cache("Unknown", CacheState::Unknown),
    part("OK", PartState::Ok),
    part("Normal", PartState::Ok),
    part("Optimal", PartState::Ok),
    part("Not Installed", PartState::NotInstalled),
    part("Not Available", PartState::NotInstalled),
    part("Unsupported", PartState::NotInstalled),
    part("Warning", PartState::Warning),
    part("Non-Critical", PartState::Warning),
    part("NonCritical", PartState::Warning),
    part("Critical", PartState::Failed),
    part("Failed", PartState::Failed),
    part("Failure", PartState::Failed),
    part("Unrecoverable", PartState::Failed),
    part("Not Responding", PartState::Failed),
    part("Degraded", PartState::Warning),
    task("Rebuild", TaskKind::Rebuild),
    task("CC", TaskKind::Check),
    task("Consistency Check", TaskKind::Check),
    task("BGI", TaskKind::BackgroundInitialise),
    task("Background Initialization", TaskKind::BackgroundInitialise),
    task("FGI", TaskKind::Initialise),
    task("INIT", TaskKind::Initialise),
    task("Full Init", TaskKind::Initialise),
    task("Fast Init", TaskKind::Initialise),
    task("Initialization", TaskKind::Initialise),
    task("Foreground Initialization", TaskKind::Initialise),
    task("Migrate", TaskKind::Expand),
    task("OCE", TaskKind::Expand),
    task("RLM", TaskKind::Expand),
    task("Reconstruction", TaskKind::Expand),
    task("Expansion", TaskKind::Expand),
    task("Copyback", TaskKind::Copyback),
    task("Erase", TaskKind::Erase),
    task("Patrol Read", TaskKind::PatrolRead),
];

/// Disks of generation 1. Generation 2 says it in two words, so that the two never meet.
const DISKS: [Term; 25] = [
    disk("Onln", DiskState::Online),
    disk("Online", DiskState::Online),
    disk("Offln", DiskState::Offline),
    disk("Offline", DiskState::Offline),
    disk("Failed", DiskState::Failed),
    disk("Msng", DiskState::Missing),
    disk("Missing", DiskState::Missing),
    disk("Rbld", DiskState::Rebuilding),
    disk("Rebuild", DiskState::Rebuilding),
    disk("Cpybck", DiskState::CopyingBack),
    disk("CopyBack", DiskState::CopyingBack),
    disk("GHS", DiskState::HotSpare),
    disk("DHS", DiskState::HotSpare),
    disk("UGood", DiskState::UnconfiguredGood),
    disk("UGUnsp", DiskState::UnconfiguredGood),
    disk("UBad", DiskState::UnconfiguredBad),
    disk("UBUnsp", DiskState::UnconfiguredBad),
    disk("JBOD", DiskState::Jbod),
    disk("Frgn", DiskState::Foreign),
    disk("Foreign", DiskState::Foreign),
    // Set aside by the controller while it diagnoses the disk.
    disk("UGShld", DiskState::Busy),
    disk("HSPShld", DiskState::Busy),
    disk("CFShld", DiskState::Busy),
    disk("CBShld", DiskState::Busy),
    disk("Sntze", DiskState::Busy),
];

pub static TERMS: &[Term] = &joined::<{ COMMON.len() }, { DISKS.len() }, { COMMON.len() + DISKS.len() }>(COMMON, DISKS);

/// One table of two.
pub const fn joined<const A: usize, const B: usize, const C: usize>(first: [Term; A], second: [Term; B]) -> [Term; C] {
    let mut all = [first[0]; C];
    let mut n = 0;
    while n < C {
        all[n] = if n < A { first[n] } else { second[n - A] };
        n += 1;
    }
    all
}

/// `RWBD`, `NRAWBC`: read ahead, write policy, I/O policy; `NR,WB` in generation 2. `None`: not understood.
pub fn cache_column(word: &str) -> Option<CacheWord> {
    let word = word.trim().to_ascii_uppercase();
    if let Some((read, write)) = word.split_once(',') {
        let read_ahead = [("R", true), ("RA", true), ("NR", false)].iter().find(|(w, _)| *w == read)?.1;
        let (write, always) = write_word(write)?;
        return Some(CacheWord { read_ahead, write, always });
    }
    let (read_ahead, rest) = match word.strip_prefix("NR") {
        Some(rest) => (false, rest),
        None => (true, word.strip_prefix("RA").filter(|r| !r.starts_with("WB")).or_else(|| word.strip_prefix('R'))?),
    };
    let (write, always) = write_word(rest.trim_end_matches(['C', 'D']))?;
    Some(CacheWord { read_ahead, write, always })
}

fn write_word(word: &str) -> Option<(WriteCache, bool)> {
    match word {
        "WB" => Some((WriteCache::WriteBack, false)),
        "AWB" => Some((WriteCache::WriteBack, true)),
        "WT" => Some((WriteCache::WriteThrough, false)),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheWord {
    pub read_ahead: bool,
    pub write: WriteCache,
    /// Write-back even without a good battery.
    pub always: bool,
}

/// `Write Cache(initial setting)`: (policy, always).
pub fn initial_write(word: &str) -> Option<(WriteCache, bool)> {
    let word: String = word.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    match word.as_str() {
        "writeback" | "wb" => Some((WriteCache::WriteBack, false)),
        "alwayswriteback" | "awb" => Some((WriteCache::WriteBack, true)),
        "writethrough" | "wt" => Some((WriteCache::WriteThrough, false)),
        _ => None,
    }
}

/// What the controller says of itself in one word sums up its arrays and disks, too: only the good
/// words and those that can mean nothing else are taken at their word.
pub fn summary_is_good(word: &str) -> bool {
    matches!(word.trim().to_ascii_lowercase().as_str(), "optimal" | "opt" | "ok")
}

/// Bits of `BBU Status` and `Energy Pack Status` (storelib; FreeBSD's mfi and OpenBSD's mfii name them).
pub static BATTERY_BITS: &[(u32, &str, Option<CacheState>)] = &[
    (0, "pack missing", Some(CacheState::Missing)),
    (1, "voltage low", Some(CacheState::Weak)),
    (2, "temperature high", Some(CacheState::Weak)),
    (3, "charging", Some(CacheState::Charging)),
    (4, "discharging", None),
    (5, "learn cycle requested", Some(CacheState::Weak)),
    (6, "learn cycle active", Some(CacheState::Learning)),
    (7, "learn cycle failed", Some(CacheState::Weak)),
    (8, "learn cycle timed out", Some(CacheState::Weak)),
    (9, "I2C errors", Some(CacheState::Weak)),
    (10, "replacement required", Some(CacheState::Weak)),
    (11, "remaining capacity low", Some(CacheState::Weak)),
    (12, "periodic learn required", None),
];

/// Refusals that only say "there is no such thing here".
pub static NOTHING_THERE: &[&str] = &[
    "no drive found",
    "no vd's have been configured",
    "no vds have been configured",
    "no vd found",
    "no foreign configuration",
    "no enclosure found",
    "no pd found",
    "is absent",
    "use /cx/cv",
    "use /cx/bbu",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_words_are_taken_apart() {
        let write = |w: &str| cache_column(w).map(|c| (c.read_ahead, c.write, c.always));
        assert_eq!(write("RWBD"), Some((true, WriteCache::WriteBack, false)));
        assert_eq!(write("NRWTD"), Some((false, WriteCache::WriteThrough, false)));
        assert_eq!(write("NRAWBC"), Some((false, WriteCache::WriteBack, true)));
        assert_eq!(write("RAWBD"), Some((true, WriteCache::WriteBack, true)));
        assert_eq!(write("RaWTC"), Some((true, WriteCache::WriteThrough, false)));
        assert_eq!(write("R,WB"), Some((true, WriteCache::WriteBack, false)));
        assert_eq!(write("NR,AWB"), Some((false, WriteCache::WriteBack, true)));
        assert_eq!((write("XYZ"), write("NR,"), write("X,WB")), (None, None, None));
    }

    #[test]
    fn no_word_has_two_meanings() {
        for (n, term) in TERMS.iter().enumerate() {
            let twin = TERMS.iter().skip(n + 1).find(|t| t.of == term.of && crate::scan::same_word(t.word, term.word));
            assert!(twin.is_none(), "{} twice", term.word);
        }
    }
}
