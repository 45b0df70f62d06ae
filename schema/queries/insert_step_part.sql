INSERT INTO step_part VALUES (?1, ?2, ?3, ?4);
