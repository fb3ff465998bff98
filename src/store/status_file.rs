//! A file that is whole at any moment: written aside, synced, renamed.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Replaces `path` by `bytes`; a reader sees the old content or the new, never a part.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let aside = aside(path);
    let written = write_synced(&aside, bytes).and_then(|()| std::fs::rename(&aside, path));
    if let Err(error) = written {
        drop(std::fs::remove_file(&aside));
        return Err(error);
    }
    File::open(directory_of(path))?.sync_all()
}

/// A bare file name lies here.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_synced(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o640).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_whole_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        write_atomically(&path, b"{\"long\": 1}").unwrap();
        write_atomically(&path, b"{}").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"{}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_bare_name_lies_in_the_working_directory() {
        assert_eq!(directory_of(Path::new("rec.txt")), Path::new("."));
        assert_eq!(directory_of(Path::new("a/rec.txt")), Path::new("a"));
    }

    #[test]
    fn failure_keeps_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        write_atomically(&path, b"old").unwrap();
        std::fs::create_dir(dir.path().join("state.json.new")).unwrap();
        assert!(write_atomically(&path, b"new").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
}
