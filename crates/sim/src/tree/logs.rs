//! /dev/kmsg as a regular file of records, kern.log and megaserv.log.

use crate::clock;
use crate::kernel::Line;
use crate::world::World;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

const KMSG: &str = "dev/kmsg";
const KERN: &str = "var/log/kern.log";
const MEGASERV: &str = "var/log/megaserv.log";

pub fn touch(root: &Path) -> io::Result<()> {
    for name in [KMSG, KERN, MEGASERV] {
        open(root, name)?;
    }
    Ok(())
}

pub fn append(root: &Path, world: &mut World, lines: &[Line]) -> io::Result<()> {
    for (index, line) in lines.iter().enumerate() {
        match line {
            Line::Kernel { level, text } => kernel(root, world, *level, text, index as u64)?,
            Line::Megaserv(text) => writeln!(open(root, MEGASERV)?, "{text}")?,
        }
    }
    Ok(())
}

fn kernel(root: &Path, world: &mut World, level: u8, text: &str, index: u64) -> io::Result<()> {
    let usec = world.uptime() * 1_000_000 + index * 137;
    let (sequence, uptime) = (world.kernel_sequence, usec as f64 / 1e6);
    world.kernel_sequence += 1;
    let dictionary = device_of(text).map(|d| format!(" SUBSYSTEM=scsi\n DEVICE={d}\n")).unwrap_or_default();
    write!(open(root, KMSG)?, "{level},{sequence},{usec},-;{text}\n{dictionary}")?;
    let stamp = clock::syslog(world.now);
    writeln!(open(root, KERN)?, "{stamp} {} kernel: [{uptime:>12.6}] {text}", world.host)
}

/// The record's dictionary: the kernel adds one to `sd H:C:T:L:` lines, not to block-layer lines.
fn device_of(text: &str) -> Option<String> {
    let address = text.strip_prefix("sd ")?.split_once(": ")?.0;
    Some(format!("+scsi:{address}"))
}

fn open(root: &Path, name: &str) -> io::Result<File> {
    let path = root.join(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::options().create(true).append(true).open(path)
}

/// The kernel's ring of messages is empty after a boot.
pub fn new_boot(root: &Path) -> io::Result<()> {
    fs::write(root.join(KMSG), "")
}

/// As logrotate does: the old file is renamed, a new one made.
pub fn rotate(root: &Path) -> io::Result<()> {
    for name in [KERN, MEGASERV] {
        let path = root.join(name);
        if path.exists() {
            let mut old = path.clone().into_os_string();
            old.push(".1");
            fs::rename(&path, old)?;
        }
        open(root, name)?;
    }
    Ok(())
}
