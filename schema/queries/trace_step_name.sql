-- The name of a step, by id.
SELECT name FROM step WHERE id = :id;
