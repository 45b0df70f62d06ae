-- Steps in order, at most :limit.
SELECT id, name, worker, start_ns, end_ns, counted FROM step ORDER BY id LIMIT :limit;
