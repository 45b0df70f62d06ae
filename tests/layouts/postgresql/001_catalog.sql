-- The catalog of many servers: the tables of catalog.sql by name and column, each with the number of the transaction that wrote a row last
-- (clock.h). Uniqueness beyond the primary keys is kept by whoever writes, one at a time. Every statement can be repeated.

CREATE TABLE IF NOT EXISTS migration( -- the steps of this folder that were taken
    version BIGINT PRIMARY KEY,
    at BIGINT NOT NULL -- ms since 1970, UTC
);
CREATE TABLE IF NOT EXISTS clock( -- one row: whoever changes anything holds it
    one BIGINT PRIMARY KEY,
    n BIGINT NOT NULL,      -- of the last transaction
    pruned BIGINT NOT NULL, -- rows of gone up to this number were forgotten
    store TEXT NOT NULL     -- the name of this store
);
CREATE TABLE IF NOT EXISTS gone( -- rows that were removed
    tbl TEXT NOT NULL,
    "key" TEXT NOT NULL,    -- their primary key: i<number>; or t<bytes>:<text>
    tx BIGINT NOT NULL,
    at BIGINT NOT NULL,     -- ms since 1970, UTC
    PRIMARY KEY(tbl, "key")
);
CREATE INDEX IF NOT EXISTS gone_tx ON gone(tbl, tx);

CREATE TABLE IF NOT EXISTS "run"(
    seq BIGINT PRIMARY KEY,
    id TEXT NOT NULL, sha256 TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL, who TEXT NOT NULL,
    tool TEXT, tool_version TEXT,
    created_at BIGINT NOT NULL,
    headline_value DOUBLE PRECISION NOT NULL, headline_unit TEXT NOT NULL, headline_label TEXT NOT NULL,
    bytes BIGINT NOT NULL, db_bytes BIGINT NOT NULL, "rows" BIGINT NOT NULL,
    ledger_unit TEXT NOT NULL,
    "read" BIGINT NOT NULL, stored BIGINT NOT NULL, repaired BIGINT NOT NULL, rejected BIGINT NOT NULL, other BIGINT NOT NULL,
    summary TEXT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS run_tx ON "run"(tx);

CREATE TABLE IF NOT EXISTS tag(
    run TEXT NOT NULL, k TEXT NOT NULL, v TEXT NOT NULL,
    tx BIGINT NOT NULL,
    PRIMARY KEY(run, k)
);
CREATE INDEX IF NOT EXISTS tag_tx ON tag(tx);

CREATE TABLE IF NOT EXISTS baseline(
    series TEXT PRIMARY KEY, run TEXT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS baseline_tx ON baseline(tx);

CREATE TABLE IF NOT EXISTS source(
    run TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, bytes BIGINT NOT NULL, changed BIGINT NOT NULL, at BIGINT NOT NULL,
    tx BIGINT NOT NULL,
    PRIMARY KEY(run, path)
);
CREATE INDEX IF NOT EXISTS source_tx ON source(tx);

CREATE TABLE IF NOT EXISTS import_log(
    id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL, name TEXT NOT NULL, who TEXT NOT NULL, bytes BIGINT NOT NULL, sha256 TEXT NOT NULL, run TEXT,
    code TEXT, "text" TEXT, hint TEXT, byte_offset BIGINT,
    seconds DOUBLE PRECISION NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS import_log_tx ON import_log(tx);

CREATE TABLE IF NOT EXISTS token(
    id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, hash TEXT NOT NULL,
    created_at BIGINT NOT NULL, used_at BIGINT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS token_tx ON token(tx);

CREATE TABLE IF NOT EXISTS "session"(
    id TEXT PRIMARY KEY, token TEXT NOT NULL, hash TEXT NOT NULL, expires_at BIGINT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS session_tx ON "session"(tx);

CREATE TABLE IF NOT EXISTS removal_log(
    id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL, run TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, who TEXT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS removal_log_tx ON removal_log(tx);

CREATE TABLE IF NOT EXISTS saved_query(
    id BIGINT PRIMARY KEY,
    kind TEXT NOT NULL, name TEXT NOT NULL, sql TEXT NOT NULL, who TEXT NOT NULL, at BIGINT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS saved_query_tx ON saved_query(tx);
