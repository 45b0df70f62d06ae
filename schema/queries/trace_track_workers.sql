-- The worker of each track, its device (-1 none), and whether it is a stream with slices.
SELECT t.id, p.worker, t.device, t.kind = 1 AND t.slices > 0 FROM track t JOIN process p ON p.id = t.process ORDER BY t.id;
