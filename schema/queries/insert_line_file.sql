INSERT INTO line_file VALUES (?1, ?2, ?3, ?4);
