-- Tables of a run file except origin, whose rows are the same in all files; runs in the run file.
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'origin' ORDER BY rowid;
