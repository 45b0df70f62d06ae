-- Files of a shelf that many servers share: which file stands for a run, an original, a source, an upload; and their bytes, by content.

CREATE TABLE IF NOT EXISTS kept( -- as in catalog.sql
    folder TEXT NOT NULL, "key" TEXT NOT NULL, hash TEXT NOT NULL, bytes BIGINT NOT NULL, layout BIGINT NOT NULL,
    tx BIGINT NOT NULL,
    PRIMARY KEY(folder, "key")
);
CREATE INDEX IF NOT EXISTS kept_tx ON kept(tx);
CREATE INDEX IF NOT EXISTS kept_hash ON kept(hash);

CREATE TABLE IF NOT EXISTS doomed( -- as in catalog.sql
    owner TEXT NOT NULL, folder TEXT NOT NULL, "key" TEXT NOT NULL,
    tx BIGINT NOT NULL,
    PRIMARY KEY(owner, folder, "key")
);
CREATE INDEX IF NOT EXISTS doomed_tx ON doomed(tx);

-- Not mirrored (server/replica/blobs.h).

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
