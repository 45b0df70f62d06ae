DELETE FROM tag WHERE run = :id AND k = :k;
