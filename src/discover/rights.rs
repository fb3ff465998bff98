//! What raidmond may do here, and what it needs for the drivers of this machine.

use super::Found;
use super::sysfs::under;
use rustix::fs::{Mode, OFlags};
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Right {
    pub what: String,
    pub ok: bool,
    pub said: String,
    pub remedy: Option<String>,
}

/// Driver, node its tools go through, whether they make the node themselves when run as root.
const NODES: [(&str, &str, bool); 7] = [
    ("megaraid_sas", "/dev/megaraid_sas_ioctl_node", true),
    ("megaraid_mbox", "/dev/megadev0", false),
    ("megaraid", "/dev/megadev0", false),
    ("3w-9xxx", "/dev/twa0", true),
    ("3w-xxxx", "/dev/twe0", true),
    ("3w-sas", "/dev/twl0", true),
    ("aacraid", "/dev/aac0", true),
];

pub fn rights(root: &Path, controllers: &[Found]) -> Vec<Right> {
    let is_root = rustix::process::geteuid().is_root();
    let mut rights = vec![user(is_root), kernel_log(root)];
    for (driver, node, self_made) in NODES {
        // The driver's own files are read there; no node is needed.
        let by_files = driver == "megaraid" && under(root, "/proc/megaraid").is_dir();
        if controllers.iter().any(|c| c.driver() == driver) && !by_files {
            rights.push(device(root, node, self_made && is_root));
        }
    }
    rights
}

fn user(is_root: bool) -> Right {
    let said = if is_root { "running as root" } else { "not running as root: vendor tools will refuse" };
    let remedy = (!is_root).then(|| "run it with sudo; the service runs as root with its rights cut down".to_owned());
    Right { what: "user".to_owned(), ok: is_root, said: said.to_owned(), remedy }
}

fn kernel_log(root: &Path) -> Right {
    let path = under(root, "/dev/kmsg");
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(&path, flags, Mode::empty());
    let said = match &opened {
        Ok(_) => "readable".to_owned(),
        Err(rustix::io::Errno::NOENT) => "not there".to_owned(),
        Err(_) => "not readable".to_owned(),
    };
    let remedy = opened.is_err().then(|| "root or CAP_SYSLOG is needed; /var/log/kern.log is read instead".to_owned());
    Right { what: "/dev/kmsg".to_owned(), ok: opened.is_ok(), said, remedy }
}

fn device(root: &Path, node: &str, made_when_run: bool) -> Right {
    let there = under(root, node).exists();
    let said = match (there, made_when_run) {
        (true, _) => "there",
        (false, true) => "not there yet; the tool makes it",
        (false, false) => "not there: the tool cannot reach the card",
    };
    let ok = there || made_when_run;
    let number = "find the driver's number in /proc/devices";
    let remedy = (!ok).then(|| format!("{number}; as root: mknod {node} c NUMBER 0"));
    Right { what: node.to_owned(), ok, said: said.to_owned(), remedy }
}
