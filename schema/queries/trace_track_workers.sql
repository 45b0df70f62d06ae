-- Worker and device (-1: none) of each track, and whether it is a stream with slices.
SELECT t.id, p.worker, t.device, t.kind = 1 AND t.slices > 0 FROM track t JOIN process p ON p.id = t.process ORDER BY t.id;
