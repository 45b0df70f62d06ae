-- A resumable upload without activity since :before.
SELECT id, who FROM partial WHERE at < :before LIMIT 1;
