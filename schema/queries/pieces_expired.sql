-- One that nobody added to since :before.
SELECT id, who FROM partial WHERE at < :before LIMIT 1;
