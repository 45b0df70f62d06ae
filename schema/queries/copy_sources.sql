-- Sources attached to the run :id of the snapshot `old`, except where this shelf has another file for the
-- same path; and whether any of their rows is missing here.
SELECT o.sha256, max(m.run IS NULL)
FROM old.source o LEFT JOIN main.source m ON m.run = o.run AND m.path = o.path
WHERE o.run = :id AND coalesce(m.sha256 = o.sha256, 1)
GROUP BY o.sha256;
