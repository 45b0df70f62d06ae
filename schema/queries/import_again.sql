-- Every other row of the same module name as :id: loaded again, or asked for again (cached).
SELECT i.id, i.module, m.module AS importer, i.flags & 1 AS cached
FROM import i LEFT JOIN import m ON m.id = i.importer
WHERE i.module = (SELECT module FROM import WHERE id = :id) AND i.id <> :id ORDER BY i.id LIMIT 500;
