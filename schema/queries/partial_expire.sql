-- Deletes one resumable upload without activity since :before (s since 1970).
DELETE FROM partial WHERE id = (SELECT id FROM partial WHERE at < :before LIMIT 1) RETURNING file;
