-- Adds a run to the index of names; no row if another process added it.
INSERT OR IGNORE INTO indexed_run VALUES (:seq, :run, :db_bytes, :unreadable) RETURNING seq;
