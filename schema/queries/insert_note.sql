INSERT INTO note(severity, byte_offset, line, what) VALUES (?1, ?2, ?3, ?4);
