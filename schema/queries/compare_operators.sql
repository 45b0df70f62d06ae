-- Operators of a trace, for comparison: the host operators of a torch trace, or all slices of the host by name of
-- another trace. Header keys: see compare_imports.sql.
--
-- title: Operators
-- row: operator
-- metric: self_device_us us adds Self device time
-- metric: self_cpu_us us adds Self host time
-- metric: cpu_total_us us - Host time
-- metric: calls - adds Calls
-- metric: slices - adds Slices
-- budget: cpu_total_us
-- work: steps SELECT json_extract(v, '$.steps') FROM meta WHERE k = 'summary'
-- work: calls SELECT sum(calls) FROM operator, meta WHERE NOT by_shape AND NOT kind IN (6, 7, 8, 10) AND k = 'summary' AND (kind <> 5 OR json_extract(v, '$.torch')) AND NOT coalesce(json_extract(v, '$.sampled'), 0)
-- calls: self_device_us calls
-- calls: self_cpu_us calls
-- calls: cpu_total_us calls
-- has: calls SELECT NOT coalesce(json_extract(v, '$.sampled'), 0) FROM meta WHERE k = 'summary'
-- has: slices SELECT coalesce(json_extract(v, '$.sampled'), 0) FROM meta WHERE k = 'summary'
-- has: self_device_us SELECT coalesce(max(self_device_ns), 0) > 0 FROM operator WHERE NOT kind IN (6, 7, 8, 10)
-- viztracer names a function with the line of its `def`, which moves when the file changes.
SELECT coalesce(iif((SELECT v FROM meta WHERE k = 'tool') = 'viztracer', ps_frame_function(n.text), n.text), '') AS name,
       o.self_device_ns / 1000.0 AS self_device_us, o.self_cpu_ns / 1000.0 AS self_cpu_us,
       o.cpu_total_ns / 1000.0 AS cpu_total_us, o.calls, o.calls AS slices
FROM ps_operators(NULL, NULL, 0, :in_steps) o
LEFT JOIN text n ON n.id = o.name
WHERE NOT o.kind IN (6, 7, 8, 10) -- not device work and annotations on streams
