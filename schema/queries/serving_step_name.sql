-- The name of a step.
SELECT name FROM step WHERE id = :id;
