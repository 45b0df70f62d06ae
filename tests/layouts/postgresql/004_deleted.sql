-- Runs that were removed and can be recovered for a day.

CREATE TABLE IF NOT EXISTS deleted_run( -- as in catalog.sql
    id TEXT PRIMARY KEY,
    deleted_at BIGINT NOT NULL, deleted_by TEXT NOT NULL, tags TEXT NOT NULL, baseline BIGINT NOT NULL,
    seq BIGINT NOT NULL, sha256 TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, series TEXT NOT NULL, who TEXT NOT NULL,
    tool TEXT, tool_version TEXT, created_at BIGINT NOT NULL,
    headline_value DOUBLE PRECISION NOT NULL, headline_unit TEXT NOT NULL, headline_label TEXT NOT NULL,
    bytes BIGINT NOT NULL, db_bytes BIGINT NOT NULL, "rows" BIGINT NOT NULL, ledger_unit TEXT NOT NULL,
    "read" BIGINT NOT NULL, stored BIGINT NOT NULL, repaired BIGINT NOT NULL, rejected BIGINT NOT NULL, other BIGINT NOT NULL,
    summary TEXT NOT NULL,
    tx BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS deleted_run_tx ON deleted_run(tx);
