-- Lines of Scalene, for comparison. Shares of runs of different length cannot be compared, times can. Older runs lack the
-- functions of lines, which is why these are no part of a row. Header keys: see compare_imports.sql.
--
-- title: Lines
-- row: line
-- place: file
-- metric: time_s s adds Time
-- metric: malloc_mib MiB adds Allocated
-- metric: peak_mib MiB - Peak
-- metric: copy_mib_s MiB/s - Copied
SELECT max(l.source) AS name, f.path AS place, '' AS within, l.line,
       (total(l.cpu_python_pct) + total(l.cpu_native_pct) + total(l.cpu_system_pct)) / 100 *
           (SELECT json_extract(v, '$.elapsed_s') FROM meta WHERE k = 'summary') AS time_s,
       total(l.malloc_mib) AS malloc_mib, max(l.peak_mib) AS peak_mib, total(l.copy_mib_s) AS copy_mib_s
FROM line l
JOIN line_file f ON f.id = l.file
WHERE NOT l.of_function
GROUP BY l.file, l.line
ORDER BY l.file
