-- remote.sql: the tables of a shelf in PostgreSQL that catalog.sql does not contain. The shared tables of catalog.sql have the same names and
-- columns in PostgreSQL, and a column tx, the number of the transaction that wrote the row last (server/replica/clock.h). Only primary keys are
-- unique in the database; for other columns the servers ensure uniqueness, since only one server writes at a time. perfshelf runs this file on a
-- database of another layout, so all statements must be idempotent.

CREATE TABLE IF NOT EXISTS migration( -- the layouts of catalog.sql that the database has had
    version BIGINT PRIMARY KEY,
    at BIGINT NOT NULL -- ms since 1970, UTC
);
CREATE TABLE IF NOT EXISTS clock( -- one row; each transaction that changes rows locks it
    one BIGINT PRIMARY KEY,
    n BIGINT NOT NULL,      -- number of the last transaction
    pruned BIGINT NOT NULL, -- rows of the table gone with tx up to this number were deleted
    store TEXT NOT NULL     -- unique name of this store
);
CREATE TABLE IF NOT EXISTS gone( -- keys of deleted rows
    tbl TEXT NOT NULL,
    "key" TEXT NOT NULL,    -- primary key of the row: i<number>, or t<bytes>:<text> for each column of the key
    tx BIGINT NOT NULL,
    at BIGINT NOT NULL,     -- ms since 1970, UTC
    PRIMARY KEY(tbl, "key")
);
CREATE INDEX IF NOT EXISTS gone_tx ON gone(tbl, tx);

-- Files (server/replica/blobs.h).

CREATE INDEX IF NOT EXISTS kept_hash ON kept(hash);
CREATE TABLE IF NOT EXISTS blob( -- complete blobs by content hash; their data is in the table chunk
    hash TEXT PRIMARY KEY, -- base/content.h
    place TEXT NOT NULL,   -- chunk.place
    bytes BIGINT NOT NULL,
    chunks BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunk(
    place TEXT NOT NULL, -- unique name of one transfer
    n BIGINT NOT NULL,   -- number of the chunk, from 0
    data BYTEA NOT NULL,
    PRIMARY KEY(place, n)
);
CREATE TABLE IF NOT EXISTS loose( -- transfers whose chunks no blob refers to yet; the chunks are deleted if none does when the owner has ended or crashed
    place TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    owner TEXT NOT NULL  -- the session that sends the chunks; '' if none
);
CREATE INDEX IF NOT EXISTS loose_hash ON loose(hash);

-- Servers of this store (server/replica/lease.h).

CREATE TABLE IF NOT EXISTS server( -- the leases of sessions
    "session" TEXT PRIMARY KEY,
    no BIGINT NOT NULL,    -- number of the server, from 1; never reused
    place TEXT NOT NULL,   -- host and process, for display
    beat BIGINT NOT NULL   -- incremented about once a second while the session is alive
);
CREATE TABLE IF NOT EXISTS server_no( -- one row: the last number assigned to a server
    one BIGINT PRIMARY KEY,
    no BIGINT NOT NULL
);
