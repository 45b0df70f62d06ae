INSERT INTO pyramid VALUES (?1, ?2, ?3);
