-- Lines with the most time (:what 'time', in s), CPU samples ('cpu', in percent of all samples) or new memory ('memory', in
-- bytes; of which increments: see compare_memory_lines.sql).
WITH call AS (
    SELECT function, block, min(rowid) AS first_row, occurrences
    FROM line WHERE :what = 'memory' AND increment_mib IS NOT NULL GROUP BY function, block
),
measured AS (
    SELECT l.file, l.function, l.line, max(l.source) AS source, total(l.hits) AS hits,
           CASE :what WHEN 'time' THEN total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s')
                      WHEN 'cpu' THEN total(l.cpu_python_pct) + total(l.cpu_native_pct) + total(l.cpu_system_pct)
                      ELSE total(CASE WHEN l.rowid > c.first_row AND coalesce(l.occurrences <= c.occurrences, 1)
                                      THEN max(l.increment_mib, 0) END) * 1048576 END AS amount,
           total(l.cpu_python_pct) AS python, total(l.cpu_native_pct) AS native, total(l.cpu_system_pct) AS system
    FROM line l LEFT JOIN call c ON c.function = l.function AND c.block = l.block
    WHERE NOT l.of_function
    GROUP BY l.file, l.function, l.line
)
SELECT m.file, f.path, coalesce(n.name, ''), m.line, m.source, m.hits, m.amount, m.python, m.native, m.system,
       (SELECT total(o.amount) FROM measured o WHERE o.file = m.file AND o.function = m.function) AS whole,
       m.function
FROM measured m JOIN line_file f ON f.id = m.file LEFT JOIN line_function n ON n.id = m.function
WHERE m.amount > 0 ORDER BY m.amount DESC, m.file, m.line LIMIT 20;
