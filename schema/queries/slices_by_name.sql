-- Slices by name, for traces without attributed device work. The columns are those of operators.sql; columns
-- that need torch data are NULL (server/query/trace/operators.c). Header keys: see imports.sql.
--
-- columns: operators
-- sort: self_cpu_us desc self_cpu_us
-- sort: cpu_total_us desc cpu_total_us
-- sort: cpu_mean_us desc cpu_mean_us
-- sort: self_cpu_pct desc self_cpu_us
-- sort: self_device_us desc self_cpu_us
-- sort: calls desc calls
-- sort: name asc name
-- sort: kind asc kind, name
-- sort: family asc family, name
-- sort: min_us asc min_us
-- sort: max_us desc max_us
-- sort: first_ns asc first_ns
-- sum: calls sum(calls)
-- sum: self_cpu_us sum(self_cpu_us)
-- sum: self_device_us sum(self_device_us)
-- sum: self_cpu_pct sum(self_cpu_pct)
-- sum: self_device_pct sum(self_device_pct)
-- sum: self_cpu_bytes sum(self_cpu_bytes)
-- sum: self_device_bytes sum(self_device_bytes)
-- sum: flops sum(flops)
-- of: SELECT count(*) FROM ps_temp_operators
-- rows: cached
SELECT l.rowid AS id, coalesce(n.text, '') AS name, l.name AS name_id, NULL AS input_shapes, l.kind, l.family, l.calls,
       l.self_ns / 1000.0 AS self_cpu_us, l.total_ns / 1000.0 AS cpu_total_us, l.total_ns / 1000.0 / l.calls AS cpu_mean_us,
       100.0 * l.self_ns / nullif((SELECT sum(self_ns) FROM ps_temp_operators), 0) AS self_cpu_pct,
       NULL AS self_device_us, NULL AS device_total_us, NULL AS self_device_pct,
       NULL AS self_cpu_bytes, NULL AS cpu_bytes, NULL AS self_device_bytes, NULL AS device_bytes, NULL AS flops, NULL AS gflops_s,
       l.min_ns / 1000.0 AS min_us, l.max_ns / 1000.0 AS max_us, l.first_ns
FROM ps_temp_operators l LEFT JOIN text n ON n.id = l.name
WHERE (:q IS NULL OR ps_words(:q, coalesce(n.text, '')))
  AND (:regex IS NULL OR coalesce(n.text, '') REGEXP :regex)
  AND (:hide IS NULL OR NOT coalesce(n.text, '') REGEXP :hide)
  AND (:on IS NULL OR :on = 'host')
