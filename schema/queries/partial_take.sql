DELETE FROM partial WHERE id = :id AND who = :who RETURNING file;
