-- Functions of a printed table, summed by file. Header keys: see imports.sql.
--
-- columns: files
-- sort: tottime_s desc tottime_s
-- sort: file asc file
-- sort: origin asc origin, file
-- sort: functions desc functions
-- sort: ncalls desc ncalls
-- sum: tottime_s sum(tottime_s)
-- sum: ncalls sum(ncalls)
-- sum: functions sum(functions)
-- of: SELECT count(*) FROM file WHERE functions > 0
SELECT l.id, l.path AS file, o.word AS origin, count(*) AS functions, sum(f.ncalls) AS ncalls, sum(f.tottime_s) AS tottime_s
FROM function f
JOIN file l ON l.id = f.file
JOIN origin o ON o.id = l.origin
WHERE f.id BETWEEN coalesce(:first_id, 0) AND coalesce(:last_id, 9223372036854775807)
  AND (:q IS NULL OR ps_words(:q, l.path))
  AND (:regex IS NULL OR l.path REGEXP :regex)
  AND (:hide IS NULL OR NOT l.path REGEXP :hide)
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
GROUP BY l.id
