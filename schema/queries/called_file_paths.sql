-- The files of a pstats dump with functions that have a first line.
SELECT DISTINCT l.id, l.path FROM function f JOIN file l ON l.id = f.file WHERE f.line > 0 AND f.listed ORDER BY l.id;
