//! What must survive: state, outbox, receipts, events, audit. The only SQL of the program; how numbers
//! developed is in a file of its own ([`samples`]).
//!
//! One thread owns the database; [`Store`] is a handle to it. A commit is one transaction: state and
//! the messages that follow from it are saved together or not at all. When saving fails the caller
//! hears [`StateLost`], hands the same changes to [`Store::hold`], and delivery goes on from memory;
//! the first commit or [`Store::merge`] that succeeds writes everything held.
//!
//! It does not decide what is saved, and it never refuses to open: a database that cannot be used is
//! set aside, a directory that cannot be written is memory only, and both come back as a [`Warning`].

mod database;
mod keeper;
mod outcome;
mod reader;
mod reserve;
mod rows;
pub mod samples;
mod status_file;

pub use outcome::{AuditEntry, LostKind, Retention, StateLost, Warning, WarningKind};
pub use reader::{ReadError, Reader, ReceiptRow};
pub use status_file::write_atomically;

use jiff::Timestamp;
use keeper::Keeper;
use raidmond_core::changes::Changes;
use raidmond_core::outbox::{Attempt, ChannelHealth, Next};
use std::path::Path;
use std::sync::mpsc;
use tokio::sync::{oneshot, watch};

/// File name of the database inside the state directory.
pub const DATABASE: &str = "raidmond.db";

type Job = Box<dyn FnOnce(&mut Keeper) + Send>;

#[derive(Clone)]
pub struct Store {
    jobs: mpsc::Sender<Job>,
    posted: watch::Sender<u64>,
}

impl Store {
    /// Always gives a store; what is wrong with it is in the warnings.
    pub fn open(dir: &Path, now: Timestamp) -> (Store, Vec<Warning>) {
        let (mut keeper, mut warnings) = Keeper::open(dir, now);
        let (jobs, inbox) = mpsc::channel::<Job>();
        let owner = std::thread::Builder::new().name("store".to_owned());
        let running = owner.spawn(move || {
            while let Ok(job) = inbox.recv() {
                job(&mut keeper);
            }
        });
        if let Err(error) = running {
            warnings.push(Warning::new(WarningKind::MemoryOnly, format!("the store cannot run: {error}")));
        }
        (Store { jobs, posted: watch::Sender::new(0) }, warnings)
    }

    /// Saves everything in one transaction, or nothing.
    pub async fn commit(&self, changes: Changes, now: Timestamp) -> Result<Vec<Warning>, StateLost> {
        let posted = !changes.postings.is_empty();
        let saved = self.call(move |k| k.commit(&changes, now)).await?;
        if posted && saved.is_ok() {
            self.wake();
        }
        saved
    }

    /// Takes changes that could not be saved into memory: its messages are delivered from there.
    pub async fn hold(&self, changes: Changes, now: Timestamp) -> Result<(), StateLost> {
        self.call(move |k| k.hold(changes, now)).await?;
        self.wake();
        Ok(())
    }

    /// Tries to save what is held. Nothing to do is a success.
    pub async fn merge(&self, now: Timestamp) -> Result<Vec<Warning>, StateLost> {
        self.call(move |k| k.merge(now)).await?
    }

    /// Why the last save failed, if it did.
    pub async fn lost(&self) -> Option<StateLost> {
        self.call(|k| k.lost()).await.unwrap_or_else(Some)
    }

    /// All documents of a collection, with what is held in memory on top.
    pub async fn documents(&self, collection: &'static str) -> Result<Vec<(String, String)>, StateLost> {
        self.call(move |k| k.documents(collection)).await?
    }

    /// Committed before a mutation is executed.
    pub async fn audit(&self, entry: AuditEntry, now: Timestamp) -> Result<(), StateLost> {
        self.call(move |k| k.audit(entry, now)).await?
    }

    pub async fn prune(&self, keep: Retention, now: Timestamp) -> Result<(), StateLost> {
        self.call(move |k| k.prune(&keep, now)).await?
    }

    /// What the channel should send now; it is then being sent until settled or abandoned.
    pub async fn begin(&self, channel: String, now: Timestamp) -> Result<Next, StateLost> {
        self.call(move |k| k.begin(&channel, now)).await
    }

    /// Records what became of an attempt. It counts even when it could not be saved.
    pub async fn settle(&self, id: String, attempt: Attempt, now: Timestamp) -> Result<(), StateLost> {
        self.call(move |k| k.settle(&id, &attempt, now)).await?
    }

    pub async fn abandon(&self, channel: String) -> Result<(), StateLost> {
        self.call(move |k| k.abandon(&channel)).await
    }

    /// Gives up what waits for channels that are no longer configured; their delivery ids.
    pub async fn retire_channels(&self, configured: Vec<String>, now: Timestamp) -> Result<Vec<String>, StateLost> {
        self.call(move |k| k.retire_channels(&configured, now)).await
    }

    pub async fn health(&self, now: Timestamp) -> Result<Vec<ChannelHealth>, StateLost> {
        self.call(move |k| k.health(now)).await
    }

    /// Changes whenever something may have become due.
    pub fn postings(&self) -> watch::Receiver<u64> {
        self.posted.subscribe()
    }

    /// Two handles to one database.
    pub fn is_same(&self, other: &Store) -> bool {
        self.posted.same_channel(&other.posted)
    }

    /// Makes whoever waits for postings look again.
    pub fn wake(&self) {
        self.posted.send_modify(|n| *n = n.wrapping_add(1));
    }

    async fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Keeper) -> R + Send + 'static,
    ) -> Result<R, StateLost> {
        let (answer, heard) = oneshot::channel();
        let job: Job = Box::new(move |keeper| drop(answer.send(job(keeper))));
        self.jobs.send(job).map_err(|_| StateLost::ended())?;
        heard.await.map_err(|_| StateLost::ended())
    }
}
