//! The words of ssacli and of cciss_vol_status.
//!
//! Sources: HP Insight Management Agents guide and the CPQIDA MIB (states of logical and physical drives,
//! accelerator and battery), HP-UX `sautil` guide (what each logical drive state means), the source of
//! cciss_vol_status 1.12 (its states, spare sentences, enclosure alarms), and outputs seen in the corpus.

use crate::{Said, Term};
use raidmond_core::model::{
    ArrayState, CacheState, ControllerState, DiskState, FindingKind, PartState, TaskKind, TaskState,
};

pub const CONTROLLER: &str = "controller status";
pub const CACHE: &str = "cache status";
pub const BATTERY: &str = "battery or capacitor status";
pub const LETTER: &str = "array status";
pub const VOLUME: &str = "logical drive status";
pub const VOLUME_TASK: &str = "logical drive task";
pub const VOLUME_FINDING: &str = "logical drive finding";
pub const PARITY: &str = "parity initialization status";
pub const DRIVE: &str = "physical drive status";
pub const ROLE: &str = "drive type";
pub const PART: &str = "enclosure part status";

pub const PREDICTIVE: [&str; 2] = ["Predictive Failure", "S.M.A.R.T. predictive failure"];

pub static TERMS: &[Term] = &[
    controller("OK", ControllerState::Optimal),
    controller("Failed", ControllerState::Failed),
    controller("General Failure", ControllerState::Failed),
    controller("Lockup", ControllerState::Failed),
    controller("Cable Problem", ControllerState::NeedsAttention),
    cache("OK", CacheState::Optimal),
    cache("Not Configured", CacheState::NotFitted),
    cache("Not Present", CacheState::NotFitted),
    cache("Temporarily Disabled", CacheState::Weak),
    cache("Permanently Disabled", CacheState::Failed),
    cache("Failed", CacheState::Failed),
    battery("OK", CacheState::Optimal),
    battery("Recharging", CacheState::Charging),
    battery("Charging", CacheState::Charging),
    battery("Degraded", CacheState::Weak),
    battery("Failed", CacheState::Failed),
    battery("Not Present", CacheState::Missing),
    letter("OK", ArrayState::Optimal),
    // A physical drive of it failed; whether redundancy is touched its logical drives and disks say.
    letter("Failed", ArrayState::Degraded),
    letter("Failed Physical Drive", ArrayState::Degraded),
    volume("OK", ArrayState::Optimal),
    volume("Failed", ArrayState::Failed),
    volume("Interim Recovery Mode", ArrayState::Degraded),
    volume("Using interim recovery mode", ArrayState::Degraded),
    volume("Ready for Rebuild", ArrayState::Degraded),
    volume("Waiting for Rebuild", ArrayState::Degraded),
    volume("Queued for Rebuild", ArrayState::Degraded),
    volume("Ready for recovery operation", ArrayState::Degraded),
    volume("Recovering", ArrayState::Rebuilding),
    volume("Rebuilding", ArrayState::Rebuilding),
    volume("Currently recovering", ArrayState::Rebuilding),
    volume("Predictive Spare Rebuild Ready", ArrayState::Optimal),
    volume("Transforming", ArrayState::Optimal),
    volume("Expanding", ArrayState::Optimal),
    // As cciss_vol_status prints it.
    volume("Currently expannding", ArrayState::Optimal),
    volume("Currently expanding", ArrayState::Optimal),
    volume("Queued for Expansion", ArrayState::Optimal),
    volume("Queued for Transformation", ArrayState::Optimal),
    volume("Rapid Parity Initialization In Progress", ArrayState::Initialising),
    volume("Rapid Parity Initialization Pending", ArrayState::Initialising),
    volume("Multi-path Access Degraded", ArrayState::Optimal),
    volume("Overheating", ArrayState::Optimal),
    volume("Hardware is overheating", ArrayState::Optimal),
    volume("Shutdown", ArrayState::Failed),
    volume("Overheated", ArrayState::Failed),
    volume("Hardware was overheated", ArrayState::Failed),
    volume("Wrong Drive", ArrayState::Failed),
    volume("Wrong Drive Replaced", ArrayState::Failed),
    volume("Wrong physical drive was replaced", ArrayState::Failed),
    volume("Bad Connect", ArrayState::Failed),
    volume("A physical drive is not properly connected", ArrayState::Failed),
    volume("Offline", ArrayState::Failed),
    volume("Disabled", ArrayState::Failed),
    volume("Not Available", ArrayState::Inactive),
    volume("Not yet available", ArrayState::Inactive),
    volume("Not configured", ArrayState::Inactive),
    volume("Unconfigured", ArrayState::Inactive),
    volume("Erasing", ArrayState::Inactive),
    volume("Erase In Progress", ArrayState::Inactive),
    task("Ready for Rebuild", TaskKind::Rebuild, TaskState::Queued),
    task("Waiting for Rebuild", TaskKind::Rebuild, TaskState::Queued),
    task("Queued for Rebuild", TaskKind::Rebuild, TaskState::Queued),
    task("Ready for recovery operation", TaskKind::Rebuild, TaskState::Queued),
    task("Recovering", TaskKind::Rebuild, TaskState::Running),
    task("Rebuilding", TaskKind::Rebuild, TaskState::Running),
    task("Currently recovering", TaskKind::Rebuild, TaskState::Running),
    task("Predictive Spare Rebuild Ready", TaskKind::Copyback, TaskState::Queued),
    task("Transforming", TaskKind::Expand, TaskState::Running),
    task("Expanding", TaskKind::Expand, TaskState::Running),
    task("Currently expannding", TaskKind::Expand, TaskState::Running),
    task("Currently expanding", TaskKind::Expand, TaskState::Running),
    task("Queued for Expansion", TaskKind::Expand, TaskState::Queued),
    task("Queued for Transformation", TaskKind::Expand, TaskState::Queued),
    task("Rapid Parity Initialization In Progress", TaskKind::Initialise, TaskState::Running),
    task("Rapid Parity Initialization Pending", TaskKind::Initialise, TaskState::Queued),
    task("Erasing", TaskKind::Erase, TaskState::Running),
    task("Erase In Progress", TaskKind::Erase, TaskState::Running),
    finding("Multi-path Access Degraded", FindingKind::PathLost),
    finding("Overheating", FindingKind::ToolReportsFault),
    finding("Hardware is overheating", FindingKind::ToolReportsFault),
    parity("Queued", TaskState::Queued),
    parity("In Progress", TaskState::Running),
    parity("Initialization Completed", TaskState::Completed),
    parity("Initialization Complete", TaskState::Completed),
    parity("Completed", TaskState::Completed),
    parity("Initialization Failed", TaskState::Failed),
    drive("OK", DiskState::Online),
    drive(PREDICTIVE[0], DiskState::Online),
    drive(PREDICTIVE[1], DiskState::Online),
    drive("Failed", DiskState::Failed),
    drive("Rebuilding", DiskState::Rebuilding),
    drive("Waiting for Rebuild", DiskState::Rebuilding),
    drive("Queued for Rebuild", DiskState::Rebuilding),
    drive("Ready for Rebuild", DiskState::Rebuilding),
    drive("Offline", DiskState::Offline),
    drive("Missing", DiskState::Missing),
    drive("Erase In Progress", DiskState::Busy),
    drive("Erase Queued", DiskState::Busy),
    drive("Erase Complete. Reenable Before Using", DiskState::Busy),
    role("Data Drive", DiskState::Online),
    role("Transient Data Drive", DiskState::Online),
    role("Spare Drive", DiskState::HotSpare),
    role("Unassigned Drive", DiskState::UnconfiguredGood),
    role("HBA Mode Drive", DiskState::Jbod),
    part("OK", PartState::Ok),
    part("Redundant", PartState::Ok),
    // A drive cage without a supply of its own says so; an enclosure outside lost one.
    part("Not Redundant", PartState::Ok),
    part("Degraded", PartState::Warning),
    part("Door alert", PartState::Warning),
    part("Temperature problem", PartState::Failed),
    part("Failed", PartState::Failed),
    part("Fan failed", PartState::Failed),
    part("Power Supply Unit failed", PartState::Failed),
    part("Not Installed", PartState::NotInstalled),
    part("Not Present", PartState::NotInstalled),
    part("Not Available", PartState::NotInstalled),
    part("Not Supported", PartState::NotInstalled),
];

const fn controller(word: &'static str, state: ControllerState) -> Term {
    Term { of: CONTROLLER, word, means: Said::Controller(state) }
}

const fn cache(word: &'static str, state: CacheState) -> Term {
    Term { of: CACHE, word, means: Said::Cache(state) }
}

const fn battery(word: &'static str, state: CacheState) -> Term {
    Term { of: BATTERY, word, means: Said::Cache(state) }
}

const fn letter(word: &'static str, state: ArrayState) -> Term {
    Term { of: LETTER, word, means: Said::Array(state) }
}

const fn volume(word: &'static str, state: ArrayState) -> Term {
    Term { of: VOLUME, word, means: Said::Array(state) }
}

const fn task(word: &'static str, kind: TaskKind, state: TaskState) -> Term {
    Term { of: VOLUME_TASK, word, means: Said::Task(kind, state) }
}

const fn parity(word: &'static str, state: TaskState) -> Term {
    Term { of: PARITY, word, means: Said::Task(TaskKind::BackgroundInitialise, state) }
}

const fn finding(word: &'static str, kind: FindingKind) -> Term {
    Term { of: VOLUME_FINDING, word, means: Said::Finding(kind) }
}

const fn drive(word: &'static str, state: DiskState) -> Term {
    Term { of: DRIVE, word, means: Said::Disk(state) }
}

const fn role(word: &'static str, state: DiskState) -> Term {
    Term { of: ROLE, word, means: Said::Disk(state) }
}

const fn part(word: &'static str, state: PartState) -> Term {
    Term { of: PART, word, means: Said::Part(state) }
}

/// Without a final stop, and without what stands in parentheses behind the word.
pub fn core_of(word: &str) -> &str {
    let word = word.split(" (").next().unwrap_or(word);
    word.trim().trim_end_matches('.').trim_end()
}

pub fn meaning(of: &str, word: &str) -> Option<Said> {
    let word = core_of(word);
    TERMS.iter().find(|t| t.of == of && t.word.eq_ignore_ascii_case(word)).map(|t| t.means)
}

pub fn controller_state(word: &str) -> Option<ControllerState> {
    match meaning(CONTROLLER, word) {
        Some(Said::Controller(state)) => Some(state),
        _ => None,
    }
}

pub fn cache_state(of: &str, word: &str) -> Option<CacheState> {
    match meaning(of, word) {
        Some(Said::Cache(state)) => Some(state),
        _ => None,
    }
}

pub fn array_state(of: &str, word: &str) -> Option<ArrayState> {
    match meaning(of, word) {
        Some(Said::Array(state)) => Some(state),
        _ => None,
    }
}

pub fn volume_finding(word: &str) -> Option<FindingKind> {
    match meaning(VOLUME_FINDING, word) {
        Some(Said::Finding(kind)) => Some(kind),
        _ => None,
    }
}

pub fn task_of(of: &str, word: &str) -> Option<(TaskKind, TaskState)> {
    match meaning(of, word) {
        Some(Said::Task(kind, state)) => Some((kind, state)),
        _ => None,
    }
}

pub fn disk_state(of: &str, word: &str) -> Option<DiskState> {
    match meaning(of, word) {
        Some(Said::Disk(state)) => Some(state),
        _ => None,
    }
}

pub fn part_state(word: &str) -> Option<PartState> {
    match meaning(PART, word) {
        Some(Said::Part(state)) => Some(state),
        _ => None,
    }
}
