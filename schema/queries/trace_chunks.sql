-- All chunks by track and row.
SELECT c.id, c.track, c.first, c.n, c.start_ns, c.end_ns, c.last_start_ns, c.columns, c.kinds,
       t.kind, ifnull(t.device, -1), ifnull(t.stream, -1)
FROM chunk c LEFT JOIN track t ON t.id = c.track ORDER BY c.track, c.first;
