-- The worker of each track, and its device (-1 none).
SELECT t.id, p.worker, t.device FROM track t JOIN process p ON p.id = t.process ORDER BY t.id;
