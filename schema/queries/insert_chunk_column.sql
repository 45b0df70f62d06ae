INSERT INTO chunk_column VALUES (?1, ?2);
