INSERT INTO args_template VALUES (?1, ?2, ?3);
