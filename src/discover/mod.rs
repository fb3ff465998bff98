//! What is in this machine, and what watches it: controllers on the bus, block devices, vendor tools,
//! other monitors, rights.
//!
//! Everything is read under a root directory, so that a simulated host is looked at like a real one.
//! Reads files and links only; starts nothing and asks no controller. It blocks: call it from a thread
//! where a disk may hang.

mod blocks;
mod legacy;
mod models;
mod others;
mod pci;
mod rights;
mod schedules;
mod scsi;
mod sysfs;
mod tools;
mod watch;

pub use others::{OtherMonitor, Replaced};
pub use rights::Right;
pub use tools::FamilyTool;
pub use watch::{Via, Watch, blind_spots};

use raidmond_adapters::registry;
use raidmond_core::host::{Block, ScsiHost};
use raidmond_core::model::{CheckSchedule, Space};
use raidmond_core::survey::{PciDevice, ToolFound};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    #[serde(flatten)]
    pub pci: PciDevice,
    /// "PERC H730P Mini", "SCSI 1234:5678" for what is not in the table.
    pub model: String,
    pub watch: Watch,
}

impl Found {
    pub fn driver(&self) -> &str {
        self.pci.driver.as_deref().unwrap_or("no driver")
    }

    /// `PERC H730P Mini (megaraid_sas, PCI 03:00.0)`
    pub fn title(&self) -> String {
        match self.pci.address.strip_prefix("0000:").unwrap_or(&self.pci.address) {
            "" => format!("{} ({})", self.model, self.driver()),
            address => format!("{} ({}, PCI {address})", self.model, self.driver()),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Inventory {
    pub controllers: Vec<Found>,
    pub scsi_hosts: Vec<ScsiHost>,
    pub blocks: Vec<Block>,
    pub tools: Vec<FamilyTool>,
    pub others: Vec<OtherMonitor>,
    pub rights: Vec<Right>,
    /// Families without a controller that have something to watch here: md.
    pub software: Vec<&'static str>,
    /// Checks that timers and cron jobs of this machine start.
    pub schedules: Vec<(Space, CheckSchedule)>,
}

impl Inventory {
    pub fn pci(&self) -> Vec<PciDevice> {
        self.controllers.iter().map(|c| c.pci.clone()).collect()
    }

    pub fn blind(&self) -> impl Iterator<Item = &Found> {
        self.controllers.iter().filter(|c| c.watch.is_blind())
    }

    /// The tool to use for a family.
    pub fn tool(&self, family: &str) -> Option<&ToolFound> {
        tools::best(&self.tools, family, &self.pci()).map(|t| &t.tool)
    }

    /// Software RAID arrays; `containers` and the like included.
    pub fn md(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|b| b.is_md())
    }
}

/// `tool_dirs` are searched before the usual places.
pub fn discover(root: &Path, tool_dirs: &[PathBuf]) -> Inventory {
    let scsi_hosts = scsi::hosts(root);
    let mut devices = pci::devices(root, &scsi_hosts);
    if devices.is_empty() {
        devices = legacy::devices(root);
    }
    let blocks = blocks::blocks(root, &scsi_hosts);
    let tools = tools::find(root, tool_dirs);
    let seen = watch::Seen { root, pci: &devices, blocks: &blocks, tools: &tools };
    let found = |device: &PciDevice| Found {
        pci: device.clone(),
        model: models::name(device, scsi::stated_model(root, device)),
        watch: seen.watch(device),
    };
    let controllers: Vec<Found> = devices.iter().map(found).collect();
    let rights = rights::rights(root, &controllers);
    let software = software(root);
    let schedules = schedules::find(root);
    Inventory { others: others::find(root), rights, controllers, scsi_hosts, blocks, tools, software, schedules }
}

fn software(root: &Path) -> Vec<&'static str> {
    let is_there = |path: &str| sysfs::under(root, path).exists();
    let adapters = registry::ADAPTERS.iter().filter(|a| a.watches_without_card().is_some_and(is_there));
    adapters.map(|a| a.family()).collect()
}

#[cfg(test)]
pub(crate) mod tests;
