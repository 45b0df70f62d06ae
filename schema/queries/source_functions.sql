-- Functions of the file :id, in order of their first lines.
SELECT n.id, nullif(n.name, '') AS name, nullif(n.first_line, 0) AS first_line, max(l.line) FILTER (WHERE NOT l.of_function) AS last_line,
       count(l.hits) + count(l.occurrences) AS executed, sum(l.ticks) AS ticks, sum(l.hits) AS hits
FROM line_function n LEFT JOIN line l ON l.function = n.id
WHERE n.file = :id GROUP BY n.id ORDER BY n.first_line, n.id;
