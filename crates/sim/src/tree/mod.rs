//! The host's files: tools, /proc, /sys and logs, kept in step with the world.

mod logs;
mod proc_megaraid;
mod sys;

use crate::kernel::Line;
use crate::world::{Family, ToolFault, World};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub use logs::{new_boot, rotate};

/// Names and the family whose cards bring the tool with them.
pub const TOOLS: [(&str, Family); 7] = [
    ("storcli64", Family::Megaraid),
    ("perccli64", Family::Megaraid),
    ("MegaCli64", Family::Megaraid),
    ("tw_cli", Family::ThreeWare),
    ("arcconf", Family::Aacraid),
    ("megarc", Family::MegaraidLegacy),
    ("smartctl", Family::Megaraid),
];

/// Writes the tool wrappers; removes those that are absent.
pub fn install(root: &Path, exe: &Path, world: &World) -> io::Result<()> {
    let folder = root.join("usr/sbin");
    fs::create_dir_all(&folder)?;
    for (name, family) in TOOLS {
        let path = folder.join(name);
        let fitted = world.controllers.iter().any(|c| c.family == family);
        if fitted && world.tools.get(name) != Some(&ToolFault::Absent) {
            write_wrapper(root, exe, name, &path)?;
        } else if path.exists() {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn write_wrapper(root: &Path, exe: &Path, name: &str, path: &Path) -> io::Result<()> {
    let world = crate::store::world_path(root);
    let (exe, world) = (shell_word(exe), shell_word(&world));
    let text = format!("#!/bin/sh\nexec {exe} sim-tool --world {world} --as {name} -- \"$@\"\n");
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
    fs::rename(new, path)
}

fn shell_word(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// Brings /proc and /sys in step and appends what was said.
pub fn publish(root: &Path, world: &mut World, lines: &[Line]) -> io::Result<()> {
    logs::append(root, world, lines)?;
    project(root, world)
}

pub fn project(root: &Path, world: &World) -> io::Result<()> {
    logs::touch(root)?;
    sys::write(root, world)?;
    proc_megaraid::write(root, world)
}

/// Writes a file with its folders, only when it changes.
fn put(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
