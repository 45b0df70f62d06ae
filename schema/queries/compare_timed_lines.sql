-- Lines of line_profiler, for comparison. name: the text of the line, if the profile contains it. Header
-- keys: see compare_imports.sql. Times such as 1.2e+10 in a printed report have three digits.
--
-- title: Lines
-- row: line
-- place: file
-- metric: time_s s adds Time
-- metric: hits - adds Hits
-- work: hits SELECT sum(hits) FROM line WHERE NOT of_function
-- calls: time_s hits
-- resolution: time_s SELECT v FROM meta WHERE k = 'unit_s'
SELECT max(l.source) AS name, f.path AS place, coalesce(n.name, '') AS within, l.line,
       total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s') AS time_s, total(l.hits) AS hits,
       CASE WHEN total(l.ticks) >= (SELECT json_extract(v, '$.three_digits_from') FROM meta WHERE k = 'summary')
            THEN CAST('1e' || (length(CAST(CAST(total(l.ticks) AS INTEGER) AS TEXT)) - 3) AS REAL) * (SELECT v FROM meta WHERE k = 'unit_s')
            ELSE 0 END AS resolution
FROM line l
JOIN line_file f ON f.id = l.file
LEFT JOIN line_function n ON n.id = l.function
WHERE NOT l.of_function
GROUP BY l.file, l.function, l.line
ORDER BY l.file
