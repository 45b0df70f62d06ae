-- Two rows: start of the first and end of the last counted step, NULL if none is counted; start and end of the
-- slices of all tracks.
SELECT min(start_ns), max(end_ns) FROM step WHERE counted
UNION ALL
SELECT min(start_ns), max(end_ns) FROM track WHERE slices > 0;
