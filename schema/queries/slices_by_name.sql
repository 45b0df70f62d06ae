-- Slices by name, of traces that are not torch's: the columns of operators.sql, those that need torch's rows null
-- (server/query/trace/operators.c lends c0 name c1 kind c2 family c3 calls c4 own ns c5 total ns c6 min c7 max c8 first start).
-- For the head's words see imports.sql.
--
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
-- of: SELECT count(*) FROM ps_temp_rows
-- rows: kept
SELECT l.rowid AS id, coalesce(n.text, '') AS name, l.c0 AS name_id, NULL AS input_shapes, l.c1 AS kind, l.c2 AS family, l.c3 AS calls,
       l.c4 / 1000.0 AS self_cpu_us, l.c5 / 1000.0 AS cpu_total_us, l.c5 / 1000.0 / l.c3 AS cpu_mean_us,
       100.0 * l.c4 / nullif((SELECT sum(c4) FROM ps_temp_rows), 0) AS self_cpu_pct,
       NULL AS self_device_us, NULL AS device_total_us, NULL AS self_device_pct,
       NULL AS self_cpu_bytes, NULL AS cpu_bytes, NULL AS self_device_bytes, NULL AS device_bytes, NULL AS flops, NULL AS gflops_s,
       l.c6 / 1000.0 AS min_us, l.c7 / 1000.0 AS max_us, l.c8 AS first_ns
FROM ps_temp_rows l LEFT JOIN text n ON n.id = l.c0
WHERE (:q IS NULL OR ps_words(:q, coalesce(n.text, '')))
  AND (:regex IS NULL OR coalesce(n.text, '') REGEXP :regex)
  AND (:hide IS NULL OR NOT coalesce(n.text, '') REGEXP :hide)
  AND (:on IS NULL OR :on = 'host')
