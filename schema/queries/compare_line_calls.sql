-- Lines of line_profiler that ran, function by function: id of the function, path, name, first line, text, hits, time in s.
WITH same AS (SELECT id, min(id) OVER (PARTITION BY file, name, first_line) AS first FROM line_function WHERE name <> '')
SELECT s.first, f.path, n.name, n.first_line, coalesce(max(l.source), ''), total(l.hits), total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s')
FROM line l JOIN same s ON s.id = l.function JOIN line_function n ON n.id = s.first JOIN line_file f ON f.id = l.file
WHERE NOT l.of_function AND l.hits > 0
GROUP BY s.first, l.line ORDER BY s.first, l.line;
