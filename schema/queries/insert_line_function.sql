INSERT INTO line_function VALUES (?1, ?2, ?3, ?4);
