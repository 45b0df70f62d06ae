DELETE FROM run_part WHERE seq = :seq;
