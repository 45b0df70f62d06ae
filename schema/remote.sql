-- remote.sql: what a shelf in PostgreSQL has beside the shared tables of catalog.sql, each of which has the same name and columns here, and
-- column tx: the number of the transaction that wrote a row last (server/replica/clock.h). Uniqueness beyond the primary keys is kept by whoever
-- writes, one at a time. Run for a database of another layout: statements must be idempotent.

CREATE TABLE IF NOT EXISTS migration( -- the layouts of catalog.sql that this database has had
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

-- Files (server/replica/blobs.h).

CREATE INDEX IF NOT EXISTS kept_hash ON kept(hash);
CREATE TABLE IF NOT EXISTS blob( -- bytes that are there, whole
    hash TEXT PRIMARY KEY, -- theirs (base/content.h)
    place TEXT NOT NULL,   -- of their chunks
    bytes BIGINT NOT NULL,
    chunks BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunk(
    place TEXT NOT NULL, -- of one sending, which nobody repeats
    n BIGINT NOT NULL,   -- 0 and up
    data BYTEA NOT NULL,
    PRIMARY KEY(place, n)
);
CREATE TABLE IF NOT EXISTS loose( -- chunks that go unless something refers to them once their owner is done, or has died
    place TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    owner TEXT NOT NULL  -- the session that sends them; '': nobody does any more
);
CREATE INDEX IF NOT EXISTS loose_hash ON loose(hash);

-- Servers of this store (server/replica/lease.h).

CREATE TABLE IF NOT EXISTS server( -- those that live
    "session" TEXT PRIMARY KEY,
    no BIGINT NOT NULL,    -- 1 and up, no two ever have the same
    place TEXT NOT NULL,   -- for people: host and process
    beat BIGINT NOT NULL   -- goes up while it lives
);
CREATE TABLE IF NOT EXISTS server_no( -- one row: the last number that was given
    one BIGINT PRIMARY KEY,
    no BIGINT NOT NULL
);
