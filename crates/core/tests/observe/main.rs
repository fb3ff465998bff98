//! The log rules against other people's logs: the catalogue of kernel messages, the cases, the
//! corpus. Those files are read where they are (`RAIDMOND_SHARED`, or `../shared` beside the
//! workspace) and nothing of them is copied; without them these tests say so and pass.

// Helpers beside the tests are tests too.
#![allow(clippy::expect_used)]

mod cases;
mod catalogue;
mod corpus;
mod disagreements;
mod properties;
mod stream;

use raidmond_core::observe::{Carry, Context, LogKind, Scan, Scanner, Sign, rate_of};
use std::path::PathBuf;
use std::sync::LazyLock;

fn shared(what: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let root = std::env::var_os("RAIDMOND_SHARED").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = root.join(what);
    if !path.exists() {
        println!("SKIPPED: {} is not here", path.display());
        return None;
    }
    Some(path)
}

static SCANNERS: LazyLock<Vec<(LogKind, Scanner)>> = LazyLock::new(|| {
    LogKind::ALL.iter().map(|kind| (*kind, Scanner::new(*kind, &[]).expect("no user rules"))).collect()
});

fn scan(kind: LogKind, bytes: &[u8]) -> Scan {
    let (_, scanner) = SCANNERS.iter().find(|(k, _)| *k == kind).expect("all kinds");
    scanner.scan(bytes, &Context::default(), &mut Carry::default())
}

/// One is something, and something bad.
fn is_fault(sign: Sign) -> bool {
    let harmless = matches!(
        sign,
        Sign::Info
            | Sign::Benign
            | Sign::ArrayOptimal
            | Sign::DiskInserted
            | Sign::DiskChanged
            | Sign::SpareUsed
            | Sign::RebuildStarted
            | Sign::RebuildCompleted
            | Sign::CheckStarted
            | Sign::CheckCompleted
            | Sign::OtherTask
            | Sign::BatteryGood
            | Sign::LearnCycle
            | Sign::WriteBackRestored
            | Sign::EnclosureOk
    );
    !harmless && rate_of(sign).is_none()
}
