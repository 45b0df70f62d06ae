-- The owner of a token, and the time of its last use.
SELECT hash, name, role, used_at FROM token WHERE id = :id;
