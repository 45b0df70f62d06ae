-- Runs that a user may mean by :run: an id (rank 0), a name (rank 1), or a prefix of an id with at least 2
-- digits (rank 2). At most five rows per rank; lower ranks win.
SELECT id, 0 AS rank, kind, name, created_at FROM run WHERE id = lower(:run)
UNION ALL
SELECT * FROM (SELECT id, 1, kind, name, created_at FROM run WHERE name = :run ORDER BY seq DESC LIMIT 5)
UNION ALL
SELECT * FROM (SELECT id, 2, kind, name, created_at FROM run WHERE length(:run) >= 2 AND id >= lower(:run) AND id < lower(:run) || 'g' LIMIT 5) -- the last hexadecimal digit is f
ORDER BY rank;
