//! Shows what the daemon knows: to the socket at once, to the state file now and then.

use crate::cli::place::STATUS_FILE;
use crate::clock;
use crate::serve::status::{self, StatusDoc, Surroundings};
use crate::store::write_atomically;
use raidmond_core::incident::State;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The file is for those who look without a daemon; its age is shown.
const FILE_EVERY: Duration = Duration::from_secs(60);

pub struct Publisher {
    send: watch::Sender<Arc<StatusDoc>>,
    files: watch::Sender<Option<Arc<StatusDoc>>>,
    written: Option<(Instant, Gist)>,
    files_on: bool,
}

/// When this changes, the file must not stay behind: the daemon may be killed next.
type Gist = (String, String, Vec<(u64, String)>);

fn gist(doc: &StatusDoc) -> Gist {
    let open = doc.incidents.iter().filter(|i| i.closed_at.is_none());
    (doc.verdict.clone(), doc.headline.clone(), open.map(|i| (i.id, i.severity.clone())).collect())
}

pub fn start(state_dir: PathBuf) -> (Publisher, watch::Receiver<Arc<StatusDoc>>) {
    let empty = status::document(&State::default(), &Surroundings::default(), clock::now());
    let (send, receive) = watch::channel(Arc::new(empty));
    let (files, wanted) = watch::channel(None);
    write_files(state_dir.join(STATUS_FILE), wanted);
    (Publisher { send, files, written: None, files_on: true }, receive)
}

impl Publisher {
    pub fn publish(&mut self, state: &State, around: &Surroundings) {
        let doc = Arc::new(status::document(state, around, clock::now()));
        let gist = gist(&doc);
        let changed = self.written.as_ref().is_none_or(|(at, was)| at.elapsed() >= FILE_EVERY || *was != gist);
        if changed && self.files_on {
            self.written = Some((Instant::now(), gist));
            self.files.send_replace(Some(doc.clone()));
        }
        self.send.send_replace(doc);
    }

    /// The disk does not answer: leave it alone.
    pub fn stop_files(&mut self) {
        self.files_on = false;
    }
}

/// A thread of its own: the disk that holds the state may be the one that fails.
fn write_files(path: PathBuf, mut wanted: watch::Receiver<Option<Arc<StatusDoc>>>) {
    tokio::spawn(async move {
        while wanted.changed().await.is_ok() {
            let Some(doc) = wanted.borrow_and_update().clone() else { continue };
            let path = path.clone();
            let write = tokio::task::spawn_blocking(move || {
                serde_json::to_vec(&*doc).ok().and_then(|bytes| write_atomically(&path, &bytes).err())
            });
            if let Ok(Some(error)) = write.await {
                tracing::debug!("the status file could not be written: {}", crate::cli::problem::io_words(&error));
            }
        }
    });
}
