-- The machine and the Python of a run, as far as its file states them.
SELECT k, v FROM meta WHERE k IN ('host', 'machine', 'cpu', 'system', 'python') AND typeof(v) = 'text' AND v <> '';
