-- From when to when a trace has anything: (start_ns, end_ns).
SELECT coalesce(min(start_ns), 0), coalesce(max(end_ns), 0)
FROM (SELECT start_ns, end_ns FROM track WHERE slices > 0 UNION ALL SELECT start_ns, end_ns FROM packed WHERE family > 1)
