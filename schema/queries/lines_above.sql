-- A line of a function and the lines above it, the nearest first: line, source, percent of the samples.
SELECT l.line, coalesce(l.source, ''), total(l.cpu_python_pct) + total(l.cpu_native_pct) + total(l.cpu_system_pct) AS amount
FROM line l
WHERE NOT l.of_function AND l.file = :file AND coalesce(l.function, 0) = :function AND l.line BETWEEN :line - 20 AND :line
GROUP BY l.line ORDER BY l.line DESC;
