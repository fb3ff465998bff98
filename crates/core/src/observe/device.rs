//! From the names in a line to aliases.
//!
//! A line speaks of one object. Where it names a disk, the controller in it stays a field; where it
//! names only a controller, that is the object. `Pci` and `ScsiHost` beside `DeviceId`, or beside the
//! fields `unit`, `port`, `enclosure`, `slot`, `vd`, name the controller *behind* which the object is.
//! Does not look anything up: whether `sda` is a disk or an array is for others to know.

use super::About;
use crate::model::Alias;

pub(super) fn name_objects(about: &mut About) {
    name_by_number(about);
    let hctl = about.field("hctl").to_owned();
    if is_hctl(&hctl) {
        about.add_alias(Alias::Hctl(hctl));
    }
    for name in ["dev", "md", "ctrl", "ioc"] {
        if about.field(name).is_empty() {
            continue;
        }
        name_kernel(about, name);
        return;
    }
    if about.aliases.is_empty() {
        name_controller(about);
    }
}

fn name_kernel(about: &mut About, field: &str) {
    let said = about.field(field).to_owned();
    let whole = whole_disk(&said);
    if said != whole && said.trim_start_matches("/dev/") != whole {
        about.set("partition", said.trim_start_matches("/dev/"));
    }
    if !whole.is_empty() && whole != "?" {
        about.add_alias(Alias::Kernel(whole));
    }
}

fn name_controller(about: &mut About) {
    let (pci, host) = (about.field("pci").to_owned(), about.field("host").to_owned());
    if let Some(alias) = Alias::pci(&pci) {
        about.add_alias(alias);
    }
    if !host.is_empty() && host.bytes().all(|b| b.is_ascii_digit()) {
        about.add_alias(Alias::ScsiHost(host));
    }
}

/// `maj`, `min` (hexadecimal when two digits, as 2.4 prints them) and `h`, `c`, `t`, `l`.
fn name_by_number(about: &mut About) {
    let [h, c, t, l] = ["h", "c", "t", "l"].map(|n| about.field(n).to_owned());
    if [&h, &c, &t, &l].iter().all(|n| !n.is_empty()) {
        about.add_alias(Alias::Hctl(format!("{h}:{c}:{t}:{l}")));
    }
    if let Some(name) = hex_pair(about.field("maj"), about.field("min")) {
        about.set("dev", name);
    }
}

fn hex_pair(major: &str, minor: &str) -> Option<String> {
    disk_of_number(u32::from_str_radix(major, 16).ok()?, u32::from_str_radix(minor, 16).ok()?)
}

pub(super) fn is_hctl(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    parts.len() == 4 && parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
}

/// Name of the device with this decimal `major:minor`.
pub(super) fn disk_of_pair(pair: &str) -> Option<String> {
    let (major, minor) = pair.split_once(':')?;
    disk_of_number(major.parse().ok()?, minor.parse().ok()?)
}

/// By the kernel's fixed major numbers (Documentation/admin-guide/devices.txt).
fn disk_of_number(major: u32, minor: u32) -> Option<String> {
    let sixteenth = minor / 16;
    Some(match major {
        8 => format!("sd{}", letters(sixteenth)),
        65..=71 => format!("sd{}", letters((major - 64) * 16 + sixteenth)),
        128..=135 => format!("sd{}", letters((major - 120) * 16 + sixteenth)),
        3 | 22 | 33 | 34 | 56 | 57 => format!("hd{}", letters(ide_channel(major) * 2 + minor / 64)),
        9 => format!("md{minor}"),
        104..=111 => format!("cciss/c{}d{sixteenth}", major - 104),
        253 | 254 => format!("dm-{minor}"),
        2 => format!("fd{minor}"),
        7 => format!("loop{minor}"),
        11 => format!("sr{minor}"),
        _ => return None,
    })
}

fn ide_channel(major: u32) -> u32 {
    [3, 22, 33, 34, 56, 57].iter().position(|m| *m == major).map_or(0, |i| i as u32)
}

/// 0 → a, 25 → z, 26 → aa.
fn letters(index: u32) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        more => format!("{}{letter}", letters(more - 1)),
    }
}

/// `sda` of `sda3`, `nvme0n1` of `nvme0n1p2` and of the multipath form `nvme0c1n1`, `cciss/c0d0` of
/// `cciss!c0d0p1`, `dm-0` of the journal name `dm-0-8`.
pub fn whole_disk(name: &str) -> String {
    let name = name.trim().trim_start_matches("/dev/").trim_end_matches([',', ':', '.']).replace('!', "/");
    if let Some(named) = numbered_name(&name) {
        return named;
    }
    let name = without_journal(&name);
    for letters in ["sd", "hd", "vd", "xvd"] {
        let rest = name.strip_prefix(letters).unwrap_or("");
        if rest.starts_with(|c: char| c.is_ascii_lowercase()) {
            return name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        }
    }
    if name.starts_with("nvme") {
        return without_path(without_p(name));
    }
    let numbered = ["mmcblk", "md", "loop", "cciss/", "ida/", "rd/"].iter().any(|p| name.starts_with(p));
    if numbered { without_p(name).to_owned() } else { name.to_owned() }
}

/// 2.4 prints `sd08:11`.
fn numbered_name(name: &str) -> Option<String> {
    let (major, minor) = name.strip_prefix("sd")?.split_once(':')?;
    hex_pair(major, minor)
}

/// jbd2 prints the device with the inode of the journal: `sda1-8`, `dm-0-8`.
fn without_journal(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((device, inode)) if device != "dm" && !inode.is_empty() && inode.bytes().all(|b| b.is_ascii_digit()) => {
            device
        }
        _ => name,
    }
}

fn without_p(name: &str) -> &str {
    match name.rsplit_once('p') {
        Some((disk, part))
            if !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_digit())
                && disk.ends_with(|c: char| c.is_ascii_digit()) =>
        {
            disk
        }
        _ => name,
    }
}

fn without_path(name: &str) -> String {
    match (name.find('c'), name.rfind('n')) {
        (Some(c), Some(n)) if c < n && n > 4 => format!("{}{}", &name[..c], &name[n..]),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_belong_to_their_disk() {
        for (name, disk) in [
            ("sda3", "sda"),
            ("/dev/sdab12", "sdab"),
            ("nvme0n1p2", "nvme0n1"),
            ("nvme0c1n1", "nvme0n1"),
            ("nvme0", "nvme0"),
            ("mmcblk0p1", "mmcblk0"),
            ("cciss!c0d0p1", "cciss/c0d0"),
            ("cciss/c0d0", "cciss/c0d0"),
            ("md127p1", "md127"),
            ("md_d0", "md_d0"),
            ("dm-0-8", "dm-0"),
            ("dm-12", "dm-12"),
            ("sda1-8", "sda"),
            ("sd08:11", "sdb"),
            ("loop7", "loop7"),
            ("é", "é"),
            ("nvme0cén", "nvme0n"),
        ] {
            assert_eq!(whole_disk(name), disk, "{name}");
        }
    }

    #[test]
    fn numbers_name_devices() {
        for (pair, name) in
            [("8:16", "sdb"), ("65:0", "sdq"), ("65:160", "sdaa"), ("9:1", "md1"), ("22:64", "hdd"), ("253:2", "dm-2")]
        {
            assert_eq!(disk_of_pair(pair).as_deref(), Some(name));
        }
        assert_eq!(disk_of_pair("259:0"), None);
    }
}
