-- Functions of a pstats dump in the file :path, or in a file whose path ends with :tail: the measurements
-- of cProfile for a source file.
SELECT f.line, f.id AS function, f.name, f.ncalls, f.tottime_s, f.cumtime_s
FROM function f JOIN file l ON l.id = f.file
WHERE (l.path = :path OR replace(l.path, '\', '/') LIKE '%' || :tail) AND f.line > 0 AND f.listed ORDER BY f.line, f.id;
