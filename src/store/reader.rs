//! A look at the database without the daemon, or beside it. Never writes.

use super::rows::{self, time};
use super::{AuditEntry, DATABASE, database};
use jiff::Timestamp;
use raidmond_core::changes::HistoryEntry;
use raidmond_core::outbox::{ChannelHealth, Delivery, Outbox};
use rusqlite::{Connection, Row, params};
use std::path::Path;

#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be read: {said}")]
pub struct ReadError {
    pub path: String,
    pub said: String,
}

/// What was told, to which channel, and what the channel answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptRow {
    pub id: String,
    pub channel: String,
    pub incident: Option<u64>,
    pub event: String,
    pub headline: String,
    pub posted_at: Timestamp,
    pub at: Timestamp,
    pub attempts: u32,
    /// Otherwise it was given up, and `said` is the reason.
    pub accepted: bool,
    pub said: String,
}

pub struct Reader {
    db: Connection,
    path: String,
}

impl Reader {
    pub fn open(dir: &Path) -> Result<Reader, ReadError> {
        let path = dir.join(DATABASE);
        let shown = path.display().to_string();
        match database::open_read_only(&path) {
            Ok(db) => Ok(Reader { db, path: shown }),
            Err(error) => Err(ReadError { path: shown, said: error.to_string() }),
        }
    }

    pub fn documents(&self, collection: &str) -> Result<Vec<(String, String)>, ReadError> {
        self.read(rows::documents(&self.db, collection))
    }

    pub fn pending(&self) -> Result<Vec<Delivery>, ReadError> {
        self.read(rows::load_pending(&self.db)).map(|(readable, _)| readable)
    }

    pub fn health(&self, now: Timestamp) -> Result<Vec<ChannelHealth>, ReadError> {
        let channels = self.read(rows::load_channels(&self.db))?;
        Ok(Outbox::load(self.pending()?, channels).health(now))
    }

    /// The newest first.
    pub fn receipts(&self, incident: Option<u64>, limit: u32) -> Result<Vec<ReceiptRow>, ReadError> {
        let sql = "SELECT id, channel, incident, event, headline, posted_at, at, attempts, accepted, said
                   FROM receipts WHERE ?1 IS NULL OR incident = ?1 ORDER BY at DESC, id LIMIT ?2";
        let found = self
            .db
            .prepare_cached(sql)
            .and_then(|mut rows| rows.query_map(params![incident.map(u64::cast_signed), limit], receipt)?.collect());
        self.read(found)
    }

    /// The newest first.
    pub fn history(&self, object: Option<u64>, limit: u32) -> Result<Vec<HistoryEntry>, ReadError> {
        let sql = "SELECT at, object, path, kind, said FROM history
                   WHERE ?1 IS NULL OR object = ?1 ORDER BY at DESC, seq DESC LIMIT ?2";
        let found = self
            .db
            .prepare_cached(sql)
            .and_then(|mut rows| rows.query_map(params![object.map(u64::cast_signed), limit], history)?.collect());
        self.read(found)
    }

    /// The newest first.
    pub fn audit(&self, limit: u32) -> Result<Vec<AuditEntry>, ReadError> {
        let sql = "SELECT at, who, what, said FROM audit ORDER BY seq DESC LIMIT ?1";
        let found = self.db.prepare_cached(sql).and_then(|mut rows| rows.query_map([limit], audit)?.collect());
        self.read(found)
    }

    fn read<T>(&self, found: rusqlite::Result<T>) -> Result<T, ReadError> {
        found.map_err(|e| ReadError { path: self.path.clone(), said: e.to_string() })
    }
}

fn receipt(row: &Row) -> rusqlite::Result<ReceiptRow> {
    Ok(ReceiptRow {
        id: row.get(0)?,
        channel: row.get(1)?,
        incident: row.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned),
        event: row.get(3)?,
        headline: row.get(4)?,
        posted_at: time(row.get(5)?),
        at: time(row.get(6)?),
        attempts: row.get(7)?,
        accepted: row.get(8)?,
        said: row.get(9)?,
    })
}

fn audit(row: &Row) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry { at: time(row.get(0)?), who: row.get(1)?, what: row.get(2)?, said: row.get(3)? })
}

fn history(row: &Row) -> rusqlite::Result<HistoryEntry> {
    Ok(HistoryEntry {
        at: time(row.get(0)?),
        object: row.get::<_, Option<i64>>(1)?.map(i64::cast_unsigned),
        path: row.get(2)?,
        kind: row.get(3)?,
        said: row.get(4)?,
    })
}
