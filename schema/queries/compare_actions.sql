-- Actions of PyTorch Lightning's profilers, for comparison. Actions contain each other. Times are printed with
-- five digits; the resolution is that of the longest time. Header keys: see compare_imports.sql.
--
-- title: Actions
-- row: action
-- place: stage
-- metric: total_s s - Total time
-- metric: mean_s s - Mean time
-- metric: calls - - Calls
-- work: calls SELECT sum(calls) FROM action
-- recorded: SELECT EXISTS (SELECT 1 FROM action)
-- resolution: total_s SELECT CAST('1e' || (CAST(substr(printf('%.4e', max(total_s)), 8) AS INTEGER) - 4) AS REAL) FROM action
-- resolution: mean_s SELECT CAST('1e' || (CAST(substr(printf('%.4e', max(mean_s)), 8) AS INTEGER) - 4) AS REAL) FROM action
SELECT a.id, a.name, s.stage AS place, a.total_s, a.mean_s, a.calls
FROM action a
JOIN section s ON s.id = a.section
