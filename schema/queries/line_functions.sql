-- Functions of a line-level profile. For the head's words see imports.sql.
--
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
SELECT n.id, n.file AS file_id, f.path AS file, nullif(n.name, '') AS function, nullif(n.first_line, 0) AS first_line,
       max(l.line) FILTER (WHERE NOT l.of_function) AS last_line,
       count(l.line) FILTER (WHERE NOT l.of_function) AS lines,
       count(l.hits) + count(l.occurrences) AS executed,
       sum(l.hits) AS hits, sum(l.ticks) AS ticks, sum(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s') AS time_s,
       100.0 * sum(l.ticks) / nullif(sum(sum(l.ticks)) OVER (PARTITION BY n.file), 0) AS file_pct,
       sum(l.increment_mib) FILTER (WHERE l.line > (SELECT min(b.line) FROM line b WHERE b.function = l.function AND b.block = l.block
                                                    AND b.increment_mib IS NOT NULL)) AS increment_mib,
       coalesce(max(l.mem_mib), max(l.peak_mib)) AS peak_mib,
       max(l.cpu_python_pct) FILTER (WHERE l.of_function) AS cpu_python_pct,
       max(l.cpu_native_pct) FILTER (WHERE l.of_function) AS cpu_native_pct,
       max(l.cpu_system_pct) FILTER (WHERE l.of_function) AS cpu_system_pct,
       max(l.malloc_mib) FILTER (WHERE l.of_function) AS malloc_mib,
       max(l.copy_mib_s) FILTER (WHERE l.of_function) AS copy_mib_s,
       max(l.gpu_pct) FILTER (WHERE l.of_function) AS gpu_pct
FROM line_function n
JOIN line_file f ON f.id = n.file
LEFT JOIN line l ON l.function = n.id
WHERE (:q IS NULL OR ps_words(:q, n.name, f.path))
  AND (:regex IS NULL OR n.name REGEXP :regex OR f.path REGEXP :regex)
  AND (:hide IS NULL OR NOT (n.name REGEXP :hide OR f.path REGEXP :hide))
  AND (:file IS NULL OR f.path = :file)
GROUP BY n.id
