//! An empty directory for each command: vendor tools drop logs and dumps where they stand.

use rustix::io::Errno;
use rustix::process::Pid;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Removed with what the tool left in it.
#[derive(Debug)]
pub(super) struct WorkDir(pub PathBuf);

impl WorkDir {
    pub(super) fn new(state_dir: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::path::absolute(state_dir.join("work").join(name))?;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Remove what a daemon that was killed left behind.
pub(super) fn sweep(state_dir: &Path) {
    let Ok(entries) = std::fs::read_dir(state_dir.join("work")) else { return };
    for entry in entries.flatten().filter(|entry| !in_use(&entry.file_name().to_string_lossy())) {
        std::fs::remove_dir_all(entry.path()).ok();
    }
}

/// Whether the process that made it may still be there.
fn in_use(name: &str) -> bool {
    let owner = name.split('-').next().and_then(|pid| Pid::from_raw(pid.parse().ok()?));
    owner.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(Errno::SRCH))
}
