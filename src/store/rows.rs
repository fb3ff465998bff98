//! Rows in and out. One function per statement; no decisions.

use super::outcome::{AuditEntry, Retention};
use jiff::{SignedDuration, Timestamp};
use raidmond_core::changes::HistoryEntry;
use raidmond_core::notice::Notice;
use raidmond_core::outbox::{ChannelState, Delivery, Dirty, State};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use std::sync::Arc;

/// Collection in which the outbox keeps how its channels do.
pub(super) const CHANNELS: &str = "channels";

pub(super) fn put(tx: &Transaction, collection: &str, key: &str, json: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO documents (collection, key, json) VALUES (?1, ?2, ?3)
               ON CONFLICT DO UPDATE SET json = excluded.json";
    tx.prepare_cached(sql)?.execute(params![collection, key, json]).map(drop)
}

pub(super) fn delete(tx: &Transaction, collection: &str, key: &str) -> rusqlite::Result<()> {
    let sql = "DELETE FROM documents WHERE collection = ?1 AND key = ?2";
    tx.prepare_cached(sql)?.execute(params![collection, key]).map(drop)
}

pub(super) fn documents(db: &Connection, collection: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let mut rows = db.prepare_cached("SELECT key, json FROM documents WHERE collection = ?1 ORDER BY key")?;
    rows.query_map([collection], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

pub(super) fn history(tx: &Transaction, entry: &HistoryEntry) -> rusqlite::Result<()> {
    let sql = "INSERT INTO history (at, object, path, kind, said) VALUES (?1, ?2, ?3, ?4, ?5)";
    let object = entry.object.map(u64::cast_signed);
    tx.prepare_cached(sql)?.execute(params![micros(entry.at), object, entry.path, entry.kind, entry.said]).map(drop)
}

pub(super) fn audit(tx: &Transaction, entry: &AuditEntry) -> rusqlite::Result<()> {
    let sql = "INSERT INTO audit (at, who, what, said) VALUES (?1, ?2, ?3, ?4)";
    tx.prepare_cached(sql)?.execute(params![micros(entry.at), entry.who, entry.what, entry.said]).map(drop)
}

pub(super) fn outbox(tx: &Transaction, dirty: &Dirty) -> rusqlite::Result<()> {
    for delivery in &dirty.deliveries {
        match &delivery.state {
            State::Waiting | State::Sending => pending(tx, delivery)?,
            State::Accepted { receipt, at } => settled(tx, delivery, *at, true, receipt)?,
            State::GaveUp { reason, at } => settled(tx, delivery, *at, false, reason)?,
        }
    }
    for (name, state) in &dirty.channels {
        put(tx, CHANNELS, name, &json(state)?)?;
    }
    Ok(())
}

fn pending(tx: &Transaction, d: &Delivery) -> rusqlite::Result<()> {
    let sql = "INSERT INTO outbox
                 (seq, id, channel, posted_at, attempts, next_attempt_at, refused, last_error, notice)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
               ON CONFLICT (id) DO UPDATE SET attempts = excluded.attempts, refused = excluded.refused,
                 next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error";
    let (posted, next) = (micros(d.posted_at), micros(d.next_attempt_at));
    let (seq, notice) = (d.seq.cast_signed(), json(d.notice.as_ref())?);
    tx.prepare_cached(sql)?
        .execute(params![seq, d.id, d.channel, posted, d.attempts, next, d.refused, d.last_error, notice])
        .map(drop)
}

fn settled(tx: &Transaction, d: &Delivery, at: Timestamp, accepted: bool, said: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO receipts
                 (id, channel, incident, event, headline, posted_at, at, attempts, accepted, said)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
               ON CONFLICT DO NOTHING";
    let incident = d.notice.thread.as_ref().map(|t| t.incident.cast_signed());
    let (event, headline) = (d.notice.event.word(), &d.notice.headline);
    let (posted, at) = (micros(d.posted_at), micros(at));
    tx.prepare_cached(sql)?
        .execute(params![d.id, d.channel, incident, event, headline, posted, at, d.attempts, accepted, said])?;
    tx.prepare_cached("DELETE FROM outbox WHERE id = ?1")?.execute([&d.id]).map(drop)
}

pub(super) fn is_settled(db: &Connection, id: &str) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM receipts WHERE id = ?1")?.exists([id])
}

/// Everything pending; what cannot be read comes back by id, with the reason.
pub(super) fn load_pending(db: &Connection) -> rusqlite::Result<(Vec<Delivery>, Vec<String>)> {
    let sql = "SELECT seq, id, channel, posted_at, attempts, next_attempt_at, refused, last_error, notice
               FROM outbox ORDER BY seq";
    let mut rows = db.prepare(sql)?;
    let mut found = (Vec::new(), Vec::new());
    for row in rows.query_map([], |row| Ok((row.get::<_, String>(1)?, delivery(row)?)))? {
        match row? {
            (_, Ok(delivery)) => found.0.push(delivery),
            (id, Err(why)) => found.1.push(format!("{id}: {why}")),
        }
    }
    Ok(found)
}

fn delivery(row: &Row) -> rusqlite::Result<Result<Delivery, serde_json::Error>> {
    let notice: String = row.get(8)?;
    let (seq, posted, next) = (row.get::<_, i64>(0)?.cast_unsigned(), row.get(3)?, row.get(5)?);
    let (id, channel, attempts) = (row.get(1)?, row.get(2)?, row.get(4)?);
    let (refused, last_error) = (row.get(6)?, row.get(7)?);
    Ok(serde_json::from_str::<Notice>(&notice).map(|notice| Delivery {
        seq,
        id,
        channel,
        notice: Arc::new(notice),
        posted_at: time(posted),
        attempts,
        next_attempt_at: time(next),
        refused,
        last_error,
        state: State::Waiting,
    }))
}

pub(super) fn load_channels(db: &Connection) -> rusqlite::Result<Vec<(String, ChannelState)>> {
    let saved = documents(db, CHANNELS)?;
    // A channel's past is worth little: what cannot be read starts anew.
    Ok(saved.into_iter().map(|(name, json)| (name, serde_json::from_str(&json).unwrap_or_default())).collect())
}

/// Highest number ever given in this file, so that a number is not used for two rows.
pub(super) fn highest_seq(db: &Connection) -> rusqlite::Result<Option<u64>> {
    let seq = db.query_row("SELECT max(seq) FROM outbox", [], |row| row.get::<_, Option<i64>>(0)).optional()?;
    Ok(seq.flatten().map(i64::cast_unsigned))
}

pub(super) fn prune(tx: &Transaction, keep: &Retention, now: Timestamp) -> rusqlite::Result<()> {
    let before = |age: SignedDuration| now.checked_sub(age).map_or(i64::MIN, micros);
    tx.execute("DELETE FROM receipts WHERE at < ?1", [before(keep.receipts)])?;
    tx.execute("DELETE FROM history WHERE at < ?1", [before(keep.history)])?;
    tx.execute("DELETE FROM audit WHERE at < ?1", [before(keep.audit)]).map(drop)
}

pub(super) fn json<T: serde::Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
}

pub(super) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

pub(super) fn time(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH)
}
