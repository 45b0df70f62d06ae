-- Functions of a line-level profile. Header keys: see imports.sql.
--
-- column: id, file_id, file: number of the function, and its file
-- column: function string?, first_line number?, last_line: name and lines; null if the profile does not have them
-- column: lines number, executed number: number of its lines, and of those that ran
-- column: hits, ticks, time_s number?: of its lines (line_profiler)
-- column: file_pct number?: percent of the time of its file
-- column: increment_mib number?: what its calls added to the memory (memory_profiler)
-- column: peak_mib: peak
-- column: cpu_python_pct, cpu_native_pct, cpu_system_pct, malloc_mib, copy_mib_s, gpu_pct: sums of its lines (Scalene)
-- sort: time_s desc time_s
-- sort: cpu desc cpu_python_pct + cpu_native_pct + cpu_system_pct
-- sort: increment_mib desc increment_mib
-- sort: peak_mib desc peak_mib
-- sort: malloc_mib desc malloc_mib
-- sort: file asc file, first_line
-- sort: function asc function
-- sort: first_line asc first_line
-- sort: hits desc hits
-- sort: lines desc lines
-- sum: time_s total(time_s)
-- of: SELECT count(*) FROM line_function
WITH
-- include: memory_calls
growth AS (
    SELECT function, round(total(growth), 6) AS mib FROM memory_call GROUP BY function
)
SELECT n.id, n.file AS file_id, f.path AS file, nullif(n.name, '') AS function, nullif(n.first_line, 0) AS first_line,
       g.last_line, coalesce(g.lines, 0) AS lines, coalesce(g.executed, 0) AS executed, g.hits, g.ticks,
       g.ticks * (SELECT v FROM meta WHERE k = 'unit_s') AS time_s,
       100.0 * g.ticks / nullif(total(g.ticks) OVER (PARTITION BY n.file), 0) AS file_pct,
       m.mib AS increment_mib, g.peak_mib, g.cpu_python_pct, g.cpu_native_pct, g.cpu_system_pct, g.malloc_mib, g.copy_mib_s, g.gpu_pct
FROM line_function n
JOIN line_file f ON f.id = n.file
LEFT JOIN line_sum g ON g.function = n.id
LEFT JOIN growth m ON m.function = n.id
WHERE (:q IS NULL OR ps_words(:q, n.name, f.path))
  AND (:regex IS NULL OR n.name REGEXP :regex OR f.path REGEXP :regex)
  AND (:hide IS NULL OR NOT (n.name REGEXP :hide OR f.path REGEXP :hide))
  AND (:file IS NULL OR f.path = :file)
