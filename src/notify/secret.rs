//! Passwords, keys and addresses that are as good as keys.
//!
//! They come from files or from systemd's credentials, never from an argument or the environment, and
//! they are shown nowhere: `Secret` has no way to print itself.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const LONGEST: u64 = 64 * 1024;

#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("{path} is readable by others than its owner (mode {mode:04o}); refused; mend it with: chmod 600 {path}")]
    TooOpen { path: String, mode: u32 },
    #[error("{path} cannot be read: {said}")]
    Unreadable { path: String, said: String },
    #[error("{path} is empty")]
    Empty { path: String },
    #[error("there is no credential {0:?}: LoadCredential= in the unit gives it")]
    NoCredential(String),
}

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn from_file(path: &Path) -> Result<Secret, SecretError> {
        let file = std::fs::File::open(path).map_err(|e| unreadable(path, &e))?;
        let mode = file.metadata().map_err(|e| unreadable(path, &e))?.mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(SecretError::TooOpen { path: path.display().to_string(), mode });
        }
        read(path, file)
    }

    /// A credential that systemd put into `directory` (`$CREDENTIALS_DIRECTORY`). systemd guards that
    /// directory itself; its files may show group bits that stand for an access list.
    pub fn from_credential(directory: Option<&Path>, name: &str) -> Result<Secret, SecretError> {
        let plain = !name.is_empty() && !name.contains('/') && !name.starts_with('.');
        let path = directory.filter(|_| plain).map(|dir| dir.join(name)).filter(|path| path.exists());
        let path = path.ok_or_else(|| SecretError::NoCredential(name.to_owned()))?;
        let file = std::fs::File::open(&path).map_err(|e| unreadable(&path, &e))?;
        read(&path, file)
    }

    /// The only way out: for the line that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

fn read(path: &Path, file: std::fs::File) -> Result<Secret, SecretError> {
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(|e| unreadable(path, &e))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        return Err(SecretError::Empty { path: path.display().to_string() });
    }
    Ok(Secret::new(secret))
}

fn unreadable(path: &Path, error: &std::io::Error) -> SecretError {
    SecretError::Unreadable { path: path.display().to_string(), said: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn file(mode: u32, text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn reads_what_only_the_owner_can_read() {
        let secret = Secret::from_file(file(0o600, "hunter2\n").path()).unwrap();
        assert_eq!(secret.expose(), "hunter2");
        assert!(!format!("{secret:?}").contains("hunter2"));
    }

    #[test]
    fn refuses_what_others_can_read_and_says_what_to_do() {
        for mode in [0o640, 0o604, 0o620] {
            let file = file(mode, "hunter2\n");
            let said = Secret::from_file(file.path()).unwrap_err().to_string();
            assert!(said.contains("chmod 600") && !said.contains("hunter2"), "{said}");
        }
        assert!(matches!(Secret::from_file(file(0o600, "\n").path()), Err(SecretError::Empty { .. })));
    }

    #[test]
    fn credentials_come_from_their_directory_only() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("smtp"), "hunter2\n").unwrap();
        assert_eq!(Secret::from_credential(Some(dir.path()), "smtp").unwrap().expose(), "hunter2");
        for (dir, name) in [(None, "smtp"), (Some(dir.path()), "../smtp"), (Some(dir.path()), "other")] {
            assert!(matches!(Secret::from_credential(dir, name), Err(SecretError::NoCredential(_))));
        }
    }
}
