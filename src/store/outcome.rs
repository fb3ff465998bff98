//! What the store tells its caller: losses, warnings; and the small records it keeps for it.

use jiff::{SignedDuration, Timestamp};
use rusqlite::ErrorCode;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostKind {
    Full,
    ReadOnly,
    Io,
    /// Somebody else holds the database.
    Busy,
    Corrupt,
    Other,
}

/// The state could not be saved; nothing of what was asked was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state cannot be saved: {said}")]
pub struct StateLost {
    pub kind: LostKind,
    pub said: String,
}

impl StateLost {
    pub(super) fn new(kind: LostKind, said: impl Into<String>) -> Self {
        Self { kind, said: said.into() }
    }

    pub(super) fn ended() -> Self {
        Self::new(LostKind::Other, "the store has stopped")
    }
}

impl From<rusqlite::Error> for StateLost {
    fn from(error: rusqlite::Error) -> Self {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => LostKind::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => LostKind::ReadOnly,
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => LostKind::Io,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LostKind::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => LostKind::Corrupt,
            _ => LostKind::Other,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<std::io::Error> for StateLost {
    fn from(error: std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => LostKind::Full,
            std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => LostKind::ReadOnly,
            _ => LostKind::Io,
        };
        Self::new(kind, error.to_string())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningKind {
    /// The database was damaged and was renamed.
    SetAside,
    /// The database belongs to a newer raidmond and was renamed.
    Newer,
    /// The state directory cannot be used: everything is kept in memory.
    MemoryOnly,
    /// The disk was full; the reserve was used up for this commit.
    ReserveUsed,
    /// The database was replaced by an empty one while running: save every document again.
    StartedFresh,
    /// A saved message cannot be read and stays where it is.
    Unreadable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub kind: WarningKind,
    pub said: String,
}

impl Warning {
    pub(super) fn new(kind: WarningKind, said: impl Into<String>) -> Self {
        Self { kind, said: said.into() }
    }
}

/// Who had what done to a controller, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    pub at: Timestamp,
    pub who: String,
    pub what: String,
    pub said: String,
}

/// How long to keep what nothing depends on any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    pub receipts: SignedDuration,
    pub history: SignedDuration,
    pub audit: SignedDuration,
}

impl Default for Retention {
    fn default() -> Self {
        let days = |n: i64| SignedDuration::from_hours(24 * n);
        Self { receipts: days(180), history: days(800), audit: days(800) }
    }
}
