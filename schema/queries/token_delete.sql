DELETE FROM token WHERE name = :name RETURNING id;
