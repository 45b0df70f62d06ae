-- At most :limit pairs of importer and module of a log, as evidence for other logs. Leaves out the packages that
-- contain the importer, importers that are only estimated from the layout, and logs of several threads.
SELECT importer.module, i.module FROM import i JOIN import importer ON importer.id = i.importer
WHERE NOT i.flags & 32 AND substr(importer.module, 1, length(i.module) + 1) <> i.module || '.'
  AND NOT EXISTS (SELECT 1 FROM import WHERE self_us < 0)
LIMIT :limit;
