-- catalog.sql: the tables of a catalog: the data about runs that users can change, and the import log. schema/catalog_tables.py generates
-- descriptions of the tables (server/catalog/catalog_tables.h) from this file. Other modules use the descriptions to migrate older catalogs, in a
-- folder or in PostgreSQL, to share tables between servers, and to rebuild damaged catalogs.
--
-- After changing a table, a view or a trigger, increment the layout number in the next line, and tag new columns with it. To migrate a catalog of
-- another layout, perfshelf adds its missing columns, drops its views and triggers, and runs this whole file. So all statements must be idempotent.
PRAGMA user_version = 9;
--
-- Tags of tables, in brackets at the beginning of their comment:
--   shared            the servers of one shelf share the table, in PostgreSQL (server/replica/mirror.h)
--   copied            `perfshelf copy` copies the rows to another shelf (server/maintenance/transfer.c)
--   copied with runs  like copied, but only the rows about runs that are copied
--   salvaged          `perfshelf rebuild` copies the readable rows of the old catalog. The rows of tables without this tag are derived from run
--                     files and labels, or are obsolete when all servers of the shelf have stopped
--   salvaged if whole like salvaged, but only if the old catalog is not damaged
--   like TABLE        the table has all columns of TABLE
-- Tag of a column: since N, where N is the first layout with the column.

-- The table tag precedes run, because servers that share a shelf fetch tables in the order of this file. If the tags of a run are inserted before
-- the run, the triggers compute the search string of the run once, not again for each tag.
CREATE TABLE IF NOT EXISTS tag( -- [shared, copied with runs]
    run TEXT NOT NULL, -- run.id
    k TEXT NOT NULL,
    v TEXT NOT NULL,
    PRIMARY KEY(run, k)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tag_kv ON tag(k, v);

CREATE TABLE IF NOT EXISTS run( -- [shared, copied with runs]
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- order of publication
    id TEXT NOT NULL UNIQUE,               -- first 16 hex digits of sha256
    sha256 TEXT NOT NULL UNIQUE,           -- hash of the original bytes
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    series TEXT NOT NULL DEFAULT '',
    who TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',         -- [since 5] text about the run, written by a user
    tool TEXT, tool_version TEXT,
    first_layout INTEGER,                  -- [since 9] layout in which the rows of the run file were first written (queries/first_layout.sql); NULL: only the file tells
    created_at INTEGER NOT NULL,           -- ms since 1970, UTC
    headline_value REAL NOT NULL, headline_unit TEXT NOT NULL, headline_label TEXT NOT NULL,
    bytes INTEGER NOT NULL,                -- size of the original file
    db_bytes INTEGER NOT NULL,             -- size of the run file
    rows INTEGER NOT NULL,                 -- stored + repaired
    ledger_unit TEXT NOT NULL,
    read INTEGER NOT NULL, stored INTEGER NOT NULL, repaired INTEGER NOT NULL, rejected INTEGER NOT NULL, other INTEGER NOT NULL,
    summary TEXT NOT NULL                  -- JSON object: metrics of the report's summary
);
CREATE INDEX IF NOT EXISTS run_headline ON run(series, kind, seq, headline_value); -- covers queries for the previous run of a series
DROP INDEX IF EXISTS run_series; -- predecessor of run_headline in older shelves
CREATE INDEX IF NOT EXISTS run_in_series ON run(series); -- runs of a series, of all kinds, in order of seq (the rowid)
CREATE INDEX IF NOT EXISTS run_created ON run(created_at);
CREATE INDEX IF NOT EXISTS run_name ON run(name);
CREATE INDEX IF NOT EXISTS run_kind ON run(kind, created_at);
CREATE INDEX IF NOT EXISTS run_who ON run(who, created_at);

CREATE TABLE IF NOT EXISTS baseline( -- [shared, copied, salvaged if whole] the run that other runs of the series are compared with; ignored while the run is in another series
    series TEXT PRIMARY KEY,
    run TEXT NOT NULL -- run.id
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS baseline_run ON baseline(run);
CREATE VIEW IF NOT EXISTS pinned(seq) AS SELECT r.seq FROM baseline b JOIN run r ON r.id = b.run AND r.series = b.series; -- runs that are valid baselines

CREATE TABLE IF NOT EXISTS source( -- [shared, copied with runs] source files of line-level profiles, attached to runs; their text is in sources/<sha256>.gz (of older versions: .zst)
    run TEXT NOT NULL,       -- run.id
    path TEXT NOT NULL,      -- as the profile names it
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    changed INTEGER NOT NULL, -- 1: the file was written after the profile
    at INTEGER NOT NULL,     -- ms since 1970, UTC
    PRIMARY KEY(run, path)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS source_sha ON source(sha256);

CREATE TABLE IF NOT EXISTS timeline_note( -- [shared, copied with runs] texts that users wrote at a time of a trace
    run TEXT NOT NULL,       -- run.id
    id TEXT NOT NULL,        -- 12 random hex digits
    t_ns INTEGER NOT NULL,   -- as times in the run file
    area TEXT NOT NULL,      -- the area that the text is about, in the form of the URL of the timeline; '': none
    text TEXT NOT NULL,
    who TEXT NOT NULL,       -- '' unknown
    at INTEGER NOT NULL,     -- ms since 1970, UTC
    PRIMARY KEY(run, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS timeline_note_at ON timeline_note(at);

CREATE TABLE IF NOT EXISTS kept_size( -- compressed sizes of stored originals and sources
    folder TEXT NOT NULL,  -- originals, sources; also pieces (of uploads) if several servers share the shelf
    sha256 TEXT NOT NULL,  -- hash of the uncompressed content; of pieces: kept.key
    bytes INTEGER NOT NULL, -- size of the file
    PRIMARY KEY(folder, sha256)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS kept( -- [shared] content hashes of stored files (server/catalog/files.h): of all files if several servers share the shelf, else of run files and labels
    folder TEXT NOT NULL,    -- runs, labels, originals, sources, spool, pieces
    key TEXT NOT NULL,       -- run.id, a hash, or the name of an upload
    hash TEXT NOT NULL,      -- content hash of the file: base/content.h
    bytes INTEGER NOT NULL,  -- size of the file
    layout INTEGER NOT NULL, -- layout of a run file; else 0
    PRIMARY KEY(folder, key)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS import_log( -- [shared, copied, salvaged] all imports, also failed imports
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,    -- ms since 1970, UTC
    name TEXT NOT NULL,     -- name of the file
    who TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,   -- '' if the import failed before the hash was known
    run TEXT,               -- run.id, NULL if the import failed
    code TEXT,              -- error code, NULL if the import succeeded
    text TEXT, hint TEXT,
    byte_offset INTEGER,
    seconds REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS doomed( -- [shared, salvaged] intent log. After the operation `owner` has ended or its session has crashed, its files to which no row refers are deleted
    owner TEXT NOT NULL,  -- operation: <session>-<number>
    folder TEXT NOT NULL, -- runs (with labels), originals, sources
    key TEXT NOT NULL,    -- run.id or a hash
    PRIMARY KEY(owner, folder, key)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS upload( -- [shared, salvaged] uploads that were accepted but are not imported yet; if the server stops, the next server imports them
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL, -- the session that imports the upload
    file TEXT NOT NULL,    -- name in spool/
    filename TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL, who TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '', -- [since 5]
    tags TEXT NOT NULL,    -- JSON: [[key, value], ...]
    sources TEXT NOT NULL, -- JSON: [[name in spool/, path as the sender names it], ...]
    tries INTEGER NOT NULL DEFAULT 0, -- number of started imports
    at INTEGER NOT NULL,   -- ms since 1970, UTC
    job INTEGER NOT NULL DEFAULT 0 -- [since 3] job.id if several servers share the shelf; else 0
);

CREATE TABLE IF NOT EXISTS job( -- [shared] unfinished and recent imports of all servers that share a store; empty if the shelf is a folder
    id INTEGER PRIMARY KEY,  -- increases in the order of the requests
    session TEXT NOT NULL,   -- the session that runs the import
    state TEXT NOT NULL,     -- queued, running, done, failed, cancelled
    view TEXT NOT NULL,      -- JSON: JOB of docs/api.md
    cancel INTEGER NOT NULL, -- 1: cancellation was requested
    at INTEGER NOT NULL      -- ms since 1970, UTC: time of the request
);
CREATE INDEX IF NOT EXISTS job_unfinished ON job(id) WHERE state IN ('queued', 'running');
CREATE INDEX IF NOT EXISTS job_ended ON job(id) WHERE state NOT IN ('queued', 'running');

CREATE TABLE IF NOT EXISTS partial( -- [shared, salvaged] resumable uploads that are not complete yet
    id TEXT PRIMARY KEY,
    file TEXT NOT NULL,    -- name in spool/; '' on a store that several servers share, where each piece is a separate file
    who TEXT NOT NULL,     -- user that began the upload; '' if no login was required
    at INTEGER NOT NULL,   -- s since 1970, UTC: time of the last piece
    bytes INTEGER NOT NULL DEFAULT 0 -- [since 3] total size of the separate pieces
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS token( -- [shared, copied, salvaged] access tokens, for a shelf that others can reach
    id TEXT PRIMARY KEY,     -- 12 hex digits, a part of the token
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,      -- viewer, uploader, admin
    hash TEXT NOT NULL,      -- SHA-256 of the secret part
    created_at INTEGER NOT NULL, -- ms since 1970, UTC
    used_at INTEGER NOT NULL DEFAULT 0 -- ms since 1970, UTC, updated at most once an hour; 0: never used
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session( -- [shared, salvaged] login sessions of browsers
    id TEXT PRIMARY KEY,
    token TEXT NOT NULL,     -- token.id
    hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL -- ms since 1970, UTC
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS removal_log( -- [shared, copied, salvaged] runs that were removed from the shelf
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,     -- ms since 1970, UTC
    run TEXT NOT NULL,
    kind TEXT NOT NULL, name TEXT NOT NULL,
    who TEXT NOT NULL        -- user that removed the run; '' unknown
);

CREATE TABLE IF NOT EXISTS agent_call( -- [salvaged] calls of tools by AI agents on this machine; the newest 10,000 are kept
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,     -- ms since 1970, UTC: time of the end of the call
    tool TEXT NOT NULL,
    run TEXT,                -- the argument run, as it was written; NULL: the call had none
    who TEXT NOT NULL,       -- user whose token was sent, or whose process it was; '' unknown
    code TEXT,               -- error code, NULL if the call succeeded
    text TEXT,               -- text of the error
    seconds REAL NOT NULL    -- how long the call took
);
CREATE INDEX IF NOT EXISTS removal_log_at ON removal_log(at);
CREATE INDEX IF NOT EXISTS import_log_at ON import_log(at);

CREATE TABLE IF NOT EXISTS deleted_run( -- [shared, like run] deleted runs, which users can recover for a day; their files and their rows of the tables source and timeline_note are kept for this day
    id TEXT PRIMARY KEY,
    deleted_at INTEGER NOT NULL, -- ms since 1970, UTC
    deleted_by TEXT NOT NULL,    -- '' unknown
    tags TEXT NOT NULL,          -- JSON: [[key, value], ...]
    baseline INTEGER NOT NULL,   -- 1: the run was the baseline of its series
    seq INTEGER NOT NULL, sha256 TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL, who TEXT NOT NULL, -- as in run
    note TEXT NOT NULL DEFAULT '', -- [since 5]
    first_layout INTEGER,          -- [since 9]
    tool TEXT, tool_version TEXT, created_at INTEGER NOT NULL,
    headline_value REAL NOT NULL, headline_unit TEXT NOT NULL, headline_label TEXT NOT NULL,
    bytes INTEGER NOT NULL, db_bytes INTEGER NOT NULL, rows INTEGER NOT NULL, ledger_unit TEXT NOT NULL,
    read INTEGER NOT NULL, stored INTEGER NOT NULL, repaired INTEGER NOT NULL, rejected INTEGER NOT NULL, other INTEGER NOT NULL,
    summary TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deleted_run_at ON deleted_run(deleted_at);
CREATE INDEX IF NOT EXISTS deleted_run_sha ON deleted_run(sha256);

CREATE TABLE IF NOT EXISTS removed_since( -- [shared, salvaged] runs that were removed while an upload waited for its import; the import must not publish them again
    upload INTEGER NOT NULL, -- upload.id
    run TEXT NOT NULL,       -- run.id
    PRIMARY KEY(upload, run)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS upload_forgotten AFTER DELETE ON upload BEGIN
    DELETE FROM removed_since WHERE upload = old.id;
END;

CREATE TABLE IF NOT EXISTS saved_query( -- [shared, copied, salvaged] SQL statements that users saved for all users
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,      -- kind of the runs that the statement queries; '': it queries the shelf
    name TEXT NOT NULL,
    sql TEXT NOT NULL,
    who TEXT NOT NULL,       -- '' unknown
    at INTEGER NOT NULL,     -- ms since 1970, UTC
    UNIQUE(kind, name)
);

-- Data for frequent queries of the shelf page. Triggers derive it from the tables above, so that the time of these queries does not grow with the
-- number of runs.

CREATE TABLE IF NOT EXISTS tally( -- numbers and total sizes of the runs of each kind, series, user and tag, and of the stored files
    what TEXT NOT NULL,           -- all (key ''), kind, series, who, tag; kept: stored files
    key TEXT NOT NULL,            -- for a tag k=v, for stored files their folder
    runs INTEGER NOT NULL,        -- for stored files: number of files
    db_bytes INTEGER NOT NULL, bytes INTEGER NOT NULL, -- sizes of run files and originals; for tags 0; for stored files 0 and their compressed size
    PRIMARY KEY(what, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tally_runs ON tally(what, runs);
CREATE VIEW IF NOT EXISTS run_tally(run, what, key, runs, db_bytes, bytes) AS
    SELECT id, 'all', '', 1, db_bytes, bytes FROM run
    UNION ALL SELECT id, 'kind', kind, 1, db_bytes, bytes FROM run
    UNION ALL SELECT id, 'series', series, 1, db_bytes, bytes FROM run WHERE series <> ''
    UNION ALL SELECT id, 'who', who, 1, db_bytes, bytes FROM run WHERE who <> '';

CREATE TABLE IF NOT EXISTS run_text( -- the strings that the search for runs searches
    seq INTEGER PRIMARY KEY, -- run.seq
    text TEXT NOT NULL
);
CREATE VIEW IF NOT EXISTS run_words(id, seq, text) AS
    SELECT id, seq, name || ' ' || series || ' ' || kind || ' ' || who || coalesce((SELECT ' ' || group_concat(k || '=' || v, ' ') FROM tag WHERE run = r.id), '')
        || iif(note = '', '', ' ' || note)
    FROM run r;

CREATE TABLE IF NOT EXISTS tagged( -- the runs of each tag, in the order of the list of runs
    k TEXT NOT NULL, v TEXT NOT NULL,
    created_at INTEGER NOT NULL, seq INTEGER NOT NULL, -- of the run
    PRIMARY KEY(k, v, created_at, seq)
) WITHOUT ROWID;
CREATE VIEW IF NOT EXISTS run_tagged(run, k, v, created_at, seq) AS SELECT t.run, t.k, t.v, r.created_at, r.seq FROM tag t JOIN run r ON r.id = t.run;

CREATE TRIGGER IF NOT EXISTS run_added AFTER INSERT ON run BEGIN
    INSERT INTO tally SELECT what, key, runs, db_bytes, bytes FROM run_tally WHERE run = new.id
    ON CONFLICT(what, key) DO UPDATE SET runs = runs + 1, db_bytes = db_bytes + excluded.db_bytes, bytes = bytes + excluded.bytes;
    INSERT INTO run_text SELECT seq, text FROM run_words WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS run_goes BEFORE DELETE ON run BEGIN
    UPDATE tally SET runs = runs - 1, db_bytes = db_bytes - old.db_bytes, bytes = bytes - old.bytes
        WHERE (what, key) IN (SELECT what, key FROM run_tally WHERE run = old.id);
    DELETE FROM tally WHERE what IN ('all', 'kind', 'series', 'who') AND runs = 0;
    DELETE FROM run_text WHERE seq = old.seq;
END;
CREATE TRIGGER IF NOT EXISTS run_changes BEFORE UPDATE ON run BEGIN
    UPDATE tally SET runs = runs - 1, db_bytes = db_bytes - old.db_bytes, bytes = bytes - old.bytes
        WHERE (what, key) IN (SELECT what, key FROM run_tally WHERE run = old.id);
END;
CREATE TRIGGER IF NOT EXISTS run_changed AFTER UPDATE ON run BEGIN
    INSERT INTO tally SELECT what, key, runs, db_bytes, bytes FROM run_tally WHERE run = new.id
    ON CONFLICT(what, key) DO UPDATE SET runs = runs + 1, db_bytes = db_bytes + excluded.db_bytes, bytes = bytes + excluded.bytes;
    DELETE FROM tally WHERE what IN ('all', 'kind', 'series', 'who') AND runs = 0;
    UPDATE run_text SET text = (SELECT text FROM run_words WHERE id = new.id) WHERE seq = new.seq;
END;
CREATE TRIGGER IF NOT EXISTS tag_added AFTER INSERT ON tag BEGIN
    INSERT INTO tally VALUES ('tag', new.k || '=' || new.v, 1, 0, 0) ON CONFLICT(what, key) DO UPDATE SET runs = runs + 1;
    UPDATE run_text SET text = (SELECT text FROM run_words WHERE id = new.run) WHERE seq = (SELECT seq FROM run WHERE id = new.run);
END;
CREATE TRIGGER IF NOT EXISTS tag_gone AFTER DELETE ON tag BEGIN
    UPDATE tally SET runs = runs - 1 WHERE what = 'tag' AND key = old.k || '=' || old.v;
    DELETE FROM tally WHERE what = 'tag' AND runs = 0;
    UPDATE run_text SET text = (SELECT text FROM run_words WHERE id = old.run) WHERE seq = (SELECT seq FROM run WHERE id = old.run);
END;
CREATE TRIGGER IF NOT EXISTS tag_changed AFTER UPDATE ON tag BEGIN
    INSERT INTO tally VALUES ('tag', new.k || '=' || new.v, 1, 0, 0) ON CONFLICT(what, key) DO UPDATE SET runs = runs + 1;
    UPDATE tally SET runs = runs - 1 WHERE what = 'tag' AND key = old.k || '=' || old.v;
    DELETE FROM tally WHERE what = 'tag' AND runs = 0;
    UPDATE run_text SET text = (SELECT text FROM run_words WHERE id = new.run) WHERE seq = (SELECT seq FROM run WHERE id = new.run);
END;
CREATE TRIGGER IF NOT EXISTS tagged_run_added AFTER INSERT ON run BEGIN -- in a mirror, tags may be inserted before their run
    INSERT INTO tagged SELECT k, v, created_at, seq FROM run_tagged WHERE run = new.id;
END;
CREATE TRIGGER IF NOT EXISTS tagged_run_goes BEFORE DELETE ON run BEGIN
    DELETE FROM tagged WHERE (k, v, created_at, seq) IN (SELECT k, v, created_at, seq FROM run_tagged WHERE run = old.id);
END;
CREATE TRIGGER IF NOT EXISTS tagged_run_changes BEFORE UPDATE ON run WHEN (new.id, new.created_at, new.seq) <> (old.id, old.created_at, old.seq) BEGIN
    DELETE FROM tagged WHERE (k, v, created_at, seq) IN (SELECT k, v, created_at, seq FROM run_tagged WHERE run = old.id);
END;
CREATE TRIGGER IF NOT EXISTS tagged_run_changed AFTER UPDATE ON run WHEN (new.id, new.created_at, new.seq) <> (old.id, old.created_at, old.seq) BEGIN
    INSERT INTO tagged SELECT k, v, created_at, seq FROM run_tagged WHERE run = new.id;
END;
CREATE TRIGGER IF NOT EXISTS tagged_added AFTER INSERT ON tag BEGIN
    INSERT INTO tagged SELECT k, v, created_at, seq FROM run_tagged WHERE run = new.run AND k = new.k;
END;
CREATE TRIGGER IF NOT EXISTS tagged_goes BEFORE DELETE ON tag BEGIN
    DELETE FROM tagged WHERE (k, v, created_at, seq) IN (SELECT k, v, created_at, seq FROM run_tagged WHERE run = old.run AND k = old.k);
END;
CREATE TRIGGER IF NOT EXISTS tagged_changes BEFORE UPDATE ON tag BEGIN
    DELETE FROM tagged WHERE (k, v, created_at, seq) IN (SELECT k, v, created_at, seq FROM run_tagged WHERE run = old.run AND k = old.k);
END;
CREATE TRIGGER IF NOT EXISTS tagged_changed AFTER UPDATE ON tag BEGIN
    INSERT INTO tagged SELECT k, v, created_at, seq FROM run_tagged WHERE run = new.run AND k = new.k;
END;
CREATE TRIGGER IF NOT EXISTS kept_added AFTER INSERT ON kept_size BEGIN
    INSERT INTO tally VALUES ('kept', new.folder, 1, 0, new.bytes) ON CONFLICT(what, key) DO UPDATE SET runs = runs + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS kept_changed AFTER UPDATE ON kept_size BEGIN
    UPDATE tally SET bytes = bytes + new.bytes - old.bytes WHERE what = 'kept' AND key = new.folder;
END;
CREATE TRIGGER IF NOT EXISTS kept_gone AFTER DELETE ON kept_size BEGIN
    UPDATE tally SET runs = runs - 1, bytes = bytes - old.bytes WHERE what = 'kept' AND key = old.folder;
END;

CREATE TRIGGER IF NOT EXISTS file_added AFTER INSERT ON kept WHEN new.folder IN ('originals', 'sources', 'pieces') BEGIN
    INSERT INTO kept_size VALUES (new.folder, new.key, new.bytes) ON CONFLICT(folder, sha256) DO UPDATE SET bytes = excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS file_changed AFTER UPDATE ON kept WHEN new.folder IN ('originals', 'sources', 'pieces') BEGIN
    UPDATE kept_size SET bytes = new.bytes WHERE folder = new.folder AND sha256 = new.key;
END;
CREATE TRIGGER IF NOT EXISTS file_gone AFTER DELETE ON kept BEGIN
    DELETE FROM kept_size WHERE folder = old.folder AND sha256 = old.key;
END;

-- The statements fill the derived tables of a catalog that is older than the tables. The test whether a table is empty is the first table of a
-- join, so SQLite evaluates it once. As a condition after WHERE it would be evaluated for each row, each time the shelf is opened.
INSERT INTO tally SELECT what, key, sum(runs), sum(db_bytes), sum(bytes) FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tally)) CROSS JOIN run_tally GROUP BY what, key;
INSERT INTO tally SELECT 'tag', k || '=' || v, count(*), 0, 0 FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tally WHERE what = 'tag')) CROSS JOIN tag GROUP BY k, v;
INSERT INTO tally SELECT 'kept', folder, count(*), 0, sum(bytes) FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tally WHERE what = 'kept')) CROSS JOIN kept_size GROUP BY folder;
INSERT INTO tagged SELECT k, v, created_at, seq FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tagged)) CROSS JOIN run_tagged;
INSERT INTO run_text SELECT seq, text FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM run_text)) CROSS JOIN run_words;

CREATE TABLE IF NOT EXISTS mirror( -- one row if this catalog is the mirror of a shared catalog (server/replica/mirror.h); else empty
    one INTEGER PRIMARY KEY,
    n INTEGER NOT NULL,      -- number of the last transaction that was applied to the mirror; -1: fetch all rows again
    store TEXT NOT NULL      -- name of the shared store
);

CREATE TABLE IF NOT EXISTS row_digest( -- a digest of the rows of each table, and of the statements that created the catalog (server/catalog/row_digest.c)
    tbl TEXT PRIMARY KEY,    -- name of the table; sqlite_schema: the statements
    digest INTEGER NOT NULL
) WITHOUT ROWID;
