-- Sources of the snapshot `old` for whose run and path this shelf has no source or another source.
SELECT o.run, 'there ' || iif(m.run IS NULL, 'is no source for ', 'is another source, which stays, for ') || o.path, ''
FROM old.source o LEFT JOIN main.source m ON m.run = o.run AND m.path = o.path WHERE m.sha256 IS NOT o.sha256;
