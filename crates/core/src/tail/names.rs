//! The names that rotation gives to older files of a log: `x.log.1`, `x.log.2.gz`, `x.log-20260131`,
//! `x-20260131.log` (logrotate's `extension`), `x.1.log`.

use std::cmp::Reverse;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    None,
    Gzip,
    /// Known, but not read by raidmond: xz, bzip2, zstd, compress.
    Other,
}

/// Rank of an older file. Only ranks of one scheme can be compared in time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Number(Reverse<u32>),
    Date(String),
}

impl Rank {
    pub(super) fn same_scheme(&self, other: &Rank) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OlderName {
    /// Greater is newer.
    pub(super) rank: Rank,
    pub compression: Compression,
}

/// What `entry`, a name in the log's directory, is to the log called `log`.
pub fn older_name(log: &str, entry: &str) -> Option<OlderName> {
    let (plain, compression) = compression(entry);
    let after = plain.strip_prefix(log).and_then(rank);
    let rank = after.or_else(|| between(log, plain).and_then(rank))?;
    Some(OlderName { rank, compression })
}

fn compression(entry: &str) -> (&str, Compression) {
    if let Some(plain) = entry.strip_suffix(".gz") {
        return (plain, Compression::Gzip);
    }
    let other = [".xz", ".bz2", ".zst", ".Z", ".lzma"].iter().find_map(|suffix| entry.strip_suffix(suffix));
    other.map_or((entry, Compression::None), |plain| (plain, Compression::Other))
}

/// `x.log`, `x-2026.log` → `-2026`.
fn between<'a>(log: &str, entry: &'a str) -> Option<&'a str> {
    let dot = log.rfind('.').filter(|dot| *dot > 0)?;
    let (stem, extension) = log.split_at(dot);
    entry.strip_prefix(stem)?.strip_suffix(extension)
}

fn rank(suffix: &str) -> Option<Rank> {
    let rest = suffix.strip_prefix(['.', '-', '_'])?;
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    let stamp = |c: char| c.is_ascii_digit() || "-_:.T".contains(c);
    match digits.len() {
        1..=4 if digits == rest => digits.parse().ok().map(|n| Rank::Number(Reverse(n))),
        6.. if rest.chars().all(stamp) => Some(Rank::Date(digits)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_rotation_gives() {
        let name = |entry| older_name("kern.log", entry);
        for entry in ["kern.log.1", "kern.1.log", "kern.log-20260131", "kern-20260131.log", "kern.log.2026-01-31"] {
            assert_eq!(name(entry).unwrap().compression, Compression::None, "{entry}");
        }
        assert_eq!(name("kern.log.2.gz").unwrap().compression, Compression::Gzip);
        assert_eq!(name("kern.log-20260131.xz").unwrap().compression, Compression::Other);
        for entry in ["kern.log", "kern.log.old", "kern.logger.1", "other.1", "kern.log.", "kern.log.1a"] {
            assert_eq!(name(entry), None, "{entry}");
        }
    }

    #[test]
    fn newer_ranks_are_greater() {
        let rank = |entry| older_name("a", entry).unwrap().rank;
        assert!(rank("a.1") > rank("a.2") && rank("a.2") > rank("a.10.gz"));
        assert!(rank("a-20260201") > rank("a-20260131.gz"));
        assert!(!rank("a.1").same_scheme(&rank("a-20260131")));
    }
}
