//! Where a tool lies on the machine watched.

use std::io::{Error, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// After the configured directories and before PATH.
const USUAL: [&str; 12] = [
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/opt/MegaRAID/storcli",
    "/opt/MegaRAID/storcli2",
    "/opt/MegaRAID/perccli",
    "/opt/MegaRAID/MegaCli",
    "/usr/StorMan",
    "/opt/tw_cli",
];

#[derive(Debug, Clone)]
pub(super) struct Finder {
    root: PathBuf,
    dirs: Vec<PathBuf>,
}

impl Finder {
    pub(super) fn new(root: PathBuf, mut dirs: Vec<PathBuf>) -> Self {
        dirs.extend(USUAL.map(PathBuf::from));
        let path = std::env::var_os("PATH").unwrap_or_default();
        dirs.extend(std::env::split_paths(&path).filter(|dir| dir.is_absolute()));
        Self { root, dirs }
    }

    /// A name with a slash is a path; another is searched. Not executable is `PermissionDenied`.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, Error> {
        if name.contains('/') {
            return executable(&under(&self.root, Path::new(name)));
        }
        let mut worst = Error::from(ErrorKind::NotFound);
        for dir in self.dirs.iter().filter(|_| !name.is_empty()) {
            match executable(&under(&self.root, dir).join(name)) {
                Ok(path) => return Ok(path),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => worst = error,
                Err(_) => {}
            }
        }
        Err(worst)
    }
}

fn executable(path: &Path) -> Result<PathBuf, Error> {
    let meta = std::fs::metadata(path)?;
    match (meta.is_file(), meta.permissions().mode() & 0o111) {
        (false, _) => Err(ErrorKind::NotFound.into()),
        (true, 0) => Err(ErrorKind::PermissionDenied.into()),
        (true, _) => std::path::absolute(path),
    }
}

/// `path`, absolute on the machine watched, below `root`.
pub(super) fn under(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
