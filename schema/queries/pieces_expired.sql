-- One resumable upload without activity since :before (s since 1970).
SELECT id, who FROM partial WHERE at < :before LIMIT 1;
