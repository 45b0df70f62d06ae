-- Source files that a run measured, and whether the run contains text of their lines.
SELECT f.path, coalesce(s.carried, 0) AS carried, f.id
FROM line_file f
LEFT JOIN (SELECT file, max(carried) AS carried FROM line_sum GROUP BY file) s ON s.file = f.id
ORDER BY f.id;
