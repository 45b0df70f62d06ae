DELETE FROM upload WHERE id = :id;
