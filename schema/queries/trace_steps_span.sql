-- From the first to the last counted step, NULL if there is none; then the same for all tracks.
SELECT min(start_ns), max(end_ns) FROM step WHERE counted
UNION ALL
SELECT min(start_ns), max(end_ns) FROM track WHERE slices > 0;
