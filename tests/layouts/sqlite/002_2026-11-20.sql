-- The catalog of 2026-11-20: what SQLite says of its tables.

CREATE TABLE run( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL DEFAULT '', who TEXT NOT NULL DEFAULT '', tool TEXT, tool_version TEXT, created_at INTEGER NOT NULL, headline_value REAL NOT NULL, headline_unit TEXT NOT NULL, headline_label TEXT NOT NULL, bytes INTEGER NOT NULL, db_bytes INTEGER NOT NULL, rows INTEGER NOT NULL, ledger_unit TEXT NOT NULL, read INTEGER NOT NULL, stored INTEGER NOT NULL, repaired INTEGER NOT NULL, rejected INTEGER NOT NULL, other INTEGER NOT NULL, summary TEXT NOT NULL );
CREATE INDEX run_series ON run(series, kind, seq);
CREATE INDEX run_created ON run(created_at);
CREATE TABLE tag( run TEXT NOT NULL, k TEXT NOT NULL, v TEXT NOT NULL, PRIMARY KEY(run, k) ) WITHOUT ROWID;
CREATE INDEX tag_kv ON tag(k, v);
CREATE TABLE source( run TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, changed INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(run, path) ) WITHOUT ROWID;
CREATE INDEX source_sha ON source(sha256);
CREATE TABLE import_log( id INTEGER PRIMARY KEY, at INTEGER NOT NULL, name TEXT NOT NULL, who TEXT NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, run TEXT, code TEXT, text TEXT, hint TEXT, byte_offset INTEGER, seconds REAL NOT NULL );
