-- Runs of the series :series for a trend, newest first: by the date of their commit if the file states it, else of
-- the import. :by is the key of a tag; :figure is a path in the
-- summary, NULL for the headline.
SELECT r.id, r.kind, r.name, coalesce(r.summary ->> '$.committed_us' / 1000, r.created_at) AS at, r.headline_unit, r.headline_label,
       CASE WHEN :figure IS NULL THEN r.headline_value ELSE json_extract(r.summary, :figure) END,
       (SELECT t.v FROM tag t WHERE t.run = r.id AND t.k = :by)
FROM run r WHERE r.series = :series ORDER BY at DESC, r.seq DESC;
