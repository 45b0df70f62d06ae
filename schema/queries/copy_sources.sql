-- Sources attached to the run :id of the snapshot `old`, except sources for whose path this shelf has
-- another file; and whether a row of the source is missing on this shelf.
SELECT o.sha256, max(m.run IS NULL)
FROM old.source o LEFT JOIN main.source m ON m.run = o.run AND m.path = o.path
WHERE o.run = :id AND coalesce(m.sha256 = o.sha256, 1)
GROUP BY o.sha256;
