-- The files of each deleted run that can be recovered.
SELECT id, sha256, bytes, db_bytes FROM deleted_run ORDER BY seq;
