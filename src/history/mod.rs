//! Gathers what the daemon publishes and saves it in batches, so that the development of every disk can be
//! looked up later. Costs an idle daemon one short write in `interval`.
//!
//! A task beside the loop: it hears of every look, but nothing waits for it. Where its file cannot be
//! written the numbers of that batch are lost and nothing else; where the disk does not answer at all it
//! stops. Judges nothing.

mod collect;
mod look;

pub use look::{HistoryDoc, LookError, look, look_at};

use crate::clock;
use crate::serve::status::StatusDoc;
use crate::store::samples::{self, Keep, Samples};
use collect::Collector;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// A write that takes longer has met a disk that hangs.
const PATIENCE: Duration = Duration::from_secs(30);
const LAST_WORDS: Duration = Duration::from_secs(2);
const PRUNE_EVERY: Duration = Duration::from_secs(6 * 3600);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryConfig {
    pub enabled: bool,
    /// Width of the finest points, and time between two writes.
    pub interval: Duration,
    pub keep: Keep,
}

impl Default for HistoryConfig {
    fn default() -> Self {
        let days = |n: u64| Duration::from_secs(n * 86_400);
        let keep = Keep { fine: days(7), hourly: days(90), daily: days(1830), bytes: 64 << 20 };
        Self { enabled: true, interval: Duration::from_secs(600), keep }
    }
}

pub struct Recording {
    settings: watch::Sender<HistoryConfig>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Recording {
    pub fn start(dir: PathBuf, settings: HistoryConfig, docs: watch::Receiver<Arc<StatusDoc>>) -> Self {
        let settings = watch::Sender::new(settings);
        let (stop, stopped) = oneshot::channel();
        let recorder = Recorder { dir, settings: settings.subscribe(), collector: Collector::default(), pruned: None };
        Self { settings, stop: Some(stop), task: tokio::task::spawn_local(recorder.run(docs, stopped)) }
    }

    pub fn reload(&self, settings: HistoryConfig) {
        self.settings.send_replace(settings);
    }

    /// Saves what was gathered.
    pub async fn end(mut self) {
        self.stop.take().map(|stop| stop.send(()));
        if timeout(LAST_WORDS, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

struct Recorder {
    dir: PathBuf,
    settings: watch::Receiver<HistoryConfig>,
    collector: Collector,
    pruned: Option<Instant>,
}

impl Recorder {
    async fn run(mut self, mut docs: watch::Receiver<Arc<StatusDoc>>, mut stopped: oneshot::Receiver<()>) {
        let mut saved = Instant::now();
        loop {
            let settings = self.settings.borrow().clone();
            tokio::select! {
                changed = docs.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let doc = docs.borrow_and_update().clone();
                    if settings.enabled {
                        self.hear(&doc).await;
                    }
                }
                () = sleep_until(saved + settings.interval) => {
                    saved = Instant::now();
                    if !self.save(&settings).await {
                        return;
                    }
                }
                _ = &mut stopped => {
                    self.save(&settings).await;
                    return;
                }
            }
        }
    }

    async fn hear(&mut self, doc: &StatusDoc) {
        if self.collector.is_new_to(&doc.instance) {
            let known = latest(self.dir.clone(), doc.instance.clone()).await;
            self.collector.begin(&doc.instance, known);
        }
        self.collector.hear(doc);
    }

    /// False when the disk hangs: then it is left alone.
    async fn save(&mut self, settings: &HistoryConfig) -> bool {
        let batch = self.collector.take();
        if batch.points.is_empty() && batch.states.is_empty() {
            return true;
        }
        let prune = self.pruned.is_none_or(|at| at.elapsed() >= PRUNE_EVERY);
        if prune {
            self.pruned = Some(Instant::now());
        }
        let (dir, settings) = (self.dir.clone(), settings.clone());
        let write = tokio::task::spawn_blocking(move || {
            samples::save(&dir, &batch, settings.interval, &settings.keep, prune, clock::now())
        });
        match timeout(PATIENCE, write).await {
            Err(_) => {
                tracing::warn!("the history cannot be saved: the disk does not answer; it is not tried again");
                false
            }
            Ok(Ok(Err(error))) => {
                tracing::debug!("a part of the history is lost: {error}");
                true
            }
            Ok(_) => true,
        }
    }
}

/// What the last life saw; a file that cannot be read is a beginning.
async fn latest(dir: PathBuf, instance: String) -> Vec<((u64, String), String)> {
    let read = move || Samples::open_read_only(&dir).and_then(|s| s.latest(&instance));
    match timeout(PATIENCE, tokio::task::spawn_blocking(read)).await {
        Ok(Ok(Ok(known))) => known,
        _ => Vec::new(),
    }
}
