-- Records the size of a stored file.
INSERT INTO kept_size(folder, sha256, bytes) VALUES (:folder, :sha256, :bytes)
ON CONFLICT(folder, sha256) DO UPDATE SET bytes = excluded.bytes;
