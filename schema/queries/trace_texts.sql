SELECT id, text, key FROM text ORDER BY id;
