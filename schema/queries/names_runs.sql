-- The newest :limit runs, the newest first, for the index of names.
SELECT seq, id, kind, db_bytes, headline_unit FROM run ORDER BY seq DESC LIMIT :limit;
