-- Actions of the first section of a Lightning profile: name, calls, total time in s, the time of the section, and what shares
-- are of. Lightning's loops contain the other actions, so they are left out.
SELECT a.name, a.calls, a.total_s, s.total_s, iif(s.total_s > 0, 'of the time', 'in total')
FROM section s JOIN action a ON a.section = s.id
WHERE s.id = (SELECT min(id) FROM section) AND a.total_s > 0
  AND a.name NOT IN ('run_training_epoch', 'run_training_batch', 'run_evaluation_epoch')
  AND a.name NOT LIKE '%optimizer_step_with_closure%' AND a.name NOT LIKE '%.optimizer_step'
ORDER BY a.total_s DESC, a.id;
