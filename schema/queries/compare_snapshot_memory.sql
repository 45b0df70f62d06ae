-- Peaks of a memory snapshot of PyTorch, for comparison. Header keys: see compare_imports.sql.
--
-- title: Memory
-- row: sum
-- metric: peak_bytes B - Peak
SELECT 'peak' AS name, sum(peak_live) AS peak_bytes FROM snapshot_device HAVING count(*)
UNION ALL
SELECT 'reserved', sum(peak_reserved) FROM snapshot_device HAVING count(*)
UNION ALL
SELECT 'GPU ' || number, peak_live FROM snapshot_device WHERE (SELECT count(*) FROM snapshot_device) > 1
