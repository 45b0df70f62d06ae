-- Sources of the snapshot `old` that are not attached here, or differ from the one attached for their path.
SELECT o.run, 'there ' || iif(m.run IS NULL, 'is no source for ', 'is another source, which stays, for ') || o.path, ''
FROM old.source o LEFT JOIN main.source m ON m.run = o.run AND m.path = o.path WHERE m.sha256 IS NOT o.sha256;
