-- Steps with the start and end of their annotations, by worker and start.
SELECT id, worker, name, host_start_ns, host_end_ns FROM step ORDER BY worker, host_start_ns, id;
