-- All tracks in the order of the timeline.
SELECT t.id, t.process, t.kind, t.device, t.stream, t.slices, t.depth, t.start_ns, t.end_ns
FROM track t LEFT JOIN process p ON p.id = t.process
ORDER BY p.worker, p.sort, p.id, t.sort, t.id;
