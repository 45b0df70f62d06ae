-- Tokens that the snapshot `old` lacks.
SELECT m.name, 'the shelf that was copied has no such token', 'revoke it, unless it was made there' FROM main.token m
WHERE NOT EXISTS (SELECT 1 FROM old.token o WHERE o.id = m.id) ORDER BY m.name;
