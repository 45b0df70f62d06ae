-- Peak memory by device that torch reports as allocated, for comparison. Header keys: see
-- compare_imports.sql.
--
-- title: Memory
-- row: device
-- metric: peak_bytes B - Peak
-- recorded: SELECT EXISTS (SELECT 1 FROM packed WHERE family = 3)
SELECT CASE device_type WHEN 0 THEN 'CPU' ELSE 'device ' || device END AS name, max(allocated) AS peak_bytes
FROM ps_memory_events
WHERE allocated >= 0
GROUP BY device_type, device
