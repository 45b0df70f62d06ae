-- The tables of a run file but for origin, whose rows are the same in all; in the run file.
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'origin' ORDER BY rowid;
