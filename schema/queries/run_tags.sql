SELECT k, v FROM tag WHERE run = :id ORDER BY k;
