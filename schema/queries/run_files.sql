-- The files of each run, oldest first.
SELECT id, sha256, bytes, db_bytes FROM run ORDER BY seq;
