SELECT count(*) FROM tag WHERE run = :id;
