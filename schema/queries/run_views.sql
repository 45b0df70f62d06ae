-- The views of a run file; runs in the run file.
SELECT name FROM sqlite_schema WHERE type = 'view';
