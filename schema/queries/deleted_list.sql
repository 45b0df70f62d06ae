-- Runs that can be recovered, last deleted first.
SELECT id, kind, name, series, who, deleted_by, created_at, deleted_at, bytes, db_bytes FROM deleted_run ORDER BY deleted_at DESC, seq DESC;
