//! Files and directories as answers.

use super::find::under;
use super::no_answer;
use raidmond_core::survey::{Answer, Asked, Outcome};
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Each read has a thread of its own that is left behind when it hangs; what still hangs is not read again.
#[derive(Debug, Default)]
pub(super) struct Reads {
    under_way: Arc<Mutex<BTreeSet<Asked>>>,
}

impl Reads {
    pub(super) async fn read(&self, root: &Path, asked: &Asked, limit: Duration, bound: usize) -> Answer {
        if !self.under_way.lock().unwrap_or_else(PoisonError::into_inner).insert(asked.clone()) {
            return no_answer(asked.clone(), "still being read\n".to_owned());
        }
        let (send, receive) = oneshot::channel();
        let path = under(root, Path::new(asked.path()));
        let (under_way, question) = (Arc::clone(&self.under_way), asked.clone());
        let work = move || {
            let answer = answer(question, path, bound);
            under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&answer.asked);
            send.send(answer).ok();
        };
        if let Err(error) = std::thread::Builder::new().name("read a file".to_owned()).spawn(work) {
            self.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(asked);
            return failed(asked.clone(), &error);
        }
        match timeout(limit, receive).await {
            Ok(Ok(answer)) => answer,
            _ => no_answer(asked.clone(), "not read in time\n".to_owned()),
        }
    }
}

fn answer(asked: Asked, path: PathBuf, bound: usize) -> Answer {
    let content = if matches!(asked, Asked::Dir(_)) { list(&path) } else { content(&path, bound) };
    match content {
        Ok(mut stdout) => {
            let outcome = Outcome { truncated: stdout.len() > bound, ..Outcome::default() };
            stdout.truncate(bound);
            Answer { asked, stdout, stderr: Vec::new(), outcome }
        }
        Err(error) => failed(asked, &error),
    }
}

/// At most one byte more than `bound`. A FIFO somebody put there does not block.
fn content(path: &Path, bound: usize) -> Result<Vec<u8>, Error> {
    let fd = rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    let mut bytes = Vec::new();
    File::from(fd).take(bound as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn list(path: &Path) -> Result<Vec<u8>, Error> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path)? {
        names.push(entry?.file_name().into_encoded_bytes());
    }
    names.sort();
    Ok(names.into_iter().flat_map(|name| name.into_iter().chain([b'\n'])).collect())
}

fn failed(asked: Asked, error: &Error) -> Answer {
    let absent = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let denied = error.kind() == ErrorKind::PermissionDenied;
    let exit = i32::from(!absent && !denied);
    let outcome = Outcome { absent, denied, exit, ..Outcome::default() };
    Answer { asked, stdout: Vec::new(), stderr: format!("{error}\n").into_bytes(), outcome }
}
