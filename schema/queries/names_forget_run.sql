DELETE FROM indexed_run WHERE seq = :seq;
