-- Other rows with the module name of :id: loaded again, or imported while loaded (cached). With the recorder,
-- the import that loaded the module is listed too, and left out here.
--
-- column: importer: module that imported it
-- column: cached number: 1: the module was already loaded
SELECT i.id, i.module, m.module AS importer, i.flags & 1 AS cached
FROM import i LEFT JOIN import m ON m.id = i.importer
WHERE i.module = (SELECT module FROM import WHERE id = :id) AND i.id <> :id
  AND NOT (i.flags & 64 AND i.importer IN (SELECT importer FROM import WHERE module = (SELECT module FROM import WHERE id = :id) AND NOT flags & 1))
ORDER BY i.id LIMIT 500;
