//! Bytes from outside never make a panic: every fixture, changed at random in a bounded loop that is the
//! same in every run. `MUTATIONS=N` changes each N times (default 10), `MUTATION_SEED` begins elsewhere.
#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "../fuzz/targets.rs"]
mod targets;

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Words that readers look for, put where they do not belong.
const SPLICES: [&[u8]; 14] = [
    b":",
    b"=",
    b"-----",
    b"|",
    b"\t",
    b"\r",
    b"\0",
    b"\xff\xfe",
    b"\xc3",
    b"99999999999999999999999",
    b"-1",
    b"NaN",
    b"\n\n",
    b"{\"Controllers\":[",
];

#[test]
fn changed_input_makes_no_panic() {
    let rounds: usize = std::env::var("MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let seeds = seeds();
    let mut random = Random::new();
    let mut tried = 0;
    let mut bad = Vec::new();
    for (path, seed) in &seeds {
        for _ in 0..rounds {
            let other = &seeds[random.below(seeds.len())].1;
            let changed = mutate(seed, other, &mut random);
            for (name, target) in targets::TARGETS {
                tried += 1;
                if catch_unwind(AssertUnwindSafe(|| target(&changed))).is_err() {
                    bad.push(format!("{name}, from {}:\n{}", path.display(), String::from_utf8_lossy(&changed)));
                }
            }
        }
    }
    println!("{} fixtures, {tried} inputs", seeds.len());
    assert!(seeds.len() > 60, "only {} fixtures", seeds.len());
    assert!(bad.is_empty(), "{} panics; the first: {}", bad.len(), bad[0]);
}

fn seeds() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("config/raidmond.toml")];
    for family in children(&root.join("crates/adapters/src")) {
        files.extend(children(&family.join("cases")).into_iter().filter(|f| f.extension().is_some_and(|e| e == "txt")));
    }
    files.extend(children(&root.join("tests/config_bad")));
    files.into_iter().map(|f| (f.clone(), std::fs::read(f).unwrap())).collect()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

fn mutate(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(60)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..to)),
            1 => bytes.truncate(at),
            2 => drop(bytes.splice(at..at, bytes[at..to].to_vec())),
            3 => drop(bytes.splice(at..to, SPLICES[random.below(SPLICES.len())].iter().copied())),
            4 => bytes[at..to].iter_mut().take(3).for_each(|b| *b ^= 1 << random.below(8)),
            _ => {
                let from = random.below(other.len() + 1);
                let until = (from + random.below(400)).min(other.len());
                drop(bytes.splice(at..to, other[from..until].iter().copied()));
            }
        }
    }
    bytes
}

struct Random(TestRng);

impl Random {
    fn new() -> Self {
        let seed: u64 = std::env::var("MUTATION_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
        let mut bytes = [7; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.0.next_u64()).unwrap_or(0) % limit.max(1)
    }
}
