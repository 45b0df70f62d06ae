INSERT INTO mirror(one, n, store) VALUES (1, :n, :store) ON CONFLICT(one) DO UPDATE SET n = excluded.n, store = excluded.store;
