-- From when to when a trace has anything, half-open: (start_ns, end_ns). A point at the very end lies inside.
SELECT coalesce(min(start_ns), 0), coalesce(max(end_ns), 0)
FROM (SELECT start_ns, max(end_ns, last_start_ns + 1) AS end_ns FROM chunk UNION ALL SELECT start_ns, end_ns + 1 FROM packed WHERE family > 1)
