//! The owner of the database: saves, holds what cannot be saved, merges when storage returns.

use super::database::{self, Database};
use super::outcome::{AuditEntry, LostKind, Retention, StateLost, Warning, WarningKind};
use super::reserve::Reserve;
use super::{DATABASE, rows};
use jiff::Timestamp;
use raidmond_core::changes::{Changes, HistoryEntry};
use raidmond_core::outbox::{Attempt, ChannelHealth, Next, Outbox, delivery_id};
use rusqlite::{Connection, Transaction};
use std::collections::BTreeMap;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// History is bounded while it can only be held in memory.
const HELD_HISTORY: usize = 20_000;

/// Documents and lines that are not saved yet. Messages are in the outbox, marked as unsaved.
#[derive(Clone, Default)]
struct Held {
    documents: BTreeMap<(&'static str, String), Option<String>>,
    history: Vec<HistoryEntry>,
    audit: Vec<AuditEntry>,
}

impl Held {
    fn add(&mut self, changes: Changes) {
        self.documents.extend(changes.puts.into_iter().map(|p| ((p.collection, p.key), Some(p.json))));
        self.documents.extend(changes.deletes.into_iter().map(|key| (key, None)));
        self.history.extend(changes.history);
        let excess = self.history.len().saturating_sub(HELD_HISTORY);
        self.history.drain(..excess);
    }

    fn write(&self, tx: &Transaction) -> rusqlite::Result<()> {
        for ((collection, key), json) in &self.documents {
            match json {
                Some(json) => rows::put(tx, collection, key, json)?,
                None => rows::delete(tx, collection, key)?,
            }
        }
        self.history.iter().try_for_each(|entry| rows::history(tx, entry))?;
        self.audit.iter().try_for_each(|entry| rows::audit(tx, entry))
    }
}

pub(super) struct Keeper {
    path: PathBuf,
    reserve: Reserve,
    db: Option<Connection>,
    /// What was saved in an earlier life, where it can be read and not written.
    memories: Option<Connection>,
    outbox: Outbox,
    held: Held,
    lost: Option<StateLost>,
    /// Kept until a caller can hear them.
    warnings: Vec<Warning>,
}

impl Keeper {
    pub(super) fn open(dir: &Path, now: Timestamp) -> (Keeper, Vec<Warning>) {
        let mut keeper = Keeper {
            path: dir.join(DATABASE),
            reserve: Reserve::new(dir),
            db: None,
            memories: None,
            outbox: Outbox::default(),
            held: Held::default(),
            lost: None,
            warnings: Vec::new(),
        };
        let opened = make_dir(dir).and_then(|()| database::open(&keeper.path, now)).and_then(|db| keeper.start(db));
        if let Err(lost) = opened {
            keeper.start_in_memory(lost);
        }
        let warnings = std::mem::take(&mut keeper.warnings);
        (keeper, warnings)
    }

    fn start(&mut self, database: Database) -> Result<(), StateLost> {
        self.load(&database.connection)?;
        self.db = Some(database.connection);
        self.reserve.ensure();
        self.warnings.extend(database.warnings);
        Ok(())
    }

    fn start_in_memory(&mut self, lost: StateLost) {
        self.warn(WarningKind::MemoryOnly, format!("{}: {}", self.path.display(), lost.said));
        self.lost = Some(lost);
        let readable = database::open_read_only(&self.path).ok();
        self.memories = readable.filter(|connection| self.load(connection).is_ok());
    }

    fn load(&mut self, connection: &Connection) -> Result<(), StateLost> {
        let (pending, unreadable) = rows::load_pending(connection)?;
        self.outbox = Outbox::load(pending, rows::load_channels(connection)?);
        self.outbox.skip_numbers(rows::highest_seq(connection)?);
        unreadable.into_iter().for_each(|said| self.warn(WarningKind::Unreadable, said));
        Ok(())
    }

    pub(super) fn commit(&mut self, changes: &Changes, now: Timestamp) -> Result<Vec<Warning>, StateLost> {
        self.storage(now)?;
        let mut next = self.outbox.clone();
        self.post_new(&mut next, changes, now)?;
        let mut held = self.held.clone();
        held.add(Changes { postings: Vec::new(), ..changes.clone() });
        self.save(next, held)?;
        Ok(std::mem::take(&mut self.warnings))
    }

    pub(super) fn hold(&mut self, changes: Changes, now: Timestamp) {
        changes.postings.iter().for_each(|p| self.outbox.post(p, now));
        self.held.add(changes);
    }

    pub(super) fn merge(&mut self, now: Timestamp) -> Result<Vec<Warning>, StateLost> {
        self.commit(&Changes::default(), now)
    }

    pub(super) fn lost(&self) -> Option<StateLost> {
        self.lost.clone()
    }

    pub(super) fn documents(&self, collection: &'static str) -> Result<Vec<(String, String)>, StateLost> {
        let readable = self.db.as_ref().or(self.memories.as_ref());
        let saved = readable.map_or(Ok(Vec::new()), |db| rows::documents(db, collection))?;
        let mut all: BTreeMap<String, String> = saved.into_iter().collect();
        for ((_, key), json) in self.held.documents.iter().filter(|((c, _), _)| *c == collection) {
            match json {
                Some(json) => drop(all.insert(key.clone(), json.clone())),
                None => drop(all.remove(key)),
            }
        }
        Ok(all.into_iter().collect())
    }

    pub(super) fn audit(&mut self, entry: AuditEntry, now: Timestamp) -> Result<(), StateLost> {
        self.storage(now)?;
        let mut held = self.held.clone();
        held.audit.push(entry);
        self.save(self.outbox.clone(), held)
    }

    pub(super) fn prune(&mut self, keep: &Retention, now: Timestamp) -> Result<(), StateLost> {
        self.storage(now)?;
        self.transaction(|tx| rows::prune(tx, keep, now))?;
        self.reserve.ensure();
        Ok(())
    }

    pub(super) fn begin(&mut self, channel: &str, now: Timestamp) -> Next {
        self.outbox.begin(channel, now)
    }

    pub(super) fn settle(&mut self, id: &str, attempt: &Attempt, now: Timestamp) -> Result<(), StateLost> {
        self.outbox.settle(id, attempt, now);
        self.save_outbox(now)
    }

    pub(super) fn abandon(&mut self, channel: &str) {
        self.outbox.abandon(channel);
    }

    pub(super) fn retire_channels(&mut self, configured: &[String], now: Timestamp) -> Vec<String> {
        let names: Vec<&str> = configured.iter().map(String::as_str).collect();
        let gone = self.outbox.retire_channels(&names, now);
        // Kept for the next save when this one fails.
        drop(self.save_outbox(now));
        gone
    }

    pub(super) fn health(&self, now: Timestamp) -> Vec<ChannelHealth> {
        self.outbox.health(now)
    }

    /// What was told before is not told again.
    fn post_new(&self, outbox: &mut Outbox, changes: &Changes, now: Timestamp) -> Result<(), StateLost> {
        for posting in &changes.postings {
            let id = delivery_id(&posting.notice.id, &posting.channel);
            let told = self.db.as_ref().map_or(Ok(false), |db| rows::is_settled(db, &id))?;
            if !told {
                outbox.post(posting, now);
            }
        }
        Ok(())
    }

    fn save_outbox(&mut self, now: Timestamp) -> Result<(), StateLost> {
        self.storage(now)?;
        self.save(self.outbox.clone(), self.held.clone())
    }

    /// Makes sure that there is a database to write to.
    fn storage(&mut self, now: Timestamp) -> Result<(), StateLost> {
        if self.db.is_none() {
            self.reopen(now).map_err(|lost| self.remember(lost))?;
        }
        Ok(())
    }

    /// Storage that was not there when the program started may hold messages of its last life.
    fn reopen(&mut self, now: Timestamp) -> Result<(), StateLost> {
        self.path.parent().map_or(Ok(()), make_dir)?;
        let database = database::open(&self.path, now)?;
        let (saved, _) = rows::load_pending(&database.connection)?;
        self.outbox.skip_numbers(rows::highest_seq(&database.connection)?);
        self.outbox.adopt_older(saved);
        self.outbox.all_dirty();
        self.memories = None;
        self.db = Some(database.connection);
        self.warnings.extend(database.warnings);
        if database.fresh {
            self.warn(WarningKind::StartedFresh, "the database is a new one: everything has to be saved again");
        }
        Ok(())
    }

    fn warn(&mut self, kind: WarningKind, said: impl Into<String>) {
        self.warnings.push(Warning::new(kind, said));
    }

    /// Writes what is unsaved of `outbox` and all of `held`; only then they become the keeper's.
    fn save(&mut self, mut outbox: Outbox, held: Held) -> Result<(), StateLost> {
        let dirty = outbox.take_dirty();
        self.transaction(|tx| {
            held.write(tx)?;
            rows::outbox(tx, &dirty)
        })?;
        self.outbox = outbox;
        self.held = Held::default();
        Ok(())
    }

    /// On a full disk the reserve is freed and the transaction tried once more.
    fn transaction(&mut self, write: impl Fn(&Transaction) -> rusqlite::Result<()>) -> Result<(), StateLost> {
        let mut saved = self.try_transaction(&write);
        if saved.as_ref().is_err_and(|lost| lost.kind == LostKind::Full) && self.reserve.free() {
            self.warn(
                WarningKind::ReserveUsed,
                format!("{}: the disk is full; the reserve was used", self.path.display()),
            );
            saved = self.try_transaction(&write);
        }
        saved.map_err(|lost| self.remember(lost))?;
        self.lost = None;
        Ok(())
    }

    fn try_transaction(&self, write: &impl Fn(&Transaction) -> rusqlite::Result<()>) -> Result<(), StateLost> {
        let db = self.db.as_ref().ok_or_else(|| StateLost::new(LostKind::Io, "there is no database"))?;
        let tx = db.unchecked_transaction()?;
        write(&tx)?;
        Ok(tx.commit()?)
    }

    /// A full or busy database works again by itself; anything else is opened anew next time.
    fn remember(&mut self, lost: StateLost) -> StateLost {
        if !matches!(lost.kind, LostKind::Full | LostKind::Busy) {
            self.db = None;
        }
        self.lost = Some(lost.clone());
        lost
    }
}

fn make_dir(dir: &Path) -> Result<(), StateLost> {
    Ok(std::fs::DirBuilder::new().recursive(true).mode(0o750).create(dir)?)
}
