-- What a person may mean by :run: an id, a prefix of one (4 digits at least), a name. At most five rows a rank; rank 0 wins over 1 over 2.
SELECT id, 0 AS rank, kind, name, created_at FROM run WHERE id = lower(:run)
UNION ALL
SELECT * FROM (SELECT id, 1, kind, name, created_at FROM run WHERE name = :run ORDER BY seq DESC LIMIT 5)
UNION ALL
SELECT * FROM (SELECT id, 2, kind, name, created_at FROM run WHERE length(:run) >= 2 AND id >= lower(:run) AND id < lower(:run) || 'g' LIMIT 5) -- digits end with f
ORDER BY rank;
