//! The words of Areca's CLI.
//!
//! Sources: the RAID controller manuals of Areca (states of raid sets, volume sets and disks; events), the
//! CLI outputs in the corpus and in the test data of RAID-Info and GSmartControl.

use crate::{Said, Term, scan};
use raidmond_core::model::TaskState::Running;
use raidmond_core::model::{ArrayState, CacheState, DiskState, PartState, TaskKind};
use raidmond_core::observe::Sign;

pub const ARRAY: &str = "volume set and raid set state";
pub const TASK: &str = "volume set and raid set work";
pub const DISK: &str = "disk usage";
pub const DRIVE: &str = "device state";
pub const BATTERY: &str = "battery status";
pub const PART: &str = "enclosure part";
pub const EVENT: &str = "event";

pub static TERMS: &[Term] = &[
    array("Normal", ArrayState::Optimal),
    array("Checking", ArrayState::Optimal),
    array("Migrating", ArrayState::Optimal),
    array("Rebuilding", ArrayState::Rebuilding),
    array("Initializing", ArrayState::Initialising),
    array("Foreground Init", ArrayState::Initialising),
    array("Background Init", ArrayState::Initialising),
    array("Need Init", ArrayState::Initialising),
    array("Non-Initialized", ArrayState::Initialising),
    array("Need Rebuild", ArrayState::Degraded),
    array("Degraded", ArrayState::Degraded),
    array("Failed", ArrayState::Failed),
    array("Incomplete", ArrayState::Failed),
    array("Offline", ArrayState::Failed),
    task("Checking", TaskKind::Check),
    task("Migrating", TaskKind::Expand),
    task("Rebuilding", TaskKind::Rebuild),
    task("Initializing", TaskKind::Initialise),
    task("Foreground Init", TaskKind::Initialise),
    task("Background Init", TaskKind::BackgroundInitialise),
    // A raid set's name stands for a member.
    disk("RaidSet Member", DiskState::Online),
    disk("HotSpare", DiskState::HotSpare),
    disk("Hot Spare", DiskState::HotSpare),
    disk("HotSpare[Global]", DiskState::HotSpare),
    disk("HotSpare[Dedicated]", DiskState::HotSpare),
    disk("HotSpare[Enclosure]", DiskState::HotSpare),
    disk("Free", DiskState::UnconfiguredGood),
    disk("JBOD", DiskState::Jbod),
    disk("Pass Through", DiskState::Jbod),
    disk("PassThrough", DiskState::Jbod),
    disk("N.A.", DiskState::Empty),
    disk("Failed", DiskState::Failed),
    drive("NORMAL", DiskState::Online),
    drive("FAILED", DiskState::Failed),
    battery("Not Installed", CacheState::NotFitted),
    battery("Charging", CacheState::Charging),
    battery("Failed", CacheState::Failed),
    part("OK", PartState::Ok),
    part("Failed", PartState::Failed),
    part("N.A.", PartState::NotInstalled),
    event("Raid Powered On", Sign::Info),
    event("Device Inserted", Sign::DiskInserted),
    event("Device Removed", Sign::DiskRemoved),
    event("Device Failed", Sign::DiskFailed),
    event("Device Failed(SMART)", Sign::Predictive),
    event("Reading Error", Sign::MediumError),
    event("Writing Error", Sign::MediumError),
    event("Time Out Error", Sign::Timeout),
    event("ATA Ecc Error", Sign::LinkError),
    event("RaidSet Degraded", Sign::ArrayDegraded),
    event("Volume Degraded", Sign::ArrayDegraded),
    event("Volume Failed", Sign::ArrayFailed),
    event("Incomplete RAID Discovered", Sign::ArrayFailed),
    event("Start Rebuilding", Sign::RebuildStarted),
    event("Rebuild RaidSet", Sign::RebuildStarted),
    event("Complete Rebuild", Sign::RebuildCompleted),
    event("Stop Rebuilding", Sign::RebuildFailed),
    event("Start Checking", Sign::CheckStarted),
    event("Complete Check", Sign::CheckCompleted),
    event("Stop Checking", Sign::OtherTask),
    event("Start Initialize", Sign::OtherTask),
    event("Complete Init", Sign::OtherTask),
    event("Start Migrating", Sign::OtherTask),
    event("Complete Migrate", Sign::OtherTask),
    event("DRAM 1-Bit ECC", Sign::MemoryCorrectable),
    event("DRAM Fatal Error", Sign::MemoryUncorrectable),
    event("Controller Over Temperature", Sign::TemperatureHigh),
    event("Over Temperature", Sign::TemperatureHigh),
    event("Temp. Recovered", Sign::EnclosureOk),
    event("Hdd Over Temp", Sign::TemperatureHigh),
    event("Fan Failed", Sign::FanFailed),
    event("Fan Recovered", Sign::EnclosureOk),
    event("Power Failed", Sign::PowerSupplyFailed),
    event("Power Recovered", Sign::EnclosureOk),
    event("Raid BBM Failed", Sign::BatteryFailed),
    event("HTTP Log In", Sign::Benign),
    event("Telnet Log In", Sign::Benign),
    event("API Log In", Sign::Benign),
    event("VT100 Log In", Sign::Benign),
];

const fn array(word: &'static str, state: ArrayState) -> Term {
    Term { of: ARRAY, word, means: Said::Array(state) }
}

const fn task(word: &'static str, kind: TaskKind) -> Term {
    Term { of: TASK, word, means: Said::Task(kind, Running) }
}

const fn disk(word: &'static str, state: DiskState) -> Term {
    Term { of: DISK, word, means: Said::Disk(state) }
}

const fn drive(word: &'static str, state: DiskState) -> Term {
    Term { of: DRIVE, word, means: Said::Disk(state) }
}

const fn battery(word: &'static str, state: CacheState) -> Term {
    Term { of: BATTERY, word, means: Said::Cache(state) }
}

const fn part(word: &'static str, state: PartState) -> Term {
    Term { of: PART, word, means: Said::Part(state) }
}

const fn event(word: &'static str, sign: Sign) -> Term {
    Term { of: EVENT, word, means: Said::Sign(sign) }
}

fn look_up(of: &str, word: &str) -> Option<Said> {
    TERMS.iter().find(|t| t.of == of && scan::same_word(t.word, word)).map(|t| t.means)
}

pub fn array_state(word: &str) -> Option<ArrayState> {
    look_up(ARRAY, word).and_then(|said| if let Said::Array(s) = said { Some(s) } else { None })
}

pub fn task_kind(word: &str) -> Option<TaskKind> {
    look_up(TASK, word).and_then(|said| if let Said::Task(kind, _) = said { Some(kind) } else { None })
}

pub fn usage(word: &str) -> Option<DiskState> {
    look_up(DISK, word).and_then(|said| if let Said::Disk(s) = said { Some(s) } else { None })
}

pub fn drive_state(word: &str) -> Option<DiskState> {
    look_up(DRIVE, word).and_then(|said| if let Said::Disk(s) = said { Some(s) } else { None })
}

pub fn battery_state(word: &str) -> Option<CacheState> {
    look_up(BATTERY, word).and_then(|said| if let Said::Cache(s) = said { Some(s) } else { None })
}

pub fn part_state(word: &str) -> Option<PartState> {
    look_up(PART, word).and_then(|said| if let Said::Part(s) = said { Some(s) } else { None })
}

pub fn event_sign(word: &str) -> Option<Sign> {
    look_up(EVENT, word).and_then(|said| if let Said::Sign(s) = said { Some(s) } else { None })
}
