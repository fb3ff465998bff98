//! Vendor tools: every registered adapter's names, looked for where they usually are.

use super::sysfs::under;
use raidmond_adapters::{Tool, registry};
use raidmond_core::survey::{PciDevice, ToolFound};
use serde::Serialize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const USUAL: [&str; 6] = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/sbin", "/bin"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FamilyTool {
    pub family: &'static str,
    #[serde(flatten)]
    pub tool: ToolFound,
    /// It is there and may not be run.
    pub executable: bool,
}

/// At most one of each tool's names: the first that is there.
pub fn find(root: &Path, tool_dirs: &[PathBuf]) -> Vec<FamilyTool> {
    let mut found = Vec::new();
    for adapter in registry::ADAPTERS {
        for tool in adapter.tools() {
            let dirs = dirs(tool, tool_dirs);
            let by_name = |name: &&str| dirs.iter().find_map(|dir| at(root, dir, name));
            if let Some((tool, executable)) = tool.names.iter().find_map(by_name) {
                found.push(FamilyTool { family: adapter.family(), tool, executable });
            }
        }
    }
    found
}

fn dirs(tool: &Tool, tool_dirs: &[PathBuf]) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect::<Vec<_>>();
    let fixed = tool.paths.iter().chain(&USUAL).map(PathBuf::from);
    tool_dirs.iter().cloned().chain(fixed).chain(path).collect()
}

/// Its path is as the machine watched sees it.
fn at(root: &Path, dir: &Path, name: &str) -> Option<(ToolFound, bool)> {
    let path = dir.join(name).to_string_lossy().into_owned();
    let meta = std::fs::metadata(under(root, &path)).ok()?;
    let tool = ToolFound { name: name.to_owned(), path, version: None };
    meta.is_file().then(|| (tool, meta.permissions().mode() & 0o111 != 0))
}

const DELL: u16 = 0x1028;

/// Tools for some chips of LSI's alone (drivers/message/fusion and mpt3sas: mpi_cnfg.h, mpi2_cnfg.h).
const MADE_FOR: [(&str, &[u16]); 3] = [
    ("sas3ircu", &[0x0090, 0x0091, 0x0094, 0x0095, 0x0096, 0x0097]),
    (
        "sas2ircu",
        &[
            0x0064, 0x0065, 0x006e, 0x0070, 0x0072, 0x0074, 0x0076, 0x0077, 0x0080, 0x0081, 0x0082, 0x0083, 0x0084,
            0x0085, 0x0086, 0x0087,
        ],
    ),
    ("mpt-status", &[0x0030, 0x0032, 0x0050, 0x0054, 0x0056, 0x0058, 0x005a, 0x005c, 0x005e, 0x0062]),
];

fn made_for(tool: &str) -> Option<&'static [u16]> {
    MADE_FOR.iter().find(|(name, _)| *name == tool).map(|(_, ids)| *ids)
}

fn fits(ids: &[u16], device: &PciDevice) -> bool {
    device.vendor == 0x1000 && ids.contains(&device.device)
}

fn fits_any(tool: &str, pci: &[PciDevice]) -> bool {
    made_for(tool).is_none_or(|ids| pci.iter().any(|d| fits(ids, d)))
}

/// The one to use for a family: Dell's own on Dell's cards, else the first.
pub fn best<'a>(tools: &'a [FamilyTool], family: &str, pci: &[PciDevice]) -> Option<&'a FamilyTool> {
    let dell = pci.iter().any(|d| d.subsystem_vendor == DELL);
    let mut usable: Vec<&FamilyTool> = tools.iter().filter(|t| t.family == family && t.executable).collect();
    usable.sort_by_key(|t| (t.tool.name.starts_with("perc") != dell, !fits_any(&t.tool.name, pci)));
    usable.first().copied()
}

/// What to get for this card.
pub fn wanted(tools: &'static [Tool], device: &PciDevice) -> Option<&'static Tool> {
    let dell = device.subsystem_vendor == DELL || device.vendor == DELL;
    let is_dells = |t: &&Tool| t.names.iter().any(|n| n.starts_with("perc"));
    let fitting = tools.iter().find(|t| t.names.iter().any(|n| made_for(n).is_some_and(|ids| fits(ids, device))));
    fitting.or(tools.iter().find(|t| is_dells(t) == dell)).or(tools.first())
}
