-- Actions of PyTorch Lightning's profilers as they are compared. They contain each other. For the head's words see compare_imports.sql.
--
-- title: Actions
-- row: action
-- place: stage
-- metric: total_s s - Total time
-- metric: mean_s s - Mean time
-- metric: calls - - Calls
-- has: * SELECT EXISTS (SELECT 1 FROM action)
SELECT a.name, s.stage AS place, a.total_s, a.mean_s, a.calls
FROM action a
JOIN section s ON s.id = a.section
