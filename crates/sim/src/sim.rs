//! The simulated host on disk: a root directory with tools, /proc, /sys, logs and the world file.

use crate::faults::{self, Fault};
use crate::kernel::Line;
use crate::motion;
use crate::store;
use crate::tree;
use crate::world::World;
use std::io;
use std::path::{Path, PathBuf};

pub struct Sim {
    root: PathBuf,
    exe: PathBuf,
}

impl Sim {
    /// Makes the host under `root`. `exe` is the program that answers as a tool: it is called as
    /// `exe sim-tool --world FILE --as NAME -- ARGS…` (see [`crate::tools::run`]).
    pub fn create(root: &Path, exe: &Path, world: World) -> io::Result<Self> {
        let sim = Self { root: root.to_owned(), exe: exe.to_owned() };
        store::create(&sim.world_path(), &world)?;
        tree::install(root, exe, &world)?;
        tree::project(root, &world)?;
        Ok(sim)
    }

    /// An existing one. `exe` as in [`Sim::create`]; it is needed when a tool comes back.
    pub fn open(root: &Path, exe: &Path) -> io::Result<Self> {
        let sim = Self { root: root.to_owned(), exe: exe.to_owned() };
        store::load(&sim.world_path())?;
        Ok(sim)
    }

    pub fn world_path(&self) -> PathBuf {
        store::world_path(&self.root)
    }

    pub fn world(&self) -> io::Result<World> {
        store::load(&self.world_path())
    }

    pub fn apply(&self, fault: &Fault) -> io::Result<()> {
        store::change(&self.world_path(), |world| {
            let lines = faults::apply(world, fault).map_err(io::Error::other)?;
            if *fault == Fault::LogRotates {
                tree::rotate(&self.root)?;
            }
            if *fault == Fault::Reboots {
                tree::new_boot(&self.root)?;
            }
            if matches!(fault, Fault::Tool { .. }) {
                tree::install(&self.root, &self.exe, world)?;
            }
            tree::publish(&self.root, world, &lines)
        })
    }

    /// Lets simulated time pass.
    pub fn advance(&self, seconds: f64) -> io::Result<()> {
        store::change(&self.world_path(), |world| {
            let lines: Vec<Line> = motion::advance(world, seconds);
            tree::publish(&self.root, world, &lines)
        })
    }
}
