-- nn.Modules of a trace by path, for comparison. Header keys: see compare_imports.sql.
--
-- title: Modules
-- row: module
-- place: parents
-- metric: device_self_us us adds Self device time
-- metric: device_total_us us - Device time
-- metric: host_self_us us adds Self host time
-- metric: host_total_us us - Host time
-- budget: host_total_us
-- work: steps SELECT json_extract(v, '$.steps') FROM meta WHERE k = 'summary'
-- work: calls SELECT sum(calls) FROM module
-- calls: device_self_us calls
-- calls: device_total_us calls
-- calls: host_self_us calls
-- calls: host_total_us calls
-- recorded: SELECT EXISTS (SELECT 1 FROM module)
-- has: device_self_us SELECT coalesce(max(device_self_ns), 0) > 0 FROM module
-- has: device_total_us SELECT coalesce(max(device_total_ns), 0) > 0 FROM module
WITH RECURSIVE tree(id, name, place) AS (
    SELECT id, name, '' FROM module WHERE parent = 0 AND id > 0
    UNION ALL
    SELECT m.id, m.name, substr(t.place || t.name || ' > ', -2000) FROM tree t JOIN module m ON m.parent = t.id AND m.id > 0),
counted AS MATERIALIZED ( -- of the run, or of its steps (server/query/trace/module_steps.c)
    SELECT id, calls, host_self_ns, host_total_ns, device_self_ns, device_total_ns FROM module WHERE NOT coalesce(:in_steps, 0)
    UNION ALL
    SELECT id, calls, host_self_ns, host_total_ns, device_self_ns, device_total_ns FROM ps_temp_modules WHERE calls > 0)
SELECT t.id, t.name, t.place, m.device_self_ns / 1000.0 AS device_self_us, m.device_total_ns / 1000.0 AS device_total_us,
       m.host_self_ns / 1000.0 AS host_self_us, m.host_total_ns / 1000.0 AS host_total_us, m.calls
FROM tree t
JOIN counted m ON m.id = t.id
