-- The counted steps of all ranks of a job.
SELECT id, worker, name, start_ns, end_ns FROM step WHERE counted ORDER BY worker, start_ns, id;
