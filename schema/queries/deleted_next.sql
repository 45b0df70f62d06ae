-- The run that was deleted first of those deleted before :before (ms since 1970).
SELECT id FROM deleted_run WHERE deleted_at < :before ORDER BY deleted_at, seq LIMIT 1;
