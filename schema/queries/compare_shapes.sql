-- Operators of a torch trace by input shapes, for comparison. Header keys: see compare_imports.sql.
--
-- title: Operators by shape
-- row: operator
-- place: input shapes
-- metric: self_device_us us adds Self device time
-- metric: self_cpu_us us adds Self host time
-- metric: cpu_total_us us - Host time
-- metric: calls - adds Calls
-- budget: cpu_total_us
-- work: steps SELECT json_extract(v, '$.steps') FROM meta WHERE k = 'summary'
-- work: calls SELECT sum(calls) FROM operator WHERE NOT by_shape AND NOT kind IN (6, 7, 8, 10)
-- calls: self_device_us calls
-- calls: self_cpu_us calls
-- calls: cpu_total_us calls
-- recorded: SELECT EXISTS (SELECT 1 FROM operator WHERE by_shape AND shapes > 0)
-- has: self_device_us SELECT coalesce(max(self_device_ns), 0) > 0 FROM operator WHERE NOT kind IN (6, 7, 8, 10)
SELECT coalesce(n.text, '') AS name, h.text AS place, o.self_device_ns / 1000.0 AS self_device_us, o.self_cpu_ns / 1000.0 AS self_cpu_us,
       o.cpu_total_ns / 1000.0 AS cpu_total_us, o.calls
FROM ps_operators(NULL, NULL, 1, :in_steps) o
LEFT JOIN text n ON n.id = o.name
LEFT JOIN text h ON h.id = o.shapes
WHERE NOT o.kind IN (6, 7, 8, 10)
