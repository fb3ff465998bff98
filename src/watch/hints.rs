//! Hints that something changed in a directory. Only hints: everything also works, slower, without them.
//!
//! The directory is watched, never the file, because the file is what gets replaced.

use super::open::Stat;
use notify::event::{Event, EventKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use raidmond_core::tail::FileId;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
struct Wakers(Mutex<Vec<(PathBuf, SyncSender<()>)>>);

struct Watched {
    watcher: Option<RecommendedWatcher>,
    directories: HashMap<PathBuf, FileId>,
}

#[derive(Clone)]
pub(super) struct Hints {
    wakers: Arc<Wakers>,
    watched: Arc<Mutex<Watched>>,
}

impl Hints {
    pub(super) fn new() -> Self {
        let wakers = Arc::new(Wakers::default());
        let shared = Arc::clone(&wakers);
        let handler = move |event: notify::Result<Event>| match event {
            // Our own opening and reading is no news.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
            Ok(event) => shared.wake(|log| event.paths.iter().any(|path| concerns(path, log))),
            Err(_) => shared.wake(|_| true),
        };
        let watcher = notify::recommended_watcher(handler).ok();
        let watched = Mutex::new(Watched { watcher, directories: HashMap::new() });
        Self { wakers, watched: Arc::new(watched) }
    }

    /// Told, at most once between two looks, when something about `log` or its older files changed.
    pub(super) fn subscribe(&self, log: &Path) -> Receiver<()> {
        let (send, receive) = sync_channel(1);
        self.wakers.0.lock().unwrap_or_else(PoisonError::into_inner).push((log.to_owned(), send));
        receive
    }

    /// Watch the directory of `log`, anew when another directory took its place. Whether it is watched.
    pub(super) fn attend(&self, log: &Path) -> bool {
        let Some(directory) = log.parent() else { return false };
        let id = std::fs::metadata(directory).ok().map(|meta| Stat::from(&meta).id);
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.directories.get(directory).copied() == id {
            return id.is_some();
        }
        let known = watched.directories.remove(directory).is_some();
        let Some(watcher) = &mut watched.watcher else { return false };
        if known {
            // The old directory may be gone, and its watch with it.
            watcher.unwatch(directory).ok();
        }
        let Some(id) = id else { return false };
        let watches = watcher.watch(directory, RecursiveMode::NonRecursive).is_ok();
        if watches {
            watched.directories.insert(directory.to_owned(), id);
        }
        watches
    }

    /// Makes every tail look, and see whether it is still wanted.
    pub(super) fn wake_all(&self) {
        self.wakers.wake(|_| true);
    }
}

impl Wakers {
    fn wake(&self, which: impl Fn(&Path) -> bool) {
        let wakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, waker) in wakers.iter().filter(|(log, _)| which(log)) {
            // Full: a hint is already waiting. Closed: nobody cares any more.
            waker.try_send(()).ok();
        }
    }
}

/// Whether `changed` is the log's directory, the log itself or one of its older files.
fn concerns(changed: &Path, log: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().map(OsString::from).unwrap_or_default();
    let begins = |name: &str| name.starts_with(stem(log).to_string_lossy().as_ref());
    let same_directory = changed.parent() == log.parent();
    Some(changed) == log.parent()
        || (same_directory && changed.file_name().is_some_and(|n| begins(&n.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_log_and_its_relatives_concern_it() {
        let log = Path::new("/var/log/kern.log");
        for path in ["/var/log/kern.log", "/var/log/kern.log.1", "/var/log/kern-20260131.log", "/var/log"] {
            assert!(concerns(Path::new(path), log), "{path}");
        }
        for path in ["/var/log/mail.log", "/var/kern.log", "/var/log/x/kern.log"] {
            assert!(!concerns(Path::new(path), log), "{path}");
        }
    }
}
