-- Pairs of importer and module as evidence for other logs, at most :limit. Leaves out packages of the
-- importer, importers that are only estimated from the layout, and logs of several threads.
SELECT importer.module, i.module FROM import i JOIN import importer ON importer.id = i.importer
WHERE NOT i.flags & 32 AND substr(importer.module, 1, length(i.module) + 1) <> i.module || '.'
  AND NOT EXISTS (SELECT 1 FROM import WHERE self_us < 0)
LIMIT :limit;
