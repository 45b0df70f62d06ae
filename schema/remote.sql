-- remote.sql: tables of a shelf in PostgreSQL in addition to the shared tables of catalog.sql. Those have the same name and columns here, and the
-- column tx: the number of the transaction that wrote a row last (server/replica/clock.h). Apart from primary keys, the writers ensure uniqueness:
-- only one of them writes at a time. This file is run for a database of another layout: statements must be idempotent.

CREATE TABLE IF NOT EXISTS migration( -- layouts of catalog.sql that this database has had
    version BIGINT PRIMARY KEY,
    at BIGINT NOT NULL -- ms since 1970, UTC
);
CREATE TABLE IF NOT EXISTS clock( -- one row, locked by each transaction that changes rows
    one BIGINT PRIMARY KEY,
    n BIGINT NOT NULL,      -- number of the last transaction
    pruned BIGINT NOT NULL, -- rows of gone up to this number were deleted
    store TEXT NOT NULL     -- unique name of this store
);
CREATE TABLE IF NOT EXISTS gone( -- keys of deleted rows
    tbl TEXT NOT NULL,
    "key" TEXT NOT NULL,    -- primary key: i<number>; or t<bytes>:<text> for each column
    tx BIGINT NOT NULL,
    at BIGINT NOT NULL,     -- ms since 1970, UTC
    PRIMARY KEY(tbl, "key")
);
CREATE INDEX IF NOT EXISTS gone_tx ON gone(tbl, tx);

-- Files (server/replica/blobs.h).

CREATE INDEX IF NOT EXISTS kept_hash ON kept(hash);
CREATE TABLE IF NOT EXISTS blob( -- complete blobs, by content hash
    hash TEXT PRIMARY KEY, -- base/content.h
    place TEXT NOT NULL,   -- chunk.place
    bytes BIGINT NOT NULL,
    chunks BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunk(
    place TEXT NOT NULL, -- unique name of one transfer
    n BIGINT NOT NULL,   -- 0 and up
    data BYTEA NOT NULL,
    PRIMARY KEY(place, n)
);
CREATE TABLE IF NOT EXISTS loose( -- chunks without a reference; deleted if there is none when their owner has ended or crashed
    place TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    owner TEXT NOT NULL  -- the session that sends them; '' if none
);
CREATE INDEX IF NOT EXISTS loose_hash ON loose(hash);

-- Servers of this store (server/replica/lease.h).

CREATE TABLE IF NOT EXISTS server( -- leases of sessions
    "session" TEXT PRIMARY KEY,
    no BIGINT NOT NULL,    -- 1 and up; never reused
    place TEXT NOT NULL,   -- host and process, for display
    beat BIGINT NOT NULL   -- incremented about once a second while the session is alive
);
CREATE TABLE IF NOT EXISTS server_no( -- one row: the last number assigned to a server
    one BIGINT PRIMARY KEY,
    no BIGINT NOT NULL
);
