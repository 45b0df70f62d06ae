-- Who imports what: evidence for other logs, at most :limit pairs. Not the package that an import of its module brings, nor what follows from
-- the layout alone, nor anything where threads imported at once.
SELECT importer.module, i.module FROM import i JOIN import importer ON importer.id = i.importer
WHERE NOT i.flags & 32 AND substr(importer.module, 1, length(i.module) + 1) <> i.module || '.'
  AND NOT EXISTS (SELECT 1 FROM import WHERE self_us < 0)
LIMIT :limit;
