-- Saved queries for runs of :kind, by name.
SELECT id, kind, name, sql, who, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at
FROM saved_query WHERE kind = :kind ORDER BY name;
