//! Where a password, key or address comes from.

use super::problem::Problem;
use super::sheet::Section;
use super::values::{self, Wrong};
use crate::notify::Secret;
use std::path::{Path, PathBuf};
use toml::Spanned;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    Inline(Secret),
    File(PathBuf),
    /// Name of a systemd credential.
    Credential(String),
}

impl SecretSource {
    /// When a channel is set up, not before: files may be renewed while the daemon runs.
    pub fn read(&self) -> Result<Secret, String> {
        let directory = credentials();
        let secret = match self {
            SecretSource::Inline(secret) => return Ok(secret.clone()),
            SecretSource::File(path) => Secret::from_file(path),
            SecretSource::Credential(name) => Secret::from_credential(directory.as_deref(), name),
        };
        secret.map_err(|e| crate::config::plain_words(&e.to_string()))
    }

    /// Outside of the unit nobody can tell whether a credential will be there.
    fn can_be_checked(&self) -> bool {
        !matches!(self, SecretSource::Credential(_)) || credentials().is_some()
    }
}

fn credentials() -> Option<PathBuf> {
    std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from)
}

/// What the file says of secrets, certificates and programs, to be looked at on the machine.
#[derive(Debug, Default)]
pub struct Files {
    secrets: Vec<Spanned<SecretSource>>,
    certificates: Vec<Spanned<PathBuf>>,
    programs: Vec<Spanned<PathBuf>>,
}

/// The keys under which a secret can stand.
pub struct Keys {
    pub inline: &'static str,
    pub file: &'static str,
    pub credential: Option<&'static str>,
}

pub const PASSWORD: Keys = Keys { inline: "password", file: "password-file", credential: Some("password-credential") };
pub const URL: Keys = Keys { inline: "url", file: "url-file", credential: None };

impl Files {
    /// At most one of the keys may be there.
    pub fn secret(
        &mut self,
        section: &Section,
        keys: &Keys,
        check: fn(&str) -> Result<String, Wrong>,
    ) -> Option<Spanned<SecretSource>> {
        let inline = section.parsed(keys.inline, "a text: \"…\"", check);
        let inline = inline.map(|s| spanned(s, |text| SecretSource::Inline(Secret::new(text))));
        let file = self.path(section, keys.file).map(|s| spanned(s, SecretSource::File));
        let credential = keys.credential.and_then(|key| section.text(key));
        let credential = credential.map(|s| spanned(s, SecretSource::Credential));
        let mut found = [(keys.inline, inline), (keys.file, file), (keys.credential.unwrap_or_default(), credential)]
            .into_iter()
            .filter_map(|(key, source)| source.map(|s| (key, s)));
        let (first_key, first) = found.next()?;
        for (key, other) in found {
            let what = format!("both `{first_key}` and `{key}`");
            section.sheet.twice(what, other.span(), "one of them is enough: which one counts?", first.span());
        }
        self.secrets.push(first.clone());
        Some(first)
    }

    pub fn secret_file(&mut self, section: &Section, key: &'static str) -> Option<SecretSource> {
        let file = spanned(self.path(section, key)?, SecretSource::File);
        self.secrets.push(file.clone());
        Some(file.into_inner())
    }

    pub fn certificate(&mut self, section: &Section, key: &'static str) -> Option<PathBuf> {
        let file = self.path(section, key)?;
        self.certificates.push(file.clone());
        Some(file.into_inner())
    }

    /// Will be run as root.
    pub fn program(&mut self, path: Spanned<PathBuf>) {
        self.programs.push(path);
    }

    fn path(&self, section: &Section, key: &'static str) -> Option<Spanned<PathBuf>> {
        section.parsed(key, "a path: \"/…\"", values::path)
    }

    /// Looks at the machine: what is missing, unreadable, or readable by too many.
    pub fn examine(&self, config: &Path) -> Vec<Problem> {
        let secrets = self.secrets.iter().filter(|s| s.get_ref().can_be_checked());
        let unreadable = secrets.filter_map(|s| Some(Problem::warning(s.get_ref().read().err()?, s.span(), NOT_YET)));
        let certificates = self.certificates.iter().filter_map(|c| {
            let error = std::fs::metadata(c.get_ref()).err()?;
            let what = format!("{} cannot be read: {}", c.get_ref().display(), crate::config::io_words(&error));
            Some(Problem::warning(what, c.span(), NOT_YET))
        });
        let programs = self.programs.iter().filter_map(|p| {
            let what = format!("{} {}", p.get_ref().display(), cannot_run(p.get_ref())?);
            Some(Problem::warning(what, p.span(), NOT_YET))
        });
        unreadable.chain(certificates).chain(programs).chain(self.exposed(config)).collect()
    }

    fn exposed(&self, config: &Path) -> Vec<Problem> {
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::metadata(config).is_ok_and(|m| m.permissions().mode() & 0o004 != 0);
        let inline = self.secrets.iter().filter(|s| open && matches!(s.get_ref(), SecretSource::Inline(_)));
        let what = "everybody on this machine can read this secret";
        let hint = format!("move it to a file of its own, or: chmod 640 {}", config.display());
        inline.map(|s| Problem::warning(what, s.span(), hint.as_str())).collect()
    }
}

fn cannot_run(program: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::metadata(program) {
        Err(error) => Some(format!("cannot be run: {}", crate::config::io_words(&error))),
        Ok(meta) if !meta.is_file() => Some("is no program".to_owned()),
        Ok(meta) if meta.permissions().mode() & 0o111 == 0 => Some("is not executable: chmod +x".to_owned()),
        Ok(_) => None,
    }
}

const NOT_YET: &str = "this channel will not work until that is mended";

pub fn spanned<T, U>(from: Spanned<T>, to: impl Fn(T) -> U) -> Spanned<U> {
    let span = from.span();
    Spanned::new(span, to(from.into_inner()))
}
