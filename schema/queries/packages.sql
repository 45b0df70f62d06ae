-- Packages of an import log: exclusive and inclusive time, and the first importer of each. Header keys: see
-- imports.sql.
--
-- column: id, package, origin: number and name of the package, and where it comes from
-- column: modules: number of its rows with times
-- column: self_us number, inclusive_us number: sum of its self times; sum of the cumulative times of its rows, without rows inside another of its rows
-- column: first_importer, first_id number?: module that imported it first, and the row of that import
-- sort: self_us desc self_us
-- sort: inclusive_us desc inclusive_us
-- sort: package asc package
-- sort: origin asc origin, package
-- sort: modules desc modules
-- sort: first_importer asc first_importer
-- sum: self_us sum(self_us)
-- sum: modules sum(modules)
-- of: SELECT count(*) FROM package WHERE modules > 0
SELECT p.id, p.name AS package, o.word AS origin, p.modules, p.self_us, p.inclusive_us,
       m.module AS first_importer, nullif(p.first, 0) AS first_id
FROM package p
JOIN origin o ON o.id = p.origin
LEFT JOIN import f ON f.id = p.first
LEFT JOIN import m ON m.id = f.importer
WHERE p.modules > 0
  AND (:q IS NULL OR ps_words(:q, p.name))
  AND (:regex IS NULL OR p.name REGEXP :regex)
  AND (:hide IS NULL OR NOT p.name REGEXP :hide)
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
  AND (:min_us IS NULL OR CASE :by WHEN 'self' THEN p.self_us ELSE p.inclusive_us END >= CAST(:min_us AS REAL))
