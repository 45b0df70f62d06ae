-- The runs in the index of names, the newest first.
SELECT seq, run, db_bytes, unreadable FROM indexed_run ORDER BY seq DESC;
