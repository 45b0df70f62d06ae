-- Files of a line-level profile. For the head's words see imports.sql.
--
-- sort: time_s desc time_s
-- sort: cpu_pct desc cpu_pct
-- sort: peak_mib desc peak_mib
-- sort: file asc file
-- sort: functions desc functions
-- sort: lines desc lines
-- sum: time_s total(time_s)
-- of: SELECT count(*) FROM line_file
SELECT f.id, f.path AS file, o.word AS origin,
       (SELECT count(*) FROM line_function n WHERE n.file = f.id) AS functions,
       count(l.line) FILTER (WHERE NOT l.of_function) AS lines,
       sum(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s') AS time_s,
       100.0 * sum(l.ticks) / nullif(sum(sum(l.ticks)) OVER (), 0) AS pct,
       f.cpu_pct,
       coalesce(max(l.mem_mib), max(l.peak_mib)) AS peak_mib
FROM line_file f
JOIN origin o ON o.id = f.origin
LEFT JOIN line l ON l.file = f.id
WHERE (:q IS NULL OR ps_words(:q, f.path))
  AND (:regex IS NULL OR f.path REGEXP :regex)
  AND (:hide IS NULL OR NOT f.path REGEXP :hide)
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
GROUP BY f.id
