//! Words for files of the kernel: the short list of files and words, and nothing else.

use super::find::under;
use raidmond_adapters::Write;
use raidmond_core::survey::{Answer, Asked, Outcome};
use std::io::{Error, ErrorKind, Write as _};
use std::path::Path;

/// File below an array's folder, and what may be written there.
const ALLOWED: [(&str, &[&str]); 2] = [("sync_action", &["check", "idle"]), ("sync_min", &["0"])];

/// `/sys/block/mdNAME/md/FILE` of the list, with a word of the list.
pub(super) fn is_allowed(write: &Write) -> bool {
    let Some(rest) = write.path.strip_prefix("/sys/block/md") else { return false };
    let Some((name, file)) = rest.split_once("/md/") else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let named = !name.is_empty() && name.chars().all(plain);
    named && ALLOWED.iter().any(|(f, words)| *f == file && words.contains(&write.text))
}

/// One after the other, until one fails. The answer is that of the last that was tried.
pub(super) fn all(root: &Path, writes: &[Write]) -> Answer {
    let mut answer = done(Asked::File(String::new()), "");
    for write in writes {
        let asked = Asked::File(write.path.clone());
        answer = match one(&under(root, Path::new(&write.path)), write.text) {
            Ok(()) => done(asked, write.text),
            Err(error) => failed(asked, &error),
        };
        if answer.outcome != Outcome::default() {
            break;
        }
    }
    answer
}

/// Never makes a file: sysfs has all that there is.
fn one(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(format!("{text}\n").as_bytes())
}

fn done(asked: Asked, text: &str) -> Answer {
    Answer { asked, stdout: text.as_bytes().to_vec(), stderr: Vec::new(), outcome: Outcome::default() }
}

fn failed(asked: Asked, error: &Error) -> Answer {
    let absent = error.kind() == ErrorKind::NotFound;
    let denied = error.kind() == ErrorKind::PermissionDenied;
    let outcome = Outcome { absent, denied, exit: i32::from(!absent && !denied), ..Outcome::default() };
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or("").to_lowercase();
    Answer { asked, stdout: Vec::new(), stderr: format!("{words}\n").into_bytes(), outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_listed_files_take_the_listed_words() {
        let allowed = |path: &str, text| is_allowed(&Write { path: path.to_owned(), text });
        assert!(allowed("/sys/block/md0/md/sync_action", "check"));
        assert!(allowed("/sys/block/md_home/md/sync_action", "idle"));
        assert!(allowed("/sys/block/md127/md/sync_min", "0"));
        for (path, text) in [
            ("/sys/block/md0/md/sync_action", "repair"),
            ("/sys/block/md0/md/sync_action", "frozen"),
            ("/sys/block/md0/md/array_state", "check"),
            ("/sys/block/md0/md/../../sda/md/sync_action", "check"),
            ("/sys/block/md/md/sync_action", "check"),
            ("/sys/block/sda/md/sync_action", "check"),
            ("/sys/block/md../md/sync_action", "check"),
            ("/etc/passwd", "0"),
        ] {
            assert!(!allowed(path, text), "{path} {text}");
        }
    }
}
