-- Functions of a pstats dump, summed by file. cumtime is left out, because a sum of cumtime would count
-- nested calls twice. Header keys: see imports.sql.
--
-- column: id, file, origin: number and path of the file, and where it comes from
-- column: functions: number of its functions
-- column: ncalls number?, tottime_s number: sums over its functions
-- sort: tottime_s desc tottime_s
-- sort: file asc file
-- sort: origin asc origin, file
-- sort: functions desc functions
-- sort: ncalls desc ncalls
-- sum: tottime_s sum(tottime_s)
-- sum: ncalls sum(ncalls)
-- sum: functions sum(functions)
-- of: SELECT count(*) FROM file WHERE functions > 0
SELECT l.id, l.path AS file, o.word AS origin, l.functions, l.ncalls, l.tottime_s
FROM file l
JOIN origin o ON o.id = l.origin
WHERE l.functions > 0
  AND (:q IS NULL OR ps_words(:q, l.path))
  AND (:regex IS NULL OR l.path REGEXP :regex)
  AND (:hide IS NULL OR NOT l.path REGEXP :hide)
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
