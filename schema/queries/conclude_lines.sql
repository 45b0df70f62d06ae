-- Lines with the most time (:what 'time', in s) or CPU samples ('cpu', in percent of all samples). The threads of Scalene
-- itself, which it counts at the line of the module threading that starts a thread, are left out. Reports of one function
-- are added up, as in comparisons. `calls`: hits of the first line of the function that ran; `second_hits`: of the next one.
WITH same AS (
    SELECT id, CASE WHEN :what = 'time' AND name <> '' THEN min(id) OVER (PARTITION BY file, name, first_line) ELSE id END AS first FROM line_function
),
measured AS (
    SELECT l.file, coalesce(s.first, 0) AS function, l.line, max(l.source) AS source, total(l.hits) AS hits,
           CASE :what WHEN 'time' THEN total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s')
                      ELSE total(l.cpu_python_pct) + total(l.cpu_native_pct) + total(l.cpu_system_pct) END AS amount,
           total(l.cpu_python_pct) AS python, total(l.cpu_native_pct) AS native, total(l.cpu_system_pct) AS system
    FROM line l JOIN line_file f ON f.id = l.file LEFT JOIN same s ON s.id = l.function
    WHERE NOT l.of_function
      AND (:what <> 'cpu' OR f.path NOT LIKE '%threading.py' OR instr(coalesce(l.source, ''), 'self._target(') = 0)
    GROUP BY l.file, coalesce(s.first, 0), l.line
)
SELECT m.file, f.path, coalesce(n.name, ''), m.line, m.source, m.hits, m.amount, m.python, m.native, m.system,
       (SELECT total(o.amount) FROM measured o WHERE o.file = m.file AND o.function = m.function AND o.amount > 0) AS whole,
       m.function,
       (SELECT o.hits FROM measured o WHERE o.file = m.file AND o.function = m.function AND o.hits > 0 ORDER BY o.line LIMIT 1) AS calls,
       (SELECT o.hits FROM measured o WHERE o.file = m.file AND o.function = m.function AND o.hits > 0 ORDER BY o.line LIMIT 1 OFFSET 1) AS second_hits,
       coalesce(n.first_line, 0) AS first_line
FROM measured m JOIN line_file f ON f.id = m.file LEFT JOIN line_function n ON n.id = m.function
WHERE m.amount > 0 ORDER BY m.amount DESC, m.file, m.line LIMIT 20;
