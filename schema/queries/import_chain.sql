-- The imports from the root down to the row :id.
--
-- column: self_us, cumulative_us: times; null for cached rows
WITH RECURSIVE up(id, level) AS (
    SELECT :id, 0
    UNION ALL
    SELECT i.importer, up.level + 1 FROM up JOIN import i ON i.id = up.id WHERE i.importer > 0 AND up.level < 5000
)
SELECT i.id, i.module, i.self_us, i.cumulative_us FROM up JOIN import i ON i.id = up.id ORDER BY up.level DESC;
