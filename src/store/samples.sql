-- Version 1 of history.db. Times are seconds since 1970.
CREATE TABLE series (
    id       INTEGER PRIMARY KEY,
    -- The state that numbered the objects: after a new beginning numbers mean other objects.
    instance TEXT NOT NULL,
    object   INTEGER NOT NULL,
    metric   TEXT NOT NULL,
    name     TEXT NOT NULL,
    serial   TEXT NOT NULL,
    seen     INTEGER NOT NULL,
    UNIQUE (instance, object, metric)
) STRICT;

-- By time first: what is written at once lies together, and so does what is forgotten at once.
CREATE TABLE points (
    tier   INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    series INTEGER NOT NULL,
    low    REAL NOT NULL,
    high   REAL NOT NULL,
    last   REAL NOT NULL,
    PRIMARY KEY (tier, at, series)
) STRICT, WITHOUT ROWID;

CREATE TABLE states (
    series INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    said   TEXT NOT NULL,
    PRIMARY KEY (series, at)
) STRICT, WITHOUT ROWID;
