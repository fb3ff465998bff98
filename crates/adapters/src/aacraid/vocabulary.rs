//! Adaptec's words and what raidmond makes of them.
//!
//! Sources: ARCCONF command line user guides (5.x to 4.x), ServeRAID Manager help (Okay, Critical,
//! Offline, Defunct), Smart Array volume states that SmartRAID cards took over, afacli reference; the
//! greater part is seen in captures. A word that is not here is reported, never taken for good.

use crate::{Said, Term, scan};
use raidmond_core::model::{ArrayState, CacheState, ControllerState, DiskState, FindingKind, PartState};
use raidmond_core::model::{TaskKind, TaskState};

pub const LOGICAL: &str = "logical device status";
pub const DISK: &str = "physical device state";
pub const SEGMENT: &str = "segment";
pub const CONTROLLER: &str = "controller status";
pub const PROTECTION: &str = "battery or capacitor status";
pub const PART: &str = "enclosure part";
pub const OPERATION: &str = "operation";
pub const PROGRESS: &str = "task status";
pub const CACHE: &str = "cache status";
pub const CONTAINER: &str = "container partition state";

/// The meaning of a word; a parenthesis behind it does not change it.
pub fn meaning(of: &str, word: &str) -> Option<Said> {
    let find = |w: &str| TERMS.iter().find(|t| t.of == of && scan::same_word(t.word, w)).map(|t| t.means);
    find(word).or_else(|| find(word.split_once('(')?.0.trim()))
}

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: LOGICAL, word, means: Said::Array(state) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn segment(word: &'static str, state: DiskState) -> Term {
    Term { of: SEGMENT, word, means: Said::Disk(state) }
}

const fn controller(word: &'static str, state: ControllerState) -> Term {
    Term { of: CONTROLLER, word, means: Said::Controller(state) }
}

const fn protection(word: &'static str, state: CacheState) -> Term {
    Term { of: PROTECTION, word, means: Said::Cache(state) }
}

const fn part(word: &'static str, state: PartState) -> Term {
    Term { of: PART, word, means: Said::Part(state) }
}

const fn operation(word: &'static str, kind: TaskKind) -> Term {
    Term { of: OPERATION, word, means: Said::Task(kind, TaskState::Running) }
}

const fn progress(word: &'static str, state: TaskState) -> Term {
    Term { of: PROGRESS, word, means: Said::Task(TaskKind::Unknown, state) }
}

const fn container(word: &'static str, state: DiskState) -> Term {
    Term { of: CONTAINER, word, means: Said::Disk(state) }
}

pub static TERMS: &[Term] = &[
    array("Optimal", ArrayState::Optimal),
    array("Okay", ArrayState::Optimal),
    array("OK", ArrayState::Optimal),
    array("Degraded", ArrayState::Degraded),
    array("Critical", ArrayState::Degraded),
    array("Critical migrating", ArrayState::Degraded),
    array("Critical system", ArrayState::Degraded),
    array("Interim Recovery", ArrayState::Degraded),
    array("Interim Recovery Mode", ArrayState::Degraded),
    array("Ready for Recovery", ArrayState::Degraded),
    array("Ready for Rebuild", ArrayState::Degraded),
    array("Wrong Physical Device Replaced", ArrayState::Degraded),
    array("Wrong Drive Replaced", ArrayState::Degraded),
    array("Suboptimal", ArrayState::PartlyDegraded),
    array("Suboptimal, Fault Tolerant", ArrayState::PartlyDegraded),
    array("Sub-optimal", ArrayState::PartlyDegraded),
    array("Recovering", ArrayState::Rebuilding),
    array("Rebuilding", ArrayState::Rebuilding),
    array("Degraded, Rebuilding", ArrayState::Rebuilding),
    array("Impacted", ArrayState::Initialising),
    array("Building", ArrayState::Initialising),
    array("Failed", ArrayState::Failed),
    array("Offline", ArrayState::Failed),
    array("Blocked", ArrayState::Failed),
    array("Dead", ArrayState::Failed),
    array("Physical Device Not Properly Connected", ArrayState::Failed),
    array("Not Available", ArrayState::Failed),
    array("Ejected", ArrayState::Failed),
    array("Logical device Reconfiguring", ArrayState::Optimal),
    array("Reconfiguring", ArrayState::Optimal),
    array("Migrating", ArrayState::Optimal),
    array("Expanding", ArrayState::Optimal),
    array("Transforming", ArrayState::Optimal),
    array("Queued For Expansion", ArrayState::Optimal),
    array("Queued For Transformation", ArrayState::Optimal),
    array("Not Yet Available", ArrayState::Inactive),
    disk("Online", DiskState::Online),
    disk("Optimal", DiskState::Online),
    disk("Impacted", DiskState::Online),
    disk("Online (JBOD)", DiskState::Jbod),
    disk("JBOD", DiskState::Jbod),
    disk("Raw (Pass Through)", DiskState::Jbod),
    disk("Raw", DiskState::Jbod),
    disk("Pass Through", DiskState::Jbod),
    disk("HBA", DiskState::Jbod),
    disk("Exposed", DiskState::Jbod),
    disk("Ready", DiskState::UnconfiguredGood),
    disk("Available", DiskState::UnconfiguredGood),
    disk("Unassigned", DiskState::UnconfiguredGood),
    disk("Global Hot-Spare", DiskState::HotSpare),
    disk("Dedicated Hot-Spare", DiskState::HotSpare),
    disk("Pooled Hot-Spare", DiskState::HotSpare),
    disk("Hot Spare", DiskState::HotSpare),
    disk("Hot-Spare", DiskState::HotSpare),
    disk("Standby Hot-Spare", DiskState::HotSpare),
    disk("Auto Replace Hot-Spare", DiskState::HotSpare),
    disk("Rebuilding", DiskState::Rebuilding),
    disk("Rebuild", DiskState::Rebuilding),
    disk("Copyback", DiskState::CopyingBack),
    disk("Inconsistent", DiskState::Offline),
    disk("Offline", DiskState::Offline),
    disk("Not Available", DiskState::Offline),
    disk("Failed", DiskState::Failed),
    disk("Defunct", DiskState::Failed),
    disk("Dead", DiskState::Failed),
    disk("Defunct Hot-Spare", DiskState::Failed),
    disk("Failed Hot-Spare", DiskState::Failed),
    disk("Unusable", DiskState::Failed),
    disk("Missing", DiskState::Missing),
    disk("Not Present", DiskState::Missing),
    disk("Foreign", DiskState::Foreign),
    disk("Formatting", DiskState::Busy),
    disk("Clearing", DiskState::Busy),
    disk("Zeroing", DiskState::Busy),
    disk("Verifying", DiskState::Busy),
    disk("Erasing", DiskState::Busy),
    disk("Erase In Progress", DiskState::Busy),
    disk("Sanitizing", DiskState::Busy),
    disk("Initializing", DiskState::Busy),
    disk("Empty", DiskState::Empty),
    segment("Present", DiskState::Online),
    segment("Inconsistent", DiskState::Offline),
    segment("Rebuilding", DiskState::Rebuilding),
    segment("Missing", DiskState::Missing),
    segment("Failed", DiskState::Failed),
    segment("Defunct", DiskState::Failed),
    segment("Offline", DiskState::Offline),
    segment("Not Available", DiskState::Missing),
    controller("Optimal", ControllerState::Optimal),
    controller("Okay", ControllerState::Optimal),
    controller("OK", ControllerState::Optimal),
    controller("running", ControllerState::Optimal),
    controller("Warning", ControllerState::NeedsAttention),
    controller("Needs Attention", ControllerState::NeedsAttention),
    controller("Over Temperature", ControllerState::NeedsAttention),
    controller("Failed", ControllerState::Failed),
    controller("Error", ControllerState::Failed),
    controller("Offline", ControllerState::Failed),
    controller("Not Responding", ControllerState::Failed),
    controller("Kernel Panic", ControllerState::Failed),
    controller("Lockup", ControllerState::Failed),
    protection("Optimal", CacheState::Optimal),
    protection("Okay", CacheState::Optimal),
    protection("OK", CacheState::Optimal),
    protection("Ready", CacheState::Optimal),
    protection("Charged", CacheState::Optimal),
    protection("ZMM Optimal", CacheState::Optimal),
    protection("Charging", CacheState::Charging),
    protection("ZMM Charging", CacheState::Charging),
    protection("Recharging", CacheState::Charging),
    protection("Not Fully Charged", CacheState::Charging),
    protection("Discharging", CacheState::Learning),
    protection("Conditioning", CacheState::Learning),
    protection("Reconditioning", CacheState::Learning),
    protection("Low", CacheState::Weak),
    protection("Degraded", CacheState::Weak),
    protection("Over Temperature", CacheState::Weak),
    protection("Not Ready", CacheState::Weak),
    protection("ZMM Not Ready", CacheState::Weak),
    protection("Failed", CacheState::Failed),
    protection("ZMM Failed", CacheState::Failed),
    protection("Dead", CacheState::Failed),
    protection("Error", CacheState::Failed),
    protection("Removed", CacheState::Missing),
    protection("Missing", CacheState::Missing),
    protection("Not Connected", CacheState::Missing),
    protection("Not Installed", CacheState::NotFitted),
    protection("ZMM not installed", CacheState::NotFitted),
    protection("Not Present", CacheState::NotFitted),
    protection("Not Supported", CacheState::NotFitted),
    protection("Not Applicable", CacheState::NotFitted),
    part("Optimal", PartState::Ok),
    part("Okay", PartState::Ok),
    part("OK", PartState::Ok),
    part("Normal", PartState::Ok),
    part("Non-critical", PartState::Warning),
    part("Noncritical", PartState::Warning),
    part("Warning", PartState::Warning),
    part("Abnormal", PartState::Warning),
    part("Critical", PartState::Failed),
    part("Failed", PartState::Failed),
    part("Unrecoverable", PartState::Failed),
    part("Over Temperature", PartState::Failed),
    part("Not Installed", PartState::NotInstalled),
    part("Not Available", PartState::NotInstalled),
    part("Not Supported", PartState::NotInstalled),
    part("Not Present", PartState::NotInstalled),
    operation("Rebuild", TaskKind::Rebuild),
    operation("Rebuilding", TaskKind::Rebuild),
    operation("Build/Verify", TaskKind::BackgroundInitialise),
    operation("Build", TaskKind::BackgroundInitialise),
    operation("Synchronize", TaskKind::BackgroundInitialise),
    operation("Parity Initialization", TaskKind::BackgroundInitialise),
    operation("Build/Verify with fix", TaskKind::Check),
    operation("Verify", TaskKind::Check),
    operation("Verify with fix", TaskKind::Check),
    operation("Consistency Check", TaskKind::Check),
    operation("Background Consistency Check", TaskKind::Check),
    operation("Clear", TaskKind::Initialise),
    operation("Zero", TaskKind::Initialise),
    operation("Initialize", TaskKind::Initialise),
    operation("Copyback", TaskKind::Copyback),
    operation("Compacting", TaskKind::Expand),
    operation("Compaction", TaskKind::Expand),
    operation("Expansion", TaskKind::Expand),
    operation("Expanding", TaskKind::Expand),
    operation("Migration", TaskKind::Expand),
    operation("Migrating", TaskKind::Expand),
    operation("Reconfiguration", TaskKind::Expand),
    operation("Transformation", TaskKind::Expand),
    operation("Secure Erase", TaskKind::Erase),
    operation("Erase", TaskKind::Erase),
    operation("Sanitize", TaskKind::Erase),
    operation("Format", TaskKind::Erase),
    operation("Bld/Vfy", TaskKind::BackgroundInitialise),
    operation("Scrub", TaskKind::Check),
    operation("Recon", TaskKind::Expand),
    progress("In Progress", TaskState::Running),
    progress("Running", TaskState::Running),
    progress("RUN", TaskState::Running),
    progress("Queued", TaskState::Queued),
    progress("Pending", TaskState::Queued),
    progress("Paused", TaskState::Paused),
    progress("Suspended", TaskState::Paused),
    progress("SUS", TaskState::Paused),
    progress("Stopped", TaskState::Stopped),
    progress("Aborted", TaskState::Stopped),
    progress("Failed", TaskState::Failed),
    progress("Completed", TaskState::Completed),
    Term { of: CACHE, word: "Temporarily Disabled", means: Said::Finding(FindingKind::WriteBackLost) },
    Term { of: CACHE, word: "Permanently Disabled", means: Said::Finding(FindingKind::WriteBackLost) },
    Term { of: CACHE, word: "Disabled", means: Said::Finding(FindingKind::WriteBackLost) },
    Term { of: CACHE, word: "Failed", means: Said::Finding(FindingKind::WriteBackLost) },
    container("Normal", DiskState::Online),
    container("Missing", DiskState::Missing),
    container("Failed", DiskState::Failed),
    container("Dead", DiskState::Failed),
    container("Rebuild", DiskState::Rebuilding),
    container("Rebuilding", DiskState::Rebuilding),
];
