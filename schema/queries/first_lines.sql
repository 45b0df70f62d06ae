-- Functions of a pstats dump in the file with the id :file: the measurements of cProfile for a source file.
SELECT f.line, f.id AS function, f.name, f.ncalls, f.tottime_s, f.cumtime_s
FROM function f WHERE f.file = :file AND f.line > 0 AND f.listed ORDER BY f.line, f.id;
