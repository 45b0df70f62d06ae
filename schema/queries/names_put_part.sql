INSERT INTO run_part VALUES (:seq, :of, :unit, :whole);
