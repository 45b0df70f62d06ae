-- Runs of this shelf that were deleted from the shelf of the snapshot `old` after they were added there.
SELECT m.id, 'was deleted, as in --from; its name was ' || quote(m.name)
FROM (SELECT run, max(at) AS at FROM old.removal_log GROUP BY run) r
CROSS JOIN main.run m ON m.id = r.run
WHERE r.at >= m.created_at AND NOT EXISTS (SELECT 1 FROM old.run WHERE id = m.id);
