-- Lines of memory_profiler, those of one function one after the other. Bytes. Per function: its calls, what they added
-- in sum, and the memory at the end of its last call minus that at the start of its first. Per line: its increments of
-- calls in which it ran once (the first line of a call apart, which holds the memory from before the call), those of
-- calls in which it ran several times (there the allocator decides at which line memory is requested and returned), the
-- largest memory after it, and whether it ran several times in a call. Last: the least and the largest memory.
WITH
-- include: memory_calls
ends AS (
    SELECT function, sum(n) AS calls, total(growth) AS added, min(first_row) AS first_row, max(last_row) AS last_row
    FROM memory_call GROUP BY function
),
whole AS (
    SELECT e.*, l.mem_mib - CASE WHEN f.occurrences > 1 AND f.increment_mib >= f.mem_mib THEN (SELECT min(mem_mib) FROM line WHERE mem_mib > 0)
                                 ELSE min(f.mem_mib, coalesce(f.increment_mib, f.mem_mib)) END AS span
    FROM ends e JOIN line f ON f.rowid = e.first_row JOIN line l ON l.rowid = e.last_row
)
SELECT l.file, p.path, coalesce(n.name, '') AS name, l.line, max(l.source) AS source, l.function, w.calls, w.added * 1048576, w.span * 1048576,
       total(CASE WHEN l.rowid > c.first_row AND coalesce(l.occurrences <= c.occurrences, 1) THEN max(l.increment_mib, 0) END) * 1048576 AS once,
       total(CASE WHEN l.rowid > c.first_row AND l.occurrences > c.occurrences THEN max(l.increment_mib, 0) END) * 1048576 AS repeated,
       max(l.mem_mib) * 1048576, max(coalesce(l.occurrences > c.occurrences, 0)),
       (SELECT min(mem_mib) FROM line WHERE mem_mib > 0) * 1048576, (SELECT max(mem_mib) FROM line) * 1048576
FROM memory_call c
JOIN line l ON l.function = c.function AND l.block = c.block
JOIN line_file p ON p.id = l.file
JOIN whole w ON w.function = l.function
LEFT JOIN line_function n ON n.id = l.function
WHERE NOT l.of_function AND l.rowid >= c.first_row
GROUP BY l.function, l.file, l.line
ORDER BY l.function, l.line;
