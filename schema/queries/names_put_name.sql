-- The id of a name, which is added if it is new; counts another run.
INSERT INTO name(of, name, module, text, runs, self_share, total_share, hottest)
VALUES (:of, :name, :module, :text, 1, :self_share, :total_share, :seq)
ON CONFLICT(of, name, module) DO UPDATE SET
    runs = runs + 1, self_share = max(self_share, excluded.self_share), total_share = max(total_share, excluded.total_share),
    hottest = iif(max(self_share, total_share) < max(excluded.self_share, excluded.total_share), excluded.hottest, hottest)
RETURNING id;
