-- Functions of a pstats dump summed by file. tottime adds up; cumtime would count nested calls twice and is not here.
-- For the head's words see imports.sql.
--
-- sort: tottime_s desc tottime_s
-- sort: file asc file
-- sort: origin asc origin, file
-- sort: functions desc functions
-- sort: ncalls desc ncalls
-- sum: tottime_s sum(tottime_s)
-- sum: ncalls sum(ncalls)
-- sum: functions sum(functions)
-- of: SELECT count(DISTINCT file) FROM function WHERE listed
SELECT l.id, l.path AS file, min(o.word) AS origin, count(*) AS functions, sum(f.ncalls) AS ncalls, sum(f.tottime_s) AS tottime_s
FROM function f
JOIN file l ON l.id = f.file
JOIN origin o ON o.id = f.origin
WHERE f.listed
  AND (:q IS NULL OR ps_words(:q, l.path))
  AND (:regex IS NULL OR l.path REGEXP :regex)
  AND (:hide IS NULL OR NOT l.path REGEXP :hide)
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
GROUP BY l.id
