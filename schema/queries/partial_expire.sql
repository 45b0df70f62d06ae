-- Deletes a resumable upload without activity since :before.
DELETE FROM partial WHERE id = (SELECT id FROM partial WHERE at < :before LIMIT 1) RETURNING file;
