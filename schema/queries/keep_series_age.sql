-- Those of keep_age.sql that are of the series :series, or with NULL of a series that does not stand in :named, an array of JSON.
SELECT seq, id, created_at, db_bytes + bytes, name, series FROM run
WHERE created_at < :before AND series <> '' AND seq NOT IN (SELECT seq FROM pinned)
AND CASE WHEN :series IS NULL THEN series NOT IN (SELECT value FROM json_each(:named)) ELSE series = :series END;
