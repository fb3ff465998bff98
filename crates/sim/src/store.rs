//! One JSON file under a lock, so that tool processes, the script and the demo see the same world.

use crate::world::World;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Where the world of a root lives.
pub fn world_path(root: &Path) -> PathBuf {
    root.join("sim/world.json")
}

/// The root a world file belongs to.
pub fn root_of(world_path: &Path) -> PathBuf {
    world_path.parent().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default()
}

pub fn load(path: &Path) -> io::Result<World> {
    let lock = lock_file(path)?;
    lock.lock_shared()?;
    read(path)
}

/// Runs `change` on the world with nobody else in it, and keeps the result.
pub fn change<T>(path: &Path, change: impl FnOnce(&mut World) -> io::Result<T>) -> io::Result<T> {
    let lock = lock_file(path)?;
    lock.lock()?;
    let mut world = read(path)?;
    let before = world.clone();
    let result = change(&mut world)?;
    if world != before {
        write(path, &world)?;
    }
    Ok(result)
}

pub fn create(path: &Path, world: &World) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let lock = lock_file(path)?;
    lock.lock()?;
    write(path, world)
}

fn lock_file(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).read(true).open(path.with_extension("lock"))
}

fn read(path: &Path) -> io::Result<World> {
    serde_json::from_slice(&fs::read(path)?).map_err(io::Error::other)
}

fn write(path: &Path, world: &World) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(world).map_err(io::Error::other)?;
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}
