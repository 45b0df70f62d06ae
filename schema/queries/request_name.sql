-- The name of the request :id.
SELECT name FROM request WHERE id = :id;
