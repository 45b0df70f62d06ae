INSERT OR REPLACE INTO source(run, path, sha256, bytes, changed, at) VALUES (:id, :path, :sha256, :bytes, :changed, :at);
