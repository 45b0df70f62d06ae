-- From the first to the last step that counts; NULL when none does. Then the same of all tracks.
SELECT min(start_ns), max(end_ns) FROM step WHERE counted
UNION ALL
SELECT min(start_ns), max(end_ns) FROM track WHERE slices > 0;
