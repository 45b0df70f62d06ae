INSERT INTO section VALUES (?1, ?2, ?3, ?4);
