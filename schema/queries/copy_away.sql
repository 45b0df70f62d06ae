-- Runs of the snapshot `old` that were deleted from this shelf after they were added, but not from the shelf of
-- the snapshot.
SELECT o.id, 'it was deleted from --to, and not copied again'
FROM (SELECT run, max(at) AS at FROM main.removal_log WHERE (run, at) NOT IN (SELECT run, at FROM old.removal_log) GROUP BY run) r
CROSS JOIN old.run o ON o.id = r.run
WHERE r.at >= o.created_at AND NOT EXISTS (SELECT 1 FROM main.run WHERE id = o.id);
