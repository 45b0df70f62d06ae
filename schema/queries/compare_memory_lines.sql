-- Lines of memory_profiler, for comparison; the calls of a function are summed. Header keys: see
-- compare_imports.sql.
--
-- title: Lines
-- row: line
-- place: file
-- metric: increment_mib MiB adds Increment
-- metric: mem_mib MiB - Memory after the line, at most
-- metric: occurrences - adds Occurrences
-- work: occurrences SELECT sum(occurrences) FROM line WHERE NOT of_function
SELECT max(l.source) AS name, f.path AS place, coalesce(n.name, '') AS within, l.line,
       total(l.increment_mib) AS increment_mib, max(l.mem_mib) AS mem_mib, total(l.occurrences) AS occurrences
FROM line l
JOIN line_file f ON f.id = l.file
LEFT JOIN line_function n ON n.id = l.function
WHERE NOT l.of_function
GROUP BY l.file, l.function, l.line
ORDER BY l.file
