-- A counted step by its start and end: its name, and how many steps of its worker start before it.
SELECT name, (SELECT count(*) FROM step e
              WHERE e.worker = s.worker AND (e.host_start_ns, e.id) < (s.host_start_ns, s.id))
FROM step s WHERE start_ns = :start AND end_ns = :end AND counted ORDER BY worker, host_start_ns, id LIMIT 1;
