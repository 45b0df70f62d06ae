-- Times of the lines of one function in s, the longest first: line, seconds.
SELECT l.line, total(l.ticks) * (SELECT v FROM meta WHERE k = 'unit_s') AS seconds
FROM line l WHERE NOT l.of_function AND l.file = :file AND l.function = :function
GROUP BY l.line HAVING seconds > 0 ORDER BY seconds DESC, l.line;
