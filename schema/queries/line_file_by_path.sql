-- The measured file :path, or else a file whose path ends with :tail (the last two parts of :path).
SELECT id, path FROM line_file WHERE path = :path OR replace(path, '\', '/') LIKE '%' || :tail ORDER BY path = :path DESC, id LIMIT 1;
