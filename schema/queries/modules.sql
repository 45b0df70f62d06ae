-- nn.Modules of a complete run, merged by path. `ord` is preorder. Header keys: see imports.sql.
--
-- column: id, parent_id number?, depth number, ord number, name: of the module; `ord` is preorder
-- column: calls, operators: number of calls, and of operators inside the module
-- column: host_self_us number, host_total_us number: time on the host, without and with the modules inside
-- column: device_self_us number, device_total_us number: time on devices
-- column: first_slice, worker number?: id and worker of the first slice of the module
-- sort: ord asc ord
-- sort: name asc name
-- sort: calls desc calls
-- sort: operators desc operators
-- sort: host_self_us desc host_self_us
-- sort: host_total_us desc host_total_us
-- sort: device_self_us desc device_self_us
-- sort: device_total_us desc device_total_us
-- sort: depth asc depth, ord
-- sum: host_self_us sum(host_self_us)
-- sum: device_self_us sum(device_self_us)
-- of: SELECT count(*) FROM module
WITH RECURSIVE tree(id, depth) AS (
    SELECT id, 0 FROM module WHERE parent = 0 AND id > 0 -- a module with id 0 would be its own parent
    UNION ALL
    SELECT m.id, t.depth + 1 FROM tree t JOIN module m ON m.parent = t.id AND m.id > 0 ORDER BY 2 DESC, 1),
placed AS MATERIALIZED (SELECT id, depth, row_number() OVER () AS ord FROM tree)
SELECT m.id, nullif(m.parent, 0) AS parent_id, p.depth, p.ord, m.name, m.calls, m.operators,
       m.host_self_ns / 1000.0 AS host_self_us, m.host_total_ns / 1000.0 AS host_total_us,
       m.device_self_ns / 1000.0 AS device_self_us, m.device_total_ns / 1000.0 AS device_total_us, m.first_slice,
       (SELECT o.worker FROM track t JOIN process o ON o.id = t.process WHERE t.id = m.first_slice >> 32) AS worker
FROM placed p JOIN module m ON m.id = p.id
WHERE (:q IS NULL OR ps_words(:q, m.name))
  AND (:regex IS NULL OR m.name REGEXP :regex)
  AND (:hide IS NULL OR NOT m.name REGEXP :hide)
