INSERT INTO memory_sample VALUES (?1, ?2, ?3, ?4);
