//! Opening the database file: checking, migrating, setting aside what cannot be used.

use super::outcome::{LostKind, StateLost, Warning, WarningKind};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Little is read again, and the system caches the file, too. Negative: KiB.
const CACHE_KIB: i32 = -128;

const MIGRATIONS: [&str; 1] = [include_str!("schema.sql")];

/// A database ready for use.
pub(super) struct Database {
    pub connection: Connection,
    /// It was created just now.
    pub fresh: bool,
    pub warnings: Vec<Warning>,
}

/// Why a file cannot be used.
enum Unusable {
    Corrupt(String),
    Newer(i64),
    Lost(StateLost),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        let lost = StateLost::from(error);
        match lost.kind {
            LostKind::Corrupt => Unusable::Corrupt(lost.said),
            _ => Unusable::Lost(lost),
        }
    }
}

/// Opens the database; a file that is damaged or too new is renamed, and an empty one takes its place.
pub(super) fn open(path: &Path, now: Timestamp) -> Result<Database, StateLost> {
    let (kind, why) = match try_open(path) {
        Ok((connection, fresh)) => return Ok(Database { connection, fresh, warnings: Vec::new() }),
        Err(Unusable::Lost(lost)) => return Err(lost),
        Err(Unusable::Corrupt(said)) => (WarningKind::SetAside, format!("is damaged ({said})")),
        Err(Unusable::Newer(version)) => {
            (WarningKind::Newer, format!("was written by a newer raidmond (version {version})"))
        }
    };
    let aside = set_aside(path, now)?;
    let said = format!("{} {why}; it was renamed to {} and a new one begun", path.display(), aside.display());
    match try_open(path) {
        Ok((connection, fresh)) => Ok(Database { connection, fresh, warnings: vec![Warning::new(kind, said)] }),
        Err(Unusable::Lost(lost)) => Err(lost),
        Err(Unusable::Corrupt(said)) => Err(StateLost::new(LostKind::Corrupt, said)),
        Err(Unusable::Newer(_)) => Err(StateLost::new(LostKind::Other, "the database was replaced while opening")),
    }
}

fn try_open(path: &Path) -> Result<(Connection, bool), Unusable> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "cache_size", CACHE_KIB)?;
    if connection.is_readonly(rusqlite::MAIN_DB)? {
        return Err(Unusable::Lost(StateLost::new(LostKind::ReadOnly, "it can be read, but not written")));
    }
    let version = user_version(&connection)?;
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if version > known {
        return Err(Unusable::Newer(version));
    }
    check(&connection)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 256)?;
    migrate(&connection, version)?;
    Ok((connection, version == 0))
}

fn user_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn check(connection: &Connection) -> Result<(), Unusable> {
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(Unusable::Corrupt(said)) }
}

fn migrate(connection: &Connection, from: i64) -> Result<(), Unusable> {
    for (version, sql) in (1_i64..).zip(MIGRATIONS).filter(|(version, _)| *version > from) {
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch(sql).map_err(|e| foreign_schema(e, from))?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Tables that are in the way of our own: this is somebody else's database.
fn foreign_schema(error: rusqlite::Error, from: i64) -> Unusable {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::Unknown) => Unusable::Corrupt(format!("tables do not fit version {from}: {error}")),
        _ => error.into(),
    }
}

fn set_aside(path: &Path, now: Timestamp) -> Result<PathBuf, StateLost> {
    let suffix = format!(".set-aside-{}", now.strftime("%Y%m%dT%H%M%SZ"));
    let free = (0..100).map(|n| if n == 0 { suffix.clone() } else { format!("{suffix}-{n}") });
    let suffix = free.into_iter().find(|s| !with_suffix(path, s).exists()).unwrap_or(suffix);
    for part in ["-wal", "-shm"] {
        let file = with_suffix(path, part);
        if file.exists() {
            std::fs::rename(&file, with_suffix(path, &format!("{suffix}{part}")))?;
        }
    }
    let aside = with_suffix(path, &suffix);
    std::fs::rename(path, &aside)?;
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// For looking only: works beside a running daemon, and on a directory that cannot be written.
pub(super) fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let plain = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(readable);
    plain.or_else(|_| {
        let uri = format!("file:{}?mode=ro&immutable=1", uri_path(path));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(uri, flags).and_then(readable)
    })
}

fn readable(connection: Connection) -> rusqlite::Result<Connection> {
    connection.busy_timeout(Duration::from_secs(2))?;
    connection.query_row("SELECT count(*) FROM documents", [], |_| Ok(()))?;
    Ok(connection)
}

fn uri_path(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}
