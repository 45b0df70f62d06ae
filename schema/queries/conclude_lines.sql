-- Lines with the most time (:what 'time', in s), CPU samples ('cpu', in percent of all samples) or new memory ('memory', in
-- bytes; of which increments: see compare_memory_lines.sql). For memory, line 0 is the growth of a function that its other
-- lines do not explain: that of the lines that ran several times in a call. The threads of Scalene itself, which it counts
-- at the line of the module threading that starts a thread, are left out. Reports of one function are added up, as in
-- comparisons. `calls`: hits of the first line of the function that ran.
WITH same AS (
    SELECT id, CASE WHEN :what = 'time' AND name <> '' THEN min(id) OVER (PARTITION BY file, name, first_line) ELSE id END AS first FROM line_function
),
bounds AS (
    SELECT file, function, block, min(rowid) AS first_row, max(rowid) AS last_row
    FROM line WHERE :what = 'memory' AND increment_mib IS NOT NULL GROUP BY function, block
),
call AS (
    SELECT b.*, f.occurrences, l.mem_mib - CASE WHEN f.occurrences > 1 THEN f.increment_mib ELSE f.mem_mib END AS growth
    FROM bounds b JOIN line f ON f.rowid = b.first_row JOIN line l ON l.rowid = b.last_row
),
kept AS (
    SELECT l.rowid AS row, l.increment_mib AS mib, l.function
    FROM line l JOIN call c ON c.function = l.function AND c.block = l.block
    WHERE l.increment_mib IS NOT NULL AND l.rowid > c.first_row AND coalesce(l.occurrences <= c.occurrences, 1)
),
measured AS (
    SELECT l.file, coalesce(s.first, 0) AS function, l.line, max(l.source) AS source, total(l.hits) AS hits,
           CASE :what WHEN 'time' THEN total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s')
                      WHEN 'cpu' THEN total(l.cpu_python_pct) + total(l.cpu_native_pct) + total(l.cpu_system_pct)
                      ELSE total(max(k.mib, 0)) * 1048576 END AS amount,
           total(l.cpu_python_pct) AS python, total(l.cpu_native_pct) AS native, total(l.cpu_system_pct) AS system
    FROM line l JOIN line_file f ON f.id = l.file LEFT JOIN same s ON s.id = l.function LEFT JOIN kept k ON k.row = l.rowid
    WHERE NOT l.of_function
      AND (:what <> 'cpu' OR f.path NOT LIKE '%threading.py' OR instr(coalesce(l.source, ''), 'self._target(') = 0)
    GROUP BY l.file, coalesce(s.first, 0), l.line
    UNION ALL
    SELECT file, function, 0, NULL, 0,
           round(total(growth) - coalesce((SELECT total(k.mib) FROM kept k WHERE k.function = call.function), 0), 6) * 1048576, 0, 0, 0
    FROM call
    WHERE function IN (SELECT l.function FROM line l JOIN call c ON c.function = l.function AND c.block = l.block WHERE l.occurrences > c.occurrences)
    GROUP BY function
)
SELECT m.file, f.path, coalesce(n.name, ''), m.line, m.source, m.hits, m.amount, m.python, m.native, m.system,
       (SELECT total(o.amount) FROM measured o WHERE o.file = m.file AND o.function = m.function AND o.amount > 0) AS whole,
       m.function, n.first_line, CASE :what WHEN 'memory' THEN (SELECT max(mem_mib) FROM line) * 1048576 END AS peak,
       (SELECT o.hits FROM measured o WHERE o.file = m.file AND o.function = m.function AND o.hits > 0 ORDER BY o.line LIMIT 1) AS calls
FROM measured m JOIN line_file f ON f.id = m.file LEFT JOIN line_function n ON n.id = m.function
WHERE m.amount > 0 ORDER BY m.amount DESC, m.file, m.line LIMIT 20;
