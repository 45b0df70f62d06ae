-- Times of the lines of one function in s, the longest first: line, seconds. All reports of the function are added up.
SELECT l.line, total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s') AS seconds
FROM line l WHERE NOT l.of_function AND l.file = :file
  AND (l.function = :function
       OR l.function IN (SELECT o.id FROM line_function f JOIN line_function o ON o.file = f.file AND o.name = f.name AND o.first_line = f.first_line WHERE f.id = :function AND f.name <> ''))
GROUP BY l.line HAVING seconds > 0 ORDER BY seconds DESC, l.line;
