-- Functions of the file :id, in order of their first lines.
--
-- column: name string?, first_line number?, last_line: null if the profile does not have them
-- column: executed number: number of its lines that ran
SELECT n.id, nullif(n.name, '') AS name, nullif(n.first_line, 0) AS first_line, s.last_line, coalesce(s.executed, 0) AS executed, s.ticks, s.hits
FROM line_function n
LEFT JOIN line_sum s ON s.function = n.id
WHERE n.file = :id ORDER BY n.first_line, n.id;
