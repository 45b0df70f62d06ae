-- The measured file that is :path, or the one that ends like it (:tail, its last two parts).
SELECT id, path FROM line_file WHERE path = :path OR replace(path, '\', '/') LIKE '%' || :tail ORDER BY path = :path DESC, id LIMIT 1;
