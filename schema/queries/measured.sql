-- The source files that a run measured, and whether it carries text of their lines.
SELECT f.path, c.file IS NOT NULL AS carried, f.id
FROM line_file f
LEFT JOIN (SELECT DISTINCT file FROM line WHERE source IS NOT NULL) c ON c.file = f.id
ORDER BY f.id;
