INSERT INTO span(name, start_s, end_s, start_mib, end_mib, level) VALUES (?1, ?2, ?3, ?4, ?5, ?6);
