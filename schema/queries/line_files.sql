-- Files of a line-level profile. Header keys: see imports.sql.
--
-- column: id, file, origin: number and path of the file, and where it comes from
-- column: functions number, lines number: number of them
-- column: time_s number?, pct number?: time of its lines, and its percentage of the time of all files (line_profiler)
-- column: cpu_pct: percent of all samples (Scalene)
-- column: increment_mib number?, peak_mib number?: what calls of its functions added to the memory, and peak (memory_profiler)
-- sort: time_s desc time_s
-- sort: cpu_pct desc cpu_pct
-- sort: increment_mib desc increment_mib
-- sort: peak_mib desc peak_mib
-- sort: file asc file
-- sort: functions desc functions
-- sort: lines desc lines
-- sum: time_s total(time_s)
-- of: SELECT count(*) FROM line_file
WITH figures AS (
    SELECT file, sum(lines) AS lines, CASE WHEN count(ticks) THEN total(ticks) END AS ticks, max(peak_mib) AS peak_mib
    FROM line_sum GROUP BY file
),
-- include: memory_calls
growth AS (
    SELECT file, round(total(growth), 6) AS mib FROM memory_call GROUP BY file
),
counts AS (
    SELECT file, count(*) AS functions FROM line_function GROUP BY file
)
SELECT f.id, f.path AS file, o.word AS origin, coalesce(c.functions, 0) AS functions, coalesce(s.lines, 0) AS lines,
       s.ticks * (SELECT v FROM meta WHERE k = 'unit_s') AS time_s,
       100.0 * s.ticks / nullif(total(s.ticks) OVER (), 0) AS pct,
       f.cpu_pct, m.mib AS increment_mib, s.peak_mib
FROM line_file f
JOIN origin o ON o.id = f.origin
LEFT JOIN figures s ON s.file = f.id
LEFT JOIN growth m ON m.file = f.id
LEFT JOIN counts c ON c.file = f.id
WHERE (:q IS NULL OR ps_words(:q, f.path))
  AND (:regex IS NULL OR f.path REGEXP :regex)
  AND (:hide IS NULL OR NOT f.path REGEXP :hide)
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
