DELETE FROM tag WHERE run = :id;
