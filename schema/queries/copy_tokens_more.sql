-- Tokens that the snapshot `old` lacks.
SELECT m.name, '--from has no such token', 'revoke it, unless it was created in --to' FROM main.token m
WHERE NOT EXISTS (SELECT 1 FROM old.token o WHERE o.id = m.id) ORDER BY m.name;
