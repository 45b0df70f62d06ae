DELETE FROM name WHERE runs = 0 AND id IN (SELECT name FROM hot WHERE seq = :seq);
