-- Other rows with the module name of the row :id: the module was loaded again, or was already loaded (cached). The
-- recorder also lists the import that loaded the module as cached; this row is left out.
--
-- column: importer: module that imported it
-- column: cached number: 1: the module was already loaded
SELECT i.id, i.module, m.module AS importer, i.flags & 1 AS cached
FROM import i LEFT JOIN import m ON m.id = i.importer
WHERE i.module = (SELECT module FROM import WHERE id = :id) AND i.id <> :id
  AND NOT (i.flags & 64 AND i.importer IN (SELECT importer FROM import WHERE module = (SELECT module FROM import WHERE id = :id) AND NOT flags & 1))
ORDER BY i.id LIMIT 500;
