-- catalog.sql: what may change about runs, and the log of imports. schema/catalog_tables.py generates from it what the other modules know of
-- these tables (server/catalog/catalog_tables.h): how an older catalog, in a folder or a PostgreSQL, gets them, which of them servers share, and
-- what a rebuild does with them.
--
-- Change a table, a view or a trigger: raise the number in the next line, and tag what is new with it. All of this text is run for a catalog of
-- another layout, after the columns that it lacks were added and its views and triggers dropped: statements must be idempotent.
PRAGMA user_version = 5;
--
-- Tags of tables, in brackets at the beginning of their comment:
--   shared            servers of one shelf share it, in PostgreSQL (server/replica/mirror.h)
--   copied            `perfshelf copy` copies its rows to another shelf (server/maintenance/transfer.c)
--   copied with runs  the same, but only rows of the runs that are copied
--   salvaged          `perfshelf rebuild` takes its rows from the old catalog as far as that can be read; the rows of other tables follow from
--                     run files and labels, or end with the shelf's servers
--   salvaged if whole the same, unless the old catalog is damaged
--   like TABLE        it has all columns of that table
-- A tag of columns: since N, the first layout with the column.

-- Before run: servers that share a shelf fetch rows in the order of this text, and the trigger of a run makes its words once then, not again
-- with each tag.
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
    sha256 TEXT NOT NULL UNIQUE,           -- of the original bytes
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    series TEXT NOT NULL DEFAULT '',
    who TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',         -- [since 5] what a person wrote about the run
    tool TEXT, tool_version TEXT,
    created_at INTEGER NOT NULL,           -- ms since 1970, UTC
    headline_value REAL NOT NULL, headline_unit TEXT NOT NULL, headline_label TEXT NOT NULL,
    bytes INTEGER NOT NULL,                -- of the original
    db_bytes INTEGER NOT NULL,             -- of the run file
    rows INTEGER NOT NULL,                 -- stored + repaired
    ledger_unit TEXT NOT NULL,
    read INTEGER NOT NULL, stored INTEGER NOT NULL, repaired INTEGER NOT NULL, rejected INTEGER NOT NULL, other INTEGER NOT NULL,
    summary TEXT NOT NULL                  -- JSON object, figures of the report's head
);
CREATE INDEX IF NOT EXISTS run_headline ON run(series, kind, seq, headline_value); -- what was before a run in its series, without its row
DROP INDEX IF EXISTS run_series; -- the same without headlines, of a shelf from before there was that
CREATE INDEX IF NOT EXISTS run_in_series ON run(series); -- in order of seq, whatever the kind
CREATE INDEX IF NOT EXISTS run_created ON run(created_at);
CREATE INDEX IF NOT EXISTS run_name ON run(name);
CREATE INDEX IF NOT EXISTS run_kind ON run(kind, created_at);
CREATE INDEX IF NOT EXISTS run_who ON run(who, created_at);

CREATE TABLE IF NOT EXISTS baseline( -- [shared, copied, salvaged if whole] the run that others of its series are held against; counts while it is of that series
    series TEXT PRIMARY KEY,
    run TEXT NOT NULL -- run.id
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS baseline_run ON baseline(run);
CREATE VIEW IF NOT EXISTS pinned(seq) AS SELECT r.seq FROM baseline b JOIN run r ON r.id = b.run AND r.series = b.series; -- those that count

CREATE TABLE IF NOT EXISTS source( -- [shared, copied with runs] files that line-level profiles measured, attached to runs; the bytes lie in sources/<sha256>.zst
    run TEXT NOT NULL,       -- run.id
    path TEXT NOT NULL,      -- as the profile names it
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    changed INTEGER NOT NULL, -- 1: the file was written after the profile
    at INTEGER NOT NULL,     -- ms since 1970, UTC
    PRIMARY KEY(run, path)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS source_sha ON source(sha256);

CREATE TABLE IF NOT EXISTS kept_size( -- originals and sources as they lie in their folders, compressed
    folder TEXT NOT NULL,  -- originals, sources; pieces of uploads where many servers share the shelf
    sha256 TEXT NOT NULL,  -- of what is in it
    bytes INTEGER NOT NULL, -- of the file
    PRIMARY KEY(folder, sha256)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS kept( -- [shared] where many servers share the shelf: which file stands for what (server/catalog/files.h); else run files and labels
    folder TEXT NOT NULL,    -- runs, originals, sources; spool, pieces
    key TEXT NOT NULL,       -- run.id, a hash; the name of an upload
    hash TEXT NOT NULL,      -- of the file: base/content.h
    bytes INTEGER NOT NULL,  -- of the file
    layout INTEGER NOT NULL, -- of a run file; else 0
    PRIMARY KEY(folder, key)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS import_log( -- [shared, copied, salvaged] every import, failures included
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,    -- ms since 1970, UTC
    name TEXT NOT NULL,     -- the file
    who TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,   -- '' when it came not so far
    run TEXT,               -- run.id when it went well
    code TEXT,              -- error word, NULL when it went well
    text TEXT, hint TEXT,
    byte_offset INTEGER,
    seconds REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS doomed( -- [shared, salvaged] files that go unless a row refers to them when their owner is done, or has died
    owner TEXT NOT NULL,  -- <session>-<n>
    folder TEXT NOT NULL, -- runs (with labels), originals, sources
    key TEXT NOT NULL,    -- run.id, or a hash
    PRIMARY KEY(owner, folder, key)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS upload( -- [shared, salvaged] accepted and not imported yet; outlives the server: the next one goes on with it
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL, -- who has it in hand
    file TEXT NOT NULL,    -- in spool/
    filename TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL, who TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '', -- [since 5]
    tags TEXT NOT NULL,    -- JSON: [[key, value], ...]
    sources TEXT NOT NULL, -- JSON: [[file in spool/, as the sender calls it], ...]
    tries INTEGER NOT NULL DEFAULT 0, -- imports begun
    at INTEGER NOT NULL,   -- ms since 1970, UTC
    job INTEGER NOT NULL DEFAULT 0 -- [since 3] its job, where all servers know it by the same number; else 0
);

CREATE TABLE IF NOT EXISTS job( -- [shared] imports of all servers of a shared store, and what became of the last ones; none of a shelf that is one folder
    id INTEGER PRIMARY KEY,  -- in the order in which they were asked for
    session TEXT NOT NULL,   -- who has it in hand
    state TEXT NOT NULL,     -- queued, running, done, failed, cancelled
    view TEXT NOT NULL,      -- JSON: JOB of docs/api.md
    cancel INTEGER NOT NULL, -- 1: somebody asked for its end
    at INTEGER NOT NULL      -- ms since 1970, UTC: when it was asked for
);
CREATE INDEX IF NOT EXISTS job_unfinished ON job(id) WHERE state IN ('queued', 'running');
CREATE INDEX IF NOT EXISTS job_ended ON job(id) WHERE state NOT IN ('queued', 'running');

CREATE TABLE IF NOT EXISTS partial( -- [shared, salvaged] uploads that come in pieces, until they are complete
    id TEXT PRIMARY KEY,
    file TEXT NOT NULL,    -- in spool/; '' where many servers share the store: there its pieces are files of their own
    who TEXT NOT NULL,     -- began it; '': nobody was asked
    at INTEGER NOT NULL,   -- s since 1970, UTC: the last piece
    bytes INTEGER NOT NULL DEFAULT 0 -- [since 3] of such pieces
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS token( -- [shared, copied, salvaged] who may do what on a shelf that others reach
    id TEXT PRIMARY KEY,     -- 12 hex digits, the part of the token that finds this row
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,      -- viewer, uploader, admin
    hash TEXT NOT NULL,      -- SHA-256 of the secret part
    created_at INTEGER NOT NULL, -- ms since 1970, UTC
    used_at INTEGER NOT NULL DEFAULT 0 -- to the hour; 0: never
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session( -- [shared, salvaged] browsers that logged in
    id TEXT PRIMARY KEY,
    token TEXT NOT NULL,     -- token.id
    hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL -- ms since 1970, UTC
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS removal_log( -- [shared, copied, salvaged] runs that were taken off the shelf
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,     -- ms since 1970, UTC
    run TEXT NOT NULL,
    kind TEXT NOT NULL, name TEXT NOT NULL,
    who TEXT NOT NULL        -- who removed it; '' unknown
);

CREATE INDEX IF NOT EXISTS removal_log_at ON removal_log(at);
CREATE INDEX IF NOT EXISTS import_log_at ON import_log(at);

CREATE TABLE IF NOT EXISTS deleted_run( -- [shared, like run] runs that were removed, and can be recovered for a day: their files and rows of source stay until then
    id TEXT PRIMARY KEY,
    deleted_at INTEGER NOT NULL, -- ms since 1970, UTC
    deleted_by TEXT NOT NULL,    -- '' unknown
    tags TEXT NOT NULL,          -- JSON: [[key, value], ...]
    baseline INTEGER NOT NULL,   -- 1: it was the baseline of its series
    seq INTEGER NOT NULL, sha256 TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL, who TEXT NOT NULL, -- as in run
    note TEXT NOT NULL DEFAULT '', -- [since 5]
    tool TEXT, tool_version TEXT, created_at INTEGER NOT NULL,
    headline_value REAL NOT NULL, headline_unit TEXT NOT NULL, headline_label TEXT NOT NULL,
    bytes INTEGER NOT NULL, db_bytes INTEGER NOT NULL, rows INTEGER NOT NULL, ledger_unit TEXT NOT NULL,
    read INTEGER NOT NULL, stored INTEGER NOT NULL, repaired INTEGER NOT NULL, rejected INTEGER NOT NULL, other INTEGER NOT NULL,
    summary TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deleted_run_at ON deleted_run(deleted_at);
CREATE INDEX IF NOT EXISTS deleted_run_sha ON deleted_run(sha256);

CREATE TABLE IF NOT EXISTS removed_since( -- [shared, salvaged] runs that were removed while an upload waited: it does not bring them back
    upload INTEGER NOT NULL, -- upload.id
    run TEXT NOT NULL,       -- run.id
    PRIMARY KEY(upload, run)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS upload_forgotten AFTER DELETE ON upload BEGIN
    DELETE FROM removed_since WHERE upload = old.id;
END;

CREATE TABLE IF NOT EXISTS saved_query( -- [shared, copied, salvaged] SQL that people saved for each other
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,      -- of the runs it is for; '' the shelf
    name TEXT NOT NULL,
    sql TEXT NOT NULL,
    who TEXT NOT NULL,       -- '' unknown
    at INTEGER NOT NULL,     -- ms since 1970, UTC
    UNIQUE(kind, name)
);

-- What the shelf's page asks again and again, kept by triggers so that it does not grow with the shelf: it follows from run and tag.

CREATE TABLE IF NOT EXISTS tally( -- how many runs have this kind, series, person, tag; what kept files take
    what TEXT NOT NULL,           -- all (of the key ''), kind, series, who, tag, kept
    key TEXT NOT NULL,            -- of a tag k=v, of kept files their folder
    runs INTEGER NOT NULL,        -- of kept files: how many
    db_bytes INTEGER NOT NULL, bytes INTEGER NOT NULL, -- of run files and originals; of tags 0; of kept files 0 and as they lie there
    PRIMARY KEY(what, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tally_runs ON tally(what, runs);
CREATE VIEW IF NOT EXISTS run_tally(run, what, key, runs, db_bytes, bytes) AS
    SELECT id, 'all', '', 1, db_bytes, bytes FROM run
    UNION ALL SELECT id, 'kind', kind, 1, db_bytes, bytes FROM run
    UNION ALL SELECT id, 'series', series, 1, db_bytes, bytes FROM run WHERE series <> ''
    UNION ALL SELECT id, 'who', who, 1, db_bytes, bytes FROM run WHERE who <> '';

CREATE TABLE IF NOT EXISTS run_text( -- what a search for words reads
    seq INTEGER PRIMARY KEY, -- run.seq
    text TEXT NOT NULL
);
CREATE VIEW IF NOT EXISTS run_words(id, seq, text) AS
    SELECT id, seq, name || ' ' || series || ' ' || kind || ' ' || who || coalesce((SELECT ' ' || group_concat(k || '=' || v, ' ') FROM tag WHERE run = r.id), '')
        || iif(note = '', '', ' ' || note)
    FROM run r;

CREATE TABLE IF NOT EXISTS tagged( -- the runs with a tag, in the order in which pages show them
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
CREATE TRIGGER IF NOT EXISTS tagged_run_added AFTER INSERT ON run BEGIN -- in a mirror tags may come ahead of their run
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

-- Of a shelf from before there were these. The word about that comes first: behind WHERE it would be asked of each row at every opening.
INSERT INTO tally SELECT what, key, sum(runs), sum(db_bytes), sum(bytes) FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tally)) CROSS JOIN run_tally GROUP BY what, key;
INSERT INTO tally SELECT 'tag', k || '=' || v, count(*), 0, 0 FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tally WHERE what = 'tag')) CROSS JOIN tag GROUP BY k, v;
INSERT INTO tally SELECT 'kept', folder, count(*), 0, sum(bytes) FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tally WHERE what = 'kept')) CROSS JOIN kept_size GROUP BY folder;
INSERT INTO tagged SELECT k, v, created_at, seq FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tagged)) CROSS JOIN run_tagged;
INSERT INTO run_text SELECT seq, text FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM run_text)) CROSS JOIN run_words;

CREATE TABLE IF NOT EXISTS mirror( -- one row: this catalog is the copy of one that many servers share (server/replica/mirror.h)
    one INTEGER PRIMARY KEY,
    n INTEGER NOT NULL,      -- the last of its transactions that is here
    store TEXT NOT NULL      -- its name
);
