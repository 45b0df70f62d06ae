-- Sources of the snapshot `old` for whose run and path this shelf has no source or another source.
SELECT o.run, iif(m.run IS NULL, 'its source is missing in --to: ', 'kept another source in --to: ') || o.path, ''
FROM old.source o LEFT JOIN main.source m ON m.run = o.run AND m.path = o.path WHERE m.sha256 IS NOT o.sha256;
