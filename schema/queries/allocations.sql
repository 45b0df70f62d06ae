-- Allocations of a trace, each with the slice that freed it (server/query/trace/allocations/allocations.c). t_ns NULL:
-- allocated before the recording began; end_ns NULL: never freed. Header keys: see imports.sql.
--
-- column: id number, bytes number, address number?, device_type number, device number, worker number: id, size, place and worker of the allocation
-- column: t_ns number?: time of the allocation; null if it was before the recording
-- column: end_ns number?, duration_ns number?: time of the free, and time from the allocation to the free; null if the memory was never freed
-- column: operator, slice number?: name and id of the slice that allocated
-- column: freed_by number?: id of the slice that freed
-- column: never_freed number, never_freed_bytes number: 1 and the bytes if the memory was never freed; else 0
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
-- of: SELECT count(*) FROM ps_temp_allocations
-- rows: cached
SELECT l.rowid AS id, l.begin_ns AS t_ns, l.end_ns, l.end_ns - l.begin_ns AS duration_ns, l.bytes, l.device_type, l.device,
       l.worker,
       l.address, n.text AS operator, l.slice, l.freed_by,
       l.end_ns IS NULL AS never_freed, CASE WHEN l.end_ns IS NULL THEN l.bytes ELSE 0 END AS never_freed_bytes
FROM ps_temp_allocations l LEFT JOIN text n ON n.id = l.name
WHERE (:q IS NULL OR ps_words(:q, n.text))
  AND (:regex IS NULL OR n.text REGEXP :regex)
  AND (:hide IS NULL OR NOT coalesce(n.text REGEXP :hide, 0))
  AND (:open IS NULL OR (l.end_ns IS NULL) = CAST(:open AS INTEGER))
  AND (:device_type IS NULL OR l.device_type = CAST(:device_type AS INTEGER))
  AND (:device IS NULL OR l.device = CAST(:device AS INTEGER))
  AND (:worker IS NULL OR l.worker = CAST(:worker AS INTEGER))
