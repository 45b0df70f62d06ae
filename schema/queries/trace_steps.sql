-- Steps of a trace, for the timeline.
SELECT id, name, start_ns, end_ns, worker FROM step ORDER BY worker, start_ns, id
