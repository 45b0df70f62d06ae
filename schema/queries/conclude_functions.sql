-- All functions of a cProfile dump.
SELECT f.id, f.name, l.path, f.line, f.origin, f.ncalls, f.tottime_s, f.cumtime_s, f.primitive_calls
FROM function f JOIN file l ON l.id = f.file
ORDER BY f.id;
