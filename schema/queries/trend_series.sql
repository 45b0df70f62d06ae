-- Runs of the series :series, the newest first, as a trend reads them: :by a tag's key, :figure a path into the summary or NULL: the headline.
SELECT r.id, r.kind, r.name, r.created_at, r.headline_unit, r.headline_label,
       CASE WHEN :figure IS NULL THEN r.headline_value ELSE json_extract(r.summary, :figure) END,
       (SELECT t.v FROM tag t WHERE t.run = r.id AND t.k = :by)
FROM run r WHERE r.series = :series ORDER BY r.seq DESC;
