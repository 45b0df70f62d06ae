DELETE FROM session WHERE id = :id;
