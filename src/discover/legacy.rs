//! Hosts without sysfs (Linux 2.4): controllers from /proc.
//!
//! `/proc/pci` names cards in words; `/proc/scsi/DRIVER/N` and `/proc/megaraid` show that a driver holds
//! one. Ids are not known there and stay zero.

use super::sysfs::{names, under};
use raidmond_core::survey::PciDevice;
use std::path::Path;

/// Drivers that make a directory of their own under /proc/scsi.
const DRIVERS: [&str; 10] =
    ["aacraid", "megaraid", "megaraid2", "3w-xxxx", "3w-9xxx", "ips", "dpt_i2o", "gdth", "arcmsr", "cciss"];

/// (words in the name of a card, driver)
const CARDS: [(&str, &str); 7] = [
    ("megaraid", "megaraid"),
    ("american megatrends", "megaraid"),
    ("perc 4", "megaraid"),
    ("3ware", "3w-xxxx"),
    ("adaptec aac", "aacraid"),
    ("serveraid", "ips"),
    ("areca", "arcmsr"),
];

pub fn devices(root: &Path) -> Vec<PciDevice> {
    let mut held = held(root);
    let text = std::fs::read(under(root, "/proc/pci")).unwrap_or_default();
    let mut listed = listed(&String::from_utf8_lossy(&text));
    // The driver that really holds a card knows better than its name; what is left of both sides is
    // taken for the same cards, so that none counts twice.
    for card in &mut listed {
        let by_name = card.driver.as_deref().unwrap_or("");
        let at = held.iter().position(|h| related(h.driver.as_deref().unwrap_or(""), by_name));
        if let Some(at) = at {
            hold(card, held.remove(at));
        }
    }
    for card in listed.iter_mut().filter(|c| c.driver.is_none()) {
        if !held.is_empty() {
            hold(card, held.remove(0));
        }
    }
    listed.extend(held);
    listed
}

fn hold(card: &mut PciDevice, holder: PciDevice) {
    card.driver = holder.driver;
    card.scsi_hosts = holder.scsi_hosts;
}

fn related(driver: &str, by_name: &str) -> bool {
    driver == by_name || (!by_name.is_empty() && driver.starts_with(by_name.split('-').next().unwrap_or(by_name)))
}

fn held(root: &Path) -> Vec<PciDevice> {
    let mut found = Vec::new();
    for driver in DRIVERS {
        let numbers = names(&under(root, "/proc/scsi").join(driver));
        found.extend(numbers.iter().filter_map(|n| n.parse().ok()).map(|n: u32| card(driver, vec![n])));
    }
    if !found.iter().any(|c| c.driver.as_deref().is_some_and(|d| d.starts_with("megaraid"))) {
        let adapters = names(&under(root, "/proc/megaraid"));
        let is_adapter = |n: &&String| n.trim_start_matches("hba").parse::<u32>().is_ok();
        found.extend(adapters.iter().filter(is_adapter).map(|_| card("megaraid", Vec::new())));
    }
    found
}

fn card(driver: &str, scsi_hosts: Vec<u32>) -> PciDevice {
    PciDevice { class: super::pci::RAID << 8, driver: Some(driver.to_owned()), scsi_hosts, ..PciDevice::default() }
}

/// `  Bus  1, device   4, function  0:` and below it `    RAID bus controller: NAME (rev 1).`
fn listed(text: &str) -> Vec<PciDevice> {
    let (mut found, mut address) = (Vec::new(), String::new());
    for line in text.lines() {
        let numbers: Vec<u32> =
            line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).take(3).collect();
        if let (true, [bus, device, function]) = (line.trim_start().starts_with("Bus "), numbers.as_slice()) {
            address = format!("0000:{bus:02x}:{device:02x}.{function:x}");
        } else if let Some((_, name)) = line.split_once("RAID bus controller:") {
            let driver = CARDS.iter().find(|(words, _)| name.to_ascii_lowercase().contains(words)).map(|c| c.1);
            found.push(PciDevice { address: address.clone(), ..card(driver.unwrap_or(""), Vec::new()) });
        }
    }
    for device in &mut found {
        device.driver = device.driver.take().filter(|d| !d.is_empty());
    }
    found
}
