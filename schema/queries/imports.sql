-- The table of an import log. schema/query_tables.py reads these header keys, which are not indented:
--   sort: KEY asc|desc EXPRESSION   a sort key; the first is the default; ties are sorted by id
--   sum: NAME EXPRESSION            a number over the filtered rows
--   where: FILTER CONDITION         a condition if that filter is given; only for runs.sql (shelf.c)
--   of: SELECT                      number of rows before the filter
--   rows: by-id                     the query reads a single row if :row is bound
--   rows: cached                    all rows are computed at once and cached (rowset.c)
--
-- column: id: number of the row
-- column: parent_id number?, importer_id number?, importer: the row that imported it, and the name of that row; null for roots
-- column: ord, start number?: order in which imports ended (the order of the file), and in which they began
-- column: depth number?: 0 for roots
-- column: module, package, origin: name, first part of the name, and where the module comes from
-- column: self_us, cumulative_us: times; null for cached rows
-- column: cached number: 1: the module was already loaded
-- column: startup number: 1: Python itself imported it, before the program started
-- column: unfinished number: 1: the import did not end
-- column: first number: 1: no earlier row has this module name
-- column: children: number of imports directly below
-- sort: ord asc id
-- sort: start asc start
-- sort: self_us desc self_us
-- sort: cumulative_us desc cumulative_us
-- sort: module asc module
-- sort: package asc package, module
-- sort: origin asc origin, module
-- sort: depth asc depth
-- sort: importer asc importer
-- sort: children desc children
-- sum: self_us sum(self_us)
-- sum: self_pct_of_all 100.0 * sum(self_us) / nullif((SELECT sum(self_us) FROM package), 0)
-- of: SELECT count(*) FROM import WHERE NOT flags & 1
-- rows: by-id
SELECT i.id, nullif(i.parent, 0) AS parent_id, i.id AS ord, nullif(i.depth, -1) AS depth, i.module, p.name AS package, o.word AS origin,
       i.self_us, i.cumulative_us, i.flags & 1 AS cached, (i.flags >> 1) & 1 AS startup, (i.flags >> 2) & 1 AS unfinished,
       (i.flags >> 4) & 1 AS first, nullif(i.importer, 0) AS importer_id, m.module AS importer, i.children, nullif(i.start, 0) AS start
FROM import i
JOIN package p ON p.id = i.package
JOIN origin o ON o.id = p.origin
LEFT JOIN import m ON m.id = i.importer
WHERE i.id BETWEEN coalesce(:row, 0) AND coalesce(:row, 9223372036854775807)
  AND (:row IS NOT NULL OR :cached = '1' OR NOT i.flags & 1)
  AND (:q IS NULL OR ps_words(:q, i.module))
  AND (:regex IS NULL OR i.module REGEXP :regex)
  AND (:hide IS NULL OR NOT i.module REGEXP :hide)
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
  AND (:min_us IS NULL OR CASE :by WHEN 'self' THEN i.self_us ELSE i.cumulative_us END >= CAST(:min_us AS REAL))
  AND (:under IS NULL OR i.id BETWEEN (SELECT low FROM import WHERE id = CAST(:under AS INTEGER)) AND CAST(:under AS INTEGER))
  AND (:parent IS NULL OR i.parent = CAST(:parent AS INTEGER))
  AND (:package IS NULL OR p.name = :package)
  AND (:module IS NULL OR i.module = :module -- once for each importer: the recorder also lists the one that loaded it
       AND NOT (i.flags & 64 AND i.importer IN (SELECT importer FROM import WHERE module = :module AND NOT flags & 1)))
