-- Lines of memory_profiler, for comparison; the calls of a function are summed. Header keys: see
-- compare_imports.sql. Increments are those that say what a line keeps: not that of the first row of a call, which is
-- the memory from before the call, and not those of lines that ran several times in a call, where the allocator
-- decides when memory is returned. Decreases count as 0, and so do increments beyond the memory of the process.
--
-- title: Lines
-- row: line
-- place: file
-- metric: increment_mib MiB adds Increment
-- metric: mem_mib MiB - Memory after the line, at most
-- metric: occurrences - adds Occurrences
-- work: occurrences SELECT sum(occurrences) FROM line WHERE NOT of_function
WITH call AS ( -- the first row of each call that ran; of a single row with min(), SQLite takes the other columns too
    SELECT function, block, min(rowid) AS first_row, occurrences FROM line WHERE increment_mib IS NOT NULL GROUP BY function, block
)
SELECT max(l.source) AS name, f.path AS place, coalesce(n.name, '') AS within, l.line,
       total(CASE WHEN l.rowid > c.first_row AND coalesce(l.occurrences <= c.occurrences, 1)
                  AND l.increment_mib <= (SELECT max(mem_mib) FROM line) THEN max(l.increment_mib, 0) END) AS increment_mib,
       max(l.mem_mib) AS mem_mib,
       -- reports before 0.58 do not count
       CASE WHEN EXISTS (SELECT 1 FROM line WHERE occurrences IS NOT NULL) THEN total(l.occurrences) END AS occurrences
FROM line l
JOIN line_file f ON f.id = l.file
LEFT JOIN line_function n ON n.id = l.function
LEFT JOIN call c ON c.function = l.function AND c.block = l.block
WHERE NOT l.of_function
GROUP BY l.file, l.function, l.line
ORDER BY l.file
