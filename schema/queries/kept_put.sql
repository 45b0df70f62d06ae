INSERT INTO kept(folder, key, hash, bytes, layout) VALUES (:folder, :key, :hash, :bytes, :layout)
ON CONFLICT(folder, key) DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes, layout = excluded.layout;
