-- Memory that operators allocated and freed, by device, for the complete run or for a range
-- (server/query/trace/allocations/memory_operators.c). Header keys: see imports.sql.
--
-- column: id number, name, name_id number: of the operator
-- column: calls number?: null if no slice of this name starts in the range
-- column: device_type number, device number: the device; an operator has a row for each of its devices
-- column: increase_bytes number, self_increase_bytes number: allocated minus freed bytes, with and without the operators that it called
-- column: allocations number, allocated_bytes number: allocations of the operator itself, and their bytes
-- sort: self_increase_bytes desc self_increase_bytes
-- sort: increase_bytes desc increase_bytes
-- sort: allocations desc allocations
-- sort: allocated_bytes desc allocated_bytes
-- sort: calls desc calls
-- sort: name asc name
-- sort: device asc device_type, device, name
-- sum: self_increase_bytes sum(self_increase_bytes)
-- sum: allocations sum(allocations)
-- sum: allocated_bytes sum(allocated_bytes)
-- of: SELECT count(*) FROM (SELECT 1 FROM ps_temp_memory_operators GROUP BY name, device_type, device)
-- rows: cached
WITH called AS MATERIALIZED (
    SELECT name, sum(calls) AS calls
    FROM ps_operators(CAST(:from_ns AS INTEGER), CAST(:to_ns AS INTEGER), 0, NULL, :tracks) WHERE kind NOT BETWEEN 6 AND 11 GROUP BY name),
made AS MATERIALIZED (
    SELECT CASE WHEN t.key THEN t.key ELSE t.id END AS name, l.device_type, l.device, sum(l.increase) AS increase, sum(l.self_increase) AS own,
           sum(l.allocations) AS allocations, sum(l.allocated) AS allocated
    FROM ps_temp_memory_operators l JOIN text t ON t.id = l.name WHERE (:worker IS NULL OR l.worker = CAST(:worker AS INTEGER)) GROUP BY 1, 2, 3)
SELECT row_number() OVER () AS id, n.text AS name, m.name AS name_id, c.calls, m.device_type, m.device,
       m.increase AS increase_bytes, m.own AS self_increase_bytes, m.allocations, m.allocated AS allocated_bytes
FROM made m JOIN text n ON n.id = m.name LEFT JOIN called c ON c.name = m.name
WHERE (:q IS NULL OR ps_words(:q, n.text))
  AND (:regex IS NULL OR n.text REGEXP :regex)
  AND (:hide IS NULL OR NOT n.text REGEXP :hide)
  AND (:device_type IS NULL OR m.device_type = CAST(:device_type AS INTEGER))
  AND (:device IS NULL OR m.device = CAST(:device AS INTEGER))
