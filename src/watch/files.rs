//! Tails of any number of log files, each in a thread of its own: a log on a dying disk may block its
//! reader for ever, and must not blind us to the others.

use super::hints::Hints;
use super::look::{Log, Looked, Said};
use super::{Blindness, Event, SourceCursor, under};
use raidmond_core::tail::Cursor;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tokio::sync::mpsc;

/// A log is looked at this often where no hints come.
const POLL: Duration = Duration::from_secs(2);

/// And this often where they do: a hint may get lost, and file systems over a network give none for what
/// others write.
const HINTED_POLL: Duration = Duration::from_secs(30);

/// A look that found something missing is repeated after this, to let a rename finish.
const SECOND_THOUGHT: Duration = Duration::from_millis(200);

pub struct Files {
    root: PathBuf,
    events: mpsc::Sender<Event>,
    hints: Hints,
    /// Dropped with `Files`; the threads hold the other halves.
    lives: std::sync::Mutex<Vec<Sender<()>>>,
}

impl Files {
    pub fn new(root: impl Into<PathBuf>, events: mpsc::Sender<Event>) -> Self {
        Self { root: root.into(), events, hints: Hints::new(), lives: std::sync::Mutex::default() }
    }

    /// Tail `path` (absolute on the machine watched) from `cursor`, or from first contact.
    pub fn add(&self, source: &str, path: impl AsRef<Path>, cursor: Option<Cursor>) {
        let path = under(&self.root, path.as_ref());
        let (life, alive) = channel();
        let tail = Tail {
            hint: self.hints.subscribe(&path),
            hints: self.hints.clone(),
            source: source.to_owned(),
            events: self.events.clone(),
            log: Log::new(path.clone(), cursor),
            path,
            alive,
            sight: None,
        };
        let spawned = std::thread::Builder::new().name(format!("tail {source}")).spawn(move || tail.run());
        match spawned {
            Ok(_) => self.lives.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(life),
            Err(error) => self.cannot_start(source, error),
        }
    }

    fn cannot_start(&self, source: &str, error: std::io::Error) {
        let why = Blindness::Unreadable(crate::cli::problem::io_words(&error));
        self.events.try_send(Event::Blind { source: source.to_owned(), why }).ok();
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.lives.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        self.hints.wake_all();
    }
}

struct Tail {
    source: String,
    path: PathBuf,
    log: Log,
    events: mpsc::Sender<Event>,
    hints: Hints,
    hint: Receiver<()>,
    alive: Receiver<()>,
    /// What the owner was last told: seeing, or why not.
    sight: Option<Result<(), Blindness>>,
}

impl Tail {
    fn run(mut self) {
        while self.wanted() {
            // Before looking, so that no change falls between the look and the watch.
            // What a link points to may change in a directory that nobody watches.
            let hinted = self.hints.attend(&self.path) && !self.path.is_symlink();
            let poll = if hinted { HINTED_POLL } else { POLL };
            if self.look() == Ok(Looked::Doubtful) {
                std::thread::sleep(SECOND_THOUGHT);
            } else if self.hint.recv_timeout(poll) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    fn wanted(&self) -> bool {
        let owned = self.alive.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected);
        owned && !self.events.is_closed()
    }

    fn look(&mut self) -> Result<Looked, Blindness> {
        let (source, events) = (self.source.clone(), self.events.clone());
        let mut listener = move |said: Said, cursor: &Cursor| {
            let (source, cursor) = (source.clone(), SourceCursor::File(cursor.clone()));
            let event = match said {
                Said::Lines(lines) => Event::Lines { source, lines, cursor },
                Said::Gap(gap) => Event::Gap { source, gap, cursor },
            };
            events.blocking_send(event).is_ok()
        };
        let looked = self.log.look(&mut listener);
        if looked != Ok(Looked::Doubtful) {
            self.report_sight(looked.as_ref().map(|_| ()).map_err(Clone::clone));
        }
        looked
    }

    fn report_sight(&mut self, sight: Result<(), Blindness>) {
        if self.sight.as_ref() == Some(&sight) {
            return;
        }
        let source = self.source.clone();
        let event = match sight.clone() {
            Ok(()) => Event::Sees { source },
            Err(why) => Event::Blind { source, why },
        };
        self.sight = Some(sight);
        self.events.blocking_send(event).ok();
    }
}
