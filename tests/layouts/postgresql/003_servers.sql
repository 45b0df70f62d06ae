-- Servers of one store, and what they have in hand.

CREATE TABLE IF NOT EXISTS server( -- those that live (server/replica/lease.h); not mirrored
    "session" TEXT PRIMARY KEY,
    no BIGINT NOT NULL,    -- 1 and up, no two ever have the same
    place TEXT NOT NULL,   -- for people: host and process
    beat BIGINT NOT NULL   -- goes up while it lives
);
CREATE TABLE IF NOT EXISTS server_no( -- one row: the last number that was given
    one BIGINT PRIMARY KEY,
    no BIGINT NOT NULL
);

-- As in catalog.sql.

CREATE TABLE IF NOT EXISTS upload(
    id BIGINT PRIMARY KEY,
    "session" TEXT NOT NULL, job BIGINT NOT NULL, file TEXT NOT NULL, filename TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL,
    who TEXT NOT NULL, tags TEXT NOT NULL, sources TEXT NOT NULL, tries BIGINT NOT NULL, at BIGINT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS upload_tx ON upload(tx);

CREATE TABLE IF NOT EXISTS removed_since(
    upload BIGINT NOT NULL, run TEXT NOT NULL,
    tx BIGINT NOT NULL,
    PRIMARY KEY(upload, run)
);
CREATE INDEX IF NOT EXISTS removed_since_tx ON removed_since(tx);

CREATE TABLE IF NOT EXISTS partial(
    id TEXT PRIMARY KEY,
    file TEXT NOT NULL, who TEXT NOT NULL, at BIGINT NOT NULL, bytes BIGINT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS partial_tx ON partial(tx);

CREATE TABLE IF NOT EXISTS job( -- imports of all servers, and what became of the last ones
    id BIGINT PRIMARY KEY,
    "session" TEXT NOT NULL, state TEXT NOT NULL, view TEXT NOT NULL, cancel BIGINT NOT NULL, at BIGINT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS job_tx ON job(tx);
