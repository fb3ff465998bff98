//! How numbers and states developed: a file of its own beside the state, so that it can be lost, full or
//! slow without any message being late.
//!
//! Every point stands in three tiers: as fine as it was taken, by the hour, by the day. Each tier is
//! forgotten at its own age; a file that grows beyond its limit loses the oldest of the finest tier first.
//! Opened for each batch and closed again: an idle daemon holds nothing for it.

use jiff::{SignedDuration, Timestamp};
pub use rusqlite::Result as Outcome;
use rusqlite::{Connection, OpenFlags, Transaction, params};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// File name inside the state directory.
pub const SAMPLES: &str = "history.db";

const SCHEMA: &str = include_str!("samples.sql");
const VERSION: i64 = 1;
const PAGE: u64 = 4096;

/// How much is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keep {
    pub fine: Duration,
    pub hourly: Duration,
    pub daily: Duration,
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    Fine,
    Hour,
    Day,
}

impl Tier {
    const ALL: [Tier; 3] = [Tier::Fine, Tier::Hour, Tier::Day];

    fn number(self) -> i64 {
        self as i64
    }

    /// The finest that gives a picture of this many seconds without a point for every hair.
    pub fn for_span(span: SignedDuration) -> Self {
        match span.as_hours() {
            ..=48 => Tier::Fine,
            49..=1500 => Tier::Hour,
            _ => Tier::Day,
        }
    }

    /// Of one point; for the finest it is what was configured, and at most this.
    pub fn width(self) -> SignedDuration {
        SignedDuration::from_hours(if self == Tier::Day { 24 } else { 1 })
    }

    fn start(self, at: i64, fine: i64) -> i64 {
        let width = match self {
            Tier::Fine => fine.max(1),
            Tier::Hour => 3600,
            Tier::Day => 86_400,
        };
        at - at.rem_euclid(width)
    }
}

/// Whose number or state it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Of {
    pub object: u64,
    pub metric: String,
    pub name: String,
    pub serial: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub at: Timestamp,
    pub low: f64,
    pub high: f64,
    pub last: f64,
}

/// What was gathered since the last time.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub instance: String,
    pub points: Vec<(Of, Point)>,
    pub states: Vec<(Of, Timestamp, String)>,
}

/// One object, as the file knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub instance: String,
    pub object: u64,
    pub name: String,
    pub serial: String,
    pub seen: Timestamp,
}

/// One number of one object over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Track {
    pub metric: String,
    pub points: Vec<Point>,
}

/// A change of a state or task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turned {
    pub at: Timestamp,
    pub what: String,
    pub said: String,
}

pub struct Samples {
    db: Connection,
}

/// Opens, adds, prunes where it is time, closes.
pub fn save(
    dir: &Path,
    batch: &Batch,
    fine: Duration,
    keep: &Keep,
    prune: bool,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let samples = Samples::open(dir, keep.bytes)?;
    samples.add(batch, fine, keep, now)?;
    if prune { samples.prune(keep, now) } else { Ok(()) }
}

impl Samples {
    /// A file that is damaged or another version's is put aside: what it held is worth less than what comes.
    pub fn open(dir: &Path, bytes: u64) -> rusqlite::Result<Samples> {
        let path = dir.join(SAMPLES);
        match Self::try_open(&path, bytes) {
            Err(error) if is_unusable(&error) => {
                put_aside(&path);
                Self::try_open(&path, bytes)
            }
            other => other,
        }
    }

    fn try_open(path: &Path, bytes: u64) -> rusqlite::Result<Samples> {
        let db = Connection::open(path)?;
        db.busy_timeout(Duration::from_secs(5))?;
        db.pragma_update(None, "cache_size", -512)?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        match version {
            0 => {
                db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
                let tx = db.unchecked_transaction()?;
                tx.execute_batch(SCHEMA)?;
                tx.pragma_update(None, "user_version", VERSION)?;
                tx.commit()?;
            }
            VERSION => {}
            _ => return Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(26), None)),
        }
        // One sync a batch; losing the last one in a power cut is no harm.
        db.pragma_update(None, "synchronous", "NORMAL")?;
        let pages = i64::try_from(bytes / PAGE).unwrap_or(i64::MAX).max(32);
        db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        Ok(Samples { db })
    }

    pub fn open_read_only(dir: &Path) -> rusqlite::Result<Samples> {
        let db = Connection::open_with_flags(dir.join(SAMPLES), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        db.busy_timeout(Duration::from_secs(2))?;
        db.query_row("SELECT count(*) FROM series", [], |_| Ok(()))?;
        Ok(Samples { db })
    }

    /// One transaction. Where the file is full, the oldest makes room and it is tried once more.
    pub fn add(&self, batch: &Batch, fine: Duration, keep: &Keep, now: Timestamp) -> rusqlite::Result<()> {
        let added = self.try_add(batch, fine);
        match added {
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull) => {
                self.prune(&Keep { bytes: keep.bytes / 2, ..keep.clone() }, now)?;
                self.try_add(batch, fine)
            }
            other => other,
        }
    }

    fn try_add(&self, batch: &Batch, fine: Duration) -> rusqlite::Result<()> {
        let tx = self.db.unchecked_transaction()?;
        let fine = i64::try_from(fine.as_secs()).unwrap_or(600);
        for (of, point) in &batch.points {
            let series = series(&tx, &batch.instance, of, point.at)?;
            Tier::ALL.iter().try_for_each(|tier| put(&tx, series, *tier, point, fine))?;
        }
        for (of, at, said) in &batch.states {
            let series = series(&tx, &batch.instance, of, *at)?;
            let sql = "INSERT INTO states (series, at, said) VALUES (?1, ?2, ?3)
                       ON CONFLICT DO UPDATE SET said = excluded.said";
            tx.prepare_cached(sql)?.execute(params![series, at.as_second(), said])?;
        }
        tx.commit()
    }

    /// What is too old goes, then what is too much.
    pub fn prune(&self, keep: &Keep, now: Timestamp) -> rusqlite::Result<()> {
        let before = |age: Duration| now.as_second() - i64::try_from(age.as_secs()).unwrap_or(i64::MAX / 2);
        for (tier, age) in Tier::ALL.into_iter().zip([keep.fine, keep.hourly, keep.daily]) {
            self.db.execute("DELETE FROM points WHERE tier = ?1 AND at < ?2", [tier.number(), before(age)])?;
        }
        self.db.execute("DELETE FROM states WHERE at < ?1", [before(keep.daily)])?;
        while self.used()? > keep.bytes && self.shorten(now)? {}
        self.db.execute(
            "DELETE FROM series WHERE seen < ?1 AND NOT EXISTS (SELECT 1 FROM states s WHERE s.series = series.id)",
            [before(keep.daily)],
        )?;
        self.db.execute_batch("PRAGMA incremental_vacuum")
    }

    fn used(&self) -> rusqlite::Result<u64> {
        let number = |pragma: &str| self.db.query_row(pragma, [], |row| row.get::<_, i64>(0));
        let (all, free) = (number("PRAGMA page_count")?, number("PRAGMA freelist_count")?);
        Ok(u64::try_from(all - free).unwrap_or(0) * PAGE)
    }

    /// Drops the older half of the finest tier that has more than its last hours; false when nothing is left.
    fn shorten(&self, now: Timestamp) -> rusqlite::Result<bool> {
        for tier in Tier::ALL {
            let sql = "SELECT min(at) FROM points WHERE tier = ?1";
            let oldest = self.db.query_row(sql, [tier.number()], |row| row.get::<_, Option<i64>>(0))?;
            let Some(oldest) = oldest.filter(|at| now.as_second() - at > 7200) else { continue };
            let middle = oldest + (now.as_second() - oldest) / 2;
            let sql = "DELETE FROM points WHERE tier = ?1 AND at <= ?2";
            return Ok(self.db.execute(sql, [tier.number(), middle])? > 0);
        }
        Ok(self.db.execute("DELETE FROM states WHERE at < ?1", [now.as_second()])? > 0)
    }

    /// The last known word of every state, by object and metric.
    pub fn latest(&self, instance: &str) -> rusqlite::Result<Vec<((u64, String), String)>> {
        let sql = "SELECT object, metric, said, max(at) FROM states JOIN series ON series.id = states.series
                   WHERE instance = ?1 GROUP BY series.id";
        let mut rows = self.db.prepare(sql)?;
        let row = |row: &rusqlite::Row| Ok(((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?), row.get(2)?));
        rows.query_map([instance], row)?.collect()
    }

    /// Objects that go by this: path, its last part, serial number or id; the latest seen first.
    pub fn find(&self, what: &str) -> rusqlite::Result<Vec<Known>> {
        let sql = "SELECT instance, object, name, serial, max(seen) FROM series
                   WHERE name = ?1 OR substr(name, -length(?1) - 1) = '/' || ?1
                     OR (serial <> '' AND lower(serial) = lower(?1)) OR CAST(object AS TEXT) = ?1
                   GROUP BY instance, object ORDER BY max(seen) DESC, object DESC";
        let mut rows = self.db.prepare(sql)?;
        let found = rows.query_map([what], |row| {
            Ok(Known {
                instance: row.get(0)?,
                object: row.get::<_, i64>(1)?.cast_unsigned(),
                name: row.get(2)?,
                serial: row.get(3)?,
                seen: time(row.get(4)?),
            })
        })?;
        found.collect()
    }

    pub fn known(&self, instance: &str, object: u64) -> rusqlite::Result<Option<Known>> {
        let found = self.find(&object.to_string())?;
        Ok(found.into_iter().find(|k| k.instance == instance && k.object == object))
    }

    /// The numbers of an object, each in its order of time.
    pub fn tracks(&self, of: &Known, tier: Tier, since: Timestamp) -> rusqlite::Result<Vec<Track>> {
        let sql = "SELECT metric, at, low, high, last FROM points JOIN series ON series.id = points.series
                   WHERE tier = ?1 AND at >= ?2 AND instance = ?3 AND object = ?4 ORDER BY metric, at";
        let mut rows = self.db.prepare(sql)?;
        let point = |row: &rusqlite::Row| {
            let at = time(row.get(1)?);
            Ok((row.get(0)?, Point { at, low: row.get(2)?, high: row.get(3)?, last: row.get(4)? }))
        };
        let wanted = params![tier.number(), since.as_second(), of.instance, of.object.cast_signed()];
        let mut tracks: Vec<Track> = Vec::new();
        for row in rows.query_map(wanted, point)? {
            let (metric, point): (String, Point) = row?;
            match tracks.last_mut().filter(|t| t.metric == metric) {
                Some(track) => track.points.push(point),
                None => tracks.push(Track { metric, points: vec![point] }),
            }
        }
        Ok(tracks)
    }

    /// Changes of its states and tasks, and what held when the time begins.
    pub fn turned(&self, of: &Known, since: Timestamp) -> rusqlite::Result<Vec<Turned>> {
        let sql = "SELECT at, metric, said FROM states s JOIN series ON series.id = s.series
                   WHERE instance = ?1 AND object = ?2 AND (at >= ?3 OR at =
                     (SELECT max(at) FROM states b WHERE b.series = s.series AND b.at < ?3)) ORDER BY at, metric";
        let mut rows = self.db.prepare(sql)?;
        let row = |row: &rusqlite::Row| Ok(Turned { at: time(row.get(0)?), what: row.get(1)?, said: row.get(2)? });
        rows.query_map(params![of.instance, of.object.cast_signed(), since.as_second()], row)?.collect()
    }
}

fn series(tx: &Transaction, instance: &str, of: &Of, at: Timestamp) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO series (instance, object, metric, name, serial, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT DO UPDATE SET name = excluded.name, seen = max(seen, excluded.seen),
                 serial = CASE excluded.serial WHEN '' THEN serial ELSE excluded.serial END RETURNING id";
    let (object, seen) = (of.object.cast_signed(), at.as_second());
    tx.prepare_cached(sql)?.query_row(params![instance, object, of.metric, of.name, of.serial, seen], |row| row.get(0))
}

fn put(tx: &Transaction, series: i64, tier: Tier, point: &Point, fine: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO points (tier, at, series, low, high, last) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT DO UPDATE SET low = min(low, excluded.low), high = max(high, excluded.high),
                 last = excluded.last";
    let at = tier.start(point.at.as_second(), fine);
    tx.prepare_cached(sql)?.execute(params![tier.number(), at, series, point.low, point.high, point.last]).map(drop)
}

fn is_unusable(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | Unknown))
}

fn put_aside(path: &Path) {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".set-aside");
    // Only the last one is kept; where that fails, opening fails again and says why.
    drop(std::fs::rename(path, PathBuf::from(aside)));
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
