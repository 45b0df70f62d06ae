-- The columns of trend_series.sql for the run :id.
SELECT r.id, r.kind, r.name, coalesce(r.summary ->> '$.committed_us' / 1000, r.created_at) AS at, r.headline_unit, r.headline_label,
       CASE WHEN :figure IS NULL THEN r.headline_value ELSE json_extract(r.summary, :figure) END,
       (SELECT t.v FROM tag t WHERE t.run = r.id AND t.k = :by)
FROM run r WHERE r.id = :id;
