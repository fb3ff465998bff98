//! The words of ZFS. Sources: zpool_main.c and libzfs_status.c of OpenZFS 0.6 to 2.3 and of illumos,
//! zpool-status(8); most of them seen in public captures.

use crate::{Said, Term};
use raidmond_core::model::{ArrayState, DiskState, FindingKind};

/// Of pools, and of mirrors and the like within them.
pub const POOL: &str = "pool state";
pub const DEVICE: &str = "device state";
pub const SPARE: &str = "spare state";
/// What stands behind a device that is in service.
pub const BESIDE: &str = "remark on a device";
/// The sentence below `status:`, by its beginning. Optimal: no fault; Degraded: what the states tell as
/// well; Failed: no I/O.
pub const STATUS: &str = "status";
pub const ERRORS: &str = "errors";

pub static TERMS: &[Term] = &[
    pool("ONLINE", ArrayState::Optimal),
    pool("DEGRADED", ArrayState::Degraded),
    pool("FAULTED", ArrayState::Failed),
    pool("UNAVAIL", ArrayState::Failed),
    pool("OFFLINE", ArrayState::Failed),
    pool("REMOVED", ArrayState::Failed),
    pool("SUSPENDED", ArrayState::Failed),
    device("ONLINE", DiskState::Online),
    // Too many errors, still in service because nothing can replace it: it predicts its own failure.
    device("DEGRADED", DiskState::Online),
    device("FAULTED", DiskState::Failed),
    device("OFFLINE", DiskState::Offline),
    device("REMOVED", DiskState::Missing),
    device("UNAVAIL", DiskState::Missing),
    spare("AVAIL", DiskState::HotSpare),
    spare("INUSE", DiskState::Online),
    spare("FAULTED", DiskState::Failed),
    spare("UNAVAIL", DiskState::Missing),
    spare("REMOVED", DiskState::Missing),
    spare("OFFLINE", DiskState::Offline),
    beside("(resilvering)", DiskState::Rebuilding),
    beside("(awaiting resilver)", DiskState::Rebuilding),
    beside("(repairing)", DiskState::Online),
    beside("(scrubbing)", DiskState::Online),
    beside("(trimming)", DiskState::Online),
    beside("trimmed", DiskState::Online),
    beside("(untrimmed)", DiskState::Online),
    beside("(trim unsupported)", DiskState::Online),
    beside("initialized", DiskState::Online),
    beside("(initializing)", DiskState::Online),
    beside("(uninitialized)", DiskState::Online),
    beside("(non-allocating)", DiskState::Online),
    beside("(removing)", DiskState::Online),
    beside("currently in use", DiskState::Online),
    beside("in use by pool", DiskState::Online),
    beside("block size:", DiskState::Online),
    beside("was /", DiskState::Online),
    status("Some supported features are not enabled", ArrayState::Optimal),
    status("Some supported and requested features are not enabled", ArrayState::Optimal),
    status("The pool is formatted using an older on-disk", ArrayState::Optimal),
    status("The pool is formatted using a legacy on-disk", ArrayState::Optimal),
    status("One or more features are enabled on the pool despite not being", ArrayState::Optimal),
    status("One or more devices are configured to use a non-native block size", ArrayState::Optimal),
    status("One or more devices is currently being resilvered", ArrayState::Optimal),
    status("One or more devices is being resilvered", ArrayState::Optimal),
    status("One or more devices are being resilvered", ArrayState::Optimal),
    status("One or more devices have been sequentially resilvered", ArrayState::Optimal),
    status("The pool was last accessed by another system", ArrayState::Optimal),
    status("Mismatch between pool hostid and system hostid", ArrayState::Optimal),
    status("One or more devices could not be opened", ArrayState::Degraded),
    status("One or more devices could not be used", ArrayState::Degraded),
    status("One or more devices has been taken offline", ArrayState::Degraded),
    status("One or more devices has been removed", ArrayState::Degraded),
    status("One or more devices have been removed", ArrayState::Degraded),
    status("One or more devices are faulted in response to persistent errors", ArrayState::Degraded),
    status("One or more devices are missing from the system", ArrayState::Degraded),
    status("One or more devices contains corrupted data", ArrayState::Degraded),
    status("One or more devices are unavailable", ArrayState::Degraded),
    status("One or more devices were being resilvered", ArrayState::Degraded),
    status("The pool cannot be accessed on this system", ArrayState::Degraded),
    status("The pool has been upgraded to a newer", ArrayState::Degraded),
    status("The pool is formatted using an incompatible version", ArrayState::Degraded),
    status("The pool can only be accessed in read-only mode", ArrayState::Degraded),
    status("The pool uses the following feature(s)", ArrayState::Degraded),
    status("One or more devices are faulted in response to IO failures", ArrayState::Failed),
    status("The pool is suspended", ArrayState::Failed),
    finding(STATUS, "One or more devices has experienced an unrecoverable error", FindingKind::ToolReportsFault),
    finding(STATUS, "One or more devices has experienced an error resulting in data", FindingKind::SectorsLost),
    finding(STATUS, "The pool metadata is corrupted", FindingKind::SectorsLost),
    finding(STATUS, "An intent log record could not be read", FindingKind::CacheDiscarded),
    finding(STATUS, "Errata #", FindingKind::ToolReportsNotice),
    finding(ERRORS, "data errors", FindingKind::SectorsLost),
    finding(ERRORS, "Permanent errors have been detected", FindingKind::SectorsLost),
    Term { of: ERRORS, word: "No known data errors", means: Said::Array(ArrayState::Optimal) },
];

const fn pool(word: &'static str, state: ArrayState) -> Term {
    Term { of: POOL, word, means: Said::Array(state) }
}

const fn device(word: &'static str, state: DiskState) -> Term {
    Term { of: DEVICE, word, means: Said::Disk(state) }
}

const fn spare(word: &'static str, state: DiskState) -> Term {
    Term { of: SPARE, word, means: Said::Disk(state) }
}

const fn beside(word: &'static str, state: DiskState) -> Term {
    Term { of: BESIDE, word, means: Said::Disk(state) }
}

const fn status(word: &'static str, state: ArrayState) -> Term {
    Term { of: STATUS, word, means: Said::Array(state) }
}

const fn finding(of: &'static str, word: &'static str, kind: FindingKind) -> Term {
    Term { of, word, means: Said::Finding(kind) }
}

pub fn meaning(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && t.word == word).map(|t| t.means)
}

/// Sentences are known by their beginning: the rest names versions and devices.
pub fn sentence(of: &str, said: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && said.starts_with(t.word)).map(|t| t.means)
}

/// Remarks carry numbers and times: `(38% trimmed, started at …)`.
pub fn remarks(said: &str) -> impl Iterator<Item = Said> {
    TERMS.iter().filter(move |t| t.of == BESIDE && said.contains(t.word)).map(|t| t.means)
}
