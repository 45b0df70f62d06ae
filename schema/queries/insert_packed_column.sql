INSERT INTO packed_column VALUES (?1, ?2);
