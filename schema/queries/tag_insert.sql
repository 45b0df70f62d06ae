INSERT INTO tag(run, k, v) VALUES (:id, :k, :v) ON CONFLICT(run, k) DO UPDATE SET v = excluded.v;
