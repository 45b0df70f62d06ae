INSERT OR REPLACE INTO tag(run, k, v) VALUES (:id, :k, :v);
