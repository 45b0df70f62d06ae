-- Packages of an import log, for comparison. Header keys: see compare_imports.sql.
--
-- title: Packages
-- row: package
-- metric: self_us us adds Self time
-- metric: inclusive_us us - Inclusive time
-- metric: modules - adds Modules
-- budget: inclusive_us
-- whole: self_us SELECT json_extract(v, '$.total_us') FROM meta WHERE k = 'summary'
-- resolution: self_us SELECT 1
-- resolution: inclusive_us SELECT 1
SELECT p.name, m.module AS by, p.self_us, p.inclusive_us, p.modules
FROM package p
LEFT JOIN import f ON f.id = p.first
LEFT JOIN import m ON m.id = f.importer
WHERE p.modules > 0
