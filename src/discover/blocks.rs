//! Block devices, from sysfs and the table of mounts.

use super::sysfs::{link_name, names, pci_above, text, under};
use raidmond_core::host::{Block, ScsiHost};
use raidmond_core::model::WriteCache;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Devices that are no disks.
const ASIDE: [&str; 6] = ["loop", "ram", "sr", "fd", "zram", "nbd"];

pub fn blocks(root: &Path, hosts: &[ScsiHost]) -> Vec<Block> {
    let folder = under(root, "/sys/block");
    let mounts = mounts(root, &folder);
    let is_aside = |name: &String| ASIDE.iter().any(|a| name.starts_with(a));
    let mut blocks: Vec<Block> = names(&folder)
        .into_iter()
        .filter(|name| !is_aside(name))
        .map(|name| block(&folder.join(&name), &name, hosts))
        .collect();
    let holders: BTreeMap<String, Vec<String>> = blocks.iter().map(|b| (b.name.clone(), b.holders.clone())).collect();
    for block in &mut blocks {
        block.mounts = mounts_above(&block.name, &holders, &mounts);
    }
    blocks
}

fn block(at: &Path, name: &str, hosts: &[ScsiHost]) -> Block {
    let device = at.join("device");
    let hctl = hctl(&device);
    let number = hctl.as_deref().and_then(|h| h.split(':').next()?.parse().ok());
    let host = hosts.iter().find(|h| Some(h.number) == number);
    let pci = host.and_then(|h| h.pci.clone()).or_else(|| pci_above(&device));
    let driver = host.map(|h| h.driver.clone()).filter(|d| !d.is_empty()).or_else(|| driver_above(&device));
    let attribute = |name: &str| text(&device.join(name));
    Block {
        // sysfs writes `cciss!c0d0`.
        name: name.replace('!', "/"),
        hctl,
        scsi_host: number,
        driver,
        pci,
        vendor: attribute("vendor"),
        model: attribute("model"),
        serial: attribute("serial").or_else(|| serial_page(&device.join("vpd_pg80"))),
        wwid: attribute("wwid").or_else(|| text(&at.join("wwid"))),
        size_bytes: text(&at.join("size")).and_then(|s| s.parse::<u64>().ok()).map(|sectors| sectors * 512),
        read_ahead_kib: figure(&at.join("queue/read_ahead_kb")),
        scheduler: text(&at.join("queue/scheduler")).and_then(|s| in_use(&s)),
        timeout_seconds: figure(&device.join("timeout")),
        write_cache: text(&at.join("queue/write_cache")).and_then(|word| write_cache(&word)),
        holders: holders(at, name),
        slaves: whole_names(names(&at.join("slaves")), at),
        mounts: Vec::new(),
    }
}

fn figure(path: &Path) -> Option<u64> {
    text(path)?.trim().parse().ok()
}

/// `none [mq-deadline] kyber`; a single word stands alone.
fn in_use(schedulers: &str) -> Option<String> {
    let marked = schedulers.split_whitespace().find_map(|w| w.strip_prefix('[')?.strip_suffix(']'));
    let only = || Some(schedulers.trim()).filter(|w| !w.is_empty() && !w.contains(' '));
    marked.or_else(only).map(str::to_owned)
}

fn write_cache(word: &str) -> Option<WriteCache> {
    match word.trim() {
        "write back" => Some(WriteCache::WriteBack),
        "write through" => Some(WriteCache::WriteThrough),
        _ => None,
    }
}

/// `0:2:0:0`: where the `device` link leads to.
fn hctl(device: &Path) -> Option<String> {
    let name = link_name(device)?;
    let parts: Vec<&str> = name.split(':').collect();
    let numbers = parts.len() == 4 && parts.iter().all(|p| p.parse::<u32>().is_ok());
    numbers.then_some(name)
}

/// NVMe has no SCSI host: the driver of the card.
fn driver_above(device: &Path) -> Option<String> {
    let real = device.canonicalize().ok()?;
    real.ancestors().find_map(|above| {
        let is_card = above.file_name().is_some_and(|n| super::sysfs::is_pci_address(&n.to_string_lossy()));
        if is_card { link_name(&above.join("driver")) } else { None }
    })
}

/// Unit serial number page: four bytes of header, then the text.
fn serial_page(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(bytes.get(4..)?).trim_matches(['\0', ' ']).to_owned();
    (!text.is_empty()).then_some(text)
}

/// Of the device and of its partitions.
fn holders(at: &Path, name: &str) -> Vec<String> {
    let mut all: BTreeSet<String> = names(&at.join("holders")).into_iter().collect();
    for part in partitions(at, name) {
        all.extend(names(&at.join(part).join("holders")));
    }
    all.into_iter().collect()
}

fn partitions(at: &Path, name: &str) -> Vec<String> {
    names(at).into_iter().filter(|n| n.starts_with(name) && at.join(n).join("partition").exists()).collect()
}

/// A slave may be a partition: its disk is what is wanted.
fn whole_names(slaves: Vec<String>, at: &Path) -> Vec<String> {
    let whole = |slave: String| {
        let real = at.join("slaves").join(&slave).canonicalize().ok();
        let is_part = real.as_ref().is_some_and(|r| r.join("partition").exists());
        let disk = real.as_ref().filter(|_| is_part).and_then(|r| r.parent()?.file_name());
        disk.map_or(slave, |d| d.to_string_lossy().into_owned())
    };
    let all: BTreeSet<String> = slaves.into_iter().map(whole).collect();
    all.into_iter().collect()
}

/// Whole device → mount points of itself and its partitions.
fn mounts(root: &Path, folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut disk_of: BTreeMap<String, String> = BTreeMap::new();
    for disk in names(folder) {
        for part in partitions(&folder.join(&disk), &disk) {
            disk_of.insert(part, disk.clone());
        }
        // /proc/mounts names device mapper volumes and arrays by what udev links to them.
        if let Some(mapped) = text(&folder.join(&disk).join("dm/name")) {
            disk_of.insert(format!("mapper/{mapped}"), disk.clone());
        }
    }
    let table = std::fs::read(under(root, "/proc/mounts")).unwrap_or_default();
    let mut mounts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&table).lines() {
        let mut words = line.split(' ');
        let (Some(device), Some(point)) = (words.next(), words.next()) else { continue };
        let Some(device) = device.strip_prefix("/dev/") else { continue };
        let disk = disk_of.get(device).cloned().unwrap_or_else(|| device.to_owned());
        mounts.entry(disk).or_default().insert(unescape(point));
    }
    mounts
}

/// `\040` is a blank in /proc/mounts.
fn unescape(point: &str) -> String {
    point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
}

fn mounts_above(
    name: &str,
    holders: &BTreeMap<String, Vec<String>>,
    mounts: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let (mut seen, mut open, mut found) = (BTreeSet::new(), vec![name.to_owned()], BTreeSet::new());
    while let Some(device) = open.pop() {
        found.extend(mounts.get(&device).into_iter().flatten().cloned());
        if seen.insert(device.clone()) {
            open.extend(holders.get(&device).into_iter().flatten().cloned());
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_as_the_kernel_writes_them() {
        assert_eq!(in_use("none [mq-deadline] kyber\n").as_deref(), Some("mq-deadline"));
        assert_eq!(in_use("none").as_deref(), Some("none"));
        assert_eq!((in_use("none kyber"), in_use("")), (None, None));
        assert_eq!((write_cache("write back\n"), write_cache("odd")), (Some(WriteCache::WriteBack), None));
    }
}
