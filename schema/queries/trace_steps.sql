-- Steps of a trace, for the timeline.
--
-- column: end_ns: until the end of its last kernel
SELECT id, name, start_ns, end_ns, worker FROM step ORDER BY worker, start_ns, id
