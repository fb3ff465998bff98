-- Version 1. Times are microseconds since 1970.
CREATE TABLE documents (
    collection TEXT NOT NULL,
    key        TEXT NOT NULL,
    json       TEXT NOT NULL,
    PRIMARY KEY (collection, key)
) STRICT, WITHOUT ROWID;

-- What is on its way. A row leaves in the transaction that writes its receipt.
CREATE TABLE outbox (
    seq             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    channel         TEXT NOT NULL,
    posted_at       INTEGER NOT NULL,
    attempts        INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    refused         INTEGER NOT NULL,
    last_error      TEXT,
    notice          TEXT NOT NULL
) STRICT;

CREATE TABLE receipts (
    id        TEXT PRIMARY KEY,
    channel   TEXT NOT NULL,
    incident  INTEGER,
    event     TEXT NOT NULL,
    headline  TEXT NOT NULL,
    posted_at INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    attempts  INTEGER NOT NULL,
    accepted  INTEGER NOT NULL,
    said      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX receipts_at ON receipts (at);
CREATE INDEX receipts_incident ON receipts (incident);

CREATE TABLE history (
    seq    INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    object INTEGER,
    path   TEXT NOT NULL,
    kind   TEXT NOT NULL,
    said   TEXT NOT NULL
) STRICT;
CREATE INDEX history_at ON history (at);
CREATE INDEX history_object ON history (object);

CREATE TABLE audit (
    seq  INTEGER PRIMARY KEY,
    at   INTEGER NOT NULL,
    who  TEXT NOT NULL,
    what TEXT NOT NULL,
    said TEXT NOT NULL
) STRICT;
