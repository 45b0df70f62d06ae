INSERT INTO text VALUES (?1, ?2, ?3);
