DELETE FROM hot WHERE seq = :seq;
