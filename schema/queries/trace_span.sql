-- The half-open range of time [start_ns, end_ns) of all slices, counts and memory events of a trace. It includes
-- slices and points at the last time.
SELECT coalesce(min(start_ns), 0), coalesce(max(end_ns), 0)
FROM (SELECT start_ns, max(end_ns, last_start_ns + 1) AS end_ns FROM chunk UNION ALL SELECT start_ns, end_ns + 1 FROM packed WHERE family BETWEEN 2 AND 5)
