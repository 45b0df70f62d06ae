-- The worker of each track.
SELECT t.id, p.worker FROM track t JOIN process p ON p.id = t.process ORDER BY t.id;
