-- The oldest runs, without the newest :limit. The queries keep_*.sql neither select nor count baselines.
SELECT seq, id, created_at, db_bytes + bytes, name, series FROM run WHERE seq NOT IN (SELECT seq FROM pinned)
ORDER BY created_at, seq LIMIT max(0, (SELECT coalesce(sum(runs), 0) FROM tally WHERE what = 'all') - (SELECT count(*) FROM pinned) - :limit);
