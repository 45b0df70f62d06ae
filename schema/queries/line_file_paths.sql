SELECT id, path FROM line_file ORDER BY id;
