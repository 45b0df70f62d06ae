-- Allocations of a trace, each with what freed it (server/query/trace/allocations.c lends c0 begin c1 end c2 bytes c3 device type
-- c4 device c5 address c6 slice c7 slice that freed it c8 name of the operator c9 worker). t_ns NULL: it was there before the recording
-- began; end_ns NULL: never freed. For the head's words see imports.sql.
--
-- sort: t_ns asc t_ns
-- sort: end_ns asc end_ns
-- sort: bytes desc bytes
-- sort: duration_ns desc duration_ns
-- sort: operator asc operator, t_ns
-- sort: device asc device_type, device, worker, t_ns
-- sort: address asc address, t_ns
-- sum: bytes sum(bytes)
-- sum: never_freed sum(never_freed)
-- sum: never_freed_bytes sum(never_freed_bytes)
-- of: SELECT count(*) FROM ps_temp_rows
-- rows: kept
SELECT l.rowid AS id, l.c0 AS t_ns, l.c1 AS end_ns, l.c1 - l.c0 AS duration_ns, l.c2 AS bytes, l.c3 AS device_type, l.c4 AS device,
       l.c9 AS worker,
       l.c5 AS address, n.text AS operator, l.c6 AS slice, l.c7 AS freed_by,
       l.c1 IS NULL AS never_freed, CASE WHEN l.c1 IS NULL THEN l.c2 ELSE 0 END AS never_freed_bytes
FROM ps_temp_rows l LEFT JOIN text n ON n.id = l.c8
WHERE (:q IS NULL OR ps_words(:q, n.text))
  AND (:regex IS NULL OR n.text REGEXP :regex)
  AND (:hide IS NULL OR NOT coalesce(n.text REGEXP :hide, 0))
  AND (:open IS NULL OR (l.c1 IS NULL) = CAST(:open AS INTEGER))
  AND (:device_type IS NULL OR l.c3 = CAST(:device_type AS INTEGER))
  AND (:device IS NULL OR l.c4 = CAST(:device AS INTEGER))
  AND (:worker IS NULL OR l.c9 = CAST(:worker AS INTEGER))
