-- Lines with the most time (:what 'time', in s), CPU samples ('cpu', in percent of all samples) or new memory ('memory', in
-- bytes). The first line of a function holds the memory from before the call, so it adds nothing.
WITH measured AS (
    SELECT l.file, l.function, l.line, max(l.source) AS source, total(l.hits) AS hits,
           CASE :what WHEN 'time' THEN total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s')
                      WHEN 'cpu' THEN total(l.cpu_python_pct) + total(l.cpu_native_pct) + total(l.cpu_system_pct)
                      ELSE total(l.increment_mib) * 1048576 END AS amount,
           total(l.cpu_python_pct) AS python, total(l.cpu_native_pct) AS native, total(l.cpu_system_pct) AS system
    FROM line l LEFT JOIN line_function n ON n.id = l.function
    WHERE NOT l.of_function AND (:what <> 'memory' OR n.first_line IS NULL OR l.line > n.first_line)
    GROUP BY l.file, l.function, l.line
)
SELECT m.file, f.path, coalesce(n.name, ''), m.line, m.source, m.hits, m.amount, m.python, m.native, m.system,
       (SELECT total(o.amount) FROM measured o WHERE o.file = m.file AND o.function = m.function) AS whole,
       m.function
FROM measured m JOIN line_file f ON f.id = m.file LEFT JOIN line_function n ON n.id = m.function
WHERE m.amount > 0 ORDER BY m.amount DESC, m.file, m.line LIMIT 20;
