-- All rows of an import log in its order: timed rows after those below them, then cached rows.
SELECT i.id, i.importer, i.module, i.self_us, i.flags, i.interpreter, p.name AS package, p.origin
FROM import i JOIN package p ON p.id = i.package ORDER BY i.id;
